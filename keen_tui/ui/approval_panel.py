"""The approval panel: the whole command or diff, and four answers. It stands under the conversation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Input

from keen_tui.domain.events import Answer, ApprovalRequested
from keen_tui.ui.fields import LineField, has_own_key
from keen_tui.ui.keymap import bindings_for
from keen_tui.ui.line_view import LineBlock, LineList
from keen_tui.ui.lines import Line, Span, line, width_of, wrap
from keen_tui.ui.transcript.diff import diff_lines

GRACE = 0.5
"""Seconds in which keys are ignored after the panel came up or got the focus."""
ROOMY = 7
"""Rows from which the panel has room for a rule and a border."""


def detail_rows(request: ApprovalRequested, filename: str, width: int) -> list[Line]:
    """The whole of what is asked about, wrapped and never cut."""
    room = max(10, width - 4)
    if request.kind == "diff" and (rows := diff_lines(request.detail, filename, room)):
        return [
            Line((Span("  "), *(Span(span.text, span.role) for span in row.spans)), fill=row.fill or "text")
            for row in rows
        ]
    return [line(Span(f"   {row}")) for row in wrap(request.detail or request.question, room)]


class ApprovalPanel(Vertical, can_focus=True):
    """Asks about one call at a time. Keys count only while it has the focus."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("approval")]

    class Answered(Message):
        def __init__(self, request_id: str, answer: Answer, reason: str = "") -> None:
            super().__init__()
            self.request_id = request_id
            self.answer: Answer = answer
            self.reason = reason

    def __init__(self, *, id: str | None = None, clock: Callable[[], float] = monotonic) -> None:
        super().__init__(id=id)
        self.clock = clock
        self.request: ApprovalRequested | None = None
        self._since = 0.0
        self._room = 10
        self._filename = ""
        self._made: list[Line] = []
        self._made_for = ("", "", 0)
        self._question = LineBlock(classes="panel-question")
        self._detail = LineList(classes="panel-detail")
        self._options = LineBlock(classes="panel-options")
        self._reason = LineField(classes="panel-reason")
        self._detail.can_focus = False

    def compose(self) -> ComposeResult:
        yield self._question
        yield self._detail
        yield self._options
        yield self._reason

    def on_mount(self) -> None:
        self.display = False
        self._reason.display = False

    def ask(self, request: ApprovalRequested | None, room: int, filename: str = "") -> None:
        """Show a request, or nothing.

        `room` is the number of rows that the panel may take, `filename` gives a diff its colours.
        """
        self._room = room
        self._filename = filename
        if request is None:
            self.request = None
            self.display = False
            return
        if self.request is None or self.request.request_id != request.request_id:
            self.request = request
            self._since = self.clock()
            self._reason.value = ""
            self._reason.display = False
            self._detail.scroll_to(y=0, animate=False)
        self.display = True
        self._draw()

    @property
    def asking_reason(self) -> bool:
        return bool(self._reason.display)

    def leave_reason(self) -> None:
        """Back from the reason to the four answers."""
        self._reason.display = False
        self.focus()
        self._draw()

    def on_resize(self) -> None:
        self._draw()

    def watch_has_focus(self, focus: bool) -> None:
        super().watch_has_focus(focus)
        if focus:
            self._since = self.clock()
        self._draw()

    def _draw(self) -> None:
        request = self.request
        if request is None or (not self.size.width and not self.is_attached):
            return
        width = self.size.width or 78
        detail = self._detail_rows(request, width)
        question = [line(Span(f" {row}", "strong")) for row in wrap(request.question, width - 2)[:3]]
        question += [line(Span(f"   {reason}", "warning")) for reason in request.reasons[:3]]
        options = self._option_rows(request, width, len(detail))
        low = self._room < ROOMY
        self.set_class(low, "-low")
        question = question[:1] if low else question
        fixed = len(question) + len(options) + int(self.asking_reason) + int(not low)
        self._question.set_rows(question)
        self._options.set_rows(options)
        self._detail.set_rows(detail)
        self._detail.styles.height = max(1, min(len(detail), self._room - fixed))

    def _detail_rows(self, request: ApprovalRequested, width: int) -> list[Line]:
        made_for = (request.request_id, self._filename, width)
        if self._made_for != made_for:
            self._made_for, self._made = made_for, detail_rows(request, self._filename, width)
        return self._made

    def _option_rows(self, request: ApprovalRequested, width: int, count: int) -> list[Line]:
        if self.asking_reason:
            return [line(Span(" Why not? ", "strong"), Span("Enter sends, empty is fine; Esc goes back", "muted"))]
        answers = flow(_answers(request), width)
        if not self.has_focus:
            return [
                line(Span(" Tab", "key"), Span(" or", "muted"), Span(" F8", "key"), Span(" answers this", "muted")),
                *answers,
            ]
        if self._room < ROOMY:
            return answers
        rule = f" s and p allow: {request.rule}" if request.rule else " Only once is possible for this call."
        scroll = [Span(f"{count} rows, j k scroll ", "muted")] if count > self._detail.size.height else []
        return [*answers, line(Span(rule, "muted"), right=scroll)]

    class Typed(Message):
        """A character that answers nothing: the person is writing a prompt."""

        def __init__(self, character: str) -> None:
            super().__init__()
            self.character = character

    def action_answer(self, answer: Answer) -> None:
        request = self.request
        if request is None or self._too_early() or (answer in ("session", "project") and not request.rule):
            return
        self.post_message(self.Answered(request.request_id, answer))

    def action_refuse(self) -> None:
        if self.request is None or self._too_early():
            return
        self._reason.display = True
        self._reason.focus()
        self._draw()

    def _too_early(self) -> bool:
        return self.clock() - self._since < GRACE

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if self.request is not None:
            self.post_message(self.Answered(self.request.request_id, "no", event.value.strip()))

    def on_key(self, event: events.Key) -> None:
        if self.asking_reason:
            return
        steps = {"j": 1, "down": 1, "k": -1, "up": -1, "pagedown": 10, "pageup": -10, "g": -100_000, "G": 100_000}
        if event.key in steps:
            event.stop()
            self._detail.move(steps[event.key])
        elif event.character and event.is_printable and not has_own_key(self, event):
            event.stop()
            self.post_message(self.Typed(event.character))


def _answers(request: ApprovalRequested) -> list[tuple[str, str]]:
    more = [("s", "this session"), ("p", "this project")] if request.rule else []
    return [("y", "once"), *more, ("n", "no, and tell it why")]


def flow(answers: Sequence[tuple[str, str]], width: int) -> list[Line]:
    """Keys and words, on as many rows as the width needs."""
    rows: list[list[Span]] = [[]]
    for key, words in answers:
        spans = [Span("   " if rows[-1] else " "), Span(key, "key"), Span(f" {words}")]
        if rows[-1] and width_of([*rows[-1], *spans]) > width:
            rows.append([])
            spans[0] = Span(" ")
        rows[-1] += spans
    return [line(*row) for row in rows]
