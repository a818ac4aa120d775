"""The stream of the OpenAI Responses API."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from tests.emulator.frames import Frame, FrameKind, Setting, argument_text, pieces, sse, stop_of
from tests.emulator.identity import seal
from tests.emulator.replies import Call, Say

_CREATED = 1_760_000_000


def frames(say: Say, setting: Setting) -> Iterator[Frame]:
    return _Stream(say, setting).frames()


def error_event(message: str) -> bytes:
    """The `error` event, as the API sends it when it fails in the middle of an answer."""
    body = {
        "type": "error",
        "code": "server_error",
        "message": message,
        "param": None,
        "sequence_number": 99,
    }
    return sse(body, "error")


class _Stream:
    def __init__(self, say: Say, setting: Setting) -> None:
        self._say = say
        self._setting = setting
        self._sequence = itertools.count()
        self._id = setting.mint.id("resp_", 48)
        self._output: list[dict[str, Any]] = []
        self._reasoning_id = ""

    def frames(self) -> Iterator[Frame]:
        say = self._say
        yield self._event("open", "response.created", response=self._response("in_progress"))
        yield self._event("open", "response.in_progress", response=self._response("in_progress"))
        if say.thinking:
            yield from self._reasoning()
        if say.text:
            yield from self._message()
        for call in say.calls:
            yield from self._call(call)
        stop = stop_of(say)
        if stop in ("length", "refused"):
            reason = "max_output_tokens" if stop == "length" else "content_filter"
            response = {**self._response("incomplete", usage=True), "incomplete_details": {"reason": reason}}
            yield self._event("end", "response.incomplete", response=response)
        else:
            response = self._response("completed", usage=True)
            yield self._event("end", "response.completed", response=response)

    def _reasoning(self) -> Iterator[Frame]:
        item: dict[str, Any] = {"id": self._setting.mint.id("rs_", 48), "type": "reasoning", "summary": []}
        place = {"item_id": item["id"], "output_index": len(self._output), "summary_index": 0}
        yield self._item("added", item)
        part = {"type": "summary_text", "text": ""}
        yield self._event("part", "response.reasoning_summary_part.added", **place, part=part)
        for piece in pieces(self._say.thinking, self._say.chunk):
            yield self._event("thinking", "response.reasoning_summary_text.delta", **place, delta=piece)
        part = {"type": "summary_text", "text": self._say.thinking}
        yield self._event("part", "response.reasoning_summary_text.done", **place, text=self._say.thinking)
        yield self._event("part", "response.reasoning_summary_part.done", **place, part=part)
        whole = {**item, "summary": [part]}
        if "reasoning.encrypted_content" in (self._setting.body.get("include") or ()):
            whole["encrypted_content"] = seal("responses", "", self._setting.mint.serial())
        self._reasoning_id = str(item["id"])
        yield self._finish(whole)

    def _message(self) -> Iterator[Frame]:
        base = {"id": self._setting.mint.id("msg_", 48), "type": "message"}
        self._link(base["id"])
        place = {"item_id": base["id"], "output_index": len(self._output), "content_index": 0}
        yield self._item("added", {**base, "status": "in_progress", "content": [], "role": "assistant"})
        part = {"type": "output_text", "annotations": [], "logprobs": [], "text": ""}
        yield self._event("part", "response.content_part.added", **place, part=part)
        for piece in pieces(self._say.text, self._say.chunk):
            yield self._event("text", "response.output_text.delta", **place, delta=piece, logprobs=[])
        part = {**part, "text": self._say.text}
        yield self._event("part", "response.output_text.done", **place, text=self._say.text, logprobs=[])
        yield self._event("part", "response.content_part.done", **place, part=part)
        yield self._finish({**base, "status": "completed", "content": [part], "role": "assistant"})

    def _call(self, call: Call) -> Iterator[Frame]:
        mint = self._setting.mint
        call_id = call.id or mint.id("call_")
        base = {"id": mint.id("fc_", 48), "type": "function_call", "call_id": call_id, "name": call.name}
        self._link(base["id"])
        place = {"item_id": base["id"], "output_index": len(self._output)}
        yield self._item("added", {**base, "status": "in_progress", "arguments": ""})
        text = argument_text(call)
        for piece in pieces(text, self._say.chunk):
            yield self._event("call", "response.function_call_arguments.delta", **place, delta=piece)
        yield self._event("part", "response.function_call_arguments.done", **place, arguments=text)
        yield self._finish({**base, "status": "completed", "arguments": text})

    def _link(self, item_id: str) -> None:
        """An item that follows reasoning directly belongs to it: each is refused without the other."""
        if self._reasoning_id and self._output[-1]["id"] == self._reasoning_id:
            self._setting.issued.needs[item_id] = self._reasoning_id
            self._setting.issued.follows[self._reasoning_id] = item_id

    def _finish(self, item: dict[str, Any]) -> Frame:
        frame = self._item("done", item)
        self._output.append(item)
        return frame

    def _item(self, what: str, item: dict[str, Any]) -> Frame:
        return self._event("part", f"response.output_item.{what}", output_index=len(self._output), item=item)

    def _response(self, status: str, *, usage: bool = False) -> dict[str, Any]:
        body = self._setting.body
        return {
            "id": self._id,
            "object": "response",
            "created_at": _CREATED,
            "status": status,
            "error": None,
            "incomplete_details": None,
            "instructions": body.get("instructions"),
            "max_output_tokens": body.get("max_output_tokens"),
            "model": self._setting.model,
            "output": list(self._output),
            "parallel_tool_calls": body.get("parallel_tool_calls", True),
            "store": body.get("store", True),
            "usage": self._usage() if usage else None,
        }

    def _usage(self) -> dict[str, Any]:
        tokens = self._setting.tokens
        return {
            "input_tokens": tokens.input,
            "input_tokens_details": {"cached_tokens": tokens.cached},
            "output_tokens": tokens.output,
            "output_tokens_details": {"reasoning_tokens": tokens.reasoning},
            "total_tokens": tokens.input + tokens.output,
        }

    def _event(self, kind: FrameKind, name: str, **fields: Any) -> Frame:
        body = {"type": name, "sequence_number": next(self._sequence), **fields}
        return Frame(kind, sse(body, name))
