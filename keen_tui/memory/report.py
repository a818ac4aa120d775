"""What `/memory` and `/memory show` say, and `keen memory [show]` too."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from keen_tui.memory.memory_files import MemoryFile
from keen_tui.memory.plain_file import shown_path

NONE = "No memory files found."
EMPTY = "Memory is empty."


def memory_listing(files: Sequence[MemoryFile], workspace: Path, user_home: Path) -> str:
    """Both paths and whether they exist, a line each; what is wrong with a file stands behind it."""
    if not any(file.exists for file in files):
        return NONE
    names = [f"{file.scope.capitalize()} memory:" for file in files]
    paths = [_short(file, workspace, user_home) for file in files]
    wide_name, wide_path = max(map(len, names)), max(map(len, paths))
    return "\n".join(
        f"{name:<{wide_name}} {path:<{wide_path}}  {_state(file)}"
        for name, path, file in zip(names, paths, files, strict=True)
    )


def memory_contents(files: Sequence[MemoryFile], workspace: Path, user_home: Path) -> str:
    """The files that hold something, each with a heading and its path. What can't be read is said."""
    parts = []
    for file in files:
        body = [part for part in (file.problem and f"({file.problem})", _text(file)) if part]
        if body:
            head = f"## {file.scope.capitalize()} memory\npath: {_short(file, workspace, user_home)}"
            parts.append("\n\n".join([head, *body]))
    return "\n\n".join(parts) or EMPTY


def _state(file: MemoryFile) -> str:
    if not file.exists:
        return "missing"
    notes = [file.problem] if file.problem else []
    if file.cut_line is not None and file.loaded_bytes:
        notes.append(f"It is longer than {file.cap // 1024} KiB: from line {file.cut_line} on it is not loaded.")
    return f"exists  ({' '.join(notes)})" if notes else "exists"


def _text(file: MemoryFile) -> str:
    return file.text.strip("\n") if file.text.strip() else ""


def _short(file: MemoryFile, workspace: Path, user_home: Path) -> str:
    """The project's file relative to the workspace, the user's with `~` for the home folder."""
    path = file.path
    if file.scope == "project" and path.is_relative_to(workspace):
        return shown_path(path.relative_to(workspace))
    if path.is_relative_to(user_home):
        return f"~/{shown_path(path.relative_to(user_home))}"
    return shown_path(path)
