"""Files and folders that only the user can read, written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from pathlib import Path

FILE_MODE = 0o600
FOLDER_MODE = 0o700


def make_private_folder(folder: Path) -> None:
    """Make sure that the folder is there; what has to be made is closed to others. Raises OSError.

    The rights of a folder that is there stay as they are: it may be one that others need.
    """
    if folder.is_dir():
        return
    if folder.parent != folder:
        make_private_folder(folder.parent)
    folder.mkdir(mode=FOLDER_MODE, exist_ok=True)


def write_private(path: Path, content: bytes) -> None:
    """Replace a file in one step. Raises OSError, and the old content then stands.

    A symlink is followed, so that a file kept elsewhere stays there. An existing file keeps its mode,
    without the rights of others; a fresh one is 0600.
    """
    target = path.resolve()
    mode = FILE_MODE
    with contextlib.suppress(FileNotFoundError):
        mode = stat.S_IMODE(target.stat().st_mode) & 0o700 | FILE_MODE
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            os.fchmod(file.fileno(), mode)
        temporary.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
