"""What holds for the replayed history in every wire format, whatever is in it."""

import json
import re
from itertools import pairwise

import pytest
from hypothesis import given

from keen_tui.domain.exchange import HistoryTurn, Wire
from keen_tui.domain.replay_steps import replay_steps
from keen_tui.domain.turn_memory import Activity
from keen_tui.translate.registry import translator_for
from tests.translate.conversations import (
    LISTS,
    STREAM_TURN,
    WIRES,
    conversation,
    conversations,
    few,
    profile,
    profiles,
)


def messages_of(wire: Wire, start, **settings):
    return translator_for(wire).body(start, profile(wire, **settings))[LISTS[wire]]


def flat(wire: Wire, messages) -> list[tuple[str, str, str]]:
    """Every text, call and result in order: (kind and role, id or name, text)."""
    found: list[tuple[str, str, str]] = []
    for message in messages:
        role = "assistant" if message.get("role") == "model" else message.get("role", "")
        if wire == "anthropic":
            for block in message["content"]:
                match block["type"]:
                    case "text":
                        found.append((role, "", block["text"]))
                    case "tool_use":
                        found.append(("call", block["id"], block["name"]))
                    case "tool_result":
                        assert role == "user"
                        found.append(("result", block["tool_use_id"], block["content"]))
        elif wire == "openai_responses":
            match message["type"]:
                case "message":
                    found += [(role, "", part["text"]) for part in message["content"]]
                case "function_call":
                    found.append(("call", message["call_id"], message["name"]))
                case "function_call_output":
                    found.append(("result", message["call_id"], message["output"]))
        elif wire == "gemini":
            for part in message["parts"]:
                if "text" in part:
                    found.append((role, "", part["text"]))
                elif "functionCall" in part:
                    found.append(("call", part["functionCall"]["name"], part["functionCall"]["name"]))
                else:
                    answer = part["functionResponse"]
                    found.append(("result", answer["name"], json.dumps(answer["response"])))
        elif role == "tool":
            key = "tool_name" if wire == "ollama" else "tool_call_id"
            found.append(("result", message[key], message["content"]))
        else:
            if message["content"]:
                found.append((role, "", message["content"]))
            for call in message.get("tool_calls", ()):
                name = call["function"]["name"]
                found.append(("call", name if wire == "ollama" else call["id"], name))
    return found


@pytest.mark.parametrize("wire", WIRES)
@few
@given(start=conversations, settings=profiles)
def test_every_batch_of_calls_has_its_results_right_behind_it_in_order(wire, start, settings):
    waiting: list[str] = []
    answering = False
    for kind, key, _ in flat(wire, messages_of(wire, start, **settings)):
        if kind == "call":
            assert not answering, "a call may not stand between results"
            waiting.append(key)
        elif kind == "result":
            answering = True
            assert waiting.pop(0) == key
        else:
            assert not waiting, "text may not stand between a call and its result"
        answering = answering and bool(waiting)
    assert not waiting


@pytest.mark.parametrize("wire", WIRES)
@few
@given(start=conversations, settings=profiles)
def test_no_blank_text_is_sent_and_users_and_assistant_take_turns(wire, start, settings):
    sides = []
    for kind, _, text in flat(wire, messages_of(wire, start, **settings)):
        assert text.strip()
        side = "assistant" if kind in ("assistant", "call") else kind
        if not sides or sides[-1] != side:
            sides.append(side)
    spoken = [side for side in sides if side != "system"]
    assert spoken[0] == "user"
    assert spoken[-1] == "user"
    for first, second in pairwise(spoken):
        assert "assistant" in (first, second), "a user's text never follows a result or another text"


@pytest.mark.parametrize("wire", [wire for wire in WIRES if wire not in ("gemini", "ollama")])
@few
@given(start=conversations, settings=profiles)
def test_call_ids_are_unique_accepted_by_all_and_owned_by_their_turn(wire, start, settings):
    def ids_of(history):
        changed = type(start)(start.system, start.tools, history, start.user_text, start.context)
        return [key for kind, key, _ in flat(wire, messages_of(wire, changed, **settings)) if kind == "call"]

    ids = ids_of(start.history)
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", call_id) for call_id in ids)
    assert [call_id for turn in start.history for call_id in ids_of((turn,))] == ids


@pytest.mark.parametrize("wire", WIRES)
@few
@given(start=conversations)
def test_prose_is_sent_unaltered_and_whole_but_for_blank_pieces(wire, start):
    for turn in start.history:
        ran = [record.model_copy(update={"tool": "bash", "server": None}) for record in turn.activities]
        replayed = HistoryTurn(turn.id, "go", turn.prose, tuple(ran))
        found = flat(wire, messages_of(wire, conversation(replayed)))
        said = [text for kind, _, text in found if kind == "assistant"]
        pieces = [step.text for step in replay_steps(turn.prose, ran) if step.text.strip()]
        assert said[: len(pieces)] == pieces
        assert all(text.startswith("(The turn ended") for text in said[len(pieces) :])


def test_mistral_gets_ids_of_nine_letters_and_digits():
    found = flat("openai_chat", messages_of("openai_chat", conversation(STREAM_TURN)))
    ids = [key for kind, key, _ in found if kind == "call"]
    assert len(ids) == 3
    assert all(re.fullmatch(r"[A-Za-z0-9]{9}", call_id) for call_id in ids)


def test_gemini_gets_the_placeholder_signature_on_the_first_call_of_each_batch_only():
    contents = messages_of("gemini", conversation(STREAM_TURN))
    signed = [
        [bool(part.get("thoughtSignature")) for part in content["parts"] if "functionCall" in part]
        for content in contents
    ]
    assert [batch for batch in signed if batch] == [[True, False], [True]]


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("prose", ["", " \n", "Done.\n"])
def test_a_turn_that_ends_with_tools_is_closed_before_the_next_message(wire: Wire, prose: str):
    size = len(prose.encode())
    ran = (Activity(text_offset=size, tool="bash", status="success"),)
    found = flat(wire, messages_of(wire, conversation(HistoryTurn("t", "go", prose, ran))))
    assert [text for kind, _, text in found if kind == "assistant"][-1] == "(The turn ended here.)"


@pytest.mark.parametrize("wire", WIRES)
def test_a_failed_turn_without_any_answer_still_has_an_assistants_side(wire: Wire):
    found = flat(wire, messages_of(wire, conversation(HistoryTurn("t", "go", ""))))
    assert [text for kind, _, text in found if kind == "assistant"] == ["(The turn ended without an answer.)"]
