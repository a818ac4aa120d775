import json
from pathlib import Path

import pytest

from keen_tui.domain.exchange import Wire
from keen_tui.translate.registry import translator_for
from tests.translate.conversations import LISTS, STREAM_TURN, WIRES, conversation, profile

GOLDEN = Path(__file__).parent / "golden"
CONTEXT = "<keen-context>\nMode: ask.\n</keen-context>"


@pytest.mark.parametrize("wire", WIRES)
def test_a_finished_turn_and_a_new_message_make_exactly_the_golden_body(wire: Wire):
    body = translator_for(wire).body(conversation(STREAM_TURN, context=CONTEXT), profile(wire))
    golden = json.loads((GOLDEN / f"{wire}.json").read_text(encoding="utf-8"))
    assert json.dumps(body) == json.dumps(golden), "same values, same order of keys"


@pytest.mark.parametrize("wire", WIRES)
def test_the_messages_come_last_in_every_body(wire: Wire):
    body = translator_for(wire).body(conversation(), profile(wire, thinking="high"))
    assert list(body)[-1] == LISTS[wire]


def test_claude_gets_its_breakpoints_on_the_system_prompt_and_on_the_running_message_only():
    body = translator_for("anthropic").body(conversation(STREAM_TURN, context=CONTEXT), profile("anthropic"))
    marked = [block for block in body["system"] if "cache_control" in block]
    for message in body["messages"]:
        marked += [block["text"] for block in message["content"] if "cache_control" in block]
    assert body["cache_control"] == {"type": "ephemeral"}
    assert marked == [body["system"][-1], "Try again: it is called handler_test.go."]
