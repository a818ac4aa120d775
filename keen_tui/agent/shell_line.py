"""A shell line that the person types, run in the workspace beside the agent's work."""

from __future__ import annotations

import asyncio
import codecs
import os
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

from keen_tui.domain.errors import KeenError
from keen_tui.domain.events import ShellRan
from keen_tui.security.secrets import redact
from keen_tui.security.untrusted import visible
from keen_tui.tools.base import ToolError
from keen_tui.tools.bash import QUIET_ENVIRONMENT
from keen_tui.tools.process_group import ProcessGroup

MOST_CHARACTERS = 200_000
"""Of the output that is kept to be shown; its end stays. Nothing of it goes to the disk."""
MOST_LINE = 2_000


class ShellLine:
    """At most one line runs at a time."""

    def __init__(self) -> None:
        self._work: asyncio.Task[int] | None = None

    @property
    def running(self) -> bool:
        return self._work is not None

    async def run(self, line: str, workspace: Path, emit: Callable[[str], None]) -> ShellRan:
        """Run `line` to its end, or to `stop`. Raises KeenError when it can't be started."""
        output = _Output(emit)
        began = time.monotonic()
        work = self._work = asyncio.create_task(_run(line, workspace, output))
        try:
            await asyncio.wait([work])
        except asyncio.CancelledError:
            work.cancel()
            await asyncio.wait([work])
            raise
        finally:
            self._work = None
        try:
            code = None if work.cancelled() else work.result()
        except ToolError as error:
            raise KeenError(str(error)) from error
        return ShellRan(
            text=visible(redact(line))[:MOST_LINE],
            exit_code=code,
            seconds=time.monotonic() - began,
            output_size=output.size,
            output=output.text,
        )

    def stop(self) -> bool:
        """End the line and all its processes. False when none runs."""
        if self._work is None:
            return False
        self._work.cancel()
        return True

    async def close(self) -> None:
        """Stop what runs and wait for its end."""
        if self._work is not None:
            self._work.cancel()
            await asyncio.wait([self._work])


async def _run(line: str, workspace: Path, output: _Output) -> int:
    group = await ProcessGroup.start(line, workspace, {**os.environ, **QUIET_ENVIRONMENT}, output.feed)
    try:
        code = await group.wait()
        await group.drain()
        return code
    finally:
        await group.close()


class _Output:
    """The end of what a line printed."""

    def __init__(self, emit: Callable[[str], None]) -> None:
        self.size = 0
        self._emit = emit
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._pieces: deque[str] = deque()
        self._characters = 0

    def feed(self, chunk: bytes) -> None:
        self.size += len(chunk)
        piece = self._decoder.decode(chunk)
        self._pieces.append(piece)
        self._characters += len(piece)
        while self._characters - len(self._pieces[0]) > MOST_CHARACTERS:
            self._characters -= len(self._pieces.popleft())
        self._emit(piece)

    @property
    def text(self) -> str:
        return visible("".join(self._pieces))
