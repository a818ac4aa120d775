"""What to search for, and what was found, as lines for the model."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

MOST_MATCHES = 1000
MOST_LINE_CHARACTERS = 500
MOST_CHARACTERS = 120_000
SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Query:
    """What to look for. `glob` "" means every file; `context` lines are shown on each side."""

    pattern: str
    glob: str = ""
    ignore_case: bool = False
    context: int = 0
    files_only: bool = False


@dataclass(slots=True)
class Matches:
    """Collects result lines up to the caps. `add…` is False as soon as no more are wanted."""

    lines: list[str] = field(default_factory=list)
    count: int = 0
    characters: int = 0
    full: bool = False
    late: bool = False

    def add(self, line: str, is_match: bool = True) -> bool:
        if self.characters + len(line) > MOST_CHARACTERS or (is_match and self.count == MOST_MATCHES):
            self.full = True
            return False
        self.lines.append(line)
        self.characters += len(line) + 1
        self.count += is_match
        return True

    def add_line(self, name: str, numbered: str) -> bool:
        """A line as the search programs give it: `12:text` for a match, `12-text` for context."""
        digits = len(numbered) - len(numbered.lstrip("0123456789"))
        number, mark, text = numbered[:digits], numbered[digits : digits + 1], numbered[digits + 1 :]
        readable = os.fsencode(text).decode("utf-8", "replace").removesuffix("\r")
        return self.add(f"{name}{mark}{number}{mark}{_cut(readable)}", mark == ":")

    def add_gap(self) -> None:
        """Between two stretches of lines with context."""
        if self.lines and self.lines[-1] != "--":
            self.add("--", is_match=False)

    def text(self, noun: str) -> str:
        """All lines and a closing one in brackets; `noun` is "match" or "file"."""
        plural = {"match": "matches", "file": "files"}[noun]
        while self.lines and self.lines[-1] == "--":
            self.lines.pop()
        if not self.count:
            if self.late:
                return f"[Nothing found in {SECONDS:.0f} seconds, then the search was ended; narrow it.]"
            return "[No match.]"
        note = f"{self.count:,} {noun if self.count == 1 else plural}"
        if self.full:
            note = f"the first {self.count:,} {plural}; there are more: narrow the pattern, path or glob"
        elif self.late:
            note += f" in {SECONDS:.0f} seconds, then the search was ended: narrow it"
        return "\n".join([*self.lines, f"[{note}]"])


def _cut(line: str) -> str:
    if len(line) <= MOST_LINE_CHARACTERS:
        return line
    return f"{line[:MOST_LINE_CHARACTERS]}… [line cut]"
