"""Tells when a memory file changed on disk, whoever changed it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from importlib import import_module
from pathlib import Path

log = logging.getLogger(__name__)

STEP = 200
"""Milliseconds between two looks at what the system reported; nothing is read from the disk meanwhile."""


async def memory_changes(paths: Sequence[Path]) -> AsyncIterator[None]:
    """One item after each change of the files, their making and their removal included.

    Ends at once where the system can't tell of changes. Cancel the task that iterates to stop.
    """
    watchfiles = await asyncio.to_thread(import_module, "watchfiles")
    while folders := _folders(paths):
        names = {str(name) for path in paths for name in (path, path.parent, path.resolve())}

        def wanted(_: object, name: str, names: set[str] = names) -> bool:
            return name in names

        try:
            async for _ in watchfiles.awatch(
                *folders, watch_filter=wanted, recursive=False, debounce=STEP, step=STEP, rust_timeout=60_000
            ):
                yield
                if _folders(paths) != folders:
                    break
            else:
                return
        except (OSError, RuntimeError) as error:
            log.warning("changes of the memory files are not seen: %s", error)
            return


def _folders(paths: Sequence[Path]) -> list[Path]:
    """The folders to watch: that of each file and of what it links to, or the one above until it is made."""
    folders: set[Path] = set()
    for path in paths:
        for place in {path, path.resolve()}:
            folder = place.parent if place.parent.is_dir() else place.parent.parent
            if folder.is_dir():
                folders.add(folder)
    return sorted(folders)
