"""Chat Completions, spoken by OpenAI-compatible servers and by litellm itself."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from keen_tui.domain.exchange import (
    Conversation,
    HistoryTurn,
    ModelProfile,
    NativeMessage,
    ToolResult,
    ToolSpec,
    Wire,
)
from keen_tui.domain.replay_steps import sendable
from keen_tui.translate.base import Decoder
from keen_tui.translate.call_ids import short_history_ids
from keen_tui.translate.openai_chat_stream import ChatDecoder
from keen_tui.translate.replay import Passage, ReplayedCall, offered_tools, outcome_text, passages
from keen_tui.translate.thinking import output_limit
from keen_tui.translate.wire_text import compact_flat, is_blank, output, spoken, system_texts


class ChatTranslator:
    """`wire` is "openai_chat", or "litellm" where litellm turns the same messages into something else.

    The limit of the output goes by the name that the profile gives; litellm always takes `max_tokens`.
    `reasoning_effort` is sent only when thinking is on, because many servers refuse unknown keys.
    """

    def __init__(self, wire: Wire = "openai_chat") -> None:
        self.wire = wire

    def body(self, conversation: Conversation, profile: ModelProfile) -> dict[str, Any]:
        limit_key = "max_tokens" if self.wire == "litellm" else profile.output_limit_key
        body: dict[str, Any] = {
            "model": profile.name,
            "stream": True,
            "stream_options": {"include_usage": True},
            limit_key: output_limit(profile),
        }
        if profile.thinking != "off":
            body["reasoning_effort"] = profile.thinking
        if conversation.tools:
            body["tools"] = [_tool(spec) for spec in conversation.tools]
        body["messages"] = _messages(conversation, profile)
        return body

    def results(self, results: Sequence[ToolResult], note: str = "") -> list[NativeMessage]:
        messages: list[NativeMessage] = [
            {"role": "tool", "tool_call_id": result.call_id, "content": output(result.text)} for result in results
        ]
        if not is_blank(note):
            messages.append({"role": "user", "content": sendable(note)})
        return messages

    def decoder(self, taken: Collection[str] = ()) -> Decoder:
        return ChatDecoder(taken, keep_thinking_blocks=self.wire == "litellm")


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
        _add_turn(messages, turn, passages(turn, offered, profile.replay, short_history_ids))
    text = spoken(conversation.user_text)
    if not is_blank(conversation.context):
        text = f"{text}\n\n{sendable(conversation.context)}"
    messages.append({"role": "user", "content": text})
    messages.extend(conversation.exchange)
    return messages


def _add_turn(messages: list[NativeMessage], turn: HistoryTurn, said: list[Passage]) -> None:
    for passage in said:
        if not passage.calls:
            messages.append({"role": "assistant", "content": passage.text})
            continue
        message: dict[str, Any] = {"role": "assistant", "content": passage.text or None}
        message["tool_calls"] = [_call(call) for call in passage.calls]
        messages.append(message)
        for call in passage.calls:
            messages.append({"role": "tool", "tool_call_id": call.id, "content": outcome_text(call.activity)})


def _call(call: ReplayedCall) -> dict[str, Any]:
    arguments = compact_flat(call.arguments) if call.arguments else "{}"
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def _tool(spec: ToolSpec) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {
            "name": spec.name,
            "description": spec.description,
            "parameters": dict(spec.parameters),
        },
    }
