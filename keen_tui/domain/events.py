"""The one ordered stream of typed events that a task is made of.

The engine is the only writer. The transcript keeps the events whose class is `stored`, without the
fields in `unstored`; `views.fold` builds what the screen shows from them, live and resumed alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

Author = Literal["user", "agent", "system"]
CommentKind = Literal["request", "comment", "interjection", "result", "ask", "progress", "handoff"]
Mode = Literal["ask", "accept-edits", "plan", "yolo"]
Status = Literal["success", "error"]
Answer = Literal["once", "session", "project", "no"]
Level = Literal["info", "warning", "error"]


def now() -> datetime:
    return datetime.now(UTC)


class EventBase(BaseModel):
    """`turn` is the turn's id, empty outside a turn. `seq` is the number in the transcript, 0 if not kept."""

    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)

    stored: ClassVar[bool] = True
    unstored: ClassVar[frozenset[str]] = frozenset()

    task: str = ""
    turn: str = ""
    time: datetime = Field(default_factory=now)
    seq: int = 0


class TurnStarted(EventBase):
    type: Literal["turn_started"] = "turn_started"
    number: int
    text: str
    comment: int = 0
    model: str = ""
    wire: str = ""
    mode: Mode = "ask"


class ModelCalled(EventBase):
    """A request leaves for the model; the reply has not begun."""

    stored: ClassVar[bool] = False
    type: Literal["model_called"] = "model_called"
    iteration: int


class AssistantText(EventBase):
    """A fragment of prose. Live fragments are small; the transcript joins them to paragraphs."""

    type: Literal["assistant_text"] = "assistant_text"
    text: str


class Reasoning(EventBase):
    """A fragment of reasoning, shown while the process lives."""

    stored: ClassVar[bool] = False
    type: Literal["reasoning"] = "reasoning"
    text: str


class ReasoningEnded(EventBase):
    """`size` in UTF-8 bytes."""

    type: Literal["reasoning_ended"] = "reasoning_ended"
    size: int
    seconds: float = 0.0


class TextRewound(EventBase):
    """A retry takes back what the failed attempt said: the last `characters` of prose, and its reasoning."""

    type: Literal["text_rewound"] = "text_rewound"
    characters: int


class ToolStarted(EventBase):
    """`target` is bounded and redacted; `arguments` are what the model sent."""

    unstored: ClassVar[frozenset[str]] = frozenset({"arguments"})
    type: Literal["tool_started"] = "tool_started"
    call_id: str
    tool: str
    target: str | None = None
    server: str | None = None
    arguments: Mapping[str, Any] = Field(default_factory=dict)


class ToolOutput(EventBase):
    """Output of a running tool as it comes."""

    stored: ClassVar[bool] = False
    type: Literal["tool_output"] = "tool_output"
    call_id: str
    text: str


Refusal = Literal["input", "unknown", "denied", "interrupted"]


class ToolFinished(EventBase):
    """A call came to its end.

    `refused` is set when the tool did not run. `output_kind` names what was returned ("file",
    "output", "matches", "page", "answer", "message"), `output_size` is in bytes. `diff` is a unified diff.
    """

    unstored: ClassVar[frozenset[str]] = frozenset({"output", "diff"})
    type: Literal["tool_finished"] = "tool_finished"
    call_id: str
    tool: str
    status: Status
    target: str | None = None
    server: str | None = None
    seconds: float = 0.0
    refused: Refusal | None = None
    file_changed: str | None = None
    failed_command: str | None = None
    exit_code: int | None = None
    added: int = 0
    removed: int = 0
    output_kind: str = ""
    output_size: int = 0
    output: str = ""
    diff: str = ""


class ApprovalRequested(EventBase):
    """The turn waits for the person. `detail` is the whole command, diff, path or URL; `reasons` say why.

    `rule` is the rule that `project` or `session` would write, in words; empty when only `once` is possible.
    """

    unstored: ClassVar[frozenset[str]] = frozenset({"detail"})
    type: Literal["approval_requested"] = "approval_requested"
    request_id: str
    call_id: str
    tool: str
    question: str
    kind: Literal["command", "diff", "path", "url"] = "command"
    reasons: tuple[str, ...] = ()
    rule: str = ""
    detail: str = ""


class ApprovalAnswered(EventBase):
    type: Literal["approval_answered"] = "approval_answered"
    request_id: str
    answer: Answer
    reason: str = ""


class QuestionAsked(EventBase):
    """The agent asks the person through `ask_user`."""

    type: Literal["question_asked"] = "question_asked"
    request_id: str
    call_id: str
    question: str
    choices: tuple[str, ...] = ()
    comment: int = 0


class QuestionAnswered(EventBase):
    type: Literal["question_answered"] = "question_answered"
    request_id: str
    text: str
    comment: int = 0


class Notice(EventBase):
    """Something the person should know. `hint` is the next step."""

    type: Literal["notice"] = "notice"
    level: Level = "info"
    text: str
    hint: str = ""


class ShellRan(EventBase):
    """A shell line of the person (`!ls`) came to its end. The model does not see it.

    `text` is the line, redacted. `exit_code` is None when it was stopped. `output_size` is in bytes.
    """

    unstored: ClassVar[frozenset[str]] = frozenset({"output"})
    type: Literal["shell_ran"] = "shell_ran"
    text: str
    exit_code: int | None = None
    seconds: float = 0.0
    output_size: int = 0
    output: str = ""


class RetryScheduled(EventBase):
    """The engine waits `delay` seconds and sends the request again."""

    type: Literal["retry_scheduled"] = "retry_scheduled"
    attempt: int
    limit: int
    delay: float
    reason: str


class UsageReported(EventBase):
    """Tokens and cost (USD, None when unknown) of one model call. Cached tokens are part of the input."""

    type: Literal["usage_reported"] = "usage_reported"
    model: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost: float | None = None


class TurnCompleted(EventBase):
    type: Literal["turn_completed"] = "turn_completed"
    comment: int = 0
    refused: int = 0
    """How many calls were refused because nobody could be asked."""


class TurnIncomplete(EventBase):
    """The turn ended abnormally after tool work."""

    type: Literal["turn_incomplete"] = "turn_incomplete"
    reason: str
    message: str
    hint: str = ""


class TurnFailed(EventBase):
    """The turn ended abnormally before any tool work."""

    type: Literal["turn_failed"] = "turn_failed"
    reason: str
    message: str
    hint: str = ""


class BriefChanged(EventBase):
    """`changes` are the whole new texts of the changed fields; an empty text clears a field.

    `of` is the revision that an undo, a redo or a restore is about, 0 for an edit.
    """

    type: Literal["brief_changed"] = "brief_changed"
    author: Author
    revision: int
    changes: Mapping[str, str]
    movement: str = ""
    way: Literal["edit", "undo", "redo", "restore"] = "edit"
    of: int = 0


class MovementStarted(EventBase):
    """The task is in a movement of a piece. `number` counts from 1, of `movements` in the piece."""

    type: Literal["movement_started"] = "movement_started"
    piece: str
    movement: str
    number: int = 1
    movements: int = 1


class CommentAdded(EventBase):
    """A comment without a turn (`/note`)."""

    type: Literal["comment_added"] = "comment_added"
    comment: int
    author: Author
    kind: CommentKind
    text: str


class PromptQueued(EventBase):
    type: Literal["prompt_queued"] = "prompt_queued"
    prompt_id: str
    text: str


class PromptUnqueued(EventBase):
    """A queued prompt was sent, edited or removed."""

    type: Literal["prompt_unqueued"] = "prompt_unqueued"
    prompt_id: str


class ModeChanged(EventBase):
    type: Literal["mode_changed"] = "mode_changed"
    mode: Mode


class ModelChanged(EventBase):
    type: Literal["model_changed"] = "model_changed"
    model: str
    wire: str = ""
    context_window: int | None = None


class TitleChanged(EventBase):
    type: Literal["title_changed"] = "title_changed"
    title: str


TurnEnd = TurnCompleted | TurnIncomplete | TurnFailed

Event = (
    TurnStarted
    | ModelCalled
    | AssistantText
    | Reasoning
    | ReasoningEnded
    | TextRewound
    | ToolStarted
    | ToolOutput
    | ToolFinished
    | ApprovalRequested
    | ApprovalAnswered
    | QuestionAsked
    | QuestionAnswered
    | Notice
    | ShellRan
    | RetryScheduled
    | UsageReported
    | TurnCompleted
    | TurnIncomplete
    | TurnFailed
    | BriefChanged
    | MovementStarted
    | CommentAdded
    | PromptQueued
    | PromptUnqueued
    | ModeChanged
    | ModelChanged
    | TitleChanged
)


@cache
def _adapter() -> TypeAdapter[Event]:
    """Built when it is first used: the screen does not wait for it."""
    return TypeAdapter(Annotated[Event, Field(discriminator="type")])


def parse(data: Mapping[str, Any]) -> Event:
    """An event from its JSON object. Raises pydantic.ValidationError when it is none."""
    return _adapter().validate_python(data)


def stored_form(event: Event) -> dict[str, Any]:
    """The JSON object that the transcript keeps: no outputs, no arguments, no defaults of no meaning."""
    return event.model_dump(mode="json", exclude=set(event.unstored), exclude_none=True)
