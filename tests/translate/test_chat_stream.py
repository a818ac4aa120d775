"""Chat Completions from servers of every quality."""

import pytest

from keen_tui.domain.errors import GatewayError
from keen_tui.domain.exchange import Reply, ToolResult
from keen_tui.translate.registry import translator_for
from tests.translate.conversations import read
from tests.translate.streams import TWO_CALLS, chat_call, chat_chunk, openai_chat, stream

CHAT = translator_for("openai_chat")


def calls_of(*fragments, reason="tool_calls") -> list[tuple[str, object]]:
    reply = read(CHAT, [*fragments, chat_chunk({}, reason)])
    return [(call.name, call.arguments) for call in reply.calls]


def native(reply: Reply) -> dict:
    (message,) = reply.messages
    return dict(message)


def test_the_native_message_carries_text_calls_and_reasoning():
    reply = read(CHAT, stream("openai_chat", "Hm.", "Look.", TWO_CALLS))
    assert native(reply) == {
        "role": "assistant",
        "content": "Look.",
        "reasoning_content": "Hm.",
        "tool_calls": [
            {
                "id": "id_1",
                "type": "function",
                "function": {"name": "read_file", "arguments": '{"path": "a.py"}'},
            },
            {
                "id": "id_2",
                "type": "function",
                "function": {"name": "read_file", "arguments": '{"path": "dir/b \\u00e9.py"}'},
            },
        ],
    }


def test_reasoning_goes_back_only_under_the_name_that_asks_for_it():
    reply = read(CHAT, [chat_chunk({"reasoning": "Hm."}), chat_chunk({"content": "Yes."}, "stop")])
    assert native(reply) == {"role": "assistant", "content": "Yes."}


def test_parallel_calls_that_all_say_index_0_stay_apart_by_their_ids():
    fragments = [chat_call(0, "a", "bash", '{"command": "ls"}'), chat_call(0, "b", "bash", '{"comm')]
    assert calls_of(*fragments, chat_call(0, None, None, 'and": "pwd"}')) == [
        ("bash", {"command": "ls"}),
        ("bash", {"command": "pwd"}),
    ]


def test_whole_calls_without_ids_and_indices_stay_apart():
    whole = [chat_call(None, None, "read_file", f'{{"path": "{name}"}}') for name in ("a", "b")]
    assert calls_of(*whole) == [("read_file", {"path": "a"}), ("read_file", {"path": "b"})]
    assert calls_of(chat_call(0, "x", "bash", "{}"), chat_call(0, "x", "grep", "{}")) == [
        ("bash", {}),
        ("grep", {}),
    ]


def test_a_name_that_repeats_in_every_fragment_is_taken_once():
    assert calls_of(
        chat_call(0, "a", "bash", ""),
        chat_call(0, "a", "bash", '{"command"'),
        chat_call(0, "a", "bash", ': "ls"}'),
        chat_call(0, "a", "bash", ""),
    ) == [("bash", {"command": "ls"})]


def test_ids_that_repeat_or_lack_are_made_in_a_form_that_every_server_takes():
    reply = read(
        CHAT,
        [
            chat_call(0, "same", "bash", "{}"),
            chat_call(1, "same", "bash", "{}"),
            chat_call(2, None, "bash", "{}"),
            chat_chunk({}, "stop"),
        ],
    )
    ids = [call.id for call in reply.calls]
    assert ids == ["same", "call00001", "call00002"]
    assert [call["id"] for call in native(reply)["tool_calls"]] == ids
    assert reply.stop == "tools"


@pytest.mark.parametrize("raw", ["", "null", "  ", None])
def test_no_arguments_are_an_empty_object(raw):
    assert calls_of(chat_call(0, "a", "bash", raw)) == [("bash", {})]


def test_an_object_in_a_string_and_a_bare_object_are_repaired():
    wanted = [("bash", {"command": "ls"})]
    assert calls_of(chat_call(0, "a", "bash", '"{\\"command\\": \\"ls\\"}"')) == wanted
    assert calls_of(chat_call(0, "a", "bash", {"command": "ls"})) == wanted


@pytest.mark.parametrize("raw", ['["ls"]', "ls -la", '{"command": ', "3", '{"n": NaN}', "[" * 5000])
def test_arguments_that_are_no_object_are_refused_in_a_sentence_and_sent_back_as_none(raw):
    reply = read(CHAT, [chat_call(0, "a", "bash", raw), chat_chunk({}, "tool_calls")])
    (call,) = reply.calls
    assert call.arguments is None
    assert call.raw == raw
    assert call.problem.startswith("The arguments")
    assert native(reply)["tool_calls"][0]["function"]["arguments"] == "{}"


def test_a_call_that_was_cut_off_at_the_limit_says_so():
    reply = read(CHAT, [chat_call(0, "a", "bash", '{"command": "l'), chat_chunk({}, "length")])
    assert reply.stop == "length"
    assert "cut off" in reply.calls[0].problem


def test_json_in_prose_stays_prose():
    said = '{"name": "bash", "arguments": {"command": "ls"}}'
    reply = read(CHAT, [chat_chunk({"content": said}, "stop")])
    assert (reply.text, reply.calls, reply.stop) == (said, (), "end")


def test_a_tool_name_that_no_provider_takes_back_is_made_safe():
    assert calls_of(chat_call(0, "a", "functions.bash!", "{}")) == [("functions_bash_", {})]
    assert calls_of(chat_call(0, "a", None, "{}")) == [("unnamed_tool", {})]


def test_a_whole_message_instead_of_a_stream_is_read_too():
    message = {"content": "Hi.", "tool_calls": [{"id": "a", "function": {"name": "bash"}}]}
    reply = read(CHAT, [{"choices": [{"message": message, "finish_reason": "tool_calls"}]}])
    assert (reply.text, reply.calls[0].arguments) == ("Hi.", {})


def test_content_lists_of_reasoning_models_are_read():
    thought = [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}]
    reply = read(CHAT, [chat_chunk({"content": thought}), chat_chunk({"content": "Yes."}, "stop")])
    assert native(reply) == {"role": "assistant", "content": "Yes."}


def test_signatures_on_calls_come_back_with_them():
    chunk = chat_call(0, "a", "bash", "{}")
    extra = {"google": {"thought_signature": "c2ln"}}
    chunk["choices"][0]["delta"]["tool_calls"][0]["extra_content"] = extra
    reply = read(CHAT, [chunk, chat_chunk({}, "tool_calls")])
    assert native(reply)["tool_calls"][0]["extra_content"] == extra


def test_litellm_gets_signed_thinking_back_and_only_whole():
    thinking = {"type": "thinking", "thinking": "H"}
    payloads = [
        chat_chunk({"thinking_blocks": [thinking], "reasoning_content": "H"}),
        chat_chunk({"thinking_blocks": [{**thinking, "thinking": "m.", "signature": None}]}),
        chat_chunk({"thinking_blocks": [{**thinking, "thinking": "", "signature": "c2ln"}]}),
        chat_chunk({"content": "Yes."}, "stop"),
    ]
    (message,) = read(translator_for("litellm"), payloads).messages
    assert message["thinking_blocks"] == [{"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}]
    assert "thinking_blocks" not in native(read(CHAT, payloads))


def test_cached_tokens_are_read_in_the_words_of_deepseek_too():
    usage = {"prompt_tokens": 9, "completion_tokens": 2, "prompt_cache_hit_tokens": 4}
    reply = read(CHAT, [chat_chunk({"content": "x"}, "stop"), {"choices": [], "usage": usage}])
    assert reply.usage is not None
    assert reply.usage.cached_tokens == 4


def test_the_content_filter_is_a_failure_and_a_refusal_is_a_stop():
    with pytest.raises(GatewayError) as caught:
        read(CHAT, [chat_chunk({"content": "x"}, "content_filter")])
    assert caught.value.kind == "content_filter"
    reply = read(CHAT, [chat_chunk({"refusal": "I can't."}), chat_chunk({}, "stop")])
    assert (reply.text, reply.stop) == ("I can't.", "refused")


def test_results_are_tool_messages_and_the_note_a_users_message():
    results = [ToolResult("a", "bash", "out"), ToolResult("b", "bash", "boom", is_error=True)]
    assert CHAT.results(results, "Wait.") == [
        {"role": "tool", "tool_call_id": "a", "content": "out"},
        {"role": "tool", "tool_call_id": "b", "content": "boom"},
        {"role": "user", "content": "Wait."},
    ]


def test_a_stream_of_another_choice_is_ignored():
    payloads = openai_chat("", "x", ())
    payloads.insert(1, {"choices": [{"index": 1, "delta": {"content": "other"}}]})
    assert read(CHAT, payloads).text == "x"
