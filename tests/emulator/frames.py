"""The pieces a stream is made of, before any fault is laid over it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from tests.emulator.identity import Issued, Mint
from tests.emulator.replies import Call, Say

FrameKind = Literal["open", "thinking", "text", "call", "part", "end"]


@dataclass(frozen=True, slots=True)
class Frame:
    """Bytes of one event. Deltas are `thinking`, `text` and `call`; `end` are the terminal events."""

    kind: FrameKind
    data: bytes


@dataclass(frozen=True, slots=True)
class Tokens:
    """Usage of one reply. `input` counts the cached ones as part of itself."""

    input: int
    cached: int
    output: int
    reasoning: int


@dataclass(frozen=True, slots=True)
class Setting:
    """What a stream needs besides the reply: the request, ids, and the record of what went out.

    `quirk` is `same_index` or `repeated_name` for OpenAI-compatible servers that stream calls badly.
    """

    model: str
    body: Mapping[str, Any]
    tokens: Tokens
    mint: Mint
    issued: Issued
    quirk: str = ""


def compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def sse(value: Any, event: str = "") -> bytes:
    """One server-sent event. Text that JSON can't carry as UTF-8 goes out escaped."""
    head = f"event: {event}\n" if event else ""
    return f"{head}data: {wire_json(value)}\n\n".encode()


def wire_json(value: Any) -> str:
    text = compact(value)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"))
    return text


def pieces(text: str, size: int) -> Iterator[str]:
    for start in range(0, len(text), max(1, size)):
        yield text[start : start + size]


def argument_text(call: Call) -> str:
    """The arguments as a model writes them: JSON text, or the raw string of the script."""
    return call.arguments if isinstance(call.arguments, str) else compact(dict(call.arguments))


def stop_of(say: Say) -> str:
    """`length`, `refused`, `tools` or `end`."""
    return say.stop or ("tools" if say.calls else "end")
