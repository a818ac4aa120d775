"""The question panel: what the agent asks, numbered choices, and free text."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Input

from keen_tui.domain.events import QuestionAsked
from keen_tui.ui.approval_panel import GRACE, ROOMY
from keen_tui.ui.fields import LineField
from keen_tui.ui.line_view import LineBlock, LineList
from keen_tui.ui.lines import Line, Span, line, wrap


class QuestionPanel(Vertical):
    """One question at a time. Enter sends the choice whose number was typed, or the words."""

    class Answered(Message):
        def __init__(self, request_id: str, text: str) -> None:
            super().__init__()
            self.request_id = request_id
            self.text = text

    def __init__(self, *, id: str | None = None, clock: Callable[[], float] = monotonic) -> None:
        super().__init__(id=id)
        self.clock = clock
        self.request: QuestionAsked | None = None
        self._since = 0.0
        self._room = 10
        self._question = LineList(classes="panel-detail")
        self._question.can_focus = False
        self._help = LineBlock(classes="panel-options")
        self.answer = LineField(classes="panel-reason")

    def compose(self) -> ComposeResult:
        yield self._question
        yield self._help
        yield self.answer

    def on_mount(self) -> None:
        self.display = False

    def ask(self, request: QuestionAsked | None, room: int) -> None:
        """Show a question, or nothing."""
        self._room = room
        if request is None:
            self.request = None
            self.display = False
            return
        if self.request is None or self.request.request_id != request.request_id:
            self.request = request
            self.answer.value = ""
            self._since = self.clock()
        self.display = True
        self._draw()

    def on_resize(self) -> None:
        self._draw()

    def on_descendant_focus(self) -> None:
        self._since = self.clock()
        self._draw()

    def on_descendant_blur(self) -> None:
        self.call_after_refresh(self._draw)

    def _draw(self) -> None:
        if self.request is None:
            return
        width = self.size.width or 78
        rows = [line(Span(f" {row}", "strong")) for row in wrap(self.request.question, width - 2)]
        for number, choice in enumerate(self.request.choices, 1):
            rows += _choice_rows(number, choice, width)
        self._question.set_rows(rows)
        low = self._room < ROOMY
        self.set_class(low, "-low")
        self._question.styles.height = max(1, min(len(rows), self._room - (2 if low else 3)))
        words = "a number or your own words, then Enter" if self.request.choices else "your answer, then Enter"
        focus = () if self.answer.has_focus else (Span(" Tab", "key"), Span(" answers this:", "muted"))
        self._help.set_rows([line(*focus, Span(f" {words}", "muted"))])

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        text = event.value.strip()
        choices = self.request.choices if self.request else ()
        if text.isdecimal() and 0 < int(text) <= len(choices):
            text = choices[int(text) - 1]
        if text and self.clock() - self._since >= GRACE:
            self._answer(text)

    def on_key(self, event: events.Key) -> None:
        if event.key in ("pageup", "pagedown"):
            self._question.move(5 if event.key == "pagedown" else -5)

    def _answer(self, text: str) -> None:
        if self.request is not None:
            self.post_message(self.Answered(self.request.request_id, text))


def _choice_rows(number: int, choice: str, width: int) -> list[Line]:
    first, *rest = wrap(choice, max(10, width - 6))
    return [
        line(Span(f"   {number} ", "key"), Span(first)),
        *(line(Span(f"     {row}")) for row in rest),
    ]
