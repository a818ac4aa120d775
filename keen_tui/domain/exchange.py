"""What travels between the engine and a translator: tools, calls, results, history, replies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from keen_tui.domain.turn_memory import Activity

Wire = Literal["anthropic", "openai_responses", "openai_chat", "gemini", "ollama", "litellm"]
Replay = Literal["empty", "bounded", "note"]
Thinking = Literal["off", "low", "medium", "high"]
ThinkingForm = Literal["budget", "level"]
OutputLimitKey = Literal["max_tokens", "max_completion_tokens"]
NativeMessage = Mapping[str, Any]
"""One message, content or item in the provider's own shape. Never changed once made."""


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as the model is told about it. `parameters` is a JSON schema of type object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A finished call in a reply.

    `id` is unique inside the turn and is what the reply's native message carries.
    `arguments` is None when `raw` is not a JSON object; `problem` then says why, in a sentence.
    """

    id: str
    name: str
    arguments: Mapping[str, Any] | None
    raw: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool gave back, as the model sees it."""

    call_id: str
    name: str
    text: str
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one model call. `input_tokens` counts cached ones once, as part of itself."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0


@dataclass(frozen=True, slots=True)
class TextDelta:
    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    text: str


@dataclass(frozen=True, slots=True)
class CallDelta:
    """A tool call begins (`fragment` may be empty) or its argument text grows. `index` tells calls apart."""

    index: int
    name: str
    fragment: str


StreamItem = TextDelta | ReasoningDelta | CallDelta
Stop = Literal["end", "tools", "length", "refused", "paused"]


@dataclass(frozen=True, slots=True)
class Reply:
    """One finished model call.

    `messages` are the native assistant messages to send back, with reasoning, signatures and ids
    exactly as the provider gave them.
    """

    messages: tuple[NativeMessage, ...]
    text: str
    calls: tuple[ToolCall, ...]
    stop: Stop
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class HistoryTurn:
    """A past turn as later requests carry it: words and activities, nothing a tool returned.

    `exchange` is set while the turn's native messages stand in for its prose and activities.
    """

    id: str
    user_text: str
    prose: str
    activities: tuple[Activity, ...] = ()
    exchange: tuple[NativeMessage, ...] | None = None


@dataclass(frozen=True, slots=True)
class ModelProfile:
    """What a translator must know of the model. `context_window` is None when nobody knows it.

    `thinking_form` says how the model takes its thinking setting: as a number of tokens, or as a named
    level (Claude's adaptive thinking, Gemini's thinkingLevel). `output_limit_key` is the name that the
    server of an `openai_chat` model gives to the limit of its output.
    """

    name: str
    wire: Wire
    max_output_tokens: int = 8192
    context_window: int | None = None
    thinking: Thinking = "off"
    replay: Replay = "empty"
    thinking_form: ThinkingForm = "budget"
    output_limit_key: OutputLimitKey = "max_tokens"


@dataclass(frozen=True, slots=True)
class PromptPart:
    """One named part of the system prompt, in order: base prompt, AGENTS.md, global memory, …"""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """Everything a request is made of, before any wire format.

    `context` is the block behind the user's text in the same message (brief, mode, reminders);
    empty means none. `exchange` holds the native messages of the running turn behind the user's
    message: replies and results, in order. `cache_key` is the same for all requests of a task.
    """

    system: Sequence[PromptPart]
    tools: Sequence[ToolSpec]
    history: Sequence[HistoryTurn]
    user_text: str
    context: str = ""
    exchange: Sequence[NativeMessage] = field(default_factory=tuple)
    cache_key: str = ""
