"""Reading the beginning of a file that may turn out to be anything else."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path


class NotPlainError(OSError):
    """There is a folder or a special file in the place of the file; the text says which."""


@dataclass(frozen=True, slots=True)
class PlainFile:
    """`start` is the content up to a limit, `size` the size of the whole in bytes."""

    start: bytes
    size: int
    changed: datetime


def read_start(path: Path, limit: int) -> PlainFile:
    """At most `limit` bytes of a regular file. Never waits for a pipe or a device.

    Raises NotPlainError, and OSError for what can't be opened or read.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise NotPlainError("folder" if stat.S_ISDIR(status.st_mode) else "special file")
        chunks = []
        while limit > 0 and (chunk := os.read(descriptor, limit)):
            chunks.append(chunk)
            limit -= len(chunk)
    finally:
        os.close(descriptor)
    start = b"".join(chunks)
    return PlainFile(start, max(status.st_size, len(start)), datetime.fromtimestamp(status.st_mtime, UTC))


def leads_outside(path: Path, workspace: Path) -> bool:
    """Whether symlinks take `path` out of the workspace. A loop counts as outside."""
    try:
        return not path.resolve().is_relative_to(workspace.resolve())
    except (OSError, RuntimeError):
        return True


def shown_path(path: Path) -> str:
    """A path as text that UTF-8 can carry."""
    return os.fsencode(path).decode("utf-8", "replace")
