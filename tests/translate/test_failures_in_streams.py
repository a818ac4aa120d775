import pytest

from keen_tui.domain.errors import GatewayError
from keen_tui.domain.exchange import Wire
from keen_tui.translate.registry import translator_for

TOO_LONG = "prompt is too long: 210000 tokens > 200000 maximum"
EVENTS: list[tuple[Wire, dict, str]] = [
    ("anthropic", {"type": "overloaded_error", "message": "Overloaded"}, "overloaded"),
    ("anthropic", {"type": "rate_limit_error", "message": "Slow down"}, "rate_limited"),
    ("anthropic", {"type": "invalid_request_error", "message": "bad"}, "bad_request"),
    ("anthropic", {"type": "invalid_request_error", "message": TOO_LONG}, "context_window"),
    ("anthropic", {"type": "authentication_error", "message": "no"}, "authentication"),
    ("openai_chat", {"code": "context_length_exceeded", "message": "x"}, "context_window"),
    ("openai_chat", {"type": "rate_limit_exceeded", "code": None, "message": "x"}, "rate_limited"),
    ("openai_chat", {"code": 502, "message": "Bad gateway"}, "overloaded"),
    ("openai_chat", {"code": "429", "message": "x"}, "rate_limited"),
    ("openai_chat", {"type": "server_error", "message": "exceeds the available context size"}, "context_window"),
    ("litellm", {"message": "x"}, "overloaded"),
    ("openai_responses", {"code": "rate_limit_exceeded", "message": "x"}, "rate_limited"),
    ("openai_responses", {"code": "invalid_api_key", "message": "x"}, "authentication"),
    ("gemini", {"code": 503, "status": "UNAVAILABLE", "message": "x"}, "overloaded"),
    ("gemini", {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "x"}, "rate_limited"),
    ("gemini", {"code": 400, "status": "INVALID_ARGUMENT", "message": "input token count exceeds"}, "context_window"),
    ("gemini", {"code": 403, "status": "PERMISSION_DENIED", "message": "x"}, "permission"),
    ("ollama", {"message": "model runner has unexpectedly stopped"}, "overloaded"),
]


@pytest.mark.parametrize(("wire", "error", "kind"), EVENTS)
def test_an_error_event_becomes_a_failure_of_its_kind(wire: Wire, error, kind):
    with pytest.raises(GatewayError) as caught:
        translator_for(wire).decoder().feed({"type": "error", "error": error})
    assert caught.value.kind == kind
    assert caught.value.message.startswith("The provider ended its reply with an error: ")


def test_an_error_event_of_the_responses_format_has_no_inner_object():
    with pytest.raises(GatewayError) as caught:
        translator_for("openai_responses").decoder().feed({"type": "error", "code": "server_error", "message": "Oops."})
    assert caught.value.kind == "overloaded"
    assert "Oops." in caught.value.message


@pytest.mark.parametrize("error", ["plain words", ["list"], 5, {"message": "a\x1b[31m\nb" * 500}])
def test_whatever_the_error_holds_the_sentence_is_one_printable_line(error):
    with pytest.raises(GatewayError) as caught:
        translator_for("openai_chat").decoder().feed({"error": error})
    assert caught.value.message.isprintable()
    assert len(caught.value.message) < 400
