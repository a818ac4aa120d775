"""The picker of what a line of the brief cites: the comments of the conversation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from keen_tui.domain.events import CommentAdded, TurnCompleted
from keen_tui.domain.segments import CommentSegment, QuestionSegment
from keen_tui.domain.views import NoteView, TaskView, TurnView
from keen_tui.ui.dialogs.list_dialog import ListDialog, matches
from keen_tui.ui.lines import Line, Span, line


@dataclass(frozen=True, slots=True)
class Cited:
    """A comment as the picker shows it."""

    number: int
    author: str
    kind: str
    text: str


def cite_picker(view: TaskView) -> ListDialog:
    """Dismissed with `cite:comment:17`. The newest comment comes first."""
    comments = sorted(comments_of(view), key=lambda comment: -comment.number)

    def rows(words: str, width: int) -> list[Line]:
        return [
            _row(comment)
            for comment in comments
            if matches(words, comment.text, comment.author, comment.kind, f"#{comment.number}")
        ]

    if not comments:
        return ListDialog("Source", lambda words, width: [line(Span(" Nothing was said in this task yet.", "muted"))])
    return ListDialog("Source of this line", rows, footer="Type to search   Enter cites   Esc closes")


def comments_of(view: TaskView) -> Iterator[Cited]:
    """Every comment of the conversation, in order."""
    for item in view.items:
        if isinstance(item, TurnView):
            yield from _of_turn(item)
        elif isinstance(item, NoteView) and isinstance(item.event, CommentAdded):
            yield from _one(item.event.comment, item.event.author, item.event.kind, item.event.text)


def _of_turn(turn: TurnView) -> Iterator[Cited]:
    yield from _one(turn.start.comment, "user", "request", turn.start.text)
    for segment in turn.segments:
        if isinstance(segment, CommentSegment):
            yield from _one(segment.event.comment, segment.event.author, segment.event.kind, segment.event.text)
        elif isinstance(segment, QuestionSegment):
            yield from _one(segment.request.comment, "agent", "ask", segment.request.question)
            if segment.answer is not None:
                yield from _one(segment.answer.comment, "user", "comment", segment.answer.text)
    if isinstance(turn.end, TurnCompleted):
        yield from _one(turn.end.comment, "agent", "result", turn.prose)


def _one(number: int, author: str, kind: str, text: str) -> Iterator[Cited]:
    if number:
        yield Cited(number, author, kind, " ".join(text.split())[:400])


def _row(comment: Cited) -> Line:
    return line(
        Span(f" #{comment.number:<4}", "accent"),
        Span(f"{comment.author:<7}", "user" if comment.author == "user" else "agent"),
        Span(comment.text),
        right=[Span(f"{comment.kind} ", "muted")],
        key=f"cite:comment:{comment.number}",
    )
