"""The stream of OpenAI Chat Completions and of the servers that copy it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.emulator.frames import Frame, FrameKind, Setting, argument_text, pieces, sse, stop_of
from tests.emulator.replies import Call, Say

_CREATED = 1_760_000_000
_STOPS = {"end": "stop", "tools": "tool_calls", "length": "length", "refused": "content_filter"}


def is_openai_model(model: str) -> bool:
    """OpenAI's own models show no reasoning in chat and refuse it back; its imitators do the opposite."""
    return model.rpartition("/")[2].startswith(("gpt-", "o1", "o3", "o4"))


def frames(say: Say, setting: Setting) -> Iterator[Frame]:
    base = {
        "id": setting.mint.id("chatcmpl-", 29),
        "object": "chat.completion.chunk",
        "created": _CREATED,
        "model": setting.model,
    }

    def chunk(kind: FrameKind, delta: dict[str, Any], finish: str | None = None) -> Frame:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return Frame(kind, sse({**base, "choices": [choice]}))

    reasoning = "" if is_openai_model(setting.model) else say.thinking
    yield chunk("open", {"role": "assistant", "content": None if reasoning else ""})
    for piece in pieces(reasoning, say.chunk):
        yield chunk("thinking", {"content": None, "reasoning_content": piece})
    for piece in pieces(say.text, say.chunk):
        yield chunk("text", {"content": piece})
    for index, call in enumerate(say.calls):
        call_id = call.id or setting.mint.id("call_")
        if reasoning:
            setting.issued.reasoning[call_id] = reasoning
        for kind, delta in _call(index, call_id, call, say.chunk, setting.quirk):
            yield chunk(kind, {"tool_calls": [delta]})
    yield chunk("end", {}, _STOPS[stop_of(say)])
    options = setting.body.get("stream_options") or {}
    if options.get("include_usage"):
        yield Frame("end", sse({**base, "choices": [], "usage": _usage(setting)}))
    yield Frame("end", b"data: [DONE]\n\n")


def error_event(message: str) -> bytes:
    return sse({"error": {"message": message, "type": "server_error", "param": None, "code": 500}})


def _call(index: int, call_id: str, call: Call, size: int, quirk: str) -> Iterator[tuple[FrameKind, dict[str, Any]]]:
    place = 0 if quirk == "same_index" else index
    head = {"name": call.name, "arguments": ""}
    yield "part", {"index": place, "id": call_id, "type": "function", "function": head}
    for piece in pieces(argument_text(call), size):
        function = {"arguments": piece}
        if quirk == "repeated_name":
            function = {"name": call.name, "arguments": piece}
        fragment: dict[str, Any] = {"index": place, "function": function}
        if quirk == "same_index":
            fragment["id"] = call_id
        yield "call", fragment


def _usage(setting: Setting) -> dict[str, Any]:
    tokens = setting.tokens
    return {
        "prompt_tokens": tokens.input,
        "completion_tokens": tokens.output,
        "total_tokens": tokens.input + tokens.output,
        "prompt_tokens_details": {"cached_tokens": tokens.cached},
        "completion_tokens_details": {"reasoning_tokens": tokens.reasoning},
    }
