"""What a provider receives is, byte for byte, what a translator wrote."""

from __future__ import annotations

import json
from typing import Any

import pytest

from keen_tui.domain.exchange import Wire
from keen_tui.gateway.client import WorkerGateway
from tests.gateway.providers import KEY, a_call, all_of, provider, streams

pytestmark = pytest.mark.asyncio(loop_scope="session")

CONTRACTS: dict[Wire, tuple[str, str, dict[str, str]]] = {
    "anthropic": ("", "/v1/messages", {"x-api-key": KEY, "anthropic-version": "2023-06-01"}),
    "openai_responses": ("/v1", "/v1/responses", {"authorization": f"Bearer {KEY}"}),
    "openai_chat": ("/v1", "/v1/chat/completions", {"authorization": f"Bearer {KEY}"}),
    "gemini": (
        "/v1beta",
        "/v1beta/models/some-model:streamGenerateContent?alt=sse",
        {"x-goog-api-key": KEY},
    ),
    "ollama": ("", "/api/chat", {"authorization": f"Bearer {KEY}"}),
}
AWKWARD: dict[str, Any] = {
    "z": 1,
    "model": "some-model",
    "text": 'Grüße — “quotes” \\ \u2028 \x00 \x1b[31m 🎉 {"type":"done"}\n\nline',
    "stream": True,
    "empty": {"object": {}, "list": [], "null": None, "text": ""},
    "number": 1.5,
    "a": False,
}


def ending(wire: Wire) -> tuple[bytes, str]:
    if wire == "ollama":
        return b'{"done":true}\n', "application/x-ndjson"
    return b'data: {"done":true}\n\n', "text/event-stream"


@pytest.mark.parametrize("wire", CONTRACTS)
async def test_the_body_arrives_byte_for_byte_with_its_headers_at_its_path(wire: Wire, worker: WorkerGateway) -> None:
    base, path, key_headers = CONTRACTS[wire]
    piece, content_type = ending(wire)
    async with provider(streams(piece, content_type=content_type)) as here:
        call = a_call(here.url + base, wire, body=AWKWARD, headers={"X-Team": "a"})
        assert await all_of(worker, call) == [{"done": True}]
    (received,) = here.received
    assert received.body == json.dumps(AWKWARD, ensure_ascii=False, separators=(",", ":")).encode()
    assert received.path == path
    assert received.headers | key_headers == received.headers
    assert received.headers["x-team"] == "a"
    assert received.headers["content-type"] == "application/json"


@pytest.mark.parametrize("wire", CONTRACTS)
async def test_without_a_key_no_key_header_is_sent(wire: Wire, worker: WorkerGateway) -> None:
    piece, content_type = ending(wire)
    async with provider(streams(piece, content_type=content_type)) as here:
        await all_of(worker, a_call(here.url + CONTRACTS[wire][0], wire, api_key=None))
    assert not here.received[0].headers.keys() & {"authorization", "x-api-key", "x-goog-api-key"}


async def test_half_a_surrogate_pair_becomes_a_replacement_character(worker: WorkerGateway) -> None:
    async with provider(streams(b'data: {"n":1}\n\n')) as here:
        await all_of(worker, a_call(here.url, body={"text": "a\ud800b\ud83d\ude00"}))
    assert here.received[0].body == '{"text":"a\ufffdb😀"}'.encode()


async def test_a_prompt_of_5_mb_arrives_whole(worker: WorkerGateway) -> None:
    body = {"text": "ü" * 2_500_000}
    async with provider(streams(b'data: {"n":1}\n\n')) as here:
        await all_of(worker, a_call(here.url, body=body))
    assert len(here.received[0].body) == 5_000_011


async def test_litellm_itself_reaches_a_provider_and_gives_chat_chunks(worker: WorkerGateway) -> None:
    def chunk(**delta: Any) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": None if delta else "stop"}
        body = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
        return b"data: " + json.dumps(body).encode() + b"\n\n"

    pieces = (chunk(role="assistant", content="Hel"), chunk(content="lo"), chunk(), b"data: [DONE]\n\n")
    async with provider(streams(*pieces)) as here:
        payloads = await all_of(worker, a_call(f"{here.url}/v1", "litellm", headers={"X-Team": "a"}))
    text = "".join(p["choices"][0]["delta"].get("content", "") for p in payloads if p["choices"])
    assert text == "Hello"
    assert payloads[-1]["choices"][0]["finish_reason"] == "stop"
    (received,) = here.received
    assert received.path == "/v1/chat/completions"
    assert received.headers["authorization"] == f"Bearer {KEY}"
    assert received.headers["x-team"] == "a"
    assert json.loads(received.body)["messages"] == [{"role": "user", "content": "hello"}]
