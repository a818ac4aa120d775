"""A shell command in a process group of its own: started, watched, ended with all its children."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from keen_tui.tools.base import ToolError

GRACE_SECONDS = 2.0
DRAIN_SECONDS = 0.3
_CHUNK = 65_536
_POLL_SECONDS = 0.03


class ProcessGroup:
    """One running `bash -c`. `feed` gets its output and errors, merged, as they come.

    The output has a pipe of our own, so that the end of the shell is seen even while a child that
    went into the background holds the pipe open.
    """

    def __init__(self, process: asyncio.subprocess.Process, pipe: int, feed: Callable[[bytes], None]) -> None:
        self._process = process
        self._pipe = pipe
        self._feed = feed
        self._closed = asyncio.Event()
        asyncio.get_running_loop().add_reader(pipe, self._read)

    @classmethod
    async def start(
        cls, command: str, folder: Path, environment: Mapping[str, str], feed: Callable[[bytes], None]
    ) -> ProcessGroup:
        """Start `command` in `folder` without input and without a terminal. Raises ToolError."""
        if "\0" in command:
            raise ToolError("The command holds a NUL character.")
        if not folder.is_dir():
            raise ToolError("The workspace folder is gone, so no command can run in it.")
        reading, writing = os.pipe()
        os.set_blocking(reading, False)
        try:
            process = await asyncio.create_subprocess_exec(
                "bash",
                "-c",
                command,
                cwd=folder,
                env=dict(environment),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=writing,
                stderr=asyncio.subprocess.STDOUT,
                start_new_session=True,
            )
        except FileNotFoundError:
            os.close(reading)
            raise ToolError("bash is not installed here, so no command can run.") from None
        except (OSError, ValueError) as error:
            os.close(reading)
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise ToolError(
                f"The command could not be started: {reason}. If it is very long, write it to a file first."
            ) from error
        except BaseException:
            os.close(reading)
            raise
        finally:
            os.close(writing)
        return cls(process, reading, feed)

    async def wait(self) -> int:
        """Wait for the shell to end. Its exit code; 128 + n when signal n ended it."""
        code = await self._process.wait()
        return code if code >= 0 else 128 - code

    async def drain(self) -> None:
        """Read what is still in the pipe, for a short while when children keep it open."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(DRAIN_SECONDS):
                await self._closed.wait()

    @property
    def has_members(self) -> bool:
        """Whether any process of the group still runs (zombies do not count)."""
        return self._process.returncode is None or _group_runs(self._process.pid)

    async def end(self, grace: float = GRACE_SECONDS) -> None:
        """SIGTERM to the whole group, and SIGKILL to what is left of it after `grace` seconds."""
        if not self._signal(signal.SIGTERM):
            return
        until = time.monotonic() + grace
        while self.has_members and time.monotonic() < until:  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(_POLL_SECONDS)
        if self.has_members:
            self._signal(signal.SIGKILL)

    async def close(self) -> None:
        """End everything that is left and let go of the pipe. Safe to call twice."""
        try:
            if self.has_members:
                await self.end()
            await self._process.wait()
        finally:
            if self.has_members:
                self._signal(signal.SIGKILL)
            self._stop_reading()

    def _signal(self, number: signal.Signals) -> bool:
        try:
            os.killpg(self._process.pid, number)
        except (ProcessLookupError, PermissionError):
            return False
        return True

    def _read(self) -> None:
        try:
            chunk = os.read(self._pipe, _CHUNK)
        except BlockingIOError:
            return
        except OSError:
            chunk = b""
        if chunk:
            self._feed(chunk)
        else:
            self._stop_reading()

    def _stop_reading(self) -> None:
        if not self._closed.is_set():
            self._closed.set()
            asyncio.get_running_loop().remove_reader(self._pipe)
            os.close(self._pipe)


def _group_runs(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    if not sys.platform.startswith("linux"):
        return True
    return any(_is_live_member(entry, group) for entry in Path("/proc").glob("[0-9]*"))


def _is_live_member(process: Path, group: int) -> bool:
    """From /proc/N/stat: the state and the group stand behind the name in parentheses."""
    try:
        fields = (process / "stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return False
    return len(fields) > 2 and fields[0] not in (b"Z", b"X") and int(fields[2]) == group
