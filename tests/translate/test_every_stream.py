"""What holds for the streams of every wire format."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keen_tui.domain.errors import GatewayError
from keen_tui.domain.exchange import CallDelta, ReasoningDelta, TextDelta, Wire
from keen_tui.translate.registry import translator_for
from tests.translate.conversations import LISTS, WIRES, answered, conversation, few, profile, read
from tests.translate.streams import TWO_CALLS, stream

THOUGHT, TEXT = "First look, then edit.", "Let me look — twice.\n"


@pytest.mark.parametrize("wire", WIRES)
def test_thinking_text_and_parallel_calls_arrive_as_items_and_as_one_reply(wire: Wire):
    decoder = translator_for(wire).decoder()
    items = [item for payload in stream(wire, THOUGHT, TEXT, TWO_CALLS) for item in decoder.feed(payload)]
    reply = decoder.finish()
    assert "".join(item.text for item in items if isinstance(item, ReasoningDelta)) == THOUGHT
    assert "".join(item.text for item in items if isinstance(item, TextDelta)) == TEXT == reply.text
    assert [(call.name, call.arguments, call.problem) for call in reply.calls] == [
        (name, arguments, "") for _, name, arguments in TWO_CALLS
    ]
    assert reply.stop == "tools"
    assert reply.usage is not None
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (330, 40)
    assert reply.usage.cached_tokens == (0 if wire == "ollama" else 300)
    grown: dict[int, str] = {}
    for item in items:
        if isinstance(item, CallDelta):
            assert item.name == "read_file"
            grown[item.index] = grown.get(item.index, "") + item.fragment
    assert [json.loads(text) for text in grown.values()] == [arguments for *_, arguments in TWO_CALLS]


@pytest.mark.parametrize("wire", WIRES)
def test_a_stream_without_its_terminal_event_is_a_lost_connection(wire: Wire):
    for payloads in ([], [{}], stream(wire, THOUGHT, TEXT, TWO_CALLS)[:-2]):
        with pytest.raises(GatewayError) as caught:
            read(translator_for(wire), payloads)
        assert caught.value.kind == "connection_lost"
        assert caught.value.retriable


@pytest.mark.parametrize("wire", WIRES)
def test_a_proper_end_without_anything_is_an_empty_reply(wire: Wire):
    reply = read(translator_for(wire), stream(wire))
    assert (reply.messages, reply.text, reply.calls, reply.stop) == ((), "", (), "end")


@pytest.mark.parametrize("wire", WIRES)
def test_a_broken_stream_keeps_its_text_and_whole_calls_only(wire: Wire):
    payloads = stream(wire, THOUGHT, TEXT, TWO_CALLS)
    for cut in range(len(payloads)):
        decoder = translator_for(wire).decoder()
        for payload in payloads[:cut]:
            decoder.feed(payload)
        kept = decoder.partial()
        assert TEXT.startswith(kept.text)
        assert all(call.arguments in [arguments for *_, arguments in TWO_CALLS] for call in kept.calls)
        assert len(json.dumps(kept.messages)) > 2 or not kept.calls
        assert decoder.partial() == kept


@pytest.mark.parametrize("wire", WIRES)
def test_a_reply_goes_back_into_the_running_turn_with_its_results_behind_it(wire: Wire):
    translator = translator_for(wire)
    reply = read(translator, stream(wire, THOUGHT, TEXT, TWO_CALLS))
    exchange = (*reply.messages, *translator.results(answered(reply), "Use the other file."))
    body = translator.body(conversation(exchange=exchange), profile(wire))
    assert tuple(body[LISTS[wire]][-len(exchange) :]) == exchange


@pytest.mark.parametrize("wire", WIRES)
def test_ids_that_the_turn_already_uses_are_not_used_again(wire: Wire):
    translator = translator_for(wire)
    taken: set[str] = set()
    for turn in range(1, 4):
        decoder = translator.decoder(taken)
        for payload in stream(wire, "", "x", TWO_CALLS):
            decoder.feed(payload)
        reply = decoder.finish()
        taken |= {call.id for call in reply.calls}
        assert len(taken) == 2 * turn
        sent = json.dumps([*reply.messages, *translator.results(answered(reply))])
        if wire not in ("gemini", "ollama"):
            assert all(sent.count(json.dumps(call.id)) == 2 for call in reply.calls)


@pytest.mark.parametrize("wire", WIRES)
def test_a_note_alone_is_a_users_message_and_nothing_is_none(wire: Wire):
    translator = translator_for(wire)
    assert translator.results((), " \n") == []
    (message,) = translator.results((), "Stop there.")
    assert message["role"] == "user"
    assert "Stop there." in json.dumps(message)


@pytest.mark.parametrize("wire", WIRES)
def test_output_that_is_blank_is_named(wire: Wire):
    translator = translator_for(wire)
    reply = read(translator, stream(wire, "", "", TWO_CALLS[:1]))
    assert "(no output)" in json.dumps(translator.results(answered(reply, " \n")))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 9) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)


def spoiled(value, path, garbage):
    """The value with what stands at a path replaced; the path picks keys by number."""
    if not path or not isinstance(value, dict | list) or not value:
        return garbage
    if isinstance(value, dict):
        key = sorted(value)[path[0] % len(value)]
        return {**value, key: spoiled(value[key], path[1:], garbage)}
    place = path[0] % len(value)
    return [*value[:place], spoiled(value[place], path[1:], garbage), *value[place + 1 :]]


@pytest.mark.parametrize("wire", WIRES)
@few
@given(st.data())
def test_garbage_anywhere_in_a_stream_never_crashes_the_decoder(wire, data):
    payloads = stream(wire, THOUGHT, TEXT, TWO_CALLS)
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(payloads) - 1))
        path = data.draw(st.lists(st.integers(0, 5), min_size=1, max_size=7))
        payloads[place] = spoiled(payloads[place], path, data.draw(json_values))
    decoder = translator_for(wire).decoder()
    try:
        for payload in payloads:
            decoder.feed(payload)
        replies = [decoder.finish()]
    except GatewayError:
        replies = []
    for reply in [*replies, decoder.partial()]:
        json.dumps(reply.messages, ensure_ascii=False).encode("utf-8")
        assert len({call.id for call in reply.calls}) == len(reply.calls)
        assert all(call.name and (call.arguments is not None or call.problem) for call in reply.calls)
