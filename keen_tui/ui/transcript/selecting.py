"""Text selection over rows: what is marked in a row, and what is copied from rows."""

from __future__ import annotations

from textual.geometry import Offset
from textual.selection import Selection

from keen_tui.ui.transcript.document import Document
from keen_tui.ui.transcript.lines import Line
from keen_tui.ui.transcript.paint import MARGIN, Mark

SHIFT = len(MARGIN)


def selection_mark(selection: Selection, row: int, line: Line) -> Mark | None:
    """The selected part of the line at a row, its decoration left out."""
    span = selection.get_span(row)
    if span is None:
        return None
    start, end = _inside(span, line)
    return Mark(start, end, "selection") if end > start else None


def selected_text(document: Document, selection: Selection) -> str:
    """What the selection copies: no gutters, wrapped rows joined to the line they were."""
    last = max(0, document.rows - 1)
    first_row = selection.start.y if selection.start else 0
    last_row = min(last, selection.end.y if selection.end else last)
    whole = Selection(selection.start or Offset(0, 0), selection.end)
    parts: list[str] = []
    place = document.locate(first_row)
    row = first_row
    while place is not None and row <= last_row:
        document.ensure(place)
        for inside in range(place.row, document.height(place)):
            if row > last_row:
                break
            line = document.line(place._replace(row=inside))
            span = whole.get_span(row)
            if parts:
                parts.append(line.join if line else "\n")
            if line is not None and span is not None:
                start, end = _inside(span, line)
                parts.append(line.text[start:end])
            row += 1
        place = document.after(place)
    return "".join(parts)


def _inside(span: tuple[int, int], line: Line) -> tuple[int, int]:
    size = len(line.text)
    start, end = span[0] - SHIFT, size if span[1] == -1 else span[1] - SHIFT
    return max(line.gutter, start), min(size - line.tail, end)
