import pytest

from keen_tui.domain.exchange import ToolResult
from keen_tui.translate.registry import translator_for
from tests.translate.conversations import read
from tests.translate.streams import TWO_CALLS, anthropic

CLAUDE = translator_for("anthropic")


def ended(*payloads, reason="end_turn"):
    return [
        *payloads,
        {"type": "message_delta", "delta": {"stop_reason": reason}},
        {"type": "message_stop"},
    ]


def start(index, **block):
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(index, kind, **fields):
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **fields}}


def stop(index):
    return {"type": "content_block_stop", "index": index}


def test_thinking_goes_back_first_with_its_signature_and_redacted_blocks_unchanged():
    (message,) = read(CLAUDE, anthropic("Hm.", "Look.", TWO_CALLS)).messages
    assert message == {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "Hm.", "signature": "c2lnbmVk"},
            {"type": "redacted_thinking", "data": "aGlkZGVu"},
            {"type": "text", "text": "Look."},
            {"type": "tool_use", "id": "id_1", "name": "read_file", "input": {"path": "a.py"}},
            {"type": "tool_use", "id": "id_2", "name": "read_file", "input": {"path": "dir/b é.py"}},
        ],
    }


def test_thinking_whose_text_is_left_out_keeps_its_signature():
    payloads = [
        start(0, type="thinking", thinking="", signature=""),
        delta(0, "signature_delta", signature="c2ln"),
        stop(0),
        start(1, type="text", text=""),
        delta(1, "text_delta", text="Yes."),
        stop(1),
    ]
    (message,) = read(CLAUDE, ended(*payloads)).messages
    assert message["content"][0] == {"type": "thinking", "thinking": "", "signature": "c2ln"}


def test_a_message_never_ends_with_thinking_and_holds_no_blank_text():
    thinking = [start(0, type="thinking", thinking="Hm.", signature="c2ln"), stop(0)]
    assert read(CLAUDE, ended(*thinking)).messages == ()
    blank = [start(1, type="text", text="\n"), stop(1)]
    call = [start(2, type="tool_use", id="a", name="bash", input={}), stop(2)]
    (message,) = read(CLAUDE, ended(*thinking, *blank, *call)).messages
    assert [block["type"] for block in message["content"]] == ["thinking", "tool_use"]


def test_a_broken_stream_keeps_no_thinking_without_its_signature():
    decoder = CLAUDE.decoder()
    for payload in (
        start(0, type="thinking", thinking="", signature=""),
        delta(0, "thinking_delta", thinking="Hm."),
        start(1, type="text", text=""),
        delta(1, "text_delta", text="I be"),
    ):
        decoder.feed(payload)
    (message,) = decoder.partial().messages
    assert message["content"] == [{"type": "text", "text": "I be"}]


def test_indices_that_repeat_do_not_mix_blocks():
    payloads = []
    for call_id, command in (("a", "ls"), ("b", "pwd")):
        payloads.append(start(0, type="tool_use", id=call_id, name="bash", input={}))
        payloads.append(delta(0, "input_json_delta", partial_json=f'{{"command": "{command}"}}'))
        payloads.append(stop(0))
    reply = read(CLAUDE, ended(*payloads, reason="tool_use"))
    assert [call.arguments for call in reply.calls] == [{"command": "ls"}, {"command": "pwd"}]


def test_arguments_that_came_whole_with_the_start_are_taken():
    block = start(0, type="tool_use", id="a", name="bash", input={"command": "ls"})
    assert read(CLAUDE, ended(block, stop(0))).calls[0].arguments == {"command": "ls"}


def test_broken_arguments_are_refused_and_go_back_as_an_object():
    payloads = [
        start(0, type="tool_use", id="a", name="bash", input={}),
        delta(0, "input_json_delta", partial_json='{"command": "l'),
    ]
    reply = read(CLAUDE, ended(*payloads, reason="max_tokens"))
    assert reply.stop == "length"
    assert reply.calls[0].arguments is None
    assert "cut off" in reply.calls[0].problem
    assert reply.messages[0]["content"][0]["input"] == {}


@pytest.mark.parametrize(
    ("reason", "wanted"),
    [
        ("end_turn", "end"),
        ("stop_sequence", "end"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("refusal", "refused"),
        ("pause_turn", "paused"),
        ("something_else", "end"),
    ],
)
def test_stop_reasons_are_mapped(reason, wanted):
    payloads = [start(0, type="text", text="x"), stop(0)]
    assert read(CLAUDE, ended(*payloads, reason=reason)).stop == wanted


def test_cache_reads_and_writes_count_once_as_input():
    usage = read(CLAUDE, anthropic("", "x", ())).usage
    assert usage is not None
    assert (usage.input_tokens, usage.cached_tokens, usage.cache_write_tokens) == (330, 300, 20)


def test_blocks_that_keen_does_not_know_go_back_as_they_came():
    use = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}}
    found = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [{"url": "x"}]}
    payloads = [
        start(0, **use),
        delta(0, "input_json_delta", partial_json='{"query": "keen"}'),
        stop(0),
        start(1, **found),
        stop(1),
    ]
    (message,) = read(CLAUDE, ended(*payloads)).messages
    assert message["content"] == [{**use, "input": {"query": "keen"}}, found]


def test_results_come_first_and_the_note_stands_behind_them_in_one_message():
    results = [ToolResult("a", "bash", "out"), ToolResult("b", "bash", "boom", is_error=True)]
    assert CLAUDE.results(results, "Wait.") == [
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": "out"},
                {"type": "tool_result", "tool_use_id": "b", "content": "boom", "is_error": True},
                {"type": "text", "text": "Wait."},
            ],
        }
    ]
