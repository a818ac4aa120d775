"""The output of a command: streamed to the screen, cut for the model, whole on disk until the turn ends."""

from __future__ import annotations

import asyncio
import codecs
import os
import secrets
import shutil
from collections.abc import Callable
from pathlib import Path

MOST_MODEL_CHARACTERS = 30_000
MOST_FILE_BYTES = 50 * 1024 * 1024
_KEPT_BYTES = MOST_MODEL_CHARACTERS * 4
_EMIT_SECONDS = 0.05
_MOST_EMITTED_AT_ONCE = 16_384
_EMITTED_FREELY = 512 * 1024
_SPARSE_SECONDS = 0.5
_SPARSE_CHARACTERS = 2048


def output_folder(task_dir: Path) -> Path:
    return task_dir / "output"


def purge_outputs(task_dir: Path) -> None:
    """Delete the outputs kept for the running turn. To be called when the turn ends."""
    shutil.rmtree(output_folder(task_dir), ignore_errors=True)


class CommandOutput:
    """Takes the bytes of one command. Memory stays small whatever comes.

    Up to 120,000 bytes are kept in memory only. What is more goes to a file (0600) under the task,
    up to 50 MB; of what is beyond that only the end is kept.
    """

    def __init__(self, task_dir: Path, emit: Callable[[str], None]) -> None:
        self.size = 0
        self.path: Path | None = None
        self._folder = output_folder(task_dir)
        self._file_problem = ""
        self._descriptor = -1
        self._written = 0
        self._head = bytearray()
        self._tail = bytearray()
        self._live = _LiveText(emit)

    def feed(self, chunk: bytes) -> None:
        self.size += len(chunk)
        room = _KEPT_BYTES - len(self._head)
        self._head += chunk[:room]
        if self.size > _KEPT_BYTES:
            if self._descriptor < 0 and not self._file_problem and self.path is None:
                self._open_file(len(chunk))
            self._write(chunk)
            self._tail += chunk[max(0, room) :]
            if len(self._tail) > 2 * _KEPT_BYTES:
                del self._tail[:-_KEPT_BYTES]
        self._live.add(chunk)

    def close(self) -> None:
        """Show what has not been shown yet and close the file."""
        self._live.close()
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def text(self) -> str:
        """What the model gets: all of it up to 30,000 characters, else its beginning and its end."""
        head = bytes(self._head).decode("utf-8", "replace")
        whole = self.size <= _KEPT_BYTES
        if whole and len(head) <= MOST_MODEL_CHARACTERS:
            return head
        tail = head if whole else self._end().decode("utf-8", "replace")
        half = MOST_MODEL_CHARACTERS // 2
        head, tail = _to_line_end(head[:half]), _from_line_start(tail[-half:])
        left = max(0, self.size - len(head.encode()) - len(tail.encode()))
        if whole:
            self._keep_whole()
        return f"{head}\n[… {left:,} bytes left out here; {self._where()} …]\n{tail}"

    def _end(self) -> bytes:
        end = self._tail if len(self._tail) >= _KEPT_BYTES else self._head + self._tail
        return bytes(end[-_KEPT_BYTES:])

    def _where(self) -> str:
        if self.path is None:
            return f"the whole output could not be kept: {self._file_problem}"
        if self._written < self.size:
            return f"the first {self._written:,} bytes are in {self.path}, search it with grep"
        return f"the whole output is in {self.path} until the turn ends, search it with grep"

    def _keep_whole(self) -> None:
        self._open_file(0)
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _open_file(self, unwritten: int) -> None:
        """Open the file and put everything in that came before the last `unwritten` bytes."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            path = self._folder / f"{secrets.token_hex(4)}.txt"
            self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        except OSError as error:
            self._file_problem = error.strerror or str(error)
            return
        self.path = path
        self._write(bytes(self._head[: self.size - unwritten]))

    def _write(self, chunk: bytes) -> None:
        if self._descriptor < 0 or self._written >= MOST_FILE_BYTES:
            return
        try:
            view = memoryview(chunk)[: MOST_FILE_BYTES - self._written]
            while view:
                count = os.write(self._descriptor, view)
                self._written += count
                view = view[count:]
        except OSError as error:
            self._file_problem = error.strerror or str(error)
            os.close(self._descriptor)
            self._descriptor = -1


class _LiveText:
    """Decodes output as it comes and passes it on in few pieces, so that a flood can't swamp the screen.

    Pieces come at most every 50 ms and hold at most 16,384 characters, the last ones of a flood; after
    half a million characters they become rarer and smaller.
    """

    def __init__(self, emit: Callable[[str], None]) -> None:
        self._emit = emit
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._waiting = ""
        self._skipped = 0
        self._emitted = 0
        self._timer: asyncio.TimerHandle | None = None

    @property
    def _sparse(self) -> bool:
        return self._emitted >= _EMITTED_FREELY

    def add(self, chunk: bytes) -> None:
        self._hold(self._decoder.decode(chunk))
        if self._timer is None and self._waiting:
            pause = _SPARSE_SECONDS if self._sparse else _EMIT_SECONDS
            self._timer = asyncio.get_running_loop().call_later(pause, self._pass_on)

    def close(self) -> None:
        self._hold(self._decoder.decode(b"", final=True))
        self._pass_on()

    def _hold(self, text: str) -> None:
        most = _SPARSE_CHARACTERS if self._sparse else _MOST_EMITTED_AT_ONCE
        joined = self._waiting + text
        self._waiting = joined[-most:]
        self._skipped += len(joined) - len(self._waiting)

    def _pass_on(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self._waiting:
            return
        gap = f"\n[… {self._skipped:,} characters not shown …]\n" if self._skipped else ""
        text = gap + self._waiting
        self._waiting, self._skipped = "", 0
        self._emitted += len(text)
        self._emit(text)


def _to_line_end(text: str) -> str:
    return text[: text.rfind("\n")] if text.rfind("\n") > len(text) // 2 else text


def _from_line_start(text: str) -> str:
    start = text.find("\n") + 1
    return text[start:] if 0 < start < len(text) // 2 else text
