"""Where a path really leads, and whether that is inside the workspace."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from keen_tui.domain.errors import KeenError
from keen_tui.security.untrusted import visible_line

PATH_BYTES = 4096
NAME_BYTES = 255


class PathError(KeenError):
    """A path that names no place on disk."""


@dataclass(frozen=True, slots=True)
class GuardedPath:
    """`absolute` has every symlink resolved. `relative` is POSIX style and relative to the workspace
    where the path lies in it ("." for the workspace), else the absolute path.

    `inside` also holds for the extra roots of the guard.
    """

    absolute: Path
    relative: str
    inside: bool


class PathGuard:
    """Resolves paths against one workspace. Nothing is read but directory entries and links."""

    def __init__(self, workspace: Path, extra_roots: Sequence[Path] = ()) -> None:
        self.workspace = Path(os.path.realpath(workspace))
        self.extra_roots = tuple(Path(os.path.realpath(root)) for root in extra_roots)

    def resolve(self, path: str) -> GuardedPath:
        """The place that `path` names, relative to the workspace; it need not exist.

        `~` and `..` are followed as the system would follow them, links anywhere in the path too.
        Raises PathError for a path that can't name anything: empty, NUL, too long, a link that loops.
        """
        real = self._real(path)
        absolute = Path(real)
        if absolute == self.workspace or self.workspace in absolute.parents:
            return GuardedPath(absolute, absolute.relative_to(self.workspace).as_posix(), True)
        inside = any(absolute == root or root in absolute.parents for root in self.extra_roots)
        return GuardedPath(absolute, absolute.as_posix(), inside)

    def _real(self, path: str) -> str:
        if not path or path.isspace():
            raise PathError("The path is empty.", "Name a file or a folder.")
        if "\0" in path:
            raise PathError("The path holds a NUL character, which no file name can.", "Leave it out.")
        expanded = _expanded(path)
        full = os.path.join(self.workspace, expanded)  # noqa: PTH118 - Path drops a trailing slash
        try:
            encoded = os.fsencode(full)
        except UnicodeEncodeError:
            raise PathError(
                f"The path {visible_line(path, 80)} holds characters that no file name can.",
                "Use the name exactly as the file system gives it.",
            ) from None
        if len(encoded) > PATH_BYTES or any(len(name) > NAME_BYTES for name in encoded.split(b"/")):
            raise PathError(
                f"The path {visible_line(path, 80)} is too long for a file system.",
                f"A name has at most {NAME_BYTES} bytes, a path {PATH_BYTES}.",
            )
        real = os.path.realpath(full)
        _refuse_loop(real, path)
        return real


def _expanded(path: str) -> str:
    if not path.startswith("~"):
        return path
    expanded = os.path.expanduser(path)  # noqa: PTH111 - Path.expanduser normalises the rest as well
    if expanded.startswith("~"):
        raise PathError(
            f"The home folder in {visible_line(path, 80)} is not known.",
            "Write the whole path, or ./~name for a file of that name.",
        )
    return expanded


def _refuse_loop(real: str, path: str) -> None:
    try:
        Path(real).stat()
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise PathError(
                f"The path {visible_line(path, 80)} goes round in a circle of links.",
                "Name the file that is meant.",
            ) from None
