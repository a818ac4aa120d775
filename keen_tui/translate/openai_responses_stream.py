"""The stream of the Responses format: output items that are added, grow and are done."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from keen_tui.domain.exchange import (
    CallDelta,
    ReasoningDelta,
    Reply,
    Stop,
    StreamItem,
    TextDelta,
    ToolCall,
    Usage,
)
from keen_tui.translate.call_arguments import read_call
from keen_tui.translate.call_ids import CallIds, call_name
from keen_tui.translate.failures import connection_lost, filtered, stream_failure
from keen_tui.translate.wire_text import is_blank, mapping, number, objects, received, writable

MADE_ID = "call_keen_{}"

_TEXTS = ("response.output_text.delta", "response.refusal.delta")
_THOUGHTS = ("response.reasoning_summary_text.delta", "response.reasoning_text.delta")
_ARGUMENTS = "response.function_call_arguments.delta"
_ENDS = ("response.completed", "response.incomplete")


class ResponsesDecoder:
    """Items go back as their `done` event gave them, in the order of their output indices.

    A server that sends no such events is read from the terminal event.
    """

    def __init__(self, taken: Collection[str] = ()) -> None:
        self._taken = taken
        self._names: dict[Any, str] = {}
        self._texts: dict[Any, list[str]] = {}
        self._done: dict[Any, dict[str, Any]] = {}
        self._heard: list[str] = []
        self._thought = False
        self._refused = False
        self._end = ""
        self._response: dict[str, Any] = {}

    def feed(self, payload: Mapping[str, Any]) -> Sequence[StreamItem]:
        kind = payload.get("type")
        index = _index(payload)
        if kind in _TEXTS:
            text = received(payload.get("delta"))
            self._refused = self._refused or kind == "response.refusal.delta"
            if text:
                self._texts.setdefault(index, []).append(text)
            return self._said(text)
        if kind == _ARGUMENTS:
            fragment = received(payload.get("delta"))
            return (CallDelta(_place(index), self._names.get(index, ""), fragment),)
        if kind in _THOUGHTS:
            self._thought = True
            thought = received(payload.get("delta"))
            return (ReasoningDelta(thought),) if thought else ()
        if kind == "response.reasoning_summary_part.added":
            return (ReasoningDelta("\n\n"),) if self._thought else ()
        if kind == "response.output_item.added":
            return self._added(index, mapping(payload.get("item")))
        if kind == "response.output_item.done":
            return self._item_done(index, mapping(payload.get("item")))
        if kind in _ENDS:
            return self._ended(str(kind), mapping(payload.get("response")))
        if kind == "response.failed":
            raise stream_failure(mapping(payload.get("response")).get("error") or {})
        if kind == "error" or payload.get("error"):
            raise stream_failure(payload.get("error") or payload)
        return ()

    def finish(self) -> Reply:
        if not self._end:
            raise connection_lost()
        stop: Stop = "refused" if self._refused else "end"
        if self._end == "response.incomplete":
            reason = mapping(self._response.get("incomplete_details")).get("reason")
            if reason == "content_filter":
                raise filtered("content_filter")
            stop = "length"
        items = [self._done[index] for index in sorted(self._done, key=_place)]
        return self._reply(items, stop)

    def partial(self) -> Reply:
        items = []
        for index in sorted(dict.fromkeys([*self._done, *self._texts]), key=_place):
            if index in self._done:
                items.append(self._done[index])
            elif text := "".join(self._texts[index]):
                items.append(_message(text))
        whole = [item for item in items if not _is_call(item) or _parsed(item).arguments is not None]
        return self._reply(whole, "end")

    def _said(self, text: str) -> Sequence[StreamItem]:
        if not text:
            return ()
        self._heard.append(text)
        return (TextDelta(text),)

    def _added(self, index: Any, item: dict[str, Any]) -> Sequence[StreamItem]:
        if not _is_call(item):
            return ()
        self._names[index] = call_name(item.get("name"))
        return (CallDelta(_place(index), self._names[index], ""),)

    def _item_done(self, index: Any, item: dict[str, Any]) -> Sequence[StreamItem]:
        if not item:
            return ()
        while index in self._done:
            index = _place(index) + 1  # an index that repeats belongs to another item
        self._done[index] = writable(item)
        if item.get("type") == "message" and index not in self._texts:
            return self._said(_text_of(item))
        return ()

    def _ended(self, kind: str, response: dict[str, Any]) -> Sequence[StreamItem]:
        self._end, self._response = kind, response
        if self._done:
            return ()
        heard: list[StreamItem] = []
        for place, item in enumerate(objects(response.get("output"))):
            heard.extend(self._item_done(place, item))
        return heard

    def _reply(self, items: Sequence[dict[str, Any]], stop: Stop) -> Reply:
        ids = CallIds(self._taken, MADE_ID)
        calls: list[ToolCall] = []
        native: list[dict[str, Any]] = []
        for item in items:
            if _is_call(item):
                call = _parsed(item, ids.claim(item.get("call_id")), cut_off=stop == "length")
                calls.append(call)
                native.append(_call_item(item, call))
            elif _goes_back(item):
                native.append(item)
        while native and native[-1].get("type") == "reasoning":
            native.pop()  # reasoning is refused without the item that it led to
        if stop == "end" and calls:
            stop = "tools"
        return Reply(tuple(native), "".join(self._heard), tuple(calls), stop, self._usage())

    def _usage(self) -> Usage | None:
        usage = mapping(self._response.get("usage"))
        if not usage:
            return None
        cached = mapping(usage.get("input_tokens_details")).get("cached_tokens")
        return Usage(number(usage.get("input_tokens")), number(usage.get("output_tokens")), number(cached))


def _index(payload: Mapping[str, Any]) -> Any:
    index = payload.get("output_index")
    if isinstance(index, int):
        return index
    item_id = payload.get("item_id") or mapping(payload.get("item")).get("id")
    return item_id if isinstance(item_id, str) else 0


def _place(index: Any) -> int:
    return index if isinstance(index, int) else 0


def _is_call(item: Mapping[str, Any]) -> bool:
    return item.get("type") == "function_call"


def _parsed(item: dict[str, Any], call_id: str = "", *, cut_off: bool = False) -> ToolCall:
    return read_call(call_id, call_name(item.get("name")), received(item.get("arguments")), cut_off=cut_off)


def _call_item(item: dict[str, Any], call: ToolCall) -> dict[str, Any]:
    """The item as it came; only what a provider would refuse is replaced."""
    raw = item.get("arguments")
    as_it_is = call.arguments is not None and isinstance(raw, str) and bool(raw.strip())
    arguments = raw if as_it_is else "{}"
    return {**item, "call_id": call.id, "name": call.name, "arguments": arguments}


def _goes_back(item: dict[str, Any]) -> bool:
    """Whether a provider that stored nothing can take the item: blank text and empty reasoning it refuses."""
    if item.get("type") == "reasoning":
        return bool(item.get("encrypted_content") or item.get("content"))
    return item.get("type") != "message" or not is_blank(_text_of(item))


def _text_of(item: dict[str, Any]) -> str:
    parts = objects(item.get("content"))
    return "".join(received(part.get("text")) or received(part.get("refusal")) for part in parts)


def _message(text: str) -> dict[str, Any]:
    return {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}
