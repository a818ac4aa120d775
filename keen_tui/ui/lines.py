"""Lines of text for the screen: spans with a role, fitted to a width.

Every character that reaches the terminal from here passes `visible_line`, and nothing is ever markup.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, TypeVar

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from keen_tui.security.untrusted import visible, visible_line

Role = Literal[
    "text",
    "muted",
    "accent",
    "strong",
    "title",
    "tab",
    "key",
    "ok",
    "warning",
    "error",
    "user",
    "agent",
    "added",
    "removed",
    "hunk",
    "bar",
    "chip",
]
THEME_ROLES: dict[str, str] = {
    "text": "text",
    "muted": "dim",
    "accent": "accent",
    "strong": "strong",
    "title": "strong",
    "tab": "accent+strong",
    "key": "key",
    "ok": "tool_ok",
    "warning": "warning",
    "error": "error",
    "user": "user",
    "agent": "agent",
    "added": "diff_added",
    "removed": "diff_removed",
    "hunk": "dim",
    "bar": "accent",
    "chip": "search_current",
}
"""The role of the theme behind each role of a line."""
ELLIPSIS = "…"
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Span:
    """A run of text in one role, one of ROLES or of the theme."""

    text: str
    role: str = "text"


@dataclass(frozen=True, slots=True)
class Line:
    """One row: spans from the left, spans at the right edge. The left part gives way first.

    `key` names what the row stands for; rows without one can't be selected. `fill` is the role of the
    cells behind the last span.
    """

    left: tuple[Span, ...] = ()
    right: tuple[Span, ...] = ()
    key: str = ""
    fill: str = "text"


def line(*spans: Span | str, right: Iterable[Span | str] = (), key: str = "") -> Line:
    """A line from spans and plain texts."""
    return Line(tuple(map(_span, spans)), tuple(map(_span, right)), key)


def _span(part: Span | str) -> Span:
    return Span(part) if isinstance(part, str) else part


def safe(text: str) -> str:
    """Text as it may be shown on one row."""
    return text if text.isprintable() else visible_line(text)


def width_of(spans: Iterable[Span]) -> int:
    """Cells that spans take."""
    return sum(cell_len(safe(span.text)) for span in spans)


def cut(text: str, width: int) -> str:
    """Text in at most `width` cells, with an ellipsis where it was cut."""
    if width <= 0:
        return ""
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, width - 1).rstrip() + ELLIPSIS


def cut_left(text: str, width: int) -> str:
    """As `cut`, and the end of the text stays: for paths."""
    if cell_len(text) <= width:
        return text
    if width <= 1:
        return ELLIPSIS[:width]
    kept: list[str] = []
    used = 1
    for character in reversed(text):
        used += cell_len(character)
        if used > width:
            break
        kept.append(character)
    return ELLIPSIS + "".join(reversed(kept))


def wrap(text: str, width: int) -> list[str]:
    """Text of many lines, wrapped at spaces to rows of at most `width` cells."""
    rows: list[str] = []
    for source in visible(text).split("\n"):
        rows.extend(_wrap_line(source.replace("\t", "    "), max(1, width)))
    return rows


def _wrap_line(source: str, width: int) -> list[str]:
    rows: list[str] = []
    rest = source
    while cell_len(rest) > width:
        end = len(set_cell_size(rest, width).rstrip("\n")) if rest.isascii() else _fitting(rest, width)
        space = rest.rfind(" ", 1, end + 1)
        at = space if space > 0 and rest[:space].strip() else max(1, end)
        rows.append(rest[:at])
        rest = rest[at:].lstrip(" ") if at == space else rest[at:]
    rows.append(rest)
    return rows


def _fitting(text: str, width: int) -> int:
    used = 0
    for index, character in enumerate(text):
        used += cell_len(character)
        if used > width:
            return index
    return len(text)


def strip_of(row: Line, width: int, style: Callable[[str], Style]) -> Strip:
    """The row as a strip of exactly `width` cells."""
    right = _fit(row.right, width, style)
    right_width = sum(cell_len(segment.text) for segment in right)
    room = width - right_width - (1 if right and row.left else 0)
    left = _fit(row.left, room, style)
    gap = width - right_width - sum(cell_len(segment.text) for segment in left)
    return Strip([*left, Segment(" " * max(0, gap), style(row.fill)), *right], width)


def _fit(spans: tuple[Span, ...], room: int, style: Callable[[str], Style]) -> list[Segment]:
    segments: list[Segment] = []
    left = room
    for index, span in enumerate(spans):
        if left <= 0:
            break
        text = safe(span.text)
        size = cell_len(text)
        more = size == left and any(part.text for part in spans[index + 1 :])
        shown = cut(text, left) if size > left else (cut(text + " ", left) if more else text)
        segments.append(Segment(shown, style(span.role)))
        left -= cell_len(shown)
    return segments
