"""The stream of Ollama's /api/chat: one object a line, the last one with `done`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from keen_tui.domain.exchange import (
    CallDelta,
    NativeMessage,
    ReasoningDelta,
    Reply,
    Stop,
    StreamItem,
    TextDelta,
    ToolCall,
    Usage,
)
from keen_tui.translate.call_arguments import read_call, read_object_call
from keen_tui.translate.call_ids import CallIds, call_name
from keen_tui.translate.failures import connection_lost, stream_failure
from keen_tui.translate.wire_text import compact, is_blank, mapping, number, objects, received

_MADE_ID = "keen_call_{}"


class OllamaDecoder:
    """Calls come whole. Their ids are made here: the format pairs results with calls by order."""

    def __init__(self, taken: Collection[str] = ()) -> None:
        self._ids = CallIds(taken, _MADE_ID)
        self._text: list[str] = []
        self._thinking: list[str] = []
        self._calls: list[ToolCall] = []
        self._done = False
        self._reason = ""
        self._usage: Usage | None = None

    def feed(self, payload: Mapping[str, Any]) -> Sequence[StreamItem]:
        if payload.get("error"):
            raise stream_failure(payload["error"])
        items: list[StreamItem] = []
        message = mapping(payload.get("message"))
        if thought := received(message.get("thinking")):
            self._thinking.append(thought)
            items.append(ReasoningDelta(thought))
        if text := received(message.get("content")):
            self._text.append(text)
            items.append(TextDelta(text))
        for call in objects(message.get("tool_calls")):
            items.append(self._read_call(mapping(call.get("function"))))
        if payload.get("done"):
            self._done = True
            self._reason = received(payload.get("done_reason"))
            prompt, reply = payload.get("prompt_eval_count"), payload.get("eval_count")
            self._usage = Usage(number(prompt), number(reply)) if number(prompt) or number(reply) else None
        return items

    def finish(self) -> Reply:
        if not self._done:
            raise connection_lost()
        if self._reason == "length":
            return self._reply("length")
        return self._reply("tools" if self._calls else "end")

    def partial(self) -> Reply:
        return self._reply("tools" if self._calls else "end")

    def _read_call(self, function: dict[str, Any]) -> CallDelta:
        call_id, name = self._ids.claim(None), call_name(function.get("name"))
        given = function.get("arguments")
        raw = given if isinstance(given, str) else "" if given is None else compact(given)
        call = read_call(call_id, name, raw) if isinstance(given, str) else read_object_call(call_id, name, given, raw)
        self._calls.append(call)
        return CallDelta(len(self._calls) - 1, name, raw)

    def _reply(self, stop: Stop) -> Reply:
        text, calls = "".join(self._text), tuple(self._calls)
        if is_blank(text) and not calls:
            return Reply((), text, (), stop, self._usage)
        message: dict[str, Any] = {"role": "assistant", "content": text}
        if self._thinking:
            message["thinking"] = "".join(self._thinking)
        if calls:
            message["tool_calls"] = [
                {"function": {"name": call.name, "arguments": call.arguments or {}}} for call in calls
            ]
        messages: tuple[NativeMessage, ...] = (message,)
        return Reply(messages, text, calls, stop, self._usage)
