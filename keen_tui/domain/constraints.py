"""Constraints of the brief that code can check: `path: GLOB is read-only`, a line each."""

from __future__ import annotations

import re
from dataclasses import dataclass

from keen_tui.domain.brief_lines import bare

_RULE = re.compile(r"path:\s*(?P<glob>\S.*?)\s+is\s+read-?only\b", re.IGNORECASE)
_PATH = re.compile(r"`([^`\s]+)`|(?<![\w/])((?:[\w.*-]+/)+[\w.*-]*|[\w*-]+\.[A-Za-z]\w{0,5})(?![\w/])")


@dataclass(frozen=True, slots=True)
class ReadOnlyPath:
    """A glob, relative to the workspace, and the line that says so."""

    glob: str
    line: str


def read_only_paths(constraints: str) -> tuple[ReadOnlyPath, ...]:
    """The paths that the constraints call read-only, in order."""
    found = []
    for line in constraints.splitlines():
        words = bare(line)
        if match := _RULE.match(words):
            found.append(ReadOnlyPath(match["glob"].strip("`\"'"), words))
    return tuple(found)


def rule_for(sentence: str) -> str:
    """A line that code can check, for a sentence that names a path; empty when it names none."""
    match = _PATH.search(bare(sentence))
    if match is None or _RULE.match(bare(sentence)):
        return ""
    path = (match[1] or match[2]).removeprefix("./").rstrip(".")
    return f"path: {path + '**' if path.endswith('/') else path} is read-only"
