"""A provider that does exactly what a test says, byte by byte."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from keen_tui.gateway.calls import ModelCall, Timeouts
from keen_tui.gateway.client import WorkerGateway

KEY = "test-key-abcdefghijklmnop"
Answering = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass
class Received:
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Provider:
    """What came in, and when a stream that was being answered lost its client."""

    url: str
    received: list[Received] = field(default_factory=list)
    began: asyncio.Event = field(default_factory=asyncio.Event)
    left: asyncio.Event = field(default_factory=asyncio.Event)


@asynccontextmanager
async def provider(answer: Answering) -> AsyncIterator[Provider]:
    async def handle(request: web.Request) -> web.StreamResponse:
        headers = {name.lower(): value for name, value in request.headers.items()}
        here.received.append(Received(request.path_qs, headers, await request.read()))
        here.began.set()
        try:
            return await answer(request)
        except (asyncio.CancelledError, ConnectionError):
            here.left.set()
            raise

    app = web.Application(client_max_size=2**28)
    app.router.add_route("*", "/{path:.*}", handle)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    here = Provider(f"http://127.0.0.1:{runner.addresses[0][1]}")
    try:
        yield here
    finally:
        await runner.cleanup()


def streams(*pieces: bytes, content_type: str = "text/event-stream") -> Answering:
    """Answers with these pieces, each in a write of its own."""

    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"content-type": content_type})
        await response.prepare(request)
        for piece in pieces:
            await response.write(piece)
            await asyncio.sleep(0)
        return response

    return answer


def refuses(status: int, body: str, headers: dict[str, str] | None = None) -> Answering:
    async def answer(request: web.Request) -> web.StreamResponse:
        return web.Response(status=status, text=body, headers=headers, content_type="application/json")

    return answer


def silent_after(*pieces: bytes) -> Answering:
    """Sends the pieces and then nothing, until the client leaves."""

    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await response.prepare(request)
        for piece in pieces:
            await response.write(piece)
        await asyncio.Event().wait()
        return response

    return answer


def a_call(url: str, wire: Any = "anthropic", **changes: Any) -> ModelCall:
    providers = {"gemini": "gemini", "ollama": "ollama", "anthropic": "anthropic"}
    fields: dict[str, Any] = {
        "wire": wire,
        "provider": providers.get(wire, "openai"),
        "model": "some-model",
        "body": {"model": "some-model", "messages": [{"role": "user", "content": "hello"}], "stream": True},
        "base_url": url,
        "api_key": KEY,
        "timeouts": Timeouts(connect=5, first_byte=10, stall=10),
    }
    return ModelCall(**fields | changes)


async def all_of(worker: WorkerGateway, call: ModelCall) -> list[Any]:
    async with asyncio.timeout(60), aclosing(worker.stream(call)) as payloads:
        return [payload async for payload in payloads]
