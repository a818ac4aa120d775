"""The fold: from the stream of events to what a screen, an export or the next request shows of a task.

A view grows in place, and applying one event costs the same however long the task is. Everything
that reads a task, live, resumed or headless, reads this.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from keen_tui.domain.brief import Brief
from keen_tui.domain.brief_history import BriefStep
from keen_tui.domain.brief_staleness import Staleness
from keen_tui.domain.events import (
    ApprovalAnswered,
    ApprovalRequested,
    AssistantText,
    BriefChanged,
    CommentAdded,
    Event,
    ModeChanged,
    ModelCalled,
    ModelChanged,
    MovementStarted,
    Notice,
    PromptQueued,
    PromptUnqueued,
    QuestionAnswered,
    QuestionAsked,
    Reasoning,
    ReasoningEnded,
    RetryScheduled,
    ShellRan,
    TextRewound,
    TitleChanged,
    ToolFinished,
    ToolOutput,
    ToolStarted,
    TurnCompleted,
    TurnFailed,
    TurnIncomplete,
    TurnStarted,
    UsageReported,
)
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

LEFT_OPEN = "Keen stopped while this turn was running. Everything above was kept."
OUTPUT_KEPT = 256 * 1024
"""Characters of a running tool's output that a view holds; older ones go first."""


@dataclass(slots=True, eq=False)
class TurnView:
    """One turn: the user's words and the segments in order. `end` is None while it runs."""

    start: TurnStarted
    segments: list[Segment] = field(default_factory=list)
    end: TurnCompleted | TurnIncomplete | TurnFailed | None = None

    @property
    def id(self) -> str:
        return self.start.turn

    @property
    def prose(self) -> str:
        """The flattened assistant prose: every text segment, in order, unaltered."""
        return "".join(segment.text for segment in self.segments if isinstance(segment, TextSegment))


@dataclass(slots=True, eq=False)
class NoteView:
    """Something that stands between turns: a comment, a notice, a shell line of the person."""

    event: CommentAdded | Notice | ShellRan


Phase = Literal["idle", "thinking", "answering", "tool", "waiting", "retrying"]


@dataclass(slots=True)
class TaskView:
    """What a task looks like after some events."""

    title: str = ""
    model: str = ""
    wire: str = ""
    mode: str = "ask"
    context_window: int | None = None
    items: list[TurnView | NoteView] = field(default_factory=list)
    brief: Brief = field(default_factory=Brief)
    brief_revision: int = 0
    brief_history: list[BriefStep] = field(default_factory=list)
    staleness: Staleness = field(default_factory=Staleness)
    changed_files: dict[str, None] = field(default_factory=dict)
    """Every file that a tool changed, as it was named."""
    piece: str = "work"
    movement: MovementStarted | None = None
    last_seq: int = 0
    last_comment: int = 0
    """Refs from 1 to these numbers exist in the task."""
    queue: dict[str, str] = field(default_factory=dict)
    phase: Phase = "idle"
    phase_since: datetime | None = None
    retry: RetryScheduled | None = None
    approval: ApprovalRequested | None = None
    question: QuestionAsked | None = None
    context_tokens: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost: float | None = None
    turn_count: int = 0
    tools: dict[str, ToolSegment] = field(default_factory=dict)
    """The running turn's calls by id, those of parallel calls among them."""

    @property
    def turn(self) -> TurnView | None:
        """The turn that runs, or None."""
        last = self.items[-1] if self.items else None
        return last if isinstance(last, TurnView) and last.end is None else None

    @property
    def turns(self) -> list[TurnView]:
        return [item for item in self.items if isinstance(item, TurnView)]


def fold(events: Iterable[Event]) -> TaskView:
    """The view after all events, in order."""
    view = TaskView()
    for event in events:
        apply(view, event)
    return view


def apply(view: TaskView, event: Event) -> None:
    """Let one event change the view. Events of a turn that is not running are ignored."""
    view.last_seq = max(view.last_seq, event.seq)
    view.last_comment = max(view.last_comment, getattr(event, "comment", 0))
    view.staleness.see(event)
    match event:
        case TurnStarted():
            close_open_turn(view)
            view.items.append(TurnView(event))
            view.turn_count = max(view.turn_count, event.number)
            view.tools = {}
            _enter(view, "thinking", event)
        case ModeChanged():
            view.mode = event.mode
        case ModelChanged():
            view.model, view.wire, view.context_window = event.model, event.wire, event.context_window
        case TitleChanged():
            view.title = event.title
        case BriefChanged():
            _change_brief(view, event)
        case MovementStarted():
            view.piece, view.movement = event.piece, event
        case PromptQueued():
            view.queue[event.prompt_id] = event.text
        case PromptUnqueued():
            view.queue.pop(event.prompt_id, None)
        case UsageReported():
            _count(view, event)
        case _:
            turn = view.turn
            if turn is not None:
                _apply_to_turn(view, turn, event)
            elif isinstance(event, CommentAdded | Notice | ShellRan):
                view.items.append(NoteView(event))


def _change_brief(view: TaskView, event: BriefChanged) -> None:
    before = {name: view.brief.get(name) for name in event.changes}
    view.brief = view.brief.changed(event.changes)
    view.brief_revision = event.revision
    view.brief_history.append(
        BriefStep(event.revision, event.author, event.movement, event.time, before, event.changes, event.way, event.of)
    )


def _apply_to_turn(view: TaskView, turn: TurnView, event: Event) -> None:
    segments = turn.segments
    match event:
        case ModelCalled():
            view.retry = None
            _enter(view, "thinking", event)
        case AssistantText():
            last = segments[-1] if segments else None
            if not (isinstance(last, TextSegment) and last.open):
                _close_last(turn)
                last = TextSegment(seq=event.seq)
                segments.append(last)
            last.parts.append(event.text)
            _enter(view, "answering", event)
        case Reasoning():
            last = segments[-1] if segments else None
            if not (isinstance(last, ReasoningSegment) and last.open):
                _close_last(turn)
                last = ReasoningSegment()
                segments.append(last)
            last.parts.append(event.text)
            last.size += len(event.text.encode("utf-8", "replace"))
            _enter(view, "thinking", event)
        case ReasoningEnded():
            last = segments[-1] if segments else None
            if not (isinstance(last, ReasoningSegment) and last.open):
                last = ReasoningSegment()
                segments.append(last)
            last.size, last.seconds, last.open = event.size, event.seconds, False
        case TextRewound():
            _rewind(segments, event.characters)
        case ToolStarted():
            _close_last(turn)
            view.tools[event.call_id] = tool = ToolSegment(event)
            segments.append(tool)
            _enter(view, "tool", event)
        case ToolOutput():
            if running := view.tools.get(event.call_id):
                running.live_output.append(event.text)
                running.live_size += len(event.text)
                while running.live_size > OUTPUT_KEPT and len(running.live_output) > 1:
                    running.live_size -= len(running.live_output.pop(0))
        case ToolFinished():
            if ended := view.tools.get(event.call_id):
                ended.finish = event
                ended.live_output.clear()
            if event.file_changed:
                view.changed_files[event.file_changed] = None
            if all(tool.finish for tool in view.tools.values()):
                _enter(view, "thinking", event)
        case ApprovalRequested():
            _close_last(turn)
            segments.append(PermissionSegment(event))
            view.approval = event
            _enter(view, "waiting", event)
        case ApprovalAnswered() | QuestionAnswered():
            _answer(segments, event)
            view.approval = view.question = None
            _enter(view, "tool", event)
        case QuestionAsked():
            _close_last(turn)
            segments.append(QuestionSegment(event))
            view.question = event
            _enter(view, "waiting", event)
        case Notice() | ShellRan():
            _close_last(turn)
            segments.append(NoticeSegment(event))
        case RetryScheduled():
            _close_last(turn)
            segments.append(NoticeSegment(event))
            view.retry = event
            _enter(view, "retrying", event)
        case TurnCompleted() | TurnIncomplete() | TurnFailed():
            _close_last(turn)
            if not isinstance(event, TurnCompleted):
                segments.append(NoticeSegment(event))
            _end(view, turn)
            turn.end = event
            _enter(view, "idle", event)
        case CommentAdded():
            _close_last(turn)
            segments.append(CommentSegment(event))


def _answer(segments: list[Segment], event: ApprovalAnswered | QuestionAnswered) -> None:
    """Put an answer to its request."""
    for segment in reversed(segments):
        match segment, event:
            case PermissionSegment(), ApprovalAnswered() if segment.request.request_id == event.request_id:
                segment.answer = event
                return
            case QuestionSegment(), QuestionAnswered() if segment.request.request_id == event.request_id:
                segment.answer = event
                return


def _rewind(segments: list[Segment], characters: int) -> None:
    """Take back trailing reasoning and the last characters of prose; never past another segment of the agent."""
    aside: list[Segment] = []
    while segments:
        last = segments.pop()
        if isinstance(last, NoticeSegment) and isinstance(last.event, ShellRan):
            aside.append(last)
        elif isinstance(last, TextSegment) and characters:
            text = last.text
            if len(text) > characters:
                last.parts[:] = [text[:-characters]]
                aside.append(last)
                break
            characters -= len(text)
        elif not isinstance(last, ReasoningSegment):
            aside.append(last)
            break
    segments.extend(reversed(aside))


def close_open_turn(view: TaskView) -> None:
    """End a turn whose own end was never written: the process died. What it did stays in the view."""
    turn = view.turn
    if turn is None:
        return
    apply(
        view,
        TurnIncomplete(
            turn=turn.id,
            time=turn.start.time,
            reason="stopped",
            message=LEFT_OPEN,
            hint="Send a prompt to go on from here.",
        ),
    )


def _end(view: TaskView, turn: TurnView) -> None:
    for segment in turn.segments:
        match segment:
            case ToolSegment(finish=None) | PermissionSegment(answer=None) | QuestionSegment(answer=None):
                segment.interrupted = True
    view.approval = view.question = view.retry = None


def _close_last(turn: TurnView) -> None:
    last = turn.segments[-1] if turn.segments else None
    if isinstance(last, TextSegment | ReasoningSegment):
        last.open = False


def _enter(view: TaskView, phase: Phase, event: Event) -> None:
    if view.phase != phase:
        view.phase, view.phase_since = phase, event.time


def _count(view: TaskView, event: UsageReported) -> None:
    view.context_tokens = event.input_tokens + event.output_tokens
    view.input_tokens += event.input_tokens
    view.output_tokens += event.output_tokens
    view.cached_tokens += event.cached_tokens
    if event.cost is not None:
        view.cost = (view.cost or 0.0) + event.cost
