"""Sentences for the person, from anywhere in the dashboard, and the line that shows them."""

from __future__ import annotations

from textual.message import Message
from textual.timer import Timer

from keen_tui.domain.errors import KeenError
from keen_tui.domain.events import Level
from keen_tui.ui.line_view import LineBlock
from keen_tui.ui.lines import Line, Role, Span, line, wrap

SECONDS = 12.0
ROWS = 8
"""Rows that what is said may take; what is cut off is counted."""


class Say(Message):
    """Something the person should know."""

    def __init__(self, text: str, level: Level = "info") -> None:
        super().__init__()
        self.text = text
        self.level: Level = level

    @classmethod
    def error(cls, error: KeenError) -> Say:
        """An error with its next step."""
        return cls(f"{error.message} {error.hint}".strip(), "error")


class NoticeLine(LineBlock):
    """The last sentence, for a while; it takes no row when there is none."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._timer: Timer | None = None
        self._text = ""
        self._role: Role = "muted"

    @property
    def text(self) -> str:
        return self._text

    def say(self, text: str, level: Level = "info", seconds: float = SECONDS) -> None:
        """Show a sentence; errors stay until the next one or the next prompt."""
        roles: dict[Level, Role] = {"info": "muted", "warning": "warning", "error": "error"}
        self._text, self._role = text, roles[level]
        if self._timer is not None:
            self._timer.stop()
        self._timer = None if level == "error" else self.set_timer(seconds, self.clear)
        self._draw()

    def clear(self) -> None:
        self._text = ""
        self._draw()

    def on_resize(self) -> None:
        self._draw()

    def _draw(self) -> None:
        self.display = bool(self._text)
        width = self.size.width or 78
        rows: list[Line] = []
        if self._text:
            mark = "! " if self._role != "muted" else ""
            text = "\n".join(mark + sentence for sentence in self._text.split("\n"))
            found = wrap(text, width - 2)
            if len(found) > ROWS:
                found[ROWS - 1 :] = [f"… {len(found) - ROWS + 1} more rows"]
            rows = [line(Span(f" {row}", self._role)) for row in found]
        self.set_rows(rows)
