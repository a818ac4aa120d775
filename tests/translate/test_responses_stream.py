import pytest

from keen_tui.domain.errors import GatewayError
from keen_tui.domain.exchange import ToolResult
from keen_tui.translate.registry import translator_for
from tests.translate.conversations import read
from tests.translate.streams import TWO_CALLS, openai_responses

RESPONSES = translator_for("openai_responses")


def done(index, **item):
    return {"type": "response.output_item.done", "output_index": index, "item": item}


def ended(*payloads, kind="response.completed", **response):
    return [*payloads, {"type": kind, "response": response}]


def test_the_items_go_back_as_they_came_reasoning_among_them():
    payloads = openai_responses("Hm.", "Look.", TWO_CALLS)
    items = payloads[-1]["response"]["output"]
    assert [item["type"] for item in items] == ["reasoning", "message", "function_call", "function_call"]
    assert list(read(RESPONSES, payloads).messages) == items


def test_items_are_ordered_by_their_place_not_by_their_arrival():
    late = [done(1, type="function_call", call_id="b", name="bash", arguments="{}")]
    reply = read(
        RESPONSES,
        ended(*late, done(0, type="function_call", call_id="a", name="bash", arguments="{}")),
    )
    assert [call.id for call in reply.calls] == ["a", "b"]


def test_a_server_that_sends_only_the_end_is_read_from_it():
    whole = openai_responses("", "Look.", TWO_CALLS)[-1]
    decoder = RESPONSES.decoder()
    said = "".join(item.text for item in decoder.feed(whole))
    reply = decoder.finish()
    assert said == reply.text == "Look."
    assert [call.id for call in reply.calls] == ["id_1", "id_2"]


def test_reasoning_that_holds_nothing_or_leads_nowhere_is_not_sent_back():
    text = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hi."}]}
    hollow = done(0, type="reasoning", id="rs_1", summary=[])
    trailing = done(2, type="reasoning", id="rs_2", summary=[], encrypted_content="c2Vj")
    assert list(read(RESPONSES, ended(hollow, done(1, **text), trailing)).messages) == [text]


def test_broken_arguments_go_back_as_an_empty_object_and_the_rest_as_it_came():
    item = {"type": "function_call", "id": "fc", "call_id": "a", "name": "bash", "arguments": "[1]"}
    reply = read(RESPONSES, ended(done(0, **item)))
    assert reply.calls[0].arguments is None
    assert list(reply.messages) == [{**item, "arguments": "{}"}]


def test_a_reply_that_ends_early_says_why():
    cut = ended(kind="response.incomplete", incomplete_details={"reason": "max_output_tokens"})
    assert read(RESPONSES, cut).stop == "length"
    with pytest.raises(GatewayError) as caught:
        read(RESPONSES, ended(kind="response.incomplete", incomplete_details={"reason": "content_filter"}))
    assert caught.value.kind == "content_filter"
    failed = {"error": {"code": "server_error", "message": "Oops."}}
    with pytest.raises(GatewayError) as caught:
        read(RESPONSES, ended(kind="response.failed", **failed))
    assert caught.value.kind == "overloaded"


def test_a_refusal_is_text_and_a_stop():
    said = {"type": "response.refusal.delta", "output_index": 0, "delta": "I can't."}
    item = {"type": "message", "role": "assistant", "content": [{"type": "refusal", "refusal": "I can't."}]}
    reply = read(RESPONSES, ended(said, done(0, **item)))
    assert (reply.text, reply.stop) == ("I can't.", "refused")


def test_a_broken_stream_keeps_the_text_that_came():
    decoder = RESPONSES.decoder()
    decoder.feed(done(0, type="reasoning", summary=[], encrypted_content="c2Vj"))
    decoder.feed({"type": "response.output_text.delta", "output_index": 1, "delta": "I be"})
    kept = decoder.partial()
    assert [item["type"] for item in kept.messages] == ["reasoning", "message"]
    assert kept.messages[1]["content"] == [{"type": "output_text", "text": "I be"}]


def test_results_are_outputs_and_the_note_a_message():
    assert RESPONSES.results([ToolResult("a", "bash", "out")], "Wait.") == [
        {"type": "function_call_output", "call_id": "a", "output": "out"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Wait."}]},
    ]
