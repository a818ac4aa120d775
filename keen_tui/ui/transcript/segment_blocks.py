"""From a segment of a turn to the block that shows it."""

from __future__ import annotations

from datetime import datetime

from keen_tui.domain.events import CommentAdded, Notice, RetryScheduled, ShellRan, TurnFailed, TurnIncomplete, now
from keen_tui.domain.segments import (
    CommentSegment,
    NoticeSegment,
    PermissionSegment,
    QuestionSegment,
    ReasoningSegment,
    Segment,
    ToolSegment,
)
from keen_tui.ui.transcript.amounts import seconds_text, whole_seconds
from keen_tui.ui.transcript.blocks import Block, MessageBlock, ReasoningBlock, RemarkBlock
from keen_tui.ui.transcript.cards import TAIL_PREVIEW, Preview, ToolCard

ALLOWED = {
    "once": "allowed once",
    "session": "allowed for this session",
    "project": "allowed for this project",
    "no": "denied",
}
_MARKS = {"info": "·", "warning": "!", "error": "✗"}
_ROLES = {"info": "notice", "warning": "warning", "error": "error"}
_NOT_RUN = {"input": "not run", "unknown": "not run", "denied": "denied", "interrupted": "interrupted"}
_TAIL = 4096


def segment_block(segment: Segment, key: str, time: datetime) -> Block | None:
    """The block of any segment but prose, which has many. `time` is the turn's own start."""
    match segment:
        case ReasoningSegment():
            text = segment.text
            return ReasoningBlock(key, text, segment.size, segment.seconds, segment.open)
        case ToolSegment():
            return tool_card(segment, key)
        case PermissionSegment():
            return _permission(segment, key)
        case QuestionSegment():
            return _question(segment, key)
        case CommentSegment():
            return comment_block(segment.event, key)
        case NoticeSegment():
            return notice_block(segment.event, key)
        case _:
            return None


def tool_card(segment: ToolSegment, key: str) -> ToolCard:
    """The card of a call, as far as it has come."""
    finish = segment.finish
    target = segment.target or ""
    if segment.start.server:
        target = f"{target}  ({segment.start.server})" if target else segment.start.server
    status, role, took = _status(segment)
    if finish is None:
        output = _last_lines("".join(segment.live_output[-64:]))
        preview: Preview = "tail" if segment.status == "running" else "none"
        return ToolCard(key, segment.call_id, segment.tool, target, status, role, took, output, preview=preview)
    known = bool(finish.output or finish.diff) or not (finish.output_size or finish.added or finish.removed)
    return ToolCard(
        key,
        segment.call_id,
        segment.tool,
        target,
        status,
        role,
        took,
        output=finish.output,
        size=finish.output_size,
        known=known,
        diff=finish.diff,
        preview=_preview_of(segment),
    )


def _preview_of(segment: ToolSegment) -> Preview:
    finish = segment.finish
    if finish is None or not (finish.output or finish.diff):
        return "none"
    if finish.diff:
        return "diff"
    if finish.exit_code:
        return "tail"
    return "head" if finish.status == "error" else "none"


def _status(segment: ToolSegment) -> tuple[str, str, str]:
    """What the right end of a card says: the words, their role, the seconds."""
    finish = segment.finish
    if finish is None:
        if segment.interrupted:
            return "interrupted", "warning", ""
        waited = (now() - segment.start.time).total_seconds()
        return "running", "tool_running", whole_seconds(max(0.0, waited))
    took = seconds_text(finish.seconds) if finish.seconds >= 0.05 else ""
    if finish.refused:
        role = "tool_error" if finish.refused in ("input", "unknown") else "warning"
        return _NOT_RUN[finish.refused], role, ""
    if finish.status == "error":
        return "error", "tool_error", took
    if finish.exit_code:
        return f"exit {finish.exit_code}", "tool_error", took
    if finish.added or finish.removed:
        return f"+{finish.added} −{finish.removed}", "tool_ok", took
    return "ok", "tool_ok", took


def _last_lines(text: str) -> str:
    """The end of what a running tool has printed: as much as its card shows."""
    return "\n".join(text[-_TAIL:].rstrip("\n").split("\n")[-TAIL_PREVIEW:])


def _waiting(segment: PermissionSegment | QuestionSegment) -> str:
    return "not answered" if segment.interrupted else "waiting for you"


def _permission(segment: PermissionSegment, key: str) -> RemarkBlock:
    answer = segment.answer
    question = segment.request.question
    if answer is None:
        return RemarkBlock(key, "?", question, "approval", _waiting(segment), "approval")
    state = ALLOWED[answer.answer]
    if answer.reason:
        state += f": {answer.reason}"
    role = "warning" if answer.answer == "no" else "dim"
    return RemarkBlock(key, "?", question, "dim", state, role)


def _question(segment: QuestionSegment, key: str) -> RemarkBlock:
    request, answer = segment.request, segment.answer
    choices = "".join(f"\n{number}. {choice}" for number, choice in enumerate(request.choices, 1))
    text = request.question + (choices if answer is None else "")
    if answer is None:
        return RemarkBlock(key, "?", text, "approval", _waiting(segment), "approval")
    return RemarkBlock(key, "?", text, "notice", f"you: {answer.text}", "user_text")


def comment_block(event: CommentAdded, key: str) -> Block:
    """Words between or inside turns. The person's own stand like any message of theirs."""
    if event.author == "user":
        label = {"interjection": "while it worked", "comment": "note"}.get(event.kind, "")
        return MessageBlock(key, "you", event.text, event.time, event.comment, label)
    return RemarkBlock(key, "·", event.text, "notice")


def shell_card(event: ShellRan, key: str) -> ToolCard:
    """A shell line of the person, with its output in sight: they asked for it."""
    took = seconds_text(event.seconds) if event.seconds >= 0.05 else ""
    status, role = ("stopped", "warning") if event.exit_code is None else (f"exit {event.exit_code}", "tool_error")
    if event.exit_code == 0:
        status, role = "ok", "tool_ok"
    known = bool(event.output) or not event.output_size
    return ToolCard(
        key, "", "!", event.text, status, role, took, event.output, event.output_size, known, preview="long"
    )


def notice_block(event: Notice | ShellRan | RetryScheduled | TurnIncomplete | TurnFailed, key: str) -> Block:
    match event:
        case ShellRan():
            return shell_card(event, key)
        case Notice():
            return RemarkBlock(key, _MARKS[event.level], event.text, _ROLES[event.level], hint=event.hint)
        case RetryScheduled():
            text = f"{event.reason.rstrip('.')}. Trying again in {seconds_text(event.delay)}"
            return RemarkBlock(key, "↻", f"{text} ({event.attempt} of {event.limit}).", "warning")
        case TurnIncomplete() | TurnFailed():
            calm = event.reason == "interrupted"
            mark, role = ("■", "warning") if calm else ("✗", "error")
            return RemarkBlock(key, mark, event.message, role, hint=event.hint)
