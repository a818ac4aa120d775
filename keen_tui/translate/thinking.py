"""How much a model may write and think."""

from __future__ import annotations

from keen_tui.domain.exchange import ModelProfile, Thinking

_BUDGETS: dict[Thinking, int] = {"off": 0, "low": 2_048, "medium": 8_192, "high": 16_384}
_ANSWER = 8_192
_LEAST_BUDGET = 1_024
_LEAST_OUTPUT = 1_024


def output_limit(profile: ModelProfile) -> int:
    """The most tokens of one reply, thinking among them: providers count both against one limit.

    Raised so that an answer fits behind the thinking, and never more than a quarter of the context
    window, because servers refuse a request whose prompt and limit together exceed it.
    """
    limit = profile.max_output_tokens
    if profile.thinking != "off":
        limit = max(limit, _BUDGETS[profile.thinking] + _ANSWER)
    if profile.context_window:
        limit = min(limit, max(_LEAST_OUTPUT, profile.context_window // 4))
    return limit


def thinking_budget(profile: ModelProfile) -> int:
    """Tokens to think with, below the output limit; 0 when thinking is off or has no room."""
    if profile.thinking == "off":
        return 0
    budget = min(_BUDGETS[profile.thinking], output_limit(profile) // 2)
    return budget if budget >= _LEAST_BUDGET else 0
