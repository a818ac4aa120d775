"""The stream of Chat Completions: chunks with a delta, from servers of every quality."""

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
from keen_tui.translate.call_arguments import read_call
from keen_tui.translate.call_ids import CallIds, call_name
from keen_tui.translate.failures import connection_lost, filtered, stream_failure
from keen_tui.translate.wire_text import compact, is_blank, mapping, number, objects, received, writable

MADE_ID = "call{:05d}"
"""Nine letters and digits: Mistral's servers take no other form."""

_STOPS: dict[str, Stop] = {"length": "length", "max_tokens": "length", "model_length": "length"}
_KEPT_CALL_KEYS = ("extra_content", "provider_specific_fields")
"""Where servers put thought signatures that must come back with the call."""


@dataclass(slots=True)
class _Call:
    """A call that is being received."""

    index: Any
    given_id: str = ""
    name: str = ""
    fragments: list[str] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def raw(self) -> str:
        return "".join(self.fragments)


class ChatDecoder:
    """Tells parallel calls apart by index and id, and where both repeat, by a whole object being there."""

    def __init__(self, taken: Collection[str] = (), *, keep_thinking_blocks: bool = False) -> None:
        self._taken = taken
        self._keep_thinking_blocks = keep_thinking_blocks
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._send_reasoning_back = False
        self._thinking_blocks: list[dict[str, Any]] = []
        self._calls: list[_Call] = []
        self._refused = False
        self._finish = ""
        self._usage: Usage | None = None

    def feed(self, payload: Mapping[str, Any]) -> Sequence[StreamItem]:
        if payload.get("error"):
            raise stream_failure(payload["error"])
        if payload.get("usage"):
            self._usage = _usage(payload["usage"]) or self._usage
        items: list[StreamItem] = []
        for choice in objects(payload.get("choices")):
            if not choice.get("index"):
                self._read_choice(choice, items)
        return items

    def finish(self) -> Reply:
        if not self._finish:
            raise connection_lost()
        if self._finish == "content_filter":
            raise filtered("content_filter")
        if self._finish == "error":
            raise stream_failure({"message": "the server reported finish reason 'error'"})
        stop = _STOPS.get(self._finish, "end")
        calls, message = self._message(self._calls, cut_off=stop == "length")
        if stop == "end":
            stop = "refused" if self._refused else "tools" if calls else "end"
        return Reply(message, "".join(self._text), calls, stop, self._usage)

    def partial(self) -> Reply:
        finished = bool(self._finish)
        whole = [call for call in self._calls if call.name and (finished or _is_whole(call.raw))]
        calls, message = self._message(whole, cut_off=False)
        kept = [call for call in calls if call.arguments is not None]
        if len(kept) < len(calls):
            ids = {call.id for call in kept}
            places = [place for place, call in enumerate(calls) if call.id in ids]
            calls, message = self._message([whole[place] for place in places], cut_off=False)
        return Reply(message, "".join(self._text), calls, "tools" if calls else "end", self._usage)

    def _read_choice(self, choice: dict[str, Any], items: list[StreamItem]) -> None:
        delta = choice.get("delta") or choice.get("message")
        if isinstance(delta, dict):
            self._read_delta(delta, items)
        reason = choice.get("finish_reason")
        if isinstance(reason, str) and reason:
            self._finish = reason

    def _read_delta(self, delta: dict[str, Any], items: list[StreamItem]) -> None:
        given = received(delta.get("reasoning_content"))
        self._send_reasoning_back = self._send_reasoning_back or bool(given)
        thought = given or received(delta.get("reasoning"))
        content = delta.get("content")
        if isinstance(content, list):
            listed_thought, content = _listed(content)
            thought = thought or listed_thought
        if thought:
            self._reasoning.append(thought)
            items.append(ReasoningDelta(thought))
        refusal = received(delta.get("refusal"))
        self._refused = self._refused or bool(refusal)
        if text := received(content) or refusal:
            self._text.append(text)
            items.append(TextDelta(text))
        if self._keep_thinking_blocks and delta.get("thinking_blocks"):
            self._add_thinking(objects(delta["thinking_blocks"]))
        if delta.get("tool_calls"):
            for fragment in objects(delta["tool_calls"]):
                items.append(self._read_call(fragment))

    def _read_call(self, fragment: dict[str, Any]) -> CallDelta:
        function = mapping(fragment.get("function"))
        name = function.get("name") if isinstance(function.get("name"), str) else ""
        given_id = received(fragment.get("id"))
        arguments = function.get("arguments")
        if arguments is not None and not isinstance(arguments, str):
            arguments = compact(arguments)
        arguments = received(arguments)
        place, call = self._find(fragment.get("index"), given_id, name or "", arguments)
        call.given_id = call.given_id or given_id
        call.name = call.name or name or ""
        if arguments:
            call.fragments.append(arguments)
        for key in _KEPT_CALL_KEYS:
            for source in (fragment, function):
                if isinstance(source.get(key), dict):
                    call.extra[key] = writable(source[key])
        return CallDelta(place, call.name, arguments)

    def _find(self, index: Any, given_id: str, name: str, arguments: str) -> tuple[int, _Call]:
        """The call that a fragment belongs to; a fresh one when it starts one."""
        for place in range(len(self._calls) - 1, -1, -1):
            call = self._calls[place]
            if index is not None and call.index != index:
                continue
            if given_id and call.given_id and given_id != call.given_id and (name or index is None):
                continue
            if name and call.name and name != call.name:
                continue
            if name and arguments.lstrip().startswith("{") and _is_whole(call.raw):
                continue
            return place, call
        self._calls.append(_Call(index))
        return len(self._calls) - 1, self._calls[-1]

    def _add_thinking(self, blocks: list[dict[str, Any]]) -> None:
        for block in map(writable, blocks):
            last = self._thinking_blocks[-1] if self._thinking_blocks else None
            grows = last is not None and last.get("type") == "thinking" and not last.get("signature")
            if last is not None and grows and block.get("type") == "thinking":
                last["thinking"] = received(last.get("thinking")) + received(block.get("thinking"))
                if block.get("signature"):
                    last["signature"] = block["signature"]
            else:
                self._thinking_blocks.append({key: item for key, item in block.items() if item is not None})

    def _message(
        self, received_calls: Sequence[_Call], *, cut_off: bool
    ) -> tuple[tuple[ToolCall, ...], tuple[NativeMessage, ...]]:
        ids = CallIds(self._taken, MADE_ID)
        calls: list[ToolCall] = []
        native: list[dict[str, Any]] = []
        for item in received_calls:
            call = read_call(ids.claim(item.given_id), call_name(item.name), item.raw, cut_off=cut_off)
            calls.append(call)
            arguments = item.raw if _sends_as_it_is(item.raw, call) else compact(call.arguments or {})
            function = {"name": call.name, "arguments": arguments}
            native.append({"id": call.id, "type": "function", "function": function, **item.extra})
        text = "".join(self._text)
        if is_blank(text) and not native:
            return (), ()
        message: dict[str, Any] = {"role": "assistant", "content": None if is_blank(text) else text}
        if self._send_reasoning_back:
            message["reasoning_content"] = "".join(self._reasoning)
        signed = [block for block in self._thinking_blocks if block.get("signature") or block.get("data")]
        if signed:
            message["thinking_blocks"] = signed
        if native:
            message["tool_calls"] = native
        return tuple(calls), (message,)


def _sends_as_it_is(raw: str, call: ToolCall) -> bool:
    """Whether the received argument text is what goes back: servers refuse text that is no JSON object."""
    return call.arguments is not None and raw.lstrip().startswith("{") and "\\ud" not in raw.lower()


def _is_whole(raw: str) -> bool:
    if not raw.rstrip().endswith("}"):
        return False
    return read_call("", "", raw).arguments is not None


def _listed(parts: list[Any]) -> tuple[str, str]:
    """Reasoning and text of a content list, the form of Mistral's reasoning models."""
    thought, text = "", ""
    for part in objects(parts):
        if part.get("type") == "thinking":
            inner = part.get("thinking")
            inner_parts = objects(inner) if isinstance(inner, list) else [{"text": inner}]
            thought += "".join(received(item.get("text")) for item in inner_parts)
        else:
            text += received(part.get("text"))
    return thought, text


def _usage(value: Any) -> Usage | None:
    """Chat usage: cached tokens are part of the prompt. DeepSeek names its cache hits differently."""
    fields = mapping(value)
    if not fields:
        return None
    details = mapping(fields.get("prompt_tokens_details"))
    cached = number(details.get("cached_tokens")) or number(fields.get("prompt_cache_hit_tokens"))
    return Usage(
        input_tokens=number(fields.get("prompt_tokens")),
        output_tokens=number(fields.get("completion_tokens")),
        cached_tokens=cached,
        cache_write_tokens=number(details.get("cache_creation_tokens"))
        or number(fields.get("cache_creation_input_tokens")),
    )
