"""Finding places in a document: cards, calls, comments, entries of the transcript, matches."""

from __future__ import annotations

from collections.abc import Callable

from keen_tui.domain.events import CommentAdded
from keen_tui.domain.segments import (
    CommentSegment,
    QuestionSegment,
    Segment,
    TextSegment,
    ToolSegment,
)
from keen_tui.domain.views import NoteView, TurnView
from keen_tui.ui.transcript.blocks import Fold
from keen_tui.ui.transcript.document import Document, Place
from keen_tui.ui.transcript.search import Search, folded


def next_foldable(document: Document, start: Place, step: int, *, included: bool) -> Place | None:
    """The nearest place that can be opened, from `start` on in the direction of `step`."""
    place: Place | None = start
    if not included:
        place = document.after(start) if step > 0 else document.before(start)
    while place is not None:
        if document.cell(place).block.foldable:
            return Place(place.item, place.cell)
        place = document.after(place) if step > 0 else document.before(place)
    return None


def fold_all(document: Document, fold: Fold) -> None:
    """Open or close everything that is laid out."""
    for layout in document.places():
        if layout is not None:
            for index in layout.foldables():
                document.folds[layout.cells[index].block.key] = fold
    document.refold_all()


def place_of_call(document: Document, call_id: str) -> Place | None:
    return _newest(document, lambda segment: isinstance(segment, ToolSegment) and segment.call_id == call_id)


def place_of_comment(document: Document, number: int) -> Place | None:
    """Where a comment stands: a request, an interjection, a question or its answer, or a turn's result."""
    if number <= 0:
        return None
    for index in range(len(document.view.items) - 1, -1, -1):
        item = document.view.items[index]
        if isinstance(item, NoteView):
            if isinstance(item.event, CommentAdded) and item.event.comment == number:
                return Place(index, 0)
        elif item.start.comment == number:
            return Place(index, 0)
        elif getattr(item.end, "comment", 0) == number:
            return _of_last_prose(document, index, item)
    return _newest(document, lambda segment: number in _comments(segment))


def place_of_seq(document: Document, seq: int) -> Place | None:
    """Where the entry `seq` of the transcript stands, or what stands last before it."""
    best: Place | None = None
    for index, item in enumerate(document.view.items):
        first = item.start.seq if isinstance(item, TurnView) else item.event.seq
        if not first:
            continue
        if first > seq:
            break
        best = Place(index, 0)
    if best is None:
        return None
    item = document.view.items[best.item]
    if isinstance(item, TurnView):
        for segment in item.segments:
            number = _first_seq(segment)
            if number and number <= seq:
                cell = document.layout(best.item).cell_of(segment)
                best = Place(best.item, cell if cell is not None else 0)
    return best


def next_match(document: Document, search: Search, start: Place, step: int) -> Place | None:
    """The nearest line with the searched words beyond `start`. `row` counts the lines of its cell."""
    if not search.items:
        return None
    places = [item for item in search.items if (item >= start.item if step > 0 else item <= start.item)]
    others = [item for item in search.items if item not in places or item == start.item]
    order = [*places, *others] if step > 0 else [*reversed(places), *reversed(others)]
    for number, item in enumerate(order):
        found = list(_matches_in(document, search, item))
        if not number and item == start.item:
            found = [place for place in found if (place > start if step > 0 else place < start)]
        if found:
            return found[0] if step > 0 else found[-1]
    return None


def _matches_in(document: Document, search: Search, item: int) -> list[Place]:
    layout = document.layout(item)
    found: list[Place] = []
    for index, cell in enumerate(layout.cells):
        place = Place(item, index)
        if cell.block.key.endswith("/keen"):
            continue
        document.ensure(place)
        rows = [row for row, line in enumerate(cell.lines or ()) if search.words in folded(line.text)]
        if not rows and search.words in folded(cell.block.source):
            if cell.block.foldable and document.folds.get(cell.block.key) != "open":
                document.folds[cell.block.key] = "open"
                cell.forget()
                document.ensure(place)
                rows = [row for row, line in enumerate(cell.lines or ()) if search.words in folded(line.text)]
            rows = rows or [0]
        found.extend(Place(item, index, row) for row in rows)
    return found


def _newest(document: Document, wanted: Callable[[Segment], bool]) -> Place | None:
    for index in range(len(document.view.items) - 1, -1, -1):
        item = document.view.items[index]
        for segment in reversed(item.segments) if isinstance(item, TurnView) else ():
            if wanted(segment):
                cell = document.layout(index).cell_of(segment)
                return Place(index, cell if cell is not None else 0)
    return None


def _of_last_prose(document: Document, index: int, item: TurnView) -> Place:
    for segment in reversed(item.segments):
        if isinstance(segment, TextSegment):
            return Place(index, document.layout(index).cell_of(segment) or 0)
    return Place(index, 0)


def _comments(segment: Segment) -> tuple[int, ...]:
    if isinstance(segment, CommentSegment):
        return (segment.event.comment,)
    if isinstance(segment, QuestionSegment):
        return (segment.request.comment, segment.answer.comment if segment.answer else 0)
    return ()


def _first_seq(segment: Segment) -> int:
    if isinstance(segment, TextSegment):
        return segment.seq
    if isinstance(segment, ToolSegment):
        return segment.start.seq
    event = getattr(segment, "event", None) or getattr(segment, "request", None)
    return int(getattr(event, "seq", 0))
