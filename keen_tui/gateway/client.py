"""The dashboard's side of the model worker. Imports neither litellm nor an HTTP client."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from keen_tui.domain.errors import GatewayError
from keen_tui.gateway.calls import Gateway, ModelCall
from keen_tui.gateway.protocol import Frame, call_frame, error_of
from keen_tui.gateway.worker_process import WorkerProcess, call_texts

WorkerState = Literal["starting", "ready", "stopped"]
IDLE_SECONDS = 15 * 60.0
START_SECONDS = 180.0
"""A worker that has not loaded litellm by then is taken for stuck."""


class WorkerGateway(Gateway):
    """Calls through a worker process, which starts when it is needed and again after it died."""

    def __init__(
        self,
        *,
        log_file: Path,
        environ: Mapping[str, str] | None = None,
        python: str = sys.executable,
        on_state: Callable[[WorkerState], None] | None = None,
        idle_seconds: float = IDLE_SECONDS,
        start_seconds: float = START_SECONDS,
    ) -> None:
        self._log_file = log_file
        self._environ = dict(os.environ if environ is None else environ)
        self._python = python
        self._on_state = on_state or (lambda state: None)
        self._idle_seconds = idle_seconds
        self._start_seconds = start_seconds
        self._worker: WorkerProcess | None = None
        self._starting = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._idle: asyncio.TimerHandle | None = None
        self._closed = False

    @property
    def log_file(self) -> Path:
        return self._log_file

    @property
    def worker_pid(self) -> int | None:
        """The running worker's process id."""
        return self._worker.pid if self._worker and self._worker.alive else None

    async def start(self) -> None:
        self._spawn(self._start_quietly())

    async def stream(self, call: ModelCall) -> AsyncGenerator[Mapping[str, Any], None]:
        worker = await self._running()
        number, frames = worker.open()
        over = False
        try:
            await worker.send(call_frame(number, call))
            while True:
                frame = await self._next(worker, frames)
                if frame.type == "event":
                    for line in frame.lines:
                        yield _payload(line)
                    if frames.empty():
                        continue
                    # A flood must leave the screen its turns.
                    await asyncio.sleep(0)
                else:
                    over = True
                    if frame.type == "error":
                        raise error_of(frame)
                    return
        finally:
            self._end(worker, number, cancel=not over)

    async def count(self, model: str, texts: Sequence[str]) -> list[int]:
        worker = await self._running()
        number, frames = worker.open()
        try:
            await worker.send(call_texts(number, model, texts))
            frame = await self._next(worker, frames)
            if frame.type == "error":
                raise error_of(frame)
            return [int(count) for count in frame.header["counts"]]
        finally:
            self._end(worker, number, cancel=False)

    async def close(self) -> None:
        self._closed = True
        self._hold()
        async with self._starting:
            worker = self._worker
        if worker is not None:
            await worker.stop()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _running(self) -> WorkerProcess:
        """The worker, started when there is none. It takes calls before it is ready."""
        async with self._starting:
            self._hold()
            if self._closed:
                raise GatewayError("worker_died", "The model worker was closed.")
            if self._worker is None or not self._worker.alive:
                self._on_state("starting")
                worker = await WorkerProcess.start(self._python, self._log_file, self._environ)
                self._worker = worker
                self._spawn(self._watch(worker))
            return self._worker

    async def _start_quietly(self) -> None:
        # The call that needs the worker tells the person what is wrong.
        with contextlib.suppress(GatewayError):
            await self._running()
            self._rest()

    async def _watch(self, worker: WorkerProcess) -> None:
        """Tell of the worker's states, and end one that never gets ready."""
        ready = asyncio.create_task(worker.ready.wait())
        ended = asyncio.create_task(worker.ended.wait())
        try:
            await asyncio.wait((ready, ended), timeout=self._start_seconds, return_when=asyncio.FIRST_COMPLETED)
            if worker.ready.is_set():
                self._on_state("ready")
            elif worker.alive:
                worker.failure = GatewayError("worker_died", "The model worker did not get ready in time.")
                await worker.stop()
            await ended
            self._on_state("stopped")
        finally:
            ready.cancel()
            ended.cancel()

    async def _next(self, worker: WorkerProcess, frames: asyncio.Queue[Frame | None]) -> Frame:
        frame = await frames.get()
        if frame is None:
            raise worker.failure or GatewayError(
                "worker_died", "The model worker ended in the middle of the call; what was received is kept."
            )
        return frame

    def _end(self, worker: WorkerProcess, number: int, *, cancel: bool) -> None:
        worker.forget(number, cancel=cancel)
        self._rest()

    def _hold(self) -> None:
        if self._idle:
            self._idle.cancel()
            self._idle = None

    def _rest(self) -> None:
        """Let the worker end when nothing is asked of it for long."""
        self._hold()
        if self._worker and self._worker.alive and not self._worker.busy and not self._closed:
            self._idle = asyncio.get_running_loop().call_later(self._idle_seconds, self._retire)

    def _retire(self) -> None:
        worker = self._worker
        if worker and worker.alive and not worker.busy:
            self._worker = None
            self._spawn(worker.stop())

    def _spawn(self, work: Any) -> None:
        task: asyncio.Task[None] = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _payload(line: bytes) -> Mapping[str, Any]:
    try:
        payload = json.loads(line)
    except (ValueError, RecursionError):
        payload = None
    if not isinstance(payload, dict):
        raise GatewayError("connection_lost", "A piece of the model's stream was damaged: it is not a JSON object.")
    return payload
