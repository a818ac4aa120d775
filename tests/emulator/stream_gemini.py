"""The stream of Gemini's streamGenerateContent with alt=sse."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tests.emulator.frames import Frame, FrameKind, Setting, pieces, stop_of, wire_json
from tests.emulator.identity import canonical, seal
from tests.emulator.replies import Say

_STOPS = {"end": "STOP", "tools": "STOP", "length": "MAX_TOKENS", "refused": "SAFETY"}


def frames(say: Say, setting: Setting) -> Iterator[Frame]:
    base = {"modelVersion": setting.model, "responseId": setting.mint.id("", 22)}

    def chunk(kind: FrameKind, parts: list[dict[str, Any]], finish: str = "") -> Frame:
        candidate: dict[str, Any] = {"content": {"parts": parts, "role": "model"}, "index": 0}
        if finish:
            candidate["finishReason"] = finish
        body = {"candidates": [candidate], "usageMetadata": _usage(setting, whole=bool(finish)), **base}
        return Frame(kind, _event(body))

    for piece in pieces(say.thinking, say.chunk):
        yield chunk("thinking", [{"text": piece, "thought": True}])
    for piece in pieces(say.text, say.chunk):
        yield chunk("text", [{"text": piece}])
    for position, call in enumerate(say.calls):
        function: dict[str, Any] = {"name": call.name}
        function["args"] = call.arguments if isinstance(call.arguments, str) else dict(call.arguments)
        if call.id:
            function["id"] = call.id
        part: dict[str, Any] = {"functionCall": function}
        if position == 0:
            part["thoughtSignature"] = seal("gemini", signed(function), setting.mint.serial())
        yield chunk("call", [part])
    last: dict[str, Any] = {"text": ""}
    if say.thinking and not say.calls:
        last["thoughtSignature"] = seal("gemini", "", setting.mint.serial())
    yield chunk("end", [last], _STOPS[stop_of(say)])


def signed(function: Mapping[str, Any]) -> str:
    """What the signature of a call covers: its name and its arguments, not its id."""
    arguments = function.get("args")
    return canonical({"name": function["name"], "args": arguments if isinstance(arguments, dict) else {}})


def error_event(message: str) -> bytes:
    return _event({"error": {"code": 503, "message": message, "status": "UNAVAILABLE"}})


def _event(body: dict[str, Any]) -> bytes:
    """Google ends its lines with CR LF."""
    return f"data: {wire_json(body)}\r\n\r\n".encode()


def _usage(setting: Setting, *, whole: bool) -> dict[str, Any]:
    tokens = setting.tokens
    usage: dict[str, Any] = {"promptTokenCount": tokens.input, "totalTokenCount": tokens.input}
    if tokens.cached:
        usage["cachedContentTokenCount"] = tokens.cached
    if whole:
        usage["candidatesTokenCount"] = tokens.output - tokens.reasoning
        usage["totalTokenCount"] = tokens.input + tokens.output
        if tokens.reasoning:
            usage["thoughtsTokenCount"] = tokens.reasoning
    return usage
