"""A dialog with a list: choose with the arrows, narrow it by typing, Enter takes it, Esc closes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input

from keen_tui.ui.fields import LineField
from keen_tui.ui.line_view import LineBlock, LineList
from keen_tui.ui.lines import Line, Span, line

Rows = Callable[[str, int], Sequence[Line]]
"""Rows for the words typed and a width."""


class ListDialog(ModalScreen[str]):
    """Dismissed with the key of the chosen row, or an empty text."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+c", "close", "Close", priority=True, show=False),
    ]

    def __init__(
        self,
        title: str,
        rows: Rows,
        *,
        footer: str = "Enter chooses   Esc closes",
        filtered: bool = True,
        moved: Callable[[str], None] | None = None,
    ) -> None:
        super().__init__()
        self._title = title
        self._make = rows
        self._footer = footer
        self._filtered = filtered
        self._moved = moved
        self.lines = LineList(classes="dialog-lines", always_cursor=True)
        self.words = LineField(classes="dialog-words")

    def compose(self) -> ComposeResult:
        title, footer = LineBlock(classes="dialog-title"), LineBlock(classes="dialog-footer")
        title.set_rows([line(Span(f" {self._title}", "title"))])
        footer.set_rows([line(Span(f" {self._footer}", "muted"))])
        with Vertical(classes="dialog"):
            yield title
            if self._filtered:
                yield self.words
            yield self.lines
            yield footer

    def on_mount(self) -> None:
        (self.words if self._filtered else self.lines).focus()
        self.call_after_refresh(self.redraw)

    def on_resize(self) -> None:
        self.call_after_refresh(self.redraw)

    def redraw(self) -> None:
        width = self.lines.scrollable_content_region.width or 60
        rows = self._make(self.words.value.strip().lower(), width)
        self.lines.set_rows(rows or [line(Span(" Nothing matches.", "muted"))])

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.lines.action_edge(-1)
        self.redraw()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.lines.action_choose()

    def on_line_list_chosen(self, event: LineList.Chosen) -> None:
        event.stop()
        self.dismiss(event.key)

    def on_line_list_moved(self, event: LineList.Moved) -> None:
        event.stop()
        if self._moved is not None:
            self._moved(event.key)

    def action_close(self) -> None:
        self.dismiss("")

    def on_key(self, event: events.Key) -> None:
        moves = {"up": -1, "down": 1, "pageup": -10, "pagedown": 10}
        if not self._filtered:
            moves |= {"k": -1, "j": 1}
        if event.key in moves:
            event.stop()
            self.lines.move(moves[event.key])
        elif event.key == "enter" and not self._filtered:
            event.stop()
            self.lines.action_choose()


def matches(words: str, *texts: str) -> bool:
    """Whether every word stands in one of the texts."""
    haystack = " ".join(texts).lower()
    return all(word in haystack for word in words.split())
