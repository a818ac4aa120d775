"""The names of the workspace's files, read beside the screen, for the completion of `@`."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from keen_tui.security.untrusted import visible_line
from keen_tui.ui.fuzzy import find_paths

if TYPE_CHECKING:
    from keen_tui.tools.stoppable import Stop

MOST_FILES = 200_000
SECONDS = 30.0
FRESH_SECONDS = 5.0
"""An index older than this is read again when it is asked."""
_BREATH = 256
"""Files after which the reading thread lets the screen have the processor."""


class FileIndex:
    """Ignore rules of git hold. While the names are read, what was read so far is searched."""

    def __init__(self, workspace: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self.workspace = workspace
        self._clock = clock
        self._paths: list[str] = []
        self._read_at = float("-inf")
        self._reading: asyncio.Task[None] | None = None

    @property
    def reading(self) -> bool:
        """Whether names are being read for the first time."""
        return self._reading is not None and self._read_at == float("-inf")

    def forget(self) -> None:
        """Files may have changed: the next question reads them again."""
        if self._read_at > float("-inf"):
            self._read_at = self._clock() - FRESH_SECONDS - 1

    def refresh(self) -> None:
        """Read the names in the background when they are not fresh."""
        if self._reading is None and self._clock() - self._read_at > FRESH_SECONDS:
            self._reading = asyncio.create_task(self._read())

    async def wait(self, seconds: float | None = None) -> None:
        """Until the reading that runs is done, at most so long."""
        if self._reading is not None:
            await asyncio.wait([self._reading], timeout=seconds)

    async def find(self, words: str, limit: int) -> list[str]:
        """Paths relative to the workspace, folders with a slash at their end, the likeliest first."""
        from keen_tui.tools.stoppable import in_thread

        self.refresh()
        paths = self._paths
        return await in_thread(lambda stop: find_paths(paths, words, limit, lambda: stop.cancelled))

    async def close(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.wait([self._reading])

    async def _read(self) -> None:
        from keen_tui.tools.stoppable import in_thread

        try:
            first = not self._paths
            fresh: list[str] = []
            if first:
                self._paths = fresh
            await in_thread(lambda stop: _read_names(self.workspace, fresh, stop), SECONDS)
            self._paths = fresh
            self._read_at = self._clock()
        finally:
            self._reading = None


def _read_names(workspace: Path, found: list[str], stop: Stop) -> None:
    """Append each file, and each folder before its first file."""
    from keen_tui.tools.ignore_rules import walk_files

    root = Path(os.path.realpath(workspace))
    skip = len(str(root).rstrip("/")) + 1
    folders = {""}
    for count, path in enumerate(walk_files(root, root, stop)):
        name = path[skip:]
        folder = name.rpartition("/")[0]
        if folder not in folders:
            _add_folders(folder, folders, found)
        found.append(visible_line(name))
        if count % _BREATH == 0:
            time.sleep(0.001)
        if count >= MOST_FILES:
            return


def _add_folders(folder: str, known: set[str], found: list[str]) -> None:
    """Append a folder behind those above it."""
    above = folder.rpartition("/")[0]
    if above not in known:
        _add_folders(above, known, found)
    known.add(folder)
    found.append(visible_line(f"{folder}/"))
