"""Ollama's own /api/chat: calls without ids, arguments as objects, a context size per request."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
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
from keen_tui.translate.call_ids import no_ids
from keen_tui.translate.ollama_stream import OllamaDecoder
from keen_tui.translate.replay import Passage, offered_tools, outcome_text, passages
from keen_tui.translate.thinking import output_limit
from keen_tui.translate.wire_text import is_blank, output, spoken, system_texts

_CONTEXT_UNKNOWN = 32_768
"""Tokens. Ollama's own default is so small that it would cut the prompt without a word."""


class OllamaTranslator:
    """Results belong to their calls by order and name. `num_ctx` is the whole window that the profile names."""

    wire: Wire = "ollama"

    def body(self, conversation: Conversation, profile: ModelProfile) -> dict[str, Any]:
        sized = replace(profile, context_window=profile.context_window or _CONTEXT_UNKNOWN)
        body: dict[str, Any] = {
            "model": profile.name,
            "stream": True,
            "options": {"num_predict": output_limit(sized), "num_ctx": sized.context_window},
        }
        if profile.thinking != "off":
            body["think"] = profile.thinking if profile.thinking_form == "level" else True
        if conversation.tools:
            body["tools"] = [_tool(spec) for spec in conversation.tools]
        body["messages"] = _messages(conversation, profile)
        return body

    def results(self, results: Sequence[ToolResult], note: str = "") -> list[NativeMessage]:
        messages: list[NativeMessage] = [_result(result.name, output(result.text)) for result in results]
        if not is_blank(note):
            messages.append({"role": "user", "content": sendable(note)})
        return messages

    def decoder(self, taken: Collection[str] = ()) -> Decoder:
        return OllamaDecoder(taken)


def _messages(conversation: Conversation, profile: ModelProfile) -> list[NativeMessage]:
    messages: list[NativeMessage] = []
    if system := "\n\n".join(system_texts(conversation.system)):
        messages.append({"role": "system", "content": system})
    offered = offered_tools(conversation.tools)
    for turn in conversation.history:
        messages.append({"role": "user", "content": spoken(turn.user_text)})
        if turn.exchange is not None:
            messages.extend(turn.exchange)
            continue
        for passage in passages(turn, offered, profile.replay, no_ids):
            _add_passage(messages, passage)
    text = spoken(conversation.user_text)
    if not is_blank(conversation.context):
        text = f"{text}\n\n{sendable(conversation.context)}"
    messages.append({"role": "user", "content": text})
    messages.extend(conversation.exchange)
    return messages


def _add_passage(messages: list[NativeMessage], passage: Passage) -> None:
    message: dict[str, Any] = {"role": "assistant", "content": passage.text}
    if passage.calls:
        message["tool_calls"] = [
            {"function": {"name": call.name, "arguments": call.arguments}} for call in passage.calls
        ]
    messages.append(message)
    messages.extend(_result(call.name, outcome_text(call.activity)) for call in passage.calls)


def _result(name: str, text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_name": name, "content": text}


def _tool(spec: ToolSpec) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {
            "name": spec.name,
            "description": spec.description,
            "parameters": dict(spec.parameters),
        },
    }
