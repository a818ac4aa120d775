"""Searching a task for words: which items hold them, and where in a line they stand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from keen_tui.domain.segments import (
    CommentSegment,
    NoticeSegment,
    PermissionSegment,
    QuestionSegment,
    ReasoningSegment,
    Segment,
    TextSegment,
    ToolSegment,
)
from keen_tui.domain.views import NoteView, TaskView, TurnView
from keen_tui.ui.transcript.lines import Line
from keen_tui.ui.transcript.paint import Mark


@dataclass(frozen=True, slots=True)
class Search:
    """The words, folded for comparison, and the items that hold them, in order."""

    words: str
    items: tuple[int, ...] = ()
    count: int = 0

    def marks(self, line: Line, *, current: bool = False) -> list[Mark]:
        """Where the words stand in a line."""
        if not self.words:
            return []
        text = folded(line.text)
        role = "search_current" if current else "search_mark"
        marks = []
        at = text.find(self.words)
        while at >= 0:
            marks.append(Mark(at, at + len(self.words), role))
            at = text.find(self.words, at + len(self.words))
        return marks


def search_task(view: TaskView, words: str) -> Search:
    """Look through everything that is known of the task, folded or not."""
    needle = folded(words.strip())
    if not needle:
        return Search("")
    items: list[int] = []
    count = 0
    for index, item in enumerate(view.items):
        found = sum(folded(text).count(needle) for text in _texts(item))
        if found:
            items.append(index)
            count += found
    return Search(needle, tuple(items), count)


def folded(text: str) -> str:
    """Lower case, character by character, so that places stay the same."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(c if len(c.lower()) > 1 else c.lower() for c in text)


def _texts(item: TurnView | NoteView) -> Iterator[str]:
    if isinstance(item, NoteView):
        yield item.event.text
        return
    yield item.start.text
    for segment in item.segments:
        yield from _segment_texts(segment)


def _segment_texts(segment: Segment) -> Iterator[str]:
    match segment:
        case TextSegment() | ReasoningSegment():
            yield segment.text
        case ToolSegment():
            yield f"{segment.tool}  {segment.target or ''}"
            yield segment.output
            if segment.finish:
                yield segment.finish.diff
        case PermissionSegment():
            yield segment.request.question
        case QuestionSegment():
            yield segment.request.question
            yield segment.answer.text if segment.answer else ""
        case CommentSegment():
            yield segment.event.text
        case NoticeSegment():
            event = segment.event
            yield getattr(event, "message", "") or getattr(event, "text", "") or getattr(event, "reason", "")
