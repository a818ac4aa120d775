"""The stream of the Anthropic Messages API."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.emulator.frames import Frame, FrameKind, Setting, argument_text, pieces, sse, stop_of
from tests.emulator.identity import seal
from tests.emulator.replies import Say

_STOPS = {"end": "end_turn", "tools": "tool_use", "length": "max_tokens", "refused": "refusal"}


def frames(say: Say, setting: Setting) -> Iterator[Frame]:
    tokens = setting.tokens
    usage: dict[str, Any] = {
        "input_tokens": tokens.input - tokens.cached,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": tokens.cached,
        "output_tokens": 1,
        "service_tier": "standard",
    }
    message: dict[str, Any] = {
        "id": setting.mint.id("msg_01", 22),
        "type": "message",
        "role": "assistant",
        "model": setting.model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": usage,
    }
    yield _event("open", "message_start", message=message)
    yield _event("open", "ping")
    index = 0
    thoughts: list[dict[str, Any]] = []
    if say.thinking:
        signature = seal("anthropic", say.thinking, setting.mint.serial())
        thoughts.append({"type": "thinking", "thinking": say.thinking, "signature": signature})
        yield from _thinking(index, say, signature)
        index += 1
    if say.redacted:
        thoughts.append({"type": "redacted_thinking", "data": seal("anthropic-redacted", "", setting.mint.serial())})
        yield _event("part", "content_block_start", index=index, content_block=thoughts[-1])
        yield _event("part", "content_block_stop", index=index)
        index += 1
    if say.text:
        yield _event("part", "content_block_start", index=index, content_block={"type": "text", "text": ""})
        for piece in pieces(say.text, say.chunk):
            yield _delta("text", index, {"type": "text_delta", "text": piece})
        yield _event("part", "content_block_stop", index=index)
        index += 1
    for call in say.calls:
        block = {
            "type": "tool_use",
            "id": call.id or setting.mint.id("toolu_01", 22),
            "name": call.name,
            "input": {},
        }
        setting.issued.thinking[str(block["id"])] = tuple(thoughts)
        yield _event("part", "content_block_start", index=index, content_block=block)
        yield _delta("part", index, {"type": "input_json_delta", "partial_json": ""})
        for piece in pieces(argument_text(call), say.chunk):
            yield _delta("call", index, {"type": "input_json_delta", "partial_json": piece})
        yield _event("part", "content_block_stop", index=index)
        index += 1
    delta = {"stop_reason": _STOPS[stop_of(say)], "stop_sequence": None}
    yield _event("end", "message_delta", delta=delta, usage={**usage, "output_tokens": tokens.output})
    yield _event("end", "message_stop")


def error_event(message: str) -> bytes:
    return sse({"type": "error", "error": {"type": "overloaded_error", "message": message}}, "error")


def _thinking(index: int, say: Say, signature: str) -> Iterator[Frame]:
    start = {"type": "thinking", "thinking": "", "signature": ""}
    yield _event("part", "content_block_start", index=index, content_block=start)
    for piece in pieces(say.thinking, say.chunk):
        yield _delta("thinking", index, {"type": "thinking_delta", "thinking": piece})
    yield _delta("part", index, {"type": "signature_delta", "signature": signature})
    yield _event("part", "content_block_stop", index=index)


def _delta(kind: FrameKind, index: int, delta: dict[str, Any]) -> Frame:
    return _event(kind, "content_block_delta", index=index, delta=delta)


def _event(kind: FrameKind, name: str, **fields: Any) -> Frame:
    return Frame(kind, sse({"type": name, **fields}, name))
