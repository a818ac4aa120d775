"""The worker's side of the pipe: frames in, a task for every call, frames out."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Protocol

from keen_tui.domain.errors import GatewayError
from keen_tui.gateway.calls import ModelCall
from keen_tui.gateway.protocol import (
    Frame,
    FrameError,
    call_of,
    encode,
    error_frame,
    read_frame,
)
from keen_tui.gateway.routes import server_name
from keen_tui.gateway.worker_setup import LOG, Secrets


class Carrier(Protocol):
    """What takes calls to the providers."""

    def stream(self, call: ModelCall, body: bytes) -> AsyncGenerator[Sequence[bytes], None]:
        """Payloads, each one line of JSON, in batches as they came."""

    def failure(self, error: BaseException, call: ModelCall) -> GatewayError: ...

    def count(self, model: str, texts: Sequence[str]) -> list[int]: ...

    def warm_up(self) -> None: ...


class CarrierLoader(Protocol):
    def __call__(self, secrets: Secrets) -> Carrier:
        """Load what is slow to load; runs in a thread."""


class WorkerLoop:
    """Serves one pipe until it closes, then ends the process."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, load: CarrierLoader, secrets: Secrets
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._load = load
        self._secrets = secrets
        self._carrier: Carrier | None = None
        self._loaded = asyncio.Event()
        self._calls: dict[int, asyncio.Task[None]] = {}
        self._others: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Never returns: the process ends with the pipe, whatever is still going on."""
        loading = asyncio.create_task(self._load_carrier())
        self._others.add(loading)
        try:
            while (frame := await read_frame(self._reader)) is not None:
                self._take(frame)
        except (FrameError, KeyError, TypeError, ValueError) as error:
            LOG.error("bad frame: %s", type(error).__name__)
        # Threads of an import that is going on would hold up an orderly end.
        os._exit(0)

    def _take(self, frame: Frame) -> None:
        if frame.type == "call":
            call, body = call_of(frame)
            self._secrets.learn(call)
            task = asyncio.create_task(self._run_call(frame.id, call, body))
            self._calls[frame.id] = task
            task.add_done_callback(lambda _: self._calls.pop(frame.id, None))
        elif frame.type == "cancel":
            if running := self._calls.get(frame.id):
                running.cancel()
        elif frame.type == "count":
            task = asyncio.create_task(self._count(frame))
            self._others.add(task)
            task.add_done_callback(self._others.discard)

    async def _load_carrier(self) -> None:
        start = time.monotonic()
        try:
            self._carrier = await asyncio.to_thread(self._load, self._secrets)
        except Exception as error:  # noqa: BLE001 - the outermost boundary of the worker
            LOG.exception("litellm could not be loaded")
            reason = self._secrets.clean(f"{type(error).__name__}: {error}")[:300]
            failure = GatewayError(
                "worker_died",
                f"The model worker could not load litellm: {reason}",
                hint="Install Keen again; `keen doctor` checks it.",
            )
            # With this limit a sent frame is a written one, which it must be before the process ends.
            self._writer.transport.set_write_buffer_limits(high=0)
            await self._send(error_frame(0, failure))
            os._exit(1)
        self._loaded.set()
        LOG.info("ready after %.1f s", time.monotonic() - start)
        await self._send(encode({"type": "ready"}))
        if not self._calls:
            await asyncio.to_thread(self._carrier.warm_up)

    async def _ready(self) -> Carrier:
        await self._loaded.wait()
        assert self._carrier is not None
        return self._carrier

    async def _run_call(self, number: int, call: ModelCall, body: bytes) -> None:
        carrier = await self._ready()
        header = {"type": "event", "id": number}
        try:
            async with aclosing(carrier.stream(call, body)) as batches:
                async for payloads in batches:
                    await self._send(encode(header, payloads))
        except Exception as error:  # noqa: BLE001 - whatever a provider's code raises becomes a failure
            failure = carrier.failure(error, call)
            LOG.info("call %d to %s: %s %s", number, server_name(call), failure.kind, failure.status or "")
            await self._send(error_frame(number, failure))
        else:
            await self._send(encode({"type": "done", "id": number}))

    async def _count(self, frame: Frame) -> None:
        try:
            carrier = await self._ready()
            texts = frame.header["texts"]
            counts = await asyncio.to_thread(carrier.count, frame.header["model"], texts)
        except Exception as error:  # noqa: BLE001 - tokenizers raise anything
            LOG.error("count: %s", type(error).__name__)
            await self._send(error_frame(frame.id, GatewayError("bad_request", "The tokens can't be counted.")))
        else:
            await self._send(encode({"type": "counted", "id": frame.id, "counts": counts}))

    async def _send(self, frame: bytes) -> None:
        try:
            self._writer.write(frame)
            await self._writer.drain()
        except (ConnectionError, RuntimeError):
            os._exit(0)
