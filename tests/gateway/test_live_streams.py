"""How streams behave between a provider, the worker and the dashboard."""

from __future__ import annotations

import asyncio
import json
import time
from contextlib import aclosing

import pytest
from aiohttp import web

from keen_tui.domain.errors import GatewayError
from keen_tui.gateway.calls import Timeouts
from keen_tui.gateway.client import WorkerGateway
from tests.gateway.providers import a_call, all_of, provider, silent_after, streams

pytestmark = pytest.mark.asyncio(loop_scope="session")


def event(**payload: object) -> bytes:
    return b"data: " + json.dumps(payload, ensure_ascii=False).encode() + b"\n\n"


async def test_a_stream_cut_at_every_byte_arrives_whole(worker: WorkerGateway) -> None:
    whole = b": hello\r\nevent: x\r\n" + event(text="Grüße 🎉").replace(b"\n", b"\r\n") + event(n=2)
    async with provider(streams(*(whole[i : i + 1] for i in range(len(whole))))) as here:
        assert await all_of(worker, a_call(here.url)) == [{"text": "Grüße 🎉"}, {"n": 2}]


async def test_deltas_arrive_while_the_stream_goes_on(worker: WorkerGateway) -> None:
    async with (
        provider(silent_after(event(n=1))) as here,
        asyncio.timeout(30),
        aclosing(worker.stream(a_call(here.url))) as payloads,
    ):
        assert await anext(payloads) == {"n": 1}


async def test_closing_the_stream_closes_the_connection_at_once(worker: WorkerGateway) -> None:
    async with provider(silent_after(event(n=1))) as here, asyncio.timeout(30):
        payloads = worker.stream(a_call(here.url))
        await anext(payloads)
        start = time.monotonic()
        await payloads.aclose()
        await here.left.wait()
        assert time.monotonic() - start < 1


async def test_cancelling_a_call_that_waits_for_its_first_byte_closes_the_connection(
    worker: WorkerGateway,
) -> None:
    async with provider(silent_after()) as here, asyncio.timeout(30):
        waiting = asyncio.create_task(all_of(worker, a_call(here.url)))
        await here.began.wait()
        waiting.cancel()
        await here.left.wait()
        assert (await asyncio.gather(waiting, return_exceptions=True))[0].__class__ is asyncio.CancelledError


@pytest.mark.parametrize("wire", ["anthropic", "litellm"])
async def test_a_provider_that_never_answers_is_a_timeout_that_says_so(wire: str, worker: WorkerGateway) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        await asyncio.Event().wait()
        raise AssertionError

    limits = Timeouts(connect=0.1, first_byte=0.3, stall=60)
    async with provider(answer) as here:
        with pytest.raises(GatewayError, match=r"sent nothing for 0\.3 s") as failed:
            await all_of(worker, a_call(here.url, wire, timeouts=limits))
        async with asyncio.timeout(5):
            await here.left.wait()
    assert failed.value.kind == "timeout"


async def test_silence_in_the_middle_is_a_timeout_that_says_so(worker: WorkerGateway) -> None:
    limits = Timeouts(connect=5, first_byte=60, stall=0.3)
    async with provider(silent_after(event(n=1))) as here:
        with pytest.raises(GatewayError, match=r"fell silent in its answer for 0\.3 s") as failed:
            await all_of(worker, a_call(here.url, timeouts=limits))
    assert failed.value.kind == "timeout"


async def test_a_drip_is_not_a_stall(worker: WorkerGateway) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await response.prepare(request)
        for byte in event(n=1):
            await response.write(bytes((byte,)))
            await asyncio.sleep(0.1)
        return response

    limits = Timeouts(connect=5, first_byte=10, stall=1)
    async with provider(answer) as here:
        assert await all_of(worker, a_call(here.url, timeouts=limits)) == [{"n": 1}]


async def test_a_dropped_connection_keeps_what_came_and_is_connection_lost(worker: WorkerGateway) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await response.prepare(request)
        await response.write(event(n=1))
        assert request.transport is not None
        request.transport.abort()
        return response

    got = []
    async with provider(answer) as here, asyncio.timeout(30):
        with pytest.raises(GatewayError) as failed:
            async with aclosing(worker.stream(a_call(here.url))) as payloads:
                async for payload in payloads:
                    got.append(payload)
    assert got == [{"n": 1}]
    assert failed.value.kind == "connection_lost"
    assert "127.0.0.1" in failed.value.message


@pytest.mark.parametrize("damaged", [b"data: {broken\n\n", b"data: [1]\n\n", b"data: 7\n\n", b'data: {"a":\xff}\n\n'])
async def test_a_damaged_payload_is_an_error_behind_what_came_before(damaged: bytes, worker: WorkerGateway) -> None:
    got = []
    async with provider(streams(event(n=1), damaged, event(n=2))) as here, asyncio.timeout(30):
        with pytest.raises(GatewayError, match="damaged") as failed:
            async with aclosing(worker.stream(a_call(here.url))) as payloads:
                async for payload in payloads:
                    got.append(payload)
    assert got == [{"n": 1}]
    assert failed.value.kind == "connection_lost"


async def test_the_end_mark_ends_a_stream_though_the_server_keeps_the_line_open(worker: WorkerGateway) -> None:
    async with provider(silent_after(event(n=1), b"data: [DONE]\n\n")) as here:
        assert await all_of(worker, a_call(here.url, "openai_chat")) == [{"n": 1}]


async def test_many_streams_at_once_do_not_mix(worker: WorkerGateway) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        name = (await request.json())["name"]
        return await streams(*(event(name=name, n=n) for n in range(50)))(request)

    async with provider(answer) as here:
        calls = [a_call(here.url, body={"name": name}) for name in range(8)]
        results = await asyncio.gather(*(all_of(worker, call) for call in calls))
    for name, payloads in enumerate(results):
        assert payloads == [{"name": name, "n": n} for n in range(50)]


async def test_a_flood_arrives_in_order_and_leaves_the_loop_its_turns(worker: WorkerGateway) -> None:
    flood = b"".join(event(n=n, text="word " * 10) for n in range(8_000))
    turns = 0

    async def ticking() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async with provider(streams(flood)) as here:
        ticker = asyncio.create_task(ticking())
        payloads = await all_of(worker, a_call(here.url))
        ticker.cancel()
    assert [payload["n"] for payload in payloads] == list(range(8_000))
    assert turns > 10


@pytest.mark.parametrize(
    ("body", "content_type", "kind", "said"),
    [
        (b"", "text/event-stream", "connection_lost", "empty answer"),
        (b"<html><title>Hi</title></html>", "text/html", "not_found", "no stream of a model but text/html"),
        (b'{"error":{"message":"no such model"}}', "application/json", "bad_request", "no such model"),
        (b'{"choices":[]}', "application/json", "not_found", "no stream"),
    ],
)
async def test_an_answer_that_is_no_stream_says_what_it_is(
    body: bytes, content_type: str, kind: str, said: str, worker: WorkerGateway
) -> None:
    async with provider(streams(body, content_type=content_type)) as here:
        with pytest.raises(GatewayError, match=said) as failed:
            await all_of(worker, a_call(here.url))
    assert failed.value.kind == kind
