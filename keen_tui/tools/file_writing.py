"""Puts whole new contents in place: temporary file, fsync, rename; the mode stays."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from pathlib import Path

from keen_tui.tools.base import ToolContext, ToolError
from keen_tui.tools.memory_writes import refuse_secrets
from keen_tui.tools.places import name_for_model
from keen_tui.tools.stoppable import Stop
from keen_tui.tools.text_files import read_bytes


def replace_content(path: Path, content: bytes, before: bytes | None, context: ToolContext, stop: Stop) -> None:
    """Write `content` to `path` (symlinks already resolved) and remember its stamp.

    `before` is what the decision to write was based on, None for a file that does not exist yet.
    Raises ToolError, leaving the file as it is, when the disk holds something else by then, when the
    file is read-only, when a secret would get into a memory file, or when the folder or disk refuses.
    Does nothing once `stop` is set.
    """
    name = name_for_model(path, context.workspace)
    refuse_secrets(path, content, context)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        mode = _writable_mode(path, name) if before is not None else None
        temporary = path.parent / f".keen-{secrets.token_hex(8)}.tmp"
        try:
            _write_through(temporary, content, mode, path)
            if stop.cancelled:
                return
            _put_in_place(temporary, path, before, context)
        finally:
            with contextlib.suppress(FileNotFoundError):
                temporary.unlink()
    except OSError as error:
        reason = error.strerror or str(error)
        raise ToolError(f"{name} was not written: {reason}. The file is as it was.") from error
    context.stamps.remember(path, content)


def changed_sentence(name: str) -> str:
    return (
        f"{name} changed on disk since it was read here, so nothing was written. "
        "Read it again, then make the change on what it holds."
    )


def _writable_mode(path: Path, name: str) -> int:
    mode = stat.S_IMODE(path.stat().st_mode)
    if not mode & 0o222 or not os.access(path, os.W_OK):
        raise ToolError(
            f"{name} is read-only (mode {mode:04o}), so nothing was written. "
            "Only if the user wants it changed, make it writable first."
        )
    return mode


def _write_through(temporary: Path, content: bytes, mode: int | None, original: Path) -> None:
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    with os.fdopen(descriptor, "wb") as file:
        if mode is not None:
            status = original.stat()
            if (status.st_uid, status.st_gid) != (os.geteuid(), os.getegid()):
                with contextlib.suppress(PermissionError):
                    os.fchown(descriptor, status.st_uid, status.st_gid)
            os.fchmod(descriptor, mode)
        file.write(content)
        file.flush()
        os.fsync(descriptor)


def _put_in_place(temporary: Path, path: Path, before: bytes | None, context: ToolContext) -> None:
    name = name_for_model(path, context.workspace)
    if before is not None:
        if read_bytes(path, context.workspace) != before:
            raise ToolError(changed_sentence(name))
        temporary.replace(path)
        return
    try:
        path.hardlink_to(temporary)
    except FileExistsError:
        raise ToolError(f"{name} came into being in the meantime, so nothing was written. Read it first.") from None
    except OSError:
        if path.exists():
            raise ToolError(changed_sentence(name)) from None
        temporary.replace(path)
