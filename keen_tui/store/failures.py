"""What can go wrong with the store, in words for the person."""

from __future__ import annotations

import errno
import sqlite3
from pathlib import Path

from keen_tui.domain.errors import KeenError


class StoreError(KeenError):
    """Something could not be kept or read back. The message says what is still there."""


def database_error(error: sqlite3.Error | OSError, path: Path) -> StoreError:
    """Say what happened to the database file, what is kept, and what to do."""
    kept = f"The transcripts in {path.parent / 'tasks'} are kept."
    name = _name(error)
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return StoreError(
            f"The database {path} is damaged. {kept}",
            f"Move {path.name} away, with {path.name}-wal and {path.name}-shm if they are there, and start "
            "again: Keen makes an empty one. Keep the old file, it may be possible to repair it.",
        )
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return StoreError(
            f"The database {path} is locked by another process. {kept} The last change was not saved.",
            "Close the other program that uses it, then try again.",
        )
    if name.startswith("SQLITE_FULL"):
        return StoreError(
            f"The disk with the database {path} is full. {kept} The last change was not saved.",
            "Make room on the disk, then try again.",
        )
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")):
        return StoreError(
            f"The database {path} can't be opened for writing. {kept} The last change was not saved.",
            f"Make {path} and its folder writable for you, or set KEEN_HOME to another folder.",
        )
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return StoreError(
        f"The database {path} can't be used: {reason}. {kept} The last change was not saved.",
        "Check the disk and its free space, and try again. `keen doctor` checks the store.",
    )


def newer_database(path: Path, found: int, known: int) -> StoreError:
    return StoreError(
        f"The database {path} was written by a newer Keen (schema {found}, this one knows {known}). "
        "Nothing was changed.",
        "Update Keen, or set KEEN_HOME to another folder.",
    )


_ERRNO_NAMES = {
    errno.ENOSPC: "SQLITE_FULL",
    errno.EDQUOT: "SQLITE_FULL",
    errno.EACCES: "SQLITE_PERM",
    errno.EPERM: "SQLITE_PERM",
    errno.EROFS: "SQLITE_READONLY",
    errno.EISDIR: "SQLITE_CANTOPEN",
    errno.ENOTDIR: "SQLITE_CANTOPEN",
    errno.EEXIST: "SQLITE_CANTOPEN",
}


def _name(error: sqlite3.Error | OSError) -> str:
    """SQLite's name of an error, also for one that came before SQLite saw the file."""
    if isinstance(error, OSError):
        return _ERRNO_NAMES.get(error.errno or 0, "")
    return getattr(error, "sqlite_errorname", None) or ""
