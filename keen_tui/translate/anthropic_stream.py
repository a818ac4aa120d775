"""The stream of the Messages format: blocks that start, grow and stop."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
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
from keen_tui.translate.wire_text import compact, is_blank, mapping, number, received, writable

MADE_ID = "toolu_keen_{}"

_STOPS: dict[str, Stop] = {
    "end_turn": "end",
    "stop_sequence": "end",
    "tool_use": "tools",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refused",
    "pause_turn": "paused",
}
_THINKING = ("thinking", "redacted_thinking")


@dataclass(slots=True)
class _Block:
    """A block as it started, and what came to it since."""

    start: dict[str, Any]
    pieces: list[str] = field(default_factory=list)
    signatures: list[str] = field(default_factory=list)
    citations: list[Any] = field(default_factory=list)
    stopped: bool = False

    @property
    def type(self) -> str:
        return str(self.start.get("type"))

    @property
    def grown(self) -> str:
        return "".join(self.pieces)


class AnthropicDecoder:
    """Keeps the blocks in the order in which they started, whatever their indices say."""

    def __init__(self, taken: Collection[str] = ()) -> None:
        self._taken = taken
        self._blocks: list[_Block] = []
        self._at: dict[Any, int] = {}
        self._stop_reason = ""
        self._stopped = False
        self._usage: dict[str, int] = {}

    def feed(self, payload: Mapping[str, Any]) -> Sequence[StreamItem]:
        kind = payload.get("type")
        if kind == "content_block_delta":
            return self._grow(_index(payload), mapping(payload.get("delta")))
        if kind == "content_block_start":
            return self._start(_index(payload), mapping(payload.get("content_block")))
        if kind == "content_block_stop":
            place = self._at.get(_index(payload))
            if place is not None:
                self._blocks[place].stopped = True
        elif kind == "message_start":
            self._count(mapping(mapping(payload.get("message")).get("usage")))
        elif kind == "message_delta":
            reason = mapping(payload.get("delta")).get("stop_reason")
            if isinstance(reason, str):
                self._stop_reason = reason
            self._count(mapping(payload.get("usage")))
        elif kind == "message_stop":
            self._stopped = True
        elif kind == "error" or payload.get("error"):
            raise stream_failure(payload.get("error"))
        return ()

    def finish(self) -> Reply:
        if not self._stopped:
            raise connection_lost()
        stop = _STOPS.get(self._stop_reason, "end")
        reply = self._reply(self._blocks, stop)
        if stop == "end" and reply.calls:
            return self._reply(self._blocks, "tools")
        return reply

    def partial(self) -> Reply:
        kept = [block for block in self._blocks if self._is_whole(block)]
        return self._reply(kept, "tools" if any(block.type == "tool_use" for block in kept) else "end")

    def _start(self, index: Any, block: dict[str, Any]) -> Sequence[StreamItem]:
        place = len(self._blocks)
        self._at[index] = place
        self._blocks.append(_Block(writable(block)))
        if block.get("type") == "tool_use":
            return (CallDelta(place, call_name(block.get("name")), ""),)
        if block.get("type") == "text" and (text := received(block.get("text"))):
            return (TextDelta(text),)
        if block.get("type") == "thinking" and (text := received(block.get("thinking"))):
            return (ReasoningDelta(text),)
        return ()

    def _grow(self, index: Any, delta: dict[str, Any]) -> Sequence[StreamItem]:
        kind = delta.get("type")
        if index not in self._at:
            started = {"text_delta": "text", "thinking_delta": "thinking"}.get(str(kind))
            if started is None:
                return ()
            self._start(index, {"type": started, started: ""})
        place = self._at[index]
        block = self._blocks[place]
        if kind == "text_delta" and (text := received(delta.get("text"))):
            block.pieces.append(text)
            return (TextDelta(text),)
        if kind == "input_json_delta" and (text := received(delta.get("partial_json"))):
            block.pieces.append(text)
            return (CallDelta(place, call_name(block.start.get("name")), text),)
        if kind == "thinking_delta" and (text := received(delta.get("thinking"))):
            block.pieces.append(text)
            return (ReasoningDelta(text),)
        if kind == "signature_delta":
            block.signatures.append(received(delta.get("signature")))
        elif kind == "citations_delta" and delta.get("citation") is not None:
            block.citations.append(writable(delta["citation"]))
        return ()

    def _count(self, usage: dict[str, Any]) -> None:
        """Later figures replace earlier ones: those of message_delta are totals."""
        for name in _USAGE:
            if type(usage.get(name)) is int:
                self._usage[name] = usage[name]

    def _is_whole(self, block: _Block) -> bool:
        if block.type == "text":
            return True
        if block.type == "tool_use":
            return block.stopped and read_call("", "", block.grown).arguments is not None
        if block.type == "thinking":
            return block.stopped and bool(_signature(block))
        return block.stopped

    def _reply(self, blocks: Sequence[_Block], stop: Stop) -> Reply:
        ids = CallIds(self._taken, MADE_ID)
        content: list[dict[str, Any]] = []
        calls: list[ToolCall] = []
        text: list[str] = []
        for block in blocks:
            if block.type == "tool_use":
                call = _read_tool_use(block, ids, cut_off=stop == "length")
                calls.append(call)
                content.append({**block.start, "id": call.id, "name": call.name, "input": call.arguments or {}})
            elif block.type == "text":
                said = received(block.start.get("text")) + block.grown
                text.append(said)
                if not is_blank(said):
                    content.append(_text_block(block, said))
            elif block.type == "thinking":
                content.append(_thinking_block(block))
            elif block.start:
                content.append(_other_block(block))
        while content and content[-1].get("type") in _THINKING:
            content.pop()  # a message must not end with thinking
        messages: tuple[NativeMessage, ...] = ({"role": "assistant", "content": content},) if content else ()
        return Reply(messages, "".join(text), tuple(calls), stop, self._totals())

    def _totals(self) -> Usage | None:
        if not self._usage:
            return None
        fresh, written, read, out = (number(self._usage.get(name)) for name in _USAGE)
        return Usage(fresh + written + read, out, read, written)


_USAGE = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")


def _index(payload: Mapping[str, Any]) -> Any:
    index = payload.get("index")
    return index if isinstance(index, int | str) else None


def _read_tool_use(block: _Block, ids: CallIds, *, cut_off: bool) -> ToolCall:
    call_id, name = ids.claim(block.start.get("id")), call_name(block.start.get("name"))
    started = block.start.get("input")
    if not block.pieces and started not in (None, {}):
        return read_object_call(call_id, name, started, compact(started))
    return read_call(call_id, name, block.grown, cut_off=cut_off)


def _signature(block: _Block) -> str:
    return "".join(block.signatures) or received(block.start.get("signature"))


def _thinking_block(block: _Block) -> dict[str, Any]:
    """The block as it was given; servers that sign nothing get none back."""
    thought = received(block.start.get("thinking")) + block.grown
    native: dict[str, Any] = {**block.start, "type": "thinking", "thinking": thought}
    native.pop("signature", None)
    if signature := _signature(block):
        native["signature"] = signature
    return native


def _text_block(block: _Block, said: str) -> dict[str, Any]:
    native: dict[str, Any] = {**block.start, "type": "text", "text": said}
    if block.citations:
        native["citations"] = [*(native.get("citations") or []), *block.citations]
    elif not native.get("citations"):
        native.pop("citations", None)
    return native


def _other_block(block: _Block) -> dict[str, Any]:
    """Blocks that Keen does not know go back as they came, with the input that was streamed to them."""
    if not block.pieces:
        return block.start
    arguments = read_call("", "", block.grown).arguments
    return {**block.start, "input": arguments or {}}
