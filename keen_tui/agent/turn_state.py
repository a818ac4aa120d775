"""What a running turn is made of, and what the loop needs from around it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from keen_tui.agent.approvals import Approvals
from keen_tui.agent.boundary import Boundary
from keen_tui.agent.repeats import Repeats
from keen_tui.domain.events import (
    ApprovalAnswered,
    ApprovalRequested,
    CommentAdded,
    Mode,
    QuestionAnswered,
    QuestionAsked,
    ToolFinished,
)
from keen_tui.domain.exchange import (
    Conversation,
    HistoryTurn,
    ModelProfile,
    NativeMessage,
    PromptPart,
    ToolCall,
    ToolResult,
    Usage,
)
from keen_tui.gateway.calls import Gateway, ModelCall
from keen_tui.tools.base import ToolContext
from keen_tui.tools.registry import ToolBox
from keen_tui.translate.base import Translator


@dataclass(slots=True)
class RunningTurn:
    """`exchange` grows by whole replies and their results, so each request extends the one before.

    `open_calls` are those of the last reply until their results are in the exchange; `answered` and
    `finished` say by call id what has come of them.
    """

    id: str
    user_text: str
    context: str
    system: Sequence[PromptPart]
    history: Sequence[HistoryTurn]
    exchange: list[NativeMessage] = field(default_factory=list)
    open_calls: tuple[ToolCall, ...] = ()
    answered: dict[str, ToolResult] = field(default_factory=dict)
    finished: dict[str, ToolFinished] = field(default_factory=dict)
    repeats: Repeats = field(default_factory=Repeats)
    call_ids: set[str] = field(default_factory=set)
    tools_ran: int = 0
    refused: int = 0
    empty_calls: int = 0
    cut_told: bool = False
    cache_key: str = ""
    iterations: int = 0
    """Model calls so far."""
    closed_at: int | None = None
    """Messages in the exchange when the agent ended and a reminder followed; what is behind never lasts."""
    request: str = ""
    """The user's own words."""
    movements: int = 1
    """Movements that ran in this turn."""

    @property
    def lasting(self) -> list[NativeMessage]:
        """The exchange without a reminder and what it led to."""
        return self.exchange[: self.closed_at]

    def conversation(self, toolbox: ToolBox) -> Conversation:
        return Conversation(
            system=self.system,
            tools=toolbox.specs,
            history=self.history,
            user_text=self.user_text,
            context=self.context,
            exchange=tuple(self.exchange),
            cache_key=self.cache_key,
        )


class Person(Protocol):
    """Whoever answers. `present` is False in a run without a screen: then nothing is asked."""

    present: bool

    async def approve(self, request: ApprovalRequested) -> ApprovalAnswered: ...

    async def answer(self, request: QuestionAsked) -> QuestionAnswered: ...


@dataclass(frozen=True, slots=True)
class Limits:
    """`iterations`: model calls in one turn. `retries`: of one model call."""

    iterations: int = 200
    retries: int = 5


@dataclass(frozen=True, slots=True)
class TurnServices:
    """`mode` and `interjection` are asked anew each time: both may change while the turn runs."""

    profile: ModelProfile
    translator: Translator
    gateway: Gateway
    model_call: Callable[[dict[str, Any]], Awaitable[ModelCall]]
    cost: Callable[[Usage], float | None]
    toolbox: ToolBox
    tool_context: ToolContext
    approvals: Approvals
    person: Person
    mode: Callable[[], Mode]
    interjection: Callable[[], CommentAdded | None]
    may_spend: Callable[[], Awaitable[bool]]
    brief_news: Callable[[], str]
    boundary: Boundary
    tree_is_dirty: Callable[[], Awaitable[bool]]
    limits: Limits
    sleep: Callable[[float], Awaitable[None]]


class TurnStopped(Exception):
    """The loop ends the turn before the agent did. `message` and `hint` are for the person."""

    def __init__(self, reason: str, message: str, hint: str) -> None:
        super().__init__(message)
        self.reason, self.message, self.hint = reason, message, hint
