"""generateContent, the format of Google AI. The model's name stands in the URL, not in the body."""

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
from keen_tui.translate.call_ids import no_ids
from keen_tui.translate.gemini_stream import GeminiDecoder, is_made_id
from keen_tui.translate.replay import Passage, offered_tools, outcome, passages
from keen_tui.translate.thinking import output_limit, thinking_budget
from keen_tui.translate.wire_text import is_blank, output, spoken, system_texts

_PLACEHOLDER_SIGNATURE = "skip_thought_signature_validator"
"""What stands for the thought signature of a replayed call; on the first call of each batch."""


class GeminiTranslator:
    """Results stand in a content of their own.

    Joined with text of the user, a functionResponse would move the place from which the provider
    checks thought signatures.
    """

    wire: Wire = "gemini"

    def body(self, conversation: Conversation, profile: ModelProfile) -> dict[str, Any]:
        body: dict[str, Any] = {}
        if system := system_texts(conversation.system):
            body["systemInstruction"] = {"parts": [{"text": text} for text in system]}
        if conversation.tools:
            body["tools"] = [{"functionDeclarations": [_tool(spec) for spec in conversation.tools]}]
        body["generationConfig"] = {"maxOutputTokens": output_limit(profile), **_thinking(profile)}
        body["contents"] = _contents(conversation, profile)
        return body

    def results(self, results: Sequence[ToolResult], note: str = "") -> list[NativeMessage]:
        contents: list[NativeMessage] = []
        if results:
            contents.append({"role": "user", "parts": [_result(result) for result in results]})
        if not is_blank(note):
            contents.append({"role": "user", "parts": [{"text": sendable(note)}]})
        return contents

    def decoder(self, taken: Collection[str] = ()) -> Decoder:
        return GeminiDecoder(taken)


def _thinking(profile: ModelProfile) -> dict[str, Any]:
    """A budget is taken by all thinking models, a level by newer ones only; both at once are refused."""
    if profile.thinking == "off":
        return {}
    if profile.thinking_form == "level":
        return {"thinkingConfig": {"includeThoughts": True, "thinkingLevel": profile.thinking}}
    budget = thinking_budget(profile)
    return {"thinkingConfig": {"includeThoughts": True, "thinkingBudget": budget}} if budget else {}


def _contents(conversation: Conversation, profile: ModelProfile) -> list[NativeMessage]:
    contents: list[NativeMessage] = []
    offered = offered_tools(conversation.tools)
    for turn in conversation.history:
        contents.append({"role": "user", "parts": [{"text": spoken(turn.user_text)}]})
        if turn.exchange is not None:
            contents.extend(turn.exchange)
            continue
        for passage in passages(turn, offered, profile.replay, no_ids):
            _add_passage(contents, passage)
    parts = [{"text": spoken(conversation.user_text)}]
    if not is_blank(conversation.context):
        parts.append({"text": sendable(conversation.context)})
    contents.append({"role": "user", "parts": parts})
    contents.extend(conversation.exchange)
    return contents


def _add_passage(contents: list[NativeMessage], passage: Passage) -> None:
    """Replayed calls carry no ids: their results stand right behind them, in the same order."""
    parts: list[dict[str, Any]] = [{"text": passage.text}] if passage.text else []
    for call in passage.calls:
        part: dict[str, Any] = {"functionCall": {"name": call.name, "args": call.arguments}}
        if call is passage.calls[0]:
            part["thoughtSignature"] = _PLACEHOLDER_SIGNATURE
        parts.append(part)
    contents.append({"role": "model", "parts": parts})
    if passage.calls:
        answers = [
            {"functionResponse": {"name": call.name, "response": outcome(call.activity)}} for call in passage.calls
        ]
        contents.append({"role": "user", "parts": answers})


def _result(result: ToolResult) -> dict[str, Any]:
    """`output` and `error` are the keys that Google's documentation names for the two outcomes."""
    answer: dict[str, Any] = {} if is_made_id(result.call_id) else {"id": result.call_id}
    answer["name"] = result.name
    answer["response"] = {"error" if result.is_error else "output": output(result.text)}
    return {"functionResponse": answer}


def _tool(spec: ToolSpec) -> dict[str, Any]:
    return {
        "name": spec.name,
        "description": spec.description,
        "parametersJsonSchema": dict(spec.parameters),
    }
