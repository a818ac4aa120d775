"""The scrolling and painting half of the transcript widget: a document in a window."""

from __future__ import annotations

from rich.style import Style
from textual._animator import EasingFunction
from textual._types import AnimationLevel, CallbackType
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.widget import Widget

from keen_tui.domain.views import TaskView
from keen_tui.ui.roles import Roles
from keen_tui.ui.transcript.document import START, Document, Place
from keen_tui.ui.transcript.lines import Line
from keen_tui.ui.transcript.paint import Mark, Painter
from keen_tui.ui.transcript.selecting import selected_text, selection_mark

_SIDES = 2


class DocumentWindow(ScrollView, can_focus=True):
    """Shows the rows of a document that are in sight, and holds its place while heights change.

    Only rows on the screen, and a screen above and below, are ever rendered. Rows that did not
    change are not drawn again.
    """

    DEFAULT_CSS = """
    DocumentWindow {
        overflow-x: hidden;
        overflow-y: scroll;
        scrollbar-size-vertical: 1;
        background: $background;
        color: $foreground;
    }
    """
    ALLOW_SELECT = True

    focused_block: reactive[str | None] = reactive(None, repaint=False)

    class FollowChanged(Message):
        """The view began to follow what comes, or to hold still."""

        def __init__(self, following: bool) -> None:
            super().__init__()
            self.following = following

    def __init__(self, roles: Roles | None = None, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.follow_step = 1
        self._roles = roles or Roles()
        self._painter = Painter(self._roles, Style())
        self._document = Document(TaskView(), 80)
        self._following = True
        self._place = START
        self._rows: list[Strip] = []
        self._moving = False

    @property
    def document(self) -> Document:
        return self._document

    @property
    def following(self) -> bool:
        return self._following

    def set_roles(self, roles: Roles) -> None:
        """Use the styles of another theme."""
        self._roles = roles
        self._repaint()

    def follow(self) -> None:
        """Go to the end and stay there."""
        self._set_following(True)
        self._settle()

    def line_marks(self, place: Place, index: int, line: Line) -> list[Mark]:
        """What is laid over a line. Subclasses add to it."""
        return []

    @property
    def _text_width(self) -> int:
        return max(8, self.scrollable_content_region.width - _SIDES)

    def _set_following(self, following: bool) -> None:
        if following != self._following:
            self._following = following
            self.post_message(self.FollowChanged(following))

    def _settle(self) -> None:
        """Render what is in sight, correct the heights, and put the view where it was among the blocks."""
        height = self.scrollable_content_region.height
        document = self._document
        if not height or not self.is_attached:
            return
        document.set_width(self._text_width)
        last = document.last
        if last is None:
            self._move(0, 0)
            return
        if self._following:
            document.ensure(last)
            document.render_up(last, 2 * height - document.height(last))
            self._move(document.rows, self._end(height))
            return
        self._place = self._clamped(self._place)
        document.render_down(self._place, 2 * height)
        document.render_up(self._place, height)
        y = document.top(self._place) + self._place.row
        self._move(document.rows, min(y, max(0, document.rows - height)))

    def _end(self, height: int) -> int:
        """The row at the top while following; it moves by whole steps."""
        over = max(0, self._document.rows - height)
        step = self.follow_step if self._document.view.turn is not None else 1
        return -(-over // step) * step

    def _clamped(self, place: Place) -> Place:
        last = self._document.last
        if last is None or place.item > last.item:
            return last or START
        cells = len(self._document.layout(place.item).cells)
        return place if place.cell < cells else Place(place.item, cells - 1)

    def _move(self, rows: int, y: int) -> None:
        """Set the virtual size and the scroll position without a layout of the whole screen."""
        height = self.scrollable_content_region.height
        size = Size(self.scrollable_content_region.width, max(rows, y + height if y else 0))
        self._moving = True
        try:
            if size != self.virtual_size:
                self.set_reactive(Widget.virtual_size, size)
                self._scroll_update(size)
            if y != self.scroll_y:
                self.scroll_target_y = y
                self.scroll_y = y
        finally:
            self._moving = False
        self._refresh_changed()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        if self.show_vertical_scrollbar:
            self.vertical_scrollbar.position = new_value
        if self._moving or round(old_value) == round(new_value):
            return
        y = round(new_value)
        self._set_following(y >= self.max_scroll_y)
        place = self._document.locate(y)
        if not self._following and place is not None:
            if not self._document.is_rendered(place):
                # Coming from below: what was hidden above stays above.
                below = self._document.height(place) - place.row
                self._document.ensure(place)
                place = place._replace(row=max(0, self._document.height(place) - below))
            self._place = place
        self._settle()

    def scroll_to(
        self,
        x: float | None = None,
        y: float | None = None,
        *,
        animate: bool = True,
        speed: float | None = None,
        duration: float | None = None,
        easing: EasingFunction | str | None = None,
        force: bool = False,
        on_complete: CallbackType | None = None,
        level: AnimationLevel = "basic",
        immediate: bool = False,
        release_anchor: bool = True,
    ) -> None:
        """Scroll at once: every frame of an animation would be drawn over the line."""
        super().scroll_to(x, y, animate=False, force=force, on_complete=on_complete, immediate=immediate)

    def _size_updated(self, size: Size, virtual_size: Size, container_size: Size, layout: bool = True) -> bool:
        changed = super()._size_updated(size, virtual_size, container_size, layout)
        self._settle()
        return changed

    def notify_style_update(self) -> None:
        super().notify_style_update()
        if self.is_attached:
            self._repaint()

    def _repaint(self) -> None:
        """Another theme or background: keep the lines, paint them anew."""
        if not self.is_attached:
            return
        base = self.rich_style
        if base != self._painter.base or self._roles is not self._painter.roles:
            self._painter = Painter(self._roles, base)
            self._document.forget_strips()
            self._settle()

    def selection_updated(self, selection: Selection | None) -> None:
        self._refresh_changed()

    def watch_focused_block(self) -> None:
        self._refresh_changed()

    def on_focus(self) -> None:
        self._refresh_changed()

    def on_blur(self) -> None:
        self._refresh_changed()

    def _refresh_changed(self) -> None:
        """Compose the rows in sight; refresh those that differ from what is shown."""
        if not self.is_attached or not self.scrollable_content_region.height:
            return
        width = self.scrollable_content_region.width
        rows = self._rows_in_sight(width)
        old, self._rows = self._rows, rows
        if len(old) != len(rows):
            self.refresh()
            return
        regions: list[Region] = []
        for y, (before, after) in enumerate(zip(old, rows, strict=True)):
            if before is after or before == after:
                rows[y] = before
            elif regions and regions[-1].bottom == y:
                regions[-1] = regions[-1].grow((0, 0, 1, 0))
            else:
                regions.append(Region(0, y, width, 1))
        if regions:
            self.refresh(*regions)

    def _rows_in_sight(self, width: int) -> list[Strip]:
        height = self.scrollable_content_region.height
        blank = self._painter.blank(width)
        rows: list[Strip] = []
        top = self.scroll_offset.y
        place = self._document.locate(top) if top < self._document.rows else None
        while place is not None and len(rows) < height:
            cell = self._document.cell(place)
            gap = cell.block.gap
            for inside in range(place.row, self._document.height(place)):
                if len(rows) == height:
                    break
                index = inside - gap
                if index < 0 or cell.lines is None or index >= len(cell.lines):
                    rows.append(blank)
                else:
                    rows.append(self._row(place, index, top + len(rows), width))
            place = self._document.after(place)
        rows.extend([blank] * (height - len(rows)))
        return rows

    def _row(self, place: Place, index: int, row: int, width: int) -> Strip:
        cell = self._document.cell(place)
        assert cell.lines is not None
        line = cell.lines[index]
        focused = index == 0 and cell.block.key == self.focused_block and self.has_focus
        marks = self.line_marks(place, index, line)
        selection = self.text_selection
        if selection is not None and (mark := selection_mark(selection, row, line)):
            marks.append(mark)
        if marks or focused:
            return self._painter.marked(line, width, marks, focused=focused)
        strip = cell.strips[index]
        if strip is None or strip.cell_length != width:
            strip = cell.strips[index] = self._painter.line(line, width)
        return strip

    def render_lines(self, crop: Region) -> list[Strip]:
        """The rows as composed: they are painted to the full width, so nothing has to be styled again."""
        width = self.scrollable_content_region.width
        blank = self._painter.blank(width)
        background = self.background_colors[1]
        strips = []
        for y in crop.line_range:
            strip = self._rows[y] if y < len(self._rows) else blank
            for line_filter in self.app._filters:
                if line_filter.enabled:
                    strip = strip.apply_filter(line_filter, background)
            strips.append(strip if crop.column_span == (0, width) else strip.crop(*crop.column_span))
        return strips

    def render_line(self, y: int) -> Strip:
        """A row with the offsets that text selection looks for."""
        if y >= len(self._rows):
            return self._painter.blank(self.scrollable_content_region.width)
        return self._rows[y].apply_offsets(0, self.scroll_offset.y + y)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        return selected_text(self._document, selection), "\n"
