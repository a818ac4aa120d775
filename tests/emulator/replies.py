"""What a test tells the emulator to answer, and what the emulator tells about a request."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

EmulatedWire = Literal["anthropic", "openai_responses", "openai_chat", "gemini", "ollama"]
Stop = Literal["", "end", "length", "refused"]

STATUS_FAULTS: Mapping[str, int] = {
    "400": 400,
    "401": 401,
    "403": 403,
    "404": 404,
    "413": 413,
    "429": 429,
    "500": 500,
    "502": 502,
    "503": 503,
    "529": 529,
    "context": 400,
}
"""Fault kinds answered with an HTTP status and the provider's own error JSON."""

REPLY_FAULTS = (
    "broken_arguments",
    "empty_arguments",
    "unknown_tool",
    "repeated_ids",
    "same_index",
    "repeated_name",
    "huge_text",
    "escapes",
    "length",
    "refused",
)
"""Fault kinds that are whole, well-formed streams with troublesome contents.

`same_index` and `repeated_name` are quirks of OpenAI-compatible servers; other formats stream plainly.
"""

STREAM_FAULTS = (
    "disconnect",
    "disconnect_in_text",
    "disconnect_in_call",
    "silence",
    "stall",
    "drip",
    "split_utf8",
    "empty_body",
    "html",
    "not_json",
    "error_event",
    "no_terminal",
)
"""Fault kinds of the connection or of the stream itself."""


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call of the model. A string as `arguments` goes out raw, so that it can be broken JSON.

    An empty `id` lets the emulator make one in the provider's style. Gemini sends an id only when one
    is given, Ollama never.
    """

    name: str
    arguments: Mapping[str, Any] | str = field(default_factory=dict)
    id: str = ""


@dataclass(frozen=True, slots=True)
class Say:
    """One reply of the model: reasoning, then text, then calls.

    `chunk` is the characters a delta, `delay` the seconds between deltas. With `hold` the stream
    stops after `hold_after` deltas until the event is set; `Recorded.held` tells that it got there.
    `redacted` puts an Anthropic redacted_thinking block behind the thinking.
    """

    text: str = ""
    thinking: str = ""
    calls: tuple[Call, ...] = ()
    chunk: int = 12
    delay: float = 0.0
    stop: Stop = ""
    redacted: bool = False
    hold: asyncio.Event | None = None
    hold_after: int = 1


@dataclass(frozen=True, slots=True)
class Fault:
    """A reply that goes wrong; `kind` is one of the names in this module.

    `say` is what is being said when a stream fault strikes, `after` the number of deltas of the kind
    concerned (text or call arguments) that get through first. `retry_after` is in seconds.
    """

    kind: str
    say: Say | None = None
    after: int = 2
    retry_after: float | None = None
    message: str = ""

    def __post_init__(self) -> None:
        if self.kind not in FAULT_KINDS:
            raise ValueError(f"No fault is called {self.kind!r}. There are: {', '.join(FAULT_KINDS)}.")


FAULT_KINDS = (*STATUS_FAULTS, *REPLY_FAULTS, *STREAM_FAULTS)


@dataclass(eq=False, slots=True)
class Recorded:
    """One request to a model endpoint, as it came in.

    `refused` is empty for an accepted request, else the message of the error it got. `time` is
    the loop's clock. `held` is set when a reply waits at its `hold`, `answered` when the whole reply
    is out, `disconnected` when the client went away first.
    """

    wire: EmulatedWire
    path: str
    headers: Mapping[str, str]
    raw: bytes
    body: dict[str, Any]
    model: str = ""
    refused: str = ""
    status: int = 200
    time: float = 0.0
    held: asyncio.Event = field(default_factory=asyncio.Event)
    answered: asyncio.Event = field(default_factory=asyncio.Event)
    disconnected: asyncio.Event = field(default_factory=asyncio.Event)


Reply = Say | Fault | Callable[[Recorded], Say | Fault]
