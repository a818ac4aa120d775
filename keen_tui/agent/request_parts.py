"""The next request, part by part, with its size in tokens."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from keen_tui.domain.exchange import Conversation

BYTES_PER_TOKEN = 4
"""A rule of thumb for prose and code; parts sized by it are marked as estimates."""
CACHED = "the cache can reach to here"
"""Stands at the last part that each request repeats byte for byte."""


@dataclass(frozen=True, slots=True)
class RequestPart:
    """`tokens` is an estimate from bytes where `estimated`. `note` says what was cut or where the cache ends."""

    name: str
    tokens: int
    text: str
    estimated: bool = True
    note: str = ""


def estimate(text: str) -> int:
    """Tokens of a text, from its UTF-8 bytes."""
    return -(-len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN)


def request_parts(
    conversation: Conversation, draft: str, notes: Mapping[str, str], history_tokens: int
) -> list[RequestPart]:
    """Parts in the order in which the model reads them. `notes` belong to parts by name.

    `history_tokens` are those of the history in the wire format's own shape.
    """
    tools = "\n".join(
        f"{tool.name}: {tool.description}\n{json.dumps(tool.parameters, ensure_ascii=False)}"
        for tool in conversation.tools
    )
    texts = [("tools", tools)]
    texts += [(part.name, part.text) for part in conversation.system]
    if conversation.history:
        count = len(conversation.history)
        history = "\n\n".join(
            _turn_text(turn.user_text, turn.prose, len(turn.activities)) for turn in conversation.history
        )
        name = f"history, {count} turn{'s' if count > 1 else ''}"
        calls = sum(len(turn.activities) for turn in conversation.history if turn.exchange is None)
        if calls:
            notes = {**notes, name: f"the results of {calls:,} calls are dropped"}
        texts.append((name, history))
    notes = {**notes, texts[-1][0]: "; ".join(filter(None, [notes.get(texts[-1][0], ""), CACHED]))}
    texts.append(("your message", draft))
    texts.append(("brief and mode", conversation.context))
    return [
        RequestPart(
            name,
            history_tokens if name.startswith("history, ") else estimate(text),
            text,
            note=notes.get(name, ""),
        )
        for name, text in texts
    ]


def _turn_text(user_text: str, prose: str, activities: int) -> str:
    ran = f"\n[{activities} tool calls]" if activities else ""
    return f"user: {user_text}\nassistant: {prose}{ran}"
