"""One running worker process, as the dashboard sees it."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from keen_tui.domain.errors import GatewayError
from keen_tui.gateway.protocol import Frame, FrameError, encode, error_of, read_frame

_READ_LIMIT = 2**22
_CHUNK = 65_536
_GRACE = 1.0
"""Seconds that a worker gets to end by itself, and again after a terminate."""

LOG_LIMIT = 1_000_000
"""Bytes. A longer log is put aside as `.1` when a worker starts."""

# The package's own folder is put last, so that nothing in the workspace and nothing in it hides a module.
_START = "import sys; sys.path.append(sys.argv[1]); from keen_tui.gateway.worker import main; main()"


class WorkerProcess:
    """A worker and the calls it serves. `frames` of a call end with None when the worker dies."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None and process.stdout is not None
        self._process = process
        self._writer = process.stdin
        self._reader = process.stdout
        self._queues: dict[int, asyncio.Queue[Frame | None]] = {}
        self._next = 0
        self._reading = asyncio.create_task(self._read())
        self.ready = asyncio.Event()
        self.failure: GatewayError | None = None
        self.ended = asyncio.Event()

    @classmethod
    async def start(cls, python: str, log_file: Path, environ: Mapping[str, str]) -> WorkerProcess:
        """Start a worker. Raises GatewayError("worker_died") when the system refuses."""
        root = str(Path(__file__).resolve().parents[2])
        log = _open_log(log_file)
        try:
            process = await asyncio.create_subprocess_exec(
                *(python, "-P", "-c", _START, root),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                env={**environ, "PYTHONIOENCODING": "utf-8:replace"},
                limit=_READ_LIMIT,
                start_new_session=True,
            )
        except OSError as error:
            raise GatewayError(
                "worker_died", f"The model worker could not be started: {error.strerror or error}."
            ) from None
        finally:
            os.close(log)
        return cls(process)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return not self.ended.is_set()

    @property
    def busy(self) -> bool:
        return bool(self._queues)

    def open(self) -> tuple[int, asyncio.Queue[Frame | None]]:
        """A number for a new call, and where its frames arrive."""
        self._next += 1
        queue: asyncio.Queue[Frame | None] = asyncio.Queue()
        if not self.alive:
            queue.put_nowait(None)
        self._queues[self._next] = queue
        return self._next, queue

    def forget(self, number: int, *, cancel: bool) -> None:
        """Expect nothing more for a call; with `cancel` the worker closes its connection at once."""
        self._queues.pop(number, None)
        if cancel and self.alive and not self._writer.is_closing():
            self._writer.write(encode({"type": "cancel", "id": number}))

    async def send(self, frame: bytes) -> None:
        """Hand a frame over. A dead worker is noticed by the reader, so nothing is raised for it."""
        with contextlib.suppress(ConnectionError, RuntimeError):
            self._writer.write(frame)
            await self._writer.drain()

    async def stop(self) -> None:
        """End the worker: by closing its pipe, else by force. Returns when it is gone."""
        for end in (self._writer.close, self._process.terminate, self._process.kill):
            with contextlib.suppress(ProcessLookupError, OSError):
                end()
            try:
                await asyncio.wait_for(asyncio.shield(self._reading), _GRACE)
                break
            except TimeoutError:
                continue
        await self._reading

    async def _read(self) -> None:
        try:
            while (frame := await read_frame(self._reader)) is not None:
                self._take(frame)
        except (FrameError, ValueError):
            # A pipe that is out of step can't be trusted with anything more.
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
        finally:
            self._writer.close()
            await self._reap()
            self.ended.set()
            for queue in self._queues.values():
                queue.put_nowait(None)

    async def _reap(self) -> None:
        """Wait for the process; one that closed its pipe but lives on is killed."""
        try:
            await asyncio.wait_for(self._process.wait(), _GRACE)
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            # `wait` also waits for the end of the pipe, and asyncio stops reading a full one.
            while await self._reader.read(_CHUNK):
                pass
            await self._process.wait()

    def _take(self, frame: Frame) -> None:
        if frame.type == "ready":
            self.ready.set()
        elif frame.id == 0 and frame.type == "error":
            self.failure = error_of(frame)
        elif queue := self._queues.get(frame.id):
            queue.put_nowait(frame)


def _open_log(file: Path) -> int:
    """A descriptor of the log for appending, of nothing where there can be none. Too long a log is put aside."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if file.exists() and file.stat().st_size > LOG_LIMIT:
            file.replace(file.with_name(file.name + ".1"))
        return os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    except OSError:
        return os.open(os.devnull, os.O_WRONLY)


def call_texts(number: int, model: str, texts: Sequence[str]) -> bytes:
    """The frame that asks for the tokens of some texts."""
    return encode({"type": "count", "id": number, "model": model, "texts": list(texts)})
