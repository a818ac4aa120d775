"""The segments of a turn, in the order in which they happened."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from keen_tui.domain.events import (
    ApprovalAnswered,
    ApprovalRequested,
    CommentAdded,
    Notice,
    QuestionAnswered,
    QuestionAsked,
    Refusal,
    RetryScheduled,
    ShellRan,
    Status,
    ToolFinished,
    ToolStarted,
    TurnFailed,
    TurnIncomplete,
)


@dataclass(slots=True, eq=False)
class TextSegment:
    """Assistant prose. `seq` is its first entry in the transcript."""

    parts: list[str] = field(default_factory=list)
    seq: int = 0
    open: bool = True

    @property
    def text(self) -> str:
        if len(self.parts) > 1:
            self.parts[:] = ["".join(self.parts)]
        return self.parts[0] if self.parts else ""


@dataclass(slots=True, eq=False)
class ReasoningSegment:
    """Reasoning. After a resume `parts` is empty and only `size` (bytes) is known."""

    parts: list[str] = field(default_factory=list)
    size: int = 0
    seconds: float = 0.0
    open: bool = True

    @property
    def text(self) -> str:
        if len(self.parts) > 1:
            self.parts[:] = ["".join(self.parts)]
        return self.parts[0] if self.parts else ""


@dataclass(slots=True, eq=False)
class ToolSegment:
    """One tool call. `finish` is None while it runs; `interrupted` when the turn ended before it did."""

    start: ToolStarted
    finish: ToolFinished | None = None
    live_output: list[str] = field(default_factory=list)
    live_size: int = 0
    interrupted: bool = False

    @property
    def call_id(self) -> str:
        return self.start.call_id

    @property
    def tool(self) -> str:
        return self.start.tool

    @property
    def target(self) -> str | None:
        return self.finish.target if self.finish and self.finish.target else self.start.target

    @property
    def output(self) -> str:
        """What is known of the output: the final one, or what has come so far."""
        if self.finish and self.finish.output:
            return self.finish.output
        return "".join(self.live_output)

    @property
    def refused(self) -> Refusal | None:
        return self.finish.refused if self.finish else None

    @property
    def status(self) -> Status | Literal["running", "interrupted"]:
        if self.finish:
            return self.finish.status
        return "interrupted" if self.interrupted else "running"


@dataclass(slots=True, eq=False)
class PermissionSegment:
    """A call that asked. `interrupted` when the turn ended before anybody answered."""

    request: ApprovalRequested
    answer: ApprovalAnswered | None = None
    interrupted: bool = False


@dataclass(slots=True, eq=False)
class QuestionSegment:
    """A question of the agent. `interrupted` when the turn ended before anybody answered."""

    request: QuestionAsked
    answer: QuestionAnswered | None = None
    interrupted: bool = False


@dataclass(slots=True, eq=False)
class CommentSegment:
    """Words that came while the turn ran: an interjection, a note, progress."""

    event: CommentAdded


@dataclass(slots=True, eq=False)
class NoticeSegment:
    """A notice, a shell line of the person, a retry, or the way a turn ended."""

    event: Notice | ShellRan | RetryScheduled | TurnIncomplete | TurnFailed


Segment = (
    TextSegment | ReasoningSegment | ToolSegment | PermissionSegment | QuestionSegment | CommentSegment | NoticeSegment
)
