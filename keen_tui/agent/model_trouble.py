"""Signs that a model does not cope with how Keen talks to it, and what to change in the configuration."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from keen_tui.domain.events import Notice
from keen_tui.domain.exchange import ModelProfile, Usage
from keen_tui.gateway.resolve import ResolvedModel

LIMIT = 2
_BYTES_A_TOKEN = 4


class EmptyCalls:
    """Counts calls without arguments that their tools refused, in one task, by model.

    Weak models copy the empty calls of the replayed history; another replay form helps them.
    """

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def seen(self, count: int, model: ResolvedModel) -> Notice | None:
        """Add the calls of a turn. Returns a proposal once they are too many."""
        before = self._counts.get(model.name, 0)
        self._counts[model.name] = before + count
        if model.profile.replay != "empty" or before >= LIMIT or before + count < LIMIT:
            return None
        return Notice(
            level="warning",
            text=f"{model.name} calls tools without arguments: it seems to copy the empty calls of earlier turns.",
            hint=f'Write replay = "bounded" (or "note") under [models."{model.name}"] in config.toml.',
        )


def cut_prompt(profile: ModelProfile, body: Mapping[str, Any], usage: Usage) -> Notice | None:
    """A warning when an Ollama server has read far less than was sent, because its context was full.

    Only the count of the server is exact, so a request counts as cut when its estimate is larger than
    the context and more than twice what the server reports.
    """
    if profile.wire != "ollama" or not usage.input_tokens:
        return None
    context = body["options"]["num_ctx"]
    texts = {name: body[name] for name in ("messages", "tools") if name in body}
    sent = len(json.dumps(texts, ensure_ascii=False).encode("utf-8", "replace")) // _BYTES_A_TOKEN
    if sent <= context or usage.input_tokens * 2 >= sent:
        return None
    return Notice(
        level="warning",
        text=f"The server read {usage.input_tokens:,} tokens of about {sent:,}: its context of {context:,} is full.",
        hint=f'Raise context_window under [models."ollama/{profile.name}"], or start a new task with /new.',
    )
