"""A program in a pseudo-terminal: every byte it writes with its time, and the answers of a terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from tests.bench.emulation import EmulatedScreen
from tests.bench.processes import family

now = time.monotonic
_QUESTION = re.compile(rb"\x1b\[\?(\d+)\$p|\x1b\[(6)n|\x1b\[(0?c)")
_KNOWN_MODES = (b"2026", b"2004", b"1004")


class Written(NamedTuple):
    """Bytes that arrived together, and when."""

    time: float
    data: bytes


class Terminal:
    """Starts a program and plays its terminal. What counts is when bytes arrived, not when they were emulated."""

    def __init__(
        self, argv: Sequence[str], environ: Mapping[str, str], cwd: Path, columns: int = 120, rows: int = 40
    ) -> None:
        self.columns, self.rows_high = columns, rows
        self.written: list[Written] = []
        self.screen = EmulatedScreen(columns, rows)
        self._emulated = 0
        self.ended = False
        self.started = now()
        self.pid, self._fd = pty.fork()
        if self.pid == 0:
            with suppress(BaseException):
                os.chdir(cwd)
                os.execvpe(argv[0], list(argv), dict(environ))
            os._exit(127)
        self._set_size(columns, rows)
        os.set_blocking(self._fd, False)

    def _set_size(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def resize(self, columns: int, rows: int) -> None:
        """Another size; what was written before is emulated first."""
        self.emulate()
        self.columns, self.rows_high = columns, rows
        self.screen.resize(columns, rows)
        self._set_size(columns, rows)

    @property
    def bytes_written(self) -> int:
        return sum(len(written.data) for written in self.written)

    @property
    def last_write(self) -> float:
        return self.written[-1].time if self.written else self.started

    @property
    def is_raw(self) -> bool:
        """Whether the program took over the echo of keys."""
        with suppress(termios.error):
            return not termios.tcgetattr(self._fd)[3] & termios.ECHO
        return False

    def read(self, seconds: float) -> bool:
        """Wait for output at most so long. True when some came."""
        ready, _, _ = select.select([self._fd], [], [], max(0.0, seconds))
        if not ready:
            return False
        try:
            data = os.read(self._fd, 1 << 16)
        except OSError:
            data = b""
        if not data:
            self.ended = True
            return False
        self.written.append(Written(now(), data))
        self._answer(data)
        return True

    def _answer(self, data: bytes) -> None:
        for mode, position, attributes in _QUESTION.findall(data):
            if mode:
                self.write(b"\x1b[?%s;%d$y" % (mode, 2 if mode in _KNOWN_MODES else 0))
            elif position:
                self.write(b"\x1b[1;1R")
            elif attributes:
                self.write(b"\x1b[?62;22c")

    def read_for(self, seconds: float) -> None:
        end = now() + seconds
        while now() < end and not self.ended:
            self.read(end - now())

    def write(self, data: bytes) -> float:
        """Type. Returns the time."""
        time_sent = now()
        while data and not self.ended:
            try:
                data = data[os.write(self._fd, data) :]
            except BlockingIOError:
                self.read(0.01)
            except OSError:
                self.ended = True
        return time_sent

    def emulate(self) -> EmulatedScreen:
        """Bring the emulated screen up to date."""
        while self._emulated < len(self.written):
            self.step()
        return self.screen

    def step(self) -> Written | None:
        """Emulate the next bytes that arrived."""
        if self._emulated == len(self.written):
            return None
        written = self.written[self._emulated]
        self.screen.feed(written.data)
        self._emulated += 1
        return written

    def wait_for(self, seen: Callable[[str], bool], seconds: float) -> float | None:
        """When the bytes came that made the screen's text fit; None when that never was."""
        end = now() + seconds
        if self._emulated == len(self.written) and seen(self.screen.text):
            return self.last_write
        while now() < end:
            while (written := self.step()) is not None:
                if seen(self.screen.text):
                    return written.time
            if self.ended:
                return None
            self.read(min(0.05, end - now()))
        return None

    def wait_until_quiet(self, seconds: float, limit: float) -> None:
        """Read until nothing was written for so long."""
        began = now()
        while now() < began + limit and not self.ended and now() - max(self.last_write, began) < seconds:
            self.read(0.05)
        self.emulate()

    def close(self) -> None:
        """End the program and all it started."""
        pids = family(self.pid)
        for number in (signal.SIGTERM, signal.SIGKILL):
            for pid in pids:
                with suppress(OSError):
                    os.kill(pid, number)
            end = now() + 3
            while now() < end and (pids := [pid for pid in pids if self._lives(pid)]):
                time.sleep(0.02)
        os.close(self._fd)

    def _lives(self, pid: int) -> bool:
        if pid == self.pid:
            with suppress(OSError):
                return os.waitpid(pid, os.WNOHANG)[0] == 0
            return False
        with suppress(OSError, IndexError):
            return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
        return False
