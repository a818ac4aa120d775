"""The Responses format of OpenAI, without anything stored on the provider's side."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from keen_tui.domain.exchange import (
    Conversation,
    ModelProfile,
    NativeMessage,
    ToolResult,
    ToolSpec,
    Wire,
)
from keen_tui.domain.replay_steps import sendable
from keen_tui.translate.base import Decoder
from keen_tui.translate.call_ids import history_ids
from keen_tui.translate.openai_responses_stream import ResponsesDecoder
from keen_tui.translate.replay import Passage, offered_tools, outcome_text, passages
from keen_tui.translate.thinking import output_limit
from keen_tui.translate.wire_text import compact_flat, is_blank, output, spoken, system_texts


class ResponsesTranslator:
    """Reasoning comes and goes encrypted, because `store` is off."""

    wire: Wire = "openai_responses"

    def body(self, conversation: Conversation, profile: ModelProfile) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": profile.name,
            "stream": True,
            "store": False,
            "max_output_tokens": output_limit(profile),
            "include": ["reasoning.encrypted_content"],
        }
        if conversation.cache_key:
            body["prompt_cache_key"] = conversation.cache_key
        if profile.thinking != "off":
            body["reasoning"] = {"effort": profile.thinking, "summary": "auto"}
        if system := "\n\n".join(system_texts(conversation.system)):
            body["instructions"] = system
        if conversation.tools:
            body["tools"] = [_tool(spec) for spec in conversation.tools]
        body["input"] = _input(conversation, profile)
        return body

    def results(self, results: Sequence[ToolResult], note: str = "") -> list[NativeMessage]:
        items: list[NativeMessage] = [_result(result.call_id, output(result.text)) for result in results]
        if not is_blank(note):
            items.append(_user(sendable(note)))
        return items

    def decoder(self, taken: Collection[str] = ()) -> Decoder:
        return ResponsesDecoder(taken)


def _input(conversation: Conversation, profile: ModelProfile) -> list[NativeMessage]:
    items: list[NativeMessage] = []
    offered = offered_tools(conversation.tools)
    for turn in conversation.history:
        items.append(_user(spoken(turn.user_text)))
        if turn.exchange is not None:
            items.extend(turn.exchange)
            continue
        for passage in passages(turn, offered, profile.replay, _call_ids):
            _add_passage(items, passage)
    texts = [spoken(conversation.user_text)]
    if not is_blank(conversation.context):
        texts.append(sendable(conversation.context))
    items.append(_user(*texts))
    items.extend(conversation.exchange)
    return items


def _add_passage(items: list[NativeMessage], passage: Passage) -> None:
    if passage.text:
        content = [{"type": "output_text", "text": passage.text}]
        items.append({"type": "message", "role": "assistant", "content": content})
    for call in passage.calls:
        arguments = compact_flat(call.arguments) if call.arguments else "{}"
        items.append({"type": "function_call", "call_id": call.id, "name": call.name, "arguments": arguments})
    for call in passage.calls:
        items.append(_result(call.id, outcome_text(call.activity)))


def _call_ids(turn_id: str, count: int) -> list[str]:
    return history_ids("call_", turn_id, count)


def _user(*texts: str) -> dict[str, Any]:
    content = [{"type": "input_text", "text": text} for text in texts]
    return {"type": "message", "role": "user", "content": content}


def _result(call_id: str, text: str) -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": call_id, "output": text}


def _tool(spec: ToolSpec) -> dict[str, Any]:
    return {
        "type": "function",
        "name": spec.name,
        "description": spec.description,
        "parameters": dict(spec.parameters),
        "strict": False,
    }
