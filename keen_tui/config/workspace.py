"""Which directory a task belongs to, and the git branch it is on."""

from __future__ import annotations

from pathlib import Path

HEAD_LIMIT = 4096


def find_workspace(cwd: Path) -> Path:
    """The root of the git work tree that holds `cwd`, else `cwd` itself; resolved."""
    start = cwd.resolve()
    for folder in (start, *start.parents):
        if _git_dir(folder) is not None:
            return folder
    return start


def git_branch(workspace: Path) -> str | None:
    """The branch that is checked out, or the first eight digits of a detached commit; None without git.

    Reads files only, follows the `.git` file of a linked work tree or submodule.
    """
    git_dir = _git_dir(workspace)
    head = _read(git_dir / "HEAD") if git_dir else ""
    if head.startswith("ref:"):
        return head[4:].strip().removeprefix("refs/heads/") or None
    return head[:8] or None


def _git_dir(folder: Path) -> Path | None:
    """The folder that holds HEAD, or None when `folder` is not the root of a work tree."""
    mark = folder / ".git"
    if _is_file(mark):
        text = _read(mark)
        if not text.startswith("gitdir:"):
            return None
        mark = folder / text.removeprefix("gitdir:").strip()
    return mark if _is_file(mark / "HEAD") else None


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _read(path: Path) -> str:
    """The first line, or an empty text when there is none to read."""
    try:
        with path.open("rb") as file:
            return file.read(HEAD_LIMIT).decode("utf-8", "replace").partition("\n")[0].strip()
    except (OSError, ValueError):
        return ""
