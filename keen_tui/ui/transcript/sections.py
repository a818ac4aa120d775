"""Parting Markdown into sections that can be rendered on their own, while it still arrives.

A section is a top-level block: a paragraph, a heading, a fence, a table, a quote, one item of a
list. It is finished when a line shows that the next one has begun, so text that grows costs the
same for every chunk, and the parts are the same whether the text came at once or in pieces.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

_ITEM = re.compile(r"( {0,3})([-*+]|\d{1,9}[.)])( +|$)")
_RULE = re.compile(r" {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$")
_FENCE = re.compile(r" *(`{3,}(?=[^`]*$)|~{3,})")
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")

_Kind = Literal["", "text", "item", "indented", "closed"]


@dataclass(frozen=True, slots=True)
class Section:
    """`gap`: blank rows above it. `number`: what an ordered item counts as, which depends on those before."""

    text: str
    gap: int = 1
    number: int | None = None


class Sections:
    """Takes text as it comes; gives finished sections once, and what is still growing."""

    def __init__(self) -> None:
        self._ready: list[Section] = []
        self._partial: list[str] = []
        self._rows: list[str] = []
        self._blank = 0
        self._kind: _Kind = ""
        self._fence = ""
        self._offset = 0
        self._gap = 1
        self._number: int | None = None
        self._delimiter = ""

    def feed(self, text: str) -> None:
        head, newline, rest = text.partition("\n")
        if not newline:
            if head:
                self._partial.append(head)
            return
        *rows, last = rest.split("\n")
        self._row("".join(self._partial) + head)
        for row in rows:
            self._row(row)
        self._partial = [last] if last else []

    def close(self) -> None:
        """The text is whole."""
        if self._partial:
            row = "".join(self._partial)
            self._partial = []
            self._row(row)
        self._finish()

    def take(self) -> list[Section]:
        """The sections that were finished since the last call."""
        ready, self._ready = self._ready, []
        return ready

    @property
    def growing(self) -> Section | None:
        """What is not finished, or None."""
        rows = [*self._rows, *[""] * self._blank] if self._partial else list(self._rows)
        text = "\n".join([*rows, "".join(self._partial)] if self._partial else rows)
        return Section(text, self._gap, self._number) if text.strip() else None

    def _row(self, row: str) -> None:
        if self._fence:
            self._fenced(row)
            return
        if not row.strip():
            self._blank += 1 if self._rows else 0
            return
        row = row.replace("\t", "    ") if row[0] == "\t" else row
        indent = len(row) - len(row.lstrip(" "))
        if self._rows and not self._continues(row, indent):
            gap = 1 if self._blank or not self._is_tight(row, indent) else 0
            self._finish()
            self._gap = gap
        if not self._rows:
            self._begin(row, indent)
        else:
            self._rows.extend([""] * self._blank)
            self._rows.append(row)
        self._blank = 0
        if (fence := _FENCE.match(row)) and (indent < 4 or self._kind == "item"):
            self._fence = fence[1]

    def _fenced(self, row: str) -> None:
        self._rows.append(row)
        stripped = row.strip()
        if len(stripped) >= len(self._fence) and not stripped.strip(self._fence[0]):
            self._fence = ""
            if self._kind != "item":
                self._kind = "closed"

    def _continues(self, row: str, indent: int) -> bool:
        if self._kind == "closed":
            return False
        if self._kind == "item":
            if indent >= self._offset:
                return True
            return not (self._blank or _starts(row) or self._is_item(row))
        if self._blank:
            return self._kind == "indented" and indent >= 4
        if self._kind == "indented":
            return indent >= 4
        return not (_starts(row) or self._interrupts(row))

    def _is_tight(self, row: str, indent: int) -> bool:
        """Whether a section that begins here stands right below the one before."""
        return indent < 4 and self._is_item(row)

    def _is_item(self, row: str) -> bool:
        return bool(_ITEM.match(row)) and not _RULE.match(row)

    def _interrupts(self, row: str) -> bool:
        """Whether a list may begin in the middle of a paragraph (CommonMark: with 1, and not empty)."""
        match = _ITEM.match(row)
        if match is None or _RULE.match(row) or not row[match.end() :].strip():
            return False
        return not match[2][0].isdigit() or match[2][:-1] == "1"

    def _begin(self, row: str, indent: int) -> None:
        self._rows = [row]
        match = _ITEM.match(row)
        if match and not _RULE.match(row):
            self._item(match)
            return
        self._number, self._delimiter = None, ""
        if indent >= 4:
            self._kind = "indented"
        elif _HEADING.match(row):
            self._kind = "closed"
        else:
            self._kind = "text"

    def _item(self, match: re.Match[str]) -> None:
        mark, spaces = match[2], len(match[3])
        self._kind = "item"
        self._offset = len(match[1]) + len(mark) + (spaces if 1 <= spaces <= 4 else 1)
        if not mark[0].isdigit():
            self._number, self._delimiter = None, ""
            return
        follows = self._number is not None and self._delimiter == mark[-1]
        self._number = self._number + 1 if follows and self._number is not None else int(mark[:-1])
        self._delimiter = mark[-1]

    def _finish(self) -> None:
        if self._rows:
            self._ready.append(Section("\n".join(self._rows), self._gap, self._number))
        self._rows, self._blank, self._kind, self._fence, self._gap = [], 0, "", "", 1


def _starts(row: str) -> bool:
    """Whether the row begins a heading or a fence whatever stands above it."""
    return bool(_HEADING.match(row) or (_FENCE.match(row) and len(row) - len(row.lstrip(" ")) < 4))


def split_sections(text: str) -> list[Section]:
    """All sections of a whole text."""
    sections = Sections()
    sections.feed(text)
    sections.close()
    return sections.take()
