"""The Messages format of Claude and of Anthropic-compatible servers.

Cache breakpoints never move inside a turn, because requests have to extend each other byte for byte.
Three things are marked: the last system block (with it the tools in front), the text of the running
user message, and, by the `cache_control` key of the whole body, whatever block is last: that one the
provider moves along by itself. Marks inside the history would change bytes from turn to turn.
"""

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
from keen_tui.translate.anthropic_stream import AnthropicDecoder
from keen_tui.translate.base import Decoder
from keen_tui.translate.call_ids import history_ids
from keen_tui.translate.replay import Passage, ReplayedCall, offered_tools, outcome_text, passages
from keen_tui.translate.thinking import output_limit, thinking_budget
from keen_tui.translate.wire_text import is_blank, output, spoken, system_texts

_BREAKPOINT = {"type": "ephemeral"}


class AnthropicTranslator:
    wire: Wire = "anthropic"

    def body(self, conversation: Conversation, profile: ModelProfile) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": profile.name,
            "max_tokens": output_limit(profile),
            "stream": True,
            "cache_control": _BREAKPOINT,
            **_thinking(profile),
        }
        if system := [_text(text) for text in system_texts(conversation.system)]:
            system[-1]["cache_control"] = _BREAKPOINT
            body["system"] = system
        if conversation.tools:
            body["tools"] = [_tool(spec) for spec in conversation.tools]
        body["messages"] = _messages(conversation, profile)
        return body

    def results(self, results: Sequence[ToolResult], note: str = "") -> list[NativeMessage]:
        blocks = [_result(result.call_id, output(result.text), result.is_error) for result in results]
        if not is_blank(note):
            blocks.append(_text(sendable(note)))
        return [{"role": "user", "content": blocks}] if blocks else []

    def decoder(self, taken: Collection[str] = ()) -> Decoder:
        return AnthropicDecoder(taken)


def _thinking(profile: ModelProfile) -> dict[str, Any]:
    """Adaptive thinking for models that take a level, a token budget for the older ones.

    Models with adaptive thinking refuse a budget, older ones refuse the level, and `display` brings
    the summary that newer models leave out. Off means that nothing is said.
    """
    if profile.thinking == "off":
        return {}
    if profile.thinking_form == "level":
        return {
            "thinking": {"type": "adaptive", "display": "summarized"},
            "output_config": {"effort": profile.thinking},
        }
    budget = thinking_budget(profile)
    return {"thinking": {"type": "enabled", "budget_tokens": budget}} if budget else {}


def _messages(conversation: Conversation, profile: ModelProfile) -> list[NativeMessage]:
    messages: list[NativeMessage] = []
    offered = offered_tools(conversation.tools)
    for turn in conversation.history:
        _add_user(messages, [_text(spoken(turn.user_text))])
        if turn.exchange is not None:
            messages.extend(turn.exchange)
            continue
        for passage in passages(turn, offered, profile.replay, _call_ids):
            _add_passage(messages, passage)
    blocks = [{**_text(spoken(conversation.user_text)), "cache_control": _BREAKPOINT}]
    if not is_blank(conversation.context):
        blocks.append(_text(sendable(conversation.context)))
    _add_user(messages, blocks)
    messages.extend(conversation.exchange)
    return messages


def _add_user(messages: list[NativeMessage], blocks: list[dict[str, Any]]) -> None:
    """The user's words; behind results that the model never answered they join the same message."""
    if messages and messages[-1]["role"] == "user":
        blocks = [*messages.pop()["content"], *blocks]
    messages.append({"role": "user", "content": blocks})


def _add_passage(messages: list[NativeMessage], passage: Passage) -> None:
    blocks: list[dict[str, Any]] = [_text(passage.text)] if passage.text else []
    blocks.extend(_call(call) for call in passage.calls)
    messages.append({"role": "assistant", "content": blocks})
    if passage.calls:
        results = [_result(call.id, outcome_text(call.activity), call.is_error) for call in passage.calls]
        messages.append({"role": "user", "content": results})


def _call_ids(turn_id: str, count: int) -> list[str]:
    return history_ids("toolu_", turn_id, count)


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _call(call: ReplayedCall) -> dict[str, Any]:
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments}


def _result(call_id: str, text: str, is_error: bool) -> dict[str, Any]:
    block: dict[str, Any] = {"type": "tool_result", "tool_use_id": call_id, "content": text}
    if is_error:
        block["is_error"] = True
    return block


def _tool(spec: ToolSpec) -> dict[str, Any]:
    return {"name": spec.name, "description": spec.description, "input_schema": dict(spec.parameters)}
