"""Widgets made of lines: a fixed block of rows, and a list that scrolls and has a cursor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, cast

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from keen_tui.ui.lines import THEME_ROLES, Line, strip_of
from keen_tui.ui.roles import Roles

FOCUS_BAR = "▌"
"""Stands at the left edge of the row under the cursor, so that it is not told by colour alone."""


class HasRoles(Protocol):
    """The app, as far as lines need it: the styles of the theme in use."""

    roles: Roles


class RoleStyles:
    """Styles of roles over a widget's own colours."""

    def __init__(self, widget: Widget) -> None:
        self._widget = widget

    @property
    def _roles(self) -> Roles:
        return cast(HasRoles, self._widget.app).roles

    def __call__(self, role: str) -> Style:
        base = self._widget.rich_style
        return base if role == "text" else base + self._roles.style(THEME_ROLES.get(role, role))

    def under_cursor(self, strip: Strip) -> Strip:
        """A row with the cursor on it."""
        focus, mark = self._roles.focus, self._roles.focus_bar
        parts = [Segment(part.text, (part.style or Style()) + focus) for part in strip]
        if parts and parts[0].text.startswith(" "):
            first = parts[0]
            parts[:1] = [Segment(FOCUS_BAR, (first.style or Style()) + mark), Segment(first.text[1:], first.style)]
        return Strip(parts, strip.cell_length)


class LineBlock(Widget):
    """A few rows of text that are set as a whole."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._rows: Sequence[Line] = ()
        self.role_style = RoleStyles(self)

    @property
    def rows(self) -> Sequence[Line]:
        return self._rows

    def set_rows(self, rows: Sequence[Line]) -> None:
        """Show these rows; nothing is drawn when they are the same."""
        if rows == self._rows:
            return
        layout = len(rows) != len(self._rows)
        self._rows = rows
        self.refresh(layout=layout)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._rows)

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        if y >= len(self._rows):
            return Strip.blank(width, self.rich_style)
        return strip_of(self._rows[y], width, self.role_style)


class LineList(ScrollView, can_focus=True):
    """Rows that scroll. The cursor stands on rows with a key; without any, keys scroll."""

    class Chosen(Message):
        """Enter or a click on a row."""

        def __init__(self, lines: LineList, key: str) -> None:
            super().__init__()
            self.lines = lines
            self.key = key

        @property
        def control(self) -> LineList:
            return self.lines

    class Moved(Message):
        """The cursor stands on another row."""

        def __init__(self, lines: LineList, key: str) -> None:
            super().__init__()
            self.lines = lines
            self.key = key

        @property
        def control(self) -> LineList:
            return self.lines

    def __init__(self, *, id: str | None = None, classes: str | None = None, always_cursor: bool = False) -> None:
        super().__init__(id=id, classes=classes)
        self._rows: Sequence[Line] = ()
        self._selectable: list[int] = []
        self._at = 0
        self._always_cursor = always_cursor
        self.role_style = RoleStyles(self)

    @property
    def rows(self) -> Sequence[Line]:
        return self._rows

    @property
    def key(self) -> str:
        """The key of the row under the cursor, or an empty text."""
        return self._rows[self._selectable[self._at]].key if self._selectable else ""

    def set_rows(self, rows: Sequence[Line]) -> None:
        """Show these rows; the cursor stays on its key where that is still there."""
        if rows == self._rows:
            return
        key = self.key
        self._rows = rows
        self._selectable = [index for index, row in enumerate(rows) if row.key]
        keys = [rows[index].key for index in self._selectable]
        self._at = keys.index(key) if key in keys else max(0, min(self._at, len(keys) - 1))
        self.virtual_size = Size(0, len(rows))
        self.refresh()

    @property
    def position(self) -> int:
        """The row under the cursor, else the first row on the screen."""
        return self._selectable[self._at] if self._selectable else self.scroll_offset.y

    def go_to_row(self, index: int) -> None:
        """Bring a row to view, and the cursor to it or to the nearest row above that can be selected."""
        above = [at for at, row in enumerate(self._selectable) if row <= index]
        if above:
            self._move_to(above[-1])
            self.scroll_to_region(Region(0, index, 1, 1), animate=False, force=True, x_axis=False)
        else:
            self.scroll_to(y=index, animate=False)

    def select(self, key: str) -> bool:
        """Put the cursor on a key; False when no row has it."""
        for at, index in enumerate(self._selectable):
            if self._rows[index].key == key:
                self._move_to(at)
                return True
        return False

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        index = self.scroll_offset.y + y
        if index >= len(self._rows):
            return Strip.blank(width, self.rich_style)
        strip = strip_of(self._rows[index], width, self.role_style)
        if self._selectable and self._selectable[self._at] == index and (self.has_focus or self._always_cursor):
            strip = self.role_style.under_cursor(strip)
        return strip

    def watch_has_focus(self, focus: bool) -> None:
        super().watch_has_focus(focus)
        self.refresh()

    def move(self, by: int) -> None:
        """Move the cursor, or scroll where there is nothing to select."""
        if self._selectable:
            self._move_to(max(0, min(len(self._selectable) - 1, self._at + by)))
            if self._at == 0 and by < 0:
                self.scroll_to(y=0, animate=False)
        else:
            self.scroll_to(y=self.scroll_offset.y + by, animate=False)

    def _move_to(self, at: int) -> None:
        if at != self._at:
            self._at = at
            self.refresh()
            self.post_message(self.Moved(self, self.key))
        index = self._selectable[at]
        self.scroll_to_region(Region(0, index, 1, 1), animate=False, force=True, x_axis=False)

    def action_move(self, by: int) -> None:
        self.move(by)

    def action_page(self, by: int) -> None:
        rows = max(1, self.size.height - 2) * by
        if self._selectable:
            index = self._selectable[self._at] + rows
            nearest = min(range(len(self._selectable)), key=lambda at: abs(self._selectable[at] - index))
            self._move_to(nearest)
        else:
            self.move(rows)

    def action_edge(self, end: int) -> None:
        if self._selectable:
            self._move_to(len(self._selectable) - 1 if end > 0 else 0)
        self.scroll_to(y=len(self._rows) if end > 0 else 0, animate=False)

    def action_choose(self) -> None:
        if self.key:
            self.post_message(self.Chosen(self, self.key))

    async def _on_click(self, event: events.Click) -> None:
        index = self.scroll_offset.y + event.y
        if index in self._selectable:
            self._move_to(self._selectable.index(index))
            self.action_choose()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._rows)

    def on_mount(self, *_: Any) -> None:
        self.virtual_size = Size(0, len(self._rows))
