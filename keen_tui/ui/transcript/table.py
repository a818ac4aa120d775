"""Tables that fit the width: cells wrap, columns line up by cell width."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from rich.cells import cell_len

from keen_tui.ui.transcript.lines import BLANK, Line, Span, Spans
from keen_tui.ui.transcript.wrap import wrap_lines, wrap_rows

Align = Literal["left", "center", "right"]
_NARROWEST = 4
_BORDER = "table_border"


def table_lines(rows: Sequence[Sequence[Spans]], aligns: Sequence[Align], width: int) -> list[Line]:
    """The rows (the first is the head) as lines of at most `width` cells.

    Columns shrink from the widest; where even narrow columns do not fit, each row becomes a list of
    `head: cell` lines.
    """
    count = len(aligns)
    rows = [(*row, *[()] * (count - len(row)))[:count] for row in rows]
    room = width - 3 * (count - 1)
    natural = [max(_cells(row[column]) for row in rows) or 1 for column in range(count)]
    if room < sum(min(size, _NARROWEST) for size in natural):
        return _records(rows, width)
    sizes = _fit(natural, room)
    wraps = any(size < full for size, full in zip(sizes, natural, strict=True))
    head, *body = rows
    lines = _row_lines([_strong(cell) for cell in head], sizes, aligns)
    lines.append(_rule(sizes, "─┼─", "─"))
    for number, row in enumerate(body):
        if wraps and number:
            lines.append(_rule(sizes, " ┊ ", "┈"))
        lines.extend(_row_lines(row, sizes, aligns))
    return lines


def _fit(natural: Sequence[int], room: int) -> list[int]:
    """Column sizes whose sum is at most `room`: the widest columns give first."""
    sizes = list(natural)
    excess = sum(sizes) - room
    while excess > 0:
        widest = max(sizes)
        second = max((size for size in sizes if size < widest), default=0)
        wide = [index for index, size in enumerate(sizes) if size == widest]
        give = min(excess, (widest - second) * len(wide))
        each, odd = divmod(give, len(wide))
        for number, index in enumerate(wide):
            sizes[index] -= each + (1 if number < odd else 0)
        excess -= give
    return sizes


def _row_lines(cells: Sequence[Spans], sizes: Sequence[int], aligns: Sequence[Align]) -> list[Line]:
    columns = [wrap_rows(cell, size) for cell, size in zip(cells, sizes, strict=True)]
    lines = []
    for number in range(max(len(column) for column in columns)):
        spans: list[Span] = []
        for index, column in enumerate(columns):
            if index:
                spans.append(Span(" │ ", _BORDER))
            content = column[number].spans if number < len(column) else ()
            last = index == len(columns) - 1
            spans.extend(_aligned(content, sizes[index], aligns[index], pad=not last))
        lines.append(Line(tuple(spans)))
    return lines


def _aligned(spans: Spans, size: int, align: Align, *, pad: bool) -> list[Span]:
    free = max(0, size - _cells(spans))
    left = {"left": 0, "center": free // 2, "right": free}[align]
    right = free - left if pad else 0
    result = [Span(" " * left)] if left else []
    result.extend(spans)
    if right:
        result.append(Span(" " * right))
    return result


def _rule(sizes: Sequence[int], cross: str, dash: str) -> Line:
    return Line((Span(cross.join(dash * size for size in sizes), _BORDER),))


def _records(rows: Sequence[Sequence[Spans]], width: int) -> list[Line]:
    head, *body = rows
    lines: list[Line] = []
    for row in body or [[()] * len(head)]:
        if lines:
            lines.append(BLANK)
        for name, cell in zip(head, row, strict=True):
            lines.extend(wrap_lines((*_strong(name), Span(": "), *cell), width, (), (Span("  "),)))
    return lines


def _strong(spans: Spans) -> Spans:
    return tuple(Span(span.text, f"{span.role}+table_head") for span in spans)


def _cells(spans: Spans) -> int:
    return sum(cell_len(span.text) for span in spans)
