"""From the paths that a model writes to places on disk, and back to names that can be shown."""

from __future__ import annotations

import difflib
import os
import stat
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from keen_tui.domain.errors import KeenError
from keen_tui.security.bounded import bounded, bounded_path
from keen_tui.security.path_guard import PathGuard
from keen_tui.security.untrusted import visible_line
from keen_tui.tools.base import ToolError


def locate(path: object, workspace: Path) -> Path:
    """The absolute path with symlinks resolved. Relative paths count from the workspace."""
    if not isinstance(path, str) or not path.strip():
        raise ToolError("The path is empty. Give a path relative to the workspace, or an absolute one.")
    try:
        return PathGuard(workspace).resolve(path).absolute
    except KeenError as error:
        raise ToolError(f"{error.message} {error.hint}".strip()) from error


def folder_argument(arguments: Mapping[str, Any], workspace: Path) -> Path:
    """The place that `path` names, the workspace when it is left out."""
    return locate(arguments.get("path") or ".", workspace)


def name_for_model(path: Path, workspace: Path) -> str:
    """Relative to the workspace where it lies inside, else absolute. Odd bytes are written as \\xNN."""
    root = Path(os.path.realpath(workspace))
    found = path.relative_to(root) if path.is_relative_to(root) else path
    return visible_line(str(found))


def path_target(arguments: Mapping[str, Any], workspace: Path) -> str | None:
    """The target of a call that is about one file."""
    path = arguments.get("path")
    return bounded_path(path, workspace) if isinstance(path, str) and path.strip() else None


def search_target(arguments: Mapping[str, Any], workspace: Path) -> str | None:
    """The target of a search: `path :: pattern`, the pattern alone for the workspace itself."""
    pattern = arguments.get("pattern")
    if not isinstance(pattern, str) or not pattern:
        return None
    path = arguments.get("path")
    place = bounded_path(path, workspace) if isinstance(path, str) and path.strip() else "."
    return bounded(pattern if place in ("", ".") else f"{place} :: {pattern}")


def kind_of(path: Path) -> Literal["folder", "file", "other", "missing"]:
    """What stands at `path`, links followed. What may not be looked at counts as missing."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return "missing"
    if stat.S_ISDIR(mode):
        return "folder"
    return "file" if stat.S_ISREG(mode) else "other"


def missing_sentence(path: Path, workspace: Path) -> str:
    """That there is no such path, with the names that come nearest."""
    name = name_for_model(path, workspace)
    if name == ".":
        return "The workspace folder is gone."
    folder = path.parent
    if kind_of(folder) != "folder":
        while kind_of(folder) != "folder" and folder != folder.parent:
            folder = folder.parent
        return f"There is no {name}. The nearest folder that exists is {name_for_model(folder, workspace)}."
    near = _near_names(path)
    if not near:
        return f"There is no {name}. Find the right name with glob."
    return f"There is no {name}. Near it: {', '.join(name_for_model(one, workspace) for one in near)}."


def _near_names(path: Path) -> list[Path]:
    try:
        with os.scandir(path.parent) as entries:
            names = [entry.name for entry in islice(entries, 5000)]
    except OSError:
        return []
    lowered: dict[str, str] = {}
    for name in sorted(names):
        lowered.setdefault(name.lower(), name)
    near = difflib.get_close_matches(path.name.lower(), list(lowered), n=3, cutoff=0.6)
    return [path.parent / lowered[name] for name in near]
