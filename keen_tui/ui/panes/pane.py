"""What the panes beside the conversation have in common: a title, rows, and a search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Input

from keen_tui.domain.views import TaskView
from keen_tui.ui.arrangement import TITLES, PaneName
from keen_tui.ui.fields import LineField
from keen_tui.ui.keymap import bindings_for
from keen_tui.ui.line_view import LineBlock, LineList
from keen_tui.ui.lines import Line, Span, line, wrap
from keen_tui.ui.say import Say


class PaneLines(LineList):
    """The rows of a pane."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("list")]


class Pane(Vertical):
    """A pane of rows. Subclasses say the rows for a width; they are made only while the pane is on the screen."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("pane")]
    pane: ClassVar[PaneName]
    empty: ClassVar[str] = ""
    """What the pane is for and the key that starts it, shown while there is nothing else."""

    def __init__(self) -> None:
        super().__init__(id=self.pane, classes="pane")
        self.title_line = LineBlock(classes="pane-title")
        self.lines = PaneLines(classes="pane-lines")
        self.search = LineField(classes="pane-search")
        self.view = TaskView()
        self._words = ""

    def compose(self) -> ComposeResult:
        yield self.title_line
        yield self.lines
        yield self.search

    def on_mount(self) -> None:
        self.search.display = False

    def rows(self, width: int) -> Sequence[Line]:
        """The rows for a width; none shows the empty state."""
        raise NotImplementedError

    def title(self) -> Line:
        return line(Span(f" {TITLES[self.pane]}", "title"))

    def tell(self, view: TaskView) -> None:
        """Show a task."""
        self.view = view
        self.redraw()

    def redraw(self) -> None:
        width = self.lines.scrollable_content_region.width or self.size.width
        if not width:
            return
        self.title_line.set_rows([self.title()])
        rows = self.rows(width)
        self.lines.set_rows(rows or [line(), *(line(Span(f" {row}", "muted")) for row in wrap(self.empty, width - 2))])

    def on_resize(self) -> None:
        self.redraw()

    def focus_pane(self) -> None:
        """Give the pane the focus."""
        self.lines.focus()

    def action_search(self) -> None:
        self.search.display = True
        self.search.value = ""
        self.search.focus()

    def leave_search(self) -> bool:
        """Close the search field; False when it was not open."""
        if not self.search.display:
            return False
        self.search.display = False
        self.lines.focus()
        return True

    def on_input_submitted(self, event: Input.Submitted) -> None:
        if event.input is self.search:
            event.stop()
            self._words = event.value.strip().lower()
            self.leave_search()
            self.action_search_next()

    def action_search_next(self) -> None:
        """Go to the next row that holds the words."""
        if not self._words:
            return
        rows = self.lines.rows
        start = self.lines.position + 1
        for index in [*range(start, len(rows)), *range(min(start, len(rows)))]:
            text = "".join(span.text for span in (*rows[index].left, *rows[index].right))
            if self._words in text.lower():
                self.lines.go_to_row(index)
                return
        self.post_message(Say(f"Nothing here holds “{self._words}”."))
