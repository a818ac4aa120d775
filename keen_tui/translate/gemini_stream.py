"""The stream of generateContent: responses whose parts add up to one content."""

from __future__ import annotations

import re
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
from keen_tui.translate.call_arguments import read_object_call
from keen_tui.translate.call_ids import CallIds, call_name
from keen_tui.translate.failures import connection_lost, filtered, stream_failure
from keen_tui.translate.wire_text import compact, mapping, number, objects, received, writable

_MADE_ID = "keen_call_{}"
_MADE = re.compile(r"keen_call_\d+\Z")

_FILTERED = frozenset({"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE", "IMAGE_SAFETY"})


def is_made_id(call_id: str) -> bool:
    """Whether the provider gave no id of its own, and so wants none back."""
    return bool(_MADE.match(call_id))


class GeminiDecoder:
    """Parts are kept as they come; plain text that was only split by the stream is joined.

    A thought signature stays on its part, be the part's text empty or not. Thoughts without one are
    shown and not sent back.
    """

    def __init__(self, taken: Collection[str] = ()) -> None:
        self._ids = CallIds(taken, _MADE_ID)
        self._parts: list[dict[str, Any]] = []
        self._open_text: list[str] = []
        self._text: list[str] = []
        self._calls: list[ToolCall] = []
        self._finish = ""
        self._usage: Usage | None = None

    def feed(self, payload: Mapping[str, Any]) -> Sequence[StreamItem]:
        if payload.get("error"):
            raise stream_failure(payload["error"])
        if payload.get("usageMetadata"):
            self._usage = _usage(mapping(payload["usageMetadata"]))
        blocked = mapping(payload.get("promptFeedback")).get("blockReason")
        if isinstance(blocked, str) and blocked:
            raise filtered(blocked)
        items: list[StreamItem] = []
        for candidate in objects(payload.get("candidates")):
            if candidate.get("index"):
                continue
            for part in objects(mapping(candidate.get("content")).get("parts")):
                self._read_part(writable(part), items)
            reason = candidate.get("finishReason")
            if isinstance(reason, str) and reason and reason != "FINISH_REASON_UNSPECIFIED":
                self._finish = reason
        return items

    def finish(self) -> Reply:
        if not self._finish:
            raise connection_lost()
        if self._finish in _FILTERED:
            raise filtered(self._finish)
        if self._finish == "MAX_TOKENS":
            return self._reply("length")
        return self._reply("tools" if self._calls else "end")

    def partial(self) -> Reply:
        return self._reply("tools" if self._calls else "end")

    def _read_part(self, part: dict[str, Any], items: list[StreamItem]) -> None:
        signature = part.get("thoughtSignature")
        if isinstance(part.get("functionCall"), dict):
            self._close_text()
            items.append(self._read_call(part, part["functionCall"]))
        elif part.get("thought"):
            if thought := received(part.get("text")):
                items.append(ReasoningDelta(thought))
            if signature:
                self._close_text()
                self._parts.append({**part, "text": thought})
        elif isinstance(part.get("text"), str):
            text = received(part["text"])
            if text:
                self._text.append(text)
                items.append(TextDelta(text))
            if signature:
                self._close_text()
                self._parts.append({**part, "text": text})
            elif text:
                self._open_text.append(text)
        elif part:
            self._close_text()
            self._parts.append(part)

    def _read_call(self, part: dict[str, Any], function: dict[str, Any]) -> CallDelta:
        given = function.get("id")
        call_id = self._ids.claim(given)
        arguments = function.get("args")
        raw = "" if arguments is None else compact(arguments)
        call = read_object_call(call_id, call_name(function.get("name")), arguments, raw)
        native = {**function, "name": call.name, "args": call.arguments or {}}
        if call_id != given:
            native.pop("id", None)
        self._calls.append(call)
        self._parts.append({**part, "functionCall": native})
        return CallDelta(len(self._calls) - 1, call.name, raw)

    def _close_text(self) -> None:
        if self._open_text:
            self._parts.append({"text": "".join(self._open_text)})
            self._open_text = []

    def _reply(self, stop: Stop) -> Reply:
        self._close_text()
        said = any("functionCall" in part for part in self._parts) or bool("".join(self._text).strip())
        messages: tuple[NativeMessage, ...] = ({"role": "model", "parts": list(self._parts)},) if said else ()
        return Reply(messages, "".join(self._text), tuple(self._calls), stop, self._usage)


def _usage(fields: dict[str, Any]) -> Usage:
    """Cached tokens are part of the prompt; thoughts are output that is counted by itself."""
    return Usage(
        input_tokens=number(fields.get("promptTokenCount")) + number(fields.get("toolUsePromptTokenCount")),
        output_tokens=number(fields.get("candidatesTokenCount")) + number(fields.get("thoughtsTokenCount")),
        cached_tokens=number(fields.get("cachedContentTokenCount")),
    )
