"""Walks a folder as git sees it: nested .gitignore files count, .git is skipped, links are not followed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from keen_tui.tools.places import kind_of
from keen_tui.tools.stoppable import Stop

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_MOST_RULE_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class _Rules:
    """The rules of one .gitignore; they hold for paths below `base` (with a slash at its end)."""

    base: str
    spec: GitIgnoreSpec

    def says(self, path: str, is_folder: bool) -> bool | None:
        """True: ignored. False: named as not ignored. None: not named."""
        inner = path[len(self.base) :] + ("/" if is_folder else "")
        return self.spec.check_file(inner).include


def walk_files(start: Path, workspace: Path, stop: Stop) -> Iterator[str]:
    """Absolute paths of all files below `start` that git would not ignore, in path order.

    The rules of the folders between the workspace and `start` count too, unless they would hide
    `start` itself: who names an ignored folder wants to see what is in it. Names that are not UTF-8
    keep their bytes as surrogates. Ends early when `stop` is set; folders that can't be read are empty.
    """
    rules = _rules_above(start, workspace)
    stack: list[tuple[str, tuple[_Rules, ...], bool]] = [(str(start), rules, True)]
    while stack and not stop:
        path, rules, is_folder = stack.pop()
        if not is_folder:
            yield path
            continue
        rules = _with_rules_of(path, rules)
        entries = sorted(_entries(path), key=lambda entry: entry.name, reverse=True)
        for entry in entries:
            folder = _is_folder(entry)
            if entry.name != ".git" and not _ignored(entry.path, folder, rules):
                stack.append((entry.path, rules, folder))


def has_rules_above(start: Path, workspace: Path) -> bool:
    """Whether rules from above `start` count for what is below it; see `walk_files`."""
    return bool(_rules_above(start, workspace))


def _entries(path: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(path) as entries:
            return [entry for entry in entries if _is_folder(entry) or _is_file(entry)]
    except OSError:
        return []


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:
        return False


def _ignored(path: str, is_folder: bool, rules: tuple[_Rules, ...]) -> bool:
    for one in reversed(rules):
        answer = one.says(path, is_folder)
        if answer is not None:
            return answer
    return False


def _rules_above(start: Path, workspace: Path) -> tuple[_Rules, ...]:
    """The rules of the folders above `start`, from the workspace down."""
    root = Path(os.path.realpath(workspace))
    if not start.is_relative_to(root):
        return ()
    rules = _read_rules(root / ".git" / "info" / "exclude", f"{root}/", ())
    folder = root
    for name in start.relative_to(root).parts:
        rules = _with_rules_of(str(folder), rules)
        folder = folder / name
        if _ignored(str(folder), kind_of(folder) == "folder", rules):
            return ()
    return rules


def _with_rules_of(folder: str, rules: tuple[_Rules, ...]) -> tuple[_Rules, ...]:
    return _read_rules(Path(folder, ".gitignore"), f"{folder.rstrip('/')}/", rules)


def _read_rules(path: Path, base: str, rules: tuple[_Rules, ...]) -> tuple[_Rules, ...]:
    from pathspec import GitIgnoreSpec

    try:
        if kind_of(path) != "file" or path.stat().st_size > _MOST_RULE_BYTES:
            return rules
        text = path.read_text("utf-8", "surrogateescape").removeprefix("\ufeff")
    except OSError:
        return rules
    lines = text.split("\n")
    try:
        spec = GitIgnoreSpec.from_lines(lines)
    except ValueError:
        spec = GitIgnoreSpec.from_lines([line for line in lines if _is_valid_rule(line)])
    return (*rules, _Rules(base, spec))


def _is_valid_rule(line: str) -> bool:
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True
