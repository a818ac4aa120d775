"""The whole transcript as rows: which block stands where, rendered only where somebody looks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from keen_tui.domain.events import Event
from keen_tui.domain.views import NoteView, TaskView, TurnView
from keen_tui.ui.transcript.blocks import Fold
from keen_tui.ui.transcript.heights import Heights
from keen_tui.ui.transcript.item_layout import Cell, ItemLayout, estimate_item
from keen_tui.ui.transcript.lines import Line


class Place(NamedTuple):
    """A row by what stands there: the item, the cell in it, the row in that (its gap comes first)."""

    item: int
    cell: int
    row: int = 0


START = Place(0, 0, 0)


class Document:
    """Items become cells when they are looked at; until then their height is a guess.

    Rendering corrects heights, which moves what stands below. Callers hold on to a `Place`, not to
    a row number, across calls that render.
    """

    def __init__(self, view: TaskView, width: int) -> None:
        self.view = view
        self.width = width
        self.folds: dict[str, Fold] = {}
        self._layouts: list[ItemLayout | None] = [None] * len(view.items)
        self._heights = Heights(estimate_item(item, width) for item in view.items)

    @property
    def rows(self) -> int:
        return self._heights.total

    @property
    def renders(self) -> int:
        """How many blocks were rendered in all."""
        return sum(layout.renders for layout in self._layouts if layout is not None)

    @property
    def last(self) -> Place | None:
        """The last cell."""
        if not self._layouts:
            return None
        item = len(self._layouts) - 1
        return Place(item, len(self.layout(item).cells) - 1)

    def set_width(self, width: int) -> None:
        """Forget all rendering of another width. Heights stay as they are until looked at."""
        if width != self.width:
            self.width = width
            for layout in self._layouts:
                if layout is not None:
                    layout.set_width(width)

    def forget_strips(self) -> None:
        """Forget the colours, keep the lines."""
        for layout in self._layouts:
            for cell in layout.cells if layout is not None else ():
                cell.strips = [None] * len(cell.lines or ())

    def update(self, changed: set[str] | None = None) -> None:
        """Take in what happened to the view: items that were added, and what changed in the last turn.

        `changed` holds ids of calls and requests with news; None looks at everything in that turn.
        """
        known = len(self._layouts)
        for item in self.view.items[known:]:
            self._layouts.append(None)
            self._heights.append(estimate_item(item, self.width))
        for index in range(max(0, known - 1), len(self._layouts)):
            layout = self.layout(index)
            layout.sync(changed if index == known - 1 else None)
            self._heights.change(index, layout.heights.total)

    def rewind(self) -> None:
        """A retry took back prose at the end of the last turn."""
        layout = self._layouts[-1] if self._layouts else None
        if layout is not None:
            layout.forget_prose()
            self._heights.change(len(self._layouts) - 1, layout.heights.total)

    def layout(self, item: int) -> ItemLayout:
        """The cells of an item."""
        layout = self._layouts[item]
        if layout is None:
            layout = ItemLayout(self.view.items[item], _item_key(self.view.items[item], item), self.width)
            self._layouts[item] = layout
            self._heights.change(item, layout.heights.total)
        return layout

    def cell(self, place: Place) -> Cell:
        return self.layout(place.item).cells[place.cell]

    def top(self, place: Place) -> int:
        """The first row of the place's cell (its gap), by what is known of the heights above."""
        layout = self.layout(place.item)
        return self._heights.before(place.item) + layout.heights.before(place.cell)

    def locate(self, row: int) -> Place | None:
        """What stands at a row; the last cell for rows below the end."""
        if not self._layouts:
            return None
        item, inside = self._heights.find(row)
        cell, rest = self.layout(item).heights.find(inside)
        return Place(item, cell, rest)

    def height(self, place: Place) -> int:
        """The rows of a cell, gap included, as far as known."""
        return self.layout(place.item).heights[place.cell]

    def is_rendered(self, place: Place) -> bool:
        return self.cell(place).lines is not None

    def ensure(self, place: Place) -> None:
        """Render a cell and correct the heights."""
        layout = self.layout(place.item)
        layout.ensure(place.cell, self.folds)
        self._heights.change(place.item, layout.heights.total)

    def refold(self, key: str) -> None:
        """A fold was changed: that block is rendered again."""
        place = self.find(key)
        if place is not None:
            self.cell(place).forget()

    def refold_all(self) -> None:
        for layout in self._layouts:
            for cell in layout.cells if layout is not None else ():
                if cell.block.foldable:
                    cell.forget()

    def find(self, key: str) -> Place | None:
        """Where a block stands. Only items that have cells are searched, newest first."""
        name = key.split("/", 1)[0]
        for item in range(len(self._layouts) - 1, -1, -1):
            layout = self._layouts[item]
            if layout is not None and layout.key == name and (cell := layout.find(key)) is not None:
                return Place(item, cell)
        return None

    def after(self, place: Place) -> Place | None:
        if place.cell + 1 < len(self.layout(place.item).cells):
            return Place(place.item, place.cell + 1)
        return Place(place.item + 1, 0) if place.item + 1 < len(self._layouts) else None

    def before(self, place: Place) -> Place | None:
        if place.cell > 0:
            return Place(place.item, place.cell - 1)
        if place.item == 0:
            return None
        return Place(place.item - 1, len(self.layout(place.item - 1).cells) - 1)

    def render_down(self, place: Place, rows: int) -> int:
        """Render from a place on until `rows` rows are known; returns how many are, at most to the end."""
        known = -place.row
        at: Place | None = place
        while at is not None and known < rows:
            self.ensure(at)
            known += self.height(at)
            at = self.after(at)
        return known

    def render_up(self, place: Place, rows: int) -> int:
        """Render what stands above a place's cell until `rows` rows are known."""
        known = 0
        at = self.before(place)
        while at is not None and known < rows:
            self.ensure(at)
            known += self.height(at)
            at = self.before(at)
        return known

    def line(self, place: Place) -> Line | None:
        """The line at a place, None for a blank row."""
        cell = self.cell(place)
        index = place.row - cell.block.gap
        if cell.lines is None or index < 0 or index >= len(cell.lines):
            return None
        return cell.lines[index]

    def places(self, newest_first: bool = False) -> Iterator[ItemLayout | None]:
        return reversed(self._layouts) if newest_first else iter(self._layouts)


def _item_key(item: TurnView | NoteView, index: int) -> str:
    return item.id.replace("/", "-") if isinstance(item, TurnView) and item.id else f"note-{index}"


def changed_id(event: Event) -> str:
    """The call or request that an event is about; else empty."""
    return str(getattr(event, "call_id", "") or getattr(event, "request_id", ""))
