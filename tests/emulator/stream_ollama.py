"""The stream of Ollama's /api/chat: one JSON object a line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.emulator.frames import Frame, FrameKind, Setting, pieces, stop_of, wire_json
from tests.emulator.replies import Say

_CREATED = "2026-01-01T12:00:00.000000Z"


def frames(say: Say, setting: Setting) -> Iterator[Frame]:
    base = {"model": setting.model, "created_at": _CREATED}

    def line(kind: FrameKind, **message: Any) -> Frame:
        whole = {"role": "assistant", "content": "", **message}
        return Frame(kind, _line({**base, "message": whole, "done": False}))

    for piece in pieces(say.thinking, say.chunk):
        yield line("thinking", thinking=piece)
    for piece in pieces(say.text, say.chunk):
        yield line("text", content=piece)
    for index, call in enumerate(say.calls):
        arguments = call.arguments if isinstance(call.arguments, str) else dict(call.arguments)
        function = {"index": index, "name": call.name, "arguments": arguments}
        yield line("call", tool_calls=[{"function": function}])
    end = {
        **base,
        "message": {"role": "assistant", "content": ""},
        "done": True,
        "done_reason": "length" if stop_of(say) == "length" else "stop",
        "total_duration": 900_000_000,
        "load_duration": 20_000_000,
        "prompt_eval_count": setting.tokens.input,
        "prompt_eval_duration": 100_000_000,
        "eval_count": setting.tokens.output,
        "eval_duration": 780_000_000,
    }
    yield Frame("end", _line(end))


def error_event(message: str) -> bytes:
    return _line({"error": message})


def _line(body: dict[str, Any]) -> bytes:
    return (wire_json(body) + "\n").encode()
