"""Every failure becomes one of a small family, with a sentence and no key in it."""

from __future__ import annotations

import json
import socket
import time
from email.utils import formatdate
from typing import Any

import pytest

from keen_tui.domain.errors import FailureKind, GatewayError
from keen_tui.gateway.answers import MESSAGE_LIMIT, Answer, classify, provider_message, retry_after
from keen_tui.gateway.calls import Timeouts
from keen_tui.gateway.client import WorkerGateway
from tests.gateway.providers import a_call, all_of, provider, refuses


def openai_error(message: str, code: str | None = None, kind: str = "invalid_request_error") -> str:
    return json.dumps({"error": {"message": message, "type": kind, "code": code}})


def anthropic_error(message: str, kind: str) -> str:
    return json.dumps({"type": "error", "error": {"type": kind, "message": message}})


def google_error(message: str, status: str, *details: dict[str, Any]) -> str:
    return json.dumps({"error": {"code": 400, "message": message, "status": status, "details": details}})


ANSWERS: list[tuple[int, str, FailureKind]] = [
    (400, anthropic_error("messages.1: blank text", "invalid_request_error"), "bad_request"),
    (
        400,
        anthropic_error("prompt is too long: 210000 tokens > 200000 maximum", "invalid_request_error"),
        "context_window",
    ),
    (400, anthropic_error("Your credit balance is too low to access the API", "invalid_request_error"), "permission"),
    (400, anthropic_error("Output blocked by content filtering policy", "invalid_request_error"), "content_filter"),
    (401, anthropic_error("invalid x-api-key", "authentication_error"), "authentication"),
    (403, anthropic_error("Your key may not use this", "permission_error"), "permission"),
    (404, anthropic_error("model: claude-0", "not_found_error"), "not_found"),
    (413, anthropic_error("Request exceeds the maximum size", "request_too_large"), "context_window"),
    (429, anthropic_error("This would exceed your rate limit", "rate_limit_error"), "rate_limited"),
    (500, anthropic_error("Internal server error", "api_error"), "overloaded"),
    (529, anthropic_error("Overloaded", "overloaded_error"), "overloaded"),
    (
        400,
        openai_error("This model's maximum context length is 8192 tokens", "context_length_exceeded"),
        "context_window",
    ),
    (400, openai_error("no", "context_length_exceeded"), "context_window"),
    (400, openai_error("no", "content_filter"), "content_filter"),
    (400, openai_error("Incorrect API key provided: x"), "authentication"),
    (429, openai_error("You exceeded your current quota, please check your plan", "insufficient_quota"), "permission"),
    (429, openai_error("Rate limit reached", "rate_limit_exceeded"), "rate_limited"),
    (402, openai_error("Insufficient Balance"), "permission"),
    (
        400,
        google_error("The input token count (2000000) exceeds the maximum number", "INVALID_ARGUMENT"),
        "context_window",
    ),
    (400, google_error("API key not valid.", "INVALID_ARGUMENT", {"reason": "API_KEY_INVALID"}), "authentication"),
    (400, google_error("x", "INVALID_ARGUMENT", {"reason": "API_KEY_INVALID"}), "authentication"),
    (503, google_error("The model is overloaded.", "UNAVAILABLE"), "overloaded"),
    (404, json.dumps({"error": "model 'x' not found"}), "not_found"),
    (500, json.dumps({"error": "the request exceeds the available context size"}), "context_window"),
    (422, json.dumps({"detail": [{"loc": ["body"], "msg": "field required"}]}), "bad_request"),
    (502, "<html><head><title>502 Bad Gateway</title></head></html>", "overloaded"),
    (504, "", "timeout"),
    (408, "", "timeout"),
    (307, "", "not_found"),
    (418, "", "bad_request"),
]


@pytest.mark.parametrize(("status", "text", "kind"), ANSWERS)
def test_an_answer_is_sorted_by_its_status_and_its_words(status: int, text: str, kind: str) -> None:
    assert classify(Answer(status, text), provider_message(text))[0] == kind


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (openai_error("No such model"), "No such model"),
        ('[{"error":{"message":"from a list"}}]', "from a list"),
        ('{"detail":[{"msg":"field required"}]}', "field required"),
        ('{"message":"plain"}', "plain"),
        ('{"error":"text"}', "text"),
        ("<!DOCTYPE html><title>Bad\nGateway</title>", "Bad Gateway"),
        ("just words", "just words"),
        ('litellm.AuthenticationError: AnthropicException - {"error":{"message":"bad key"}}', "bad key"),
        ("{}", ""),
        ("{" * 5_000, "{" * (MESSAGE_LIMIT - 1) + "…"),
        ("x" * 9_000, "x" * (MESSAGE_LIMIT - 1) + "…"),
    ],
)
def test_the_providers_own_sentence_is_found_and_bounded(text: str, message: str) -> None:
    assert provider_message(text) == message


@pytest.mark.parametrize(
    ("headers", "text", "seconds"),
    [
        ({"retry-after": "7"}, "", 7),
        ({"retry-after": "0.5"}, "", 0.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, "", 1.5),
        ({"retry-after": "-3"}, "", 0),
        ({"retry-after": "soon"}, "", None),
        ({"retry-after": "nan"}, "", None),
        ({}, google_error("slow", "RESOURCE_EXHAUSTED", {"retryDelay": "33s"}), 33),
        ({}, "", None),
    ],
)
def test_the_wait_that_a_provider_asks_for_is_read(headers: dict[str, str], text: str, seconds: float | None) -> None:
    assert retry_after(Answer(429, text, headers)) == seconds


def test_a_wait_until_a_date_is_read() -> None:
    wait = retry_after(Answer(429, "", {"retry-after": formatdate(time.time() + 60, usegmt=True)}))
    assert wait is not None and 50 < wait <= 60
    assert retry_after(Answer(429, "", {"retry-after": formatdate(1, usegmt=True)})) == 0


live = pytest.mark.asyncio(loop_scope="session")
LIVE: list[tuple[int, str, FailureKind]] = [
    (400, openai_error("tools.0: not a tool"), "bad_request"),
    (401, openai_error("Incorrect API key provided", "invalid_api_key"), "authentication"),
    (403, openai_error("not yours"), "permission"),
    (404, openai_error("no model", "model_not_found"), "not_found"),
    (429, openai_error("slow down", "rate_limit_exceeded"), "rate_limited"),
    (500, openai_error("oops"), "overloaded"),
    (503, openai_error("later"), "overloaded"),
    (529, openai_error("overloaded"), "overloaded"),
    (400, openai_error("maximum context length is 10 tokens", "context_length_exceeded"), "context_window"),
]


@live
@pytest.mark.parametrize("wire", ["anthropic", "openai_chat", "litellm"])
@pytest.mark.parametrize(("status", "text", "kind"), LIVE)
async def test_a_refusal_reaches_the_person_as_it_was_meant(
    status: int, text: str, kind: str, wire: str, worker: WorkerGateway
) -> None:
    async with provider(refuses(status, text, {"retry-after": "7"})) as here:
        with pytest.raises(GatewayError) as failed:
            await all_of(worker, a_call(here.url, wire))
    error = failed.value
    assert len(here.received) == 1, "only the engine sends a request again"
    assert (error.kind, error.status, error.retry_after) == (kind, status, 7)
    assert json.loads(text)["error"]["message"] in error.message
    assert error.hint


@live
@pytest.mark.parametrize("wire", ["anthropic", "openai_responses", "openai_chat", "gemini", "ollama", "litellm"])
async def test_a_key_is_in_no_error_and_no_log(wire: str, worker: WorkerGateway, worker_log: Any) -> None:
    key = "plainwordkey" + wire.replace("_", "")
    async with provider(refuses(401, openai_error(f"wrong key {key} \x1b[31m"))) as here:
        with pytest.raises(GatewayError) as failed:
            await all_of(worker, a_call(here.url, wire, api_key=key, headers={"X-Token": f"Bearer {key}2"}))
    assert failed.value.kind == "authentication"
    assert "wrong key" in failed.value.message
    assert key not in failed.value.message + failed.value.hint + worker_log.read_text()
    assert "\x1b" not in failed.value.message


def a_free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


@live
@pytest.mark.parametrize("wire", ["anthropic", "litellm"])
async def test_a_refused_connection_names_the_server_without_credentials(wire: str, worker: WorkerGateway) -> None:
    port = a_free_port()
    with pytest.raises(GatewayError) as failed:
        await all_of(worker, a_call(f"http://me:hunter2@127.0.0.1:{port}", wire))
    assert failed.value.kind == "connection_lost"
    assert f"127.0.0.1:{port}" in failed.value.message
    assert "refused" in failed.value.message
    assert "hunter2" not in failed.value.message


@live
async def test_a_name_that_does_not_exist_is_said_so(worker: WorkerGateway) -> None:
    with pytest.raises(GatewayError, match=r"host\.invalid can't be resolved") as failed:
        await all_of(worker, a_call("http://host.invalid"))
    assert failed.value.kind == "connection_lost"


@live
async def test_https_to_a_plain_server_is_said_so(worker: WorkerGateway) -> None:
    async with provider(refuses(200, "")) as here:
        with pytest.raises(GatewayError, match="TLS") as failed:
            await all_of(worker, a_call(here.url.replace("http:", "https:")))
    assert failed.value.kind == "connection_lost"
    assert "base URL" in failed.value.hint


@live
async def test_a_server_that_takes_no_connection_is_a_timeout(worker: WorkerGateway) -> None:
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        port = full.getsockname()[1]
        waiting = [socket.socket() for _ in range(3)]
        for client in waiting:
            client.setblocking(False)
            client.connect_ex(("127.0.0.1", port))
        limits = Timeouts(connect=0.3, first_byte=30, stall=30)
        with pytest.raises(GatewayError, match="could not be reached in time") as failed:
            await all_of(worker, a_call(f"http://127.0.0.1:{port}", timeouts=limits))
        for client in waiting:
            client.close()
    assert failed.value.kind == "timeout"


@live
async def test_a_redirect_is_not_followed_with_the_key(worker: WorkerGateway) -> None:
    async with provider(refuses(500, "")) as other:
        async with provider(refuses(307, "", {"location": other.url})) as here:
            with pytest.raises(GatewayError) as failed:
                await all_of(worker, a_call(here.url))
        assert other.received == []
    assert failed.value.kind == "not_found"
    assert "base_url" in failed.value.hint


@live
async def test_a_base_url_that_is_none_is_a_bad_request(worker: WorkerGateway) -> None:
    with pytest.raises(GatewayError, match="not an http address") as failed:
        await all_of(worker, a_call("ftp://files"))
    assert failed.value.kind == "bad_request"


@live
async def test_a_provider_litellm_does_not_know_is_a_failure_like_any_other(worker: WorkerGateway) -> None:
    with pytest.raises(GatewayError) as failed:
        await all_of(worker, a_call("http://127.0.0.1:9", "litellm", provider="nobody"))
    assert failed.value.kind in ("bad_request", "not_found")
