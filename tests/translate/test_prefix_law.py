"""Providers cache by prefix, so requests must not wobble: not in a turn and not from turn to turn."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keen_tui.domain.exchange import Conversation, HistoryTurn, ModelProfile, Wire
from keen_tui.domain.turn_memory import Activity
from keen_tui.translate.registry import translator_for
from tests.translate.conversations import WIRES, answered, conversations, few, names, profile, profiles, texts
from tests.translate.streams import stream

rounds = st.lists(st.tuples(texts, texts, st.lists(names, max_size=3), texts, texts), min_size=1, max_size=3)


def sent(conversation: Conversation, model: ModelProfile) -> str:
    body = translator_for(model.wire).body(conversation, model)
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    text.encode("utf-8")
    return text


@pytest.mark.parametrize("wire", WIRES)
@few
@given(start=conversations, settings=profiles, replies=rounds)
def test_in_a_turn_each_request_extends_the_one_before_byte_for_byte(wire, start, settings, replies):
    translator, model = translator_for(wire), profile(wire, **settings)
    exchange: list = []
    taken: set[str] = set()
    last = sent(start, model)
    for thought, text, tools, result, note in replies:
        decoder = translator.decoder(taken)
        calls = tuple(("same_id", name, {"path": text}) for name in tools)
        for payload in stream(wire, thought, text, calls):
            decoder.feed(payload)
        reply = decoder.finish()
        taken |= {call.id for call in reply.calls}
        exchange += [*reply.messages, *translator.results(answered(reply, result), note)]
        request = sent(
            Conversation(start.system, start.tools, start.history, start.user_text, start.context, tuple(exchange)),
            model,
        )
        assert last.endswith("]}")
        assert request.startswith(last[:-2])
        last = request


@pytest.mark.parametrize("wire", WIRES)
@few
@given(start=conversations, settings=profiles, prose=texts, tool=names, context=texts)
def test_from_turn_to_turn_everything_up_to_the_last_users_text_stays(
    wire: Wire, start, settings, prose, tool, context
):
    model, said = profile(wire, **settings), "the words of the running turn"
    running = Conversation(start.system, start.tools, start.history, said, start.context)
    before = sent(running, model)
    turn = HistoryTurn("finished", said, prose, (Activity(text_offset=0, tool=tool, status="success"),))
    after = sent(Conversation(start.system, start.tools, (*start.history, turn), "next", context), model)
    assert after.startswith(before[: before.index(said) + len(said)])


@pytest.mark.parametrize("wire", WIRES)
@few
@given(start=conversations, settings=profiles)
def test_equal_conversations_make_equal_bytes(wire, start, settings):
    assert sent(start, profile(wire, **settings)) == sent(start, profile(wire, **settings))
