"""Lines to strips: roles become styles, marks are laid over, rows are filled to the width."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from keen_tui.ui.roles import Roles
from keen_tui.ui.transcript.lines import Line

MARGIN = " "
FOCUS_BAR = "▌"


class Mark(NamedTuple):
    """A role over the characters [start, end) of a line."""

    start: int
    end: int
    role: str


class Painter:
    """Paints for one theme, on one background."""

    def __init__(self, roles: Roles, base: Style) -> None:
        self.roles = roles
        self.base = base
        self._styles: dict[str, Style] = {}
        self._blanks: dict[int, Strip] = {}

    def style(self, role: str) -> Style:
        style = self._styles.get(role)
        if style is None:
            style = self._styles[role] = self.base + self.roles.style(role)
        return style

    def blank(self, width: int) -> Strip:
        """An empty row; the same object for the same width."""
        strip = self._blanks.get(width)
        if strip is None:
            strip = self._blanks[width] = Strip([Segment(" " * width, self.base)], width)
        return strip

    def line(self, line: Line, width: int) -> Strip:
        """A row of exactly `width` cells: the margin, the line, and its fill."""
        parts: list[tuple[str, Style]] = [(MARGIN, self.base)]
        parts.extend((span.text, self.style(span.role)) for span in line.spans)
        return self._strip(parts, line.fill, width)

    def marked(self, line: Line, width: int, marks: Sequence[Mark], *, focused: bool) -> Strip:
        """The same row with marks over it; a focused one has a bar at its edge as well."""
        over = "+focus" if focused else ""
        bar = (FOCUS_BAR, self.style("focus+focus_bar")) if focused else (MARGIN, self.base)
        parts: list[tuple[str, Style]] = [bar]
        at = 0
        for text, role in line.spans:
            for start, end, extra in _pieces(at, at + len(text), marks):
                parts.append((text[start - at : end - at], self.style(role + over + extra)))
            at += len(text)
        return self._strip(parts, line.fill + over if line.fill else over[1:], width)

    def _strip(self, parts: list[tuple[str, Style]], fill: str, width: int) -> Strip:
        segments: list[Segment] = []
        text, style, cells = "", self.base, 0
        for more, its_style in parts:
            if its_style is style or its_style == style:
                text += more
                continue
            if text:
                segments.append(Segment(text, style))
                cells += cell_len(text)
            text, style = more, its_style
        if text:
            segments.append(Segment(text, style))
            cells += cell_len(text)
        free = width - cells
        if fill and free > 1:
            segments.append(Segment(" " * (free - 1), self.style(fill)))
            free = 1
        if free > 0:
            segments.append(Segment(" " * free, self.base))
        strip = Strip(segments, max(cells, width))
        return strip if cells <= width else strip.crop(0, width)


def _pieces(start: int, end: int, marks: Sequence[Mark]) -> list[tuple[int, int, str]]:
    """[start, end) cut where marks begin and end, each piece with the roles of the marks over it."""
    cuts = {start, end}
    for mark in marks:
        cuts.update(cut for cut in (mark.start, mark.end) if start < cut < end)
    ordered = sorted(cuts)
    pieces = []
    for begin, stop in pairwise(ordered):
        extra = "".join(f"+{mark.role}" for mark in marks if mark.start <= begin and stop <= mark.end)
        pieces.append((begin, stop, extra))
    return pieces
