"""Local model servers are found; whatever else listens does no harm."""

from __future__ import annotations

import asyncio
import time

import pytest
from aiohttp import web

from keen_tui.gateway.local_servers import LocalServer, Place, find_local_servers, ollama_address
from tests.gateway.providers import Answering, provider, refuses, silent_after, streams


async def test_servers_are_found_with_their_models() -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        if request.path == "/api/tags":
            return web.json_response({"models": [{"name": "llama:8b"}, {"name": "nomic-embed-text"}, {"name": 3}]})
        if request.path == "/v1/models":
            return web.json_response({"data": [{"id": "qwen"}, {"id": "bad\x1b[31m"}, "text"]})
        raise web.HTTPNotFound

    async with provider(answer) as here:
        places = [Place("Ollama", here.url), Place("LM Studio", f"{here.url}/v1"), Place("vLLM", here.url)]
        found = await find_local_servers({}, places, timeout=5)
    assert found == [
        LocalServer("Ollama", here.url, ("llama:8b",)),
        LocalServer("LM Studio", f"{here.url}/v1", ("qwen",)),
    ]
    assert [server.provider for server in found] == ["ollama", "lm_studio"]


@pytest.mark.parametrize(
    "answer",
    [
        refuses(404, "{}"),
        refuses(200, "not json"),
        refuses(200, '{"data": 7}'),
        refuses(200, "[" * 100_000),
        refuses(302, "", {"location": "http://127.0.0.1:9"}),
        streams(b"x" * 3_000_000),
        silent_after(b"{"),
    ],
)
async def test_anything_else_that_listens_there_is_passed_over(answer: Answering) -> None:
    async with provider(answer) as here, asyncio.timeout(10):
        assert await find_local_servers({}, [Place("vLLM", f"{here.url}/v1"), Place("Ollama", here.url)], 0.3) == []


async def test_all_are_asked_at_once() -> None:
    async with provider(silent_after()) as here:
        start = time.monotonic()
        assert await find_local_servers({}, [Place("vLLM", here.url)] * 8, timeout=0.5) == []
        assert time.monotonic() - start < 3


async def test_nothing_there_is_no_error_even_with_a_proxy_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    assert await find_local_servers({}, [Place("Ollama", "http://127.0.0.1:9")]) == []


async def test_ollama_host_moves_ollama() -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        return web.json_response({"models": []})

    async with provider(answer) as here:
        found = await find_local_servers(
            {"OLLAMA_HOST": here.url.removeprefix("http://")}, [Place("Ollama", "http://127.0.0.1:9")], 5
        )
    assert found == [LocalServer("Ollama", here.url, ())]


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("", None),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("myhost", "http://myhost:11434"),
        ("myhost:99", "http://myhost:99"),
        (":99", "http://127.0.0.1:99"),
        ("http://myhost", "http://myhost:11434"),
        ("https://myhost/", "https://myhost"),
        ("[::1]:99", "http://[::1]:99"),
        ("[::1]", "http://[::1]:11434"),
    ],
)
def test_ollama_host_is_read_as_ollama_reads_it(host: str, address: str | None) -> None:
    assert ollama_address({"OLLAMA_HOST": host}) == address
