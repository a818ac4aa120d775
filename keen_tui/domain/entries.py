"""Entries: what was said and done in a task, each with its ref, as search and reading see it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from keen_tui.domain.events import (
    ApprovalAnswered,
    ApprovalRequested,
    AssistantText,
    Author,
    BriefChanged,
    CommentAdded,
    Event,
    Notice,
    QuestionAnswered,
    QuestionAsked,
    RetryScheduled,
    TextRewound,
    ToolFinished,
    ToolStarted,
    TurnCompleted,
    TurnFailed,
    TurnIncomplete,
    TurnStarted,
)
from keen_tui.domain.refs import Ref


@dataclass(frozen=True, slots=True)
class Entry:
    """`kind` is a comment's kind, or for an entry of the transcript what it is: "prose", "activity" …

    `comment` is the number of the comment that holds the same words, 0 when there is none.
    """

    ref: Ref
    author: Author
    kind: str
    time: datetime
    text: str
    comment: int = 0


@dataclass(frozen=True, slots=True)
class Hit:
    """`excerpt` is one line around the hit. `later` is a newer entry of the same author on the same words."""

    ref: Ref
    author: Author
    kind: str
    time: datetime
    excerpt: str
    later: Ref | None = None


_BREAKS_PROSE = (
    TurnStarted, ToolStarted, ToolFinished, ApprovalRequested, ApprovalAnswered, QuestionAsked, QuestionAnswered,
    Notice, RetryScheduled, CommentAdded, TurnCompleted, TurnIncomplete, TurnFailed,
)  # fmt: skip


class EntryReader:
    """Turns the stored events of a task into entries, in order.

    `lost` becomes True when a retry took back prose that this reader has not seen.
    """

    def __init__(self) -> None:
        self.lost = False
        self._prose: list[Entry] = []

    def take(self, event: Event) -> list[Entry]:
        """The entries that an event adds or changes; one whose text became empty is taken back."""
        if isinstance(event, TextRewound):
            return self._rewound(event.characters)
        if isinstance(event, _BREAKS_PROSE):
            self._prose.clear()
        said = _said(event) if event.seq else None
        if said is None:
            return []
        author, kind, text, comment = said
        entry = Entry(Ref("transcript", event.seq), author, kind, event.time, text, comment)
        if isinstance(event, AssistantText):
            self._prose.append(entry)
        return [entry] if text.strip() else []

    def _rewound(self, characters: int) -> list[Entry]:
        changed: list[Entry] = []
        while characters > 0:
            if not self._prose:
                self.lost = True
                break
            last = self._prose.pop()
            left = last.text[:-characters]
            characters -= len(last.text)
            changed.append(replace(last, text=left))
            if left:
                self._prose.append(changed[-1])
        return changed


def _said(event: Event) -> tuple[Author, str, str, int] | None:
    """Author, kind, text and comment of an event that says something."""
    match event:
        case TurnStarted():
            return "user", "prompt", event.text, event.comment
        case AssistantText():
            return "agent", "prose", event.text, 0
        case CommentAdded():
            return event.author, event.kind, event.text, event.comment
        case QuestionAsked():
            return "agent", "question", " / ".join((event.question, *event.choices)), event.comment
        case QuestionAnswered():
            return "user", "answer", event.text, event.comment
        case ApprovalAnswered() if event.reason:
            return "user", "answer", event.reason, 0
        case ToolFinished() if event.target and event.refused in (None, "denied"):
            return "agent", "activity", _activity(event), 0
        case Notice():
            return "system", "notice", f"{event.text} {event.hint}".strip(), 0
        case TurnIncomplete() | TurnFailed():
            return "system", "notice", f"{event.message} {event.hint}".strip(), 0
        case BriefChanged():
            lines = (f"brief {name}: {text or '(cleared)'}" for name, text in event.changes.items())
            return event.author, "brief", "\n".join(lines), 0
        case _:
            return None


def _activity(event: ToolFinished) -> str:
    ended = "refused" if event.refused else "failed" if event.status == "error" else ""
    if not ended and event.exit_code:
        ended = f"exit {event.exit_code}"
    return f"{event.tool} {event.target}" + (f" ({ended})" if ended else "")
