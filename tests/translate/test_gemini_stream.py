import pytest

from keen_tui.domain.errors import GatewayError
from keen_tui.domain.exchange import ToolResult
from keen_tui.translate.registry import translator_for
from tests.translate.conversations import answered, read
from tests.translate.streams import TWO_CALLS, gemini, gemini_payload

GEMINI = translator_for("gemini")


def test_signatures_stay_on_their_parts_and_thoughts_are_not_sent_back():
    (content,) = read(GEMINI, gemini("Hm.", "Look.", TWO_CALLS)).messages
    assert content == {
        "role": "model",
        "parts": [
            {"text": "Look."},
            {
                "functionCall": {"name": "read_file", "args": {"path": "a.py"}},
                "thoughtSignature": "c2lnbmVk",
            },
            {"functionCall": {"name": "read_file", "args": {"path": "dir/b é.py"}}},
        ],
    }


def test_text_with_a_signature_is_not_joined_even_when_it_is_empty():
    payloads = [
        gemini_payload({"text": "a"}),
        gemini_payload({"text": "b"}),
        gemini_payload({"text": "c", "thoughtSignature": "s1"}),
        gemini_payload({"text": "d"}),
        gemini_payload({"text": "", "thoughtSignature": "s2"}, reason="STOP"),
    ]
    reply = read(GEMINI, payloads)
    assert reply.text == "abcd"
    assert reply.messages[0]["parts"] == [
        {"text": "ab"},
        {"text": "c", "thoughtSignature": "s1"},
        {"text": "d"},
        {"text": "", "thoughtSignature": "s2"},
    ]


def test_a_response_has_an_id_only_where_the_call_had_one():
    call = {"functionCall": {"name": "bash", "args": {}}}
    given = {"functionCall": {"id": "given", "name": "bash", "args": {}}}
    reply = read(GEMINI, [gemini_payload(call, given, given, reason="STOP")])
    assert len({call.id for call in reply.calls}) == 3
    assert [part["functionCall"].get("id") for part in reply.messages[0]["parts"]] == [None, "given", None]
    (content,) = GEMINI.results(answered(reply))
    assert [part["functionResponse"].get("id") for part in content["parts"]] == [None, "given", None]


def test_results_stand_in_a_content_of_their_own():
    results = [ToolResult("keen_call_0", "bash", "out"), ToolResult("x", "grep", "boom", is_error=True)]
    assert GEMINI.results(results, "Wait.") == [
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"name": "bash", "response": {"output": "out"}}},
                {"functionResponse": {"id": "x", "name": "grep", "response": {"error": "boom"}}},
            ],
        },
        {"role": "user", "parts": [{"text": "Wait."}]},
    ]


@pytest.mark.parametrize("arguments", [["ls"], "ls", 3, True])
def test_arguments_that_are_no_object_are_refused_and_go_back_as_one(arguments):
    call = {"functionCall": {"name": "bash", "args": arguments}}
    reply = read(GEMINI, [gemini_payload(call, reason="STOP")])
    assert reply.calls[0].arguments is None
    assert reply.calls[0].problem.startswith("The arguments must be one JSON object")
    assert reply.messages[0]["parts"][0]["functionCall"]["args"] == {}


@pytest.mark.parametrize("reason", ["SAFETY", "RECITATION", "PROHIBITED_CONTENT"])
def test_a_filtered_reply_is_a_failure(reason):
    with pytest.raises(GatewayError) as caught:
        read(GEMINI, [gemini_payload({"text": "x"}, reason=reason)])
    assert caught.value.kind == "content_filter"


def test_a_blocked_prompt_is_a_failure():
    with pytest.raises(GatewayError) as caught:
        GEMINI.decoder().feed({"promptFeedback": {"blockReason": "SAFETY"}})
    assert caught.value.kind == "content_filter"


def test_the_output_limit_is_a_stop():
    assert read(GEMINI, [gemini_payload({"text": "x"}, reason="MAX_TOKENS")]).stop == "length"
