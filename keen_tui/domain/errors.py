"""Errors with a sentence for the person: what happened, what was kept, what to do."""

from __future__ import annotations

from typing import Literal

FailureKind = Literal[
    "authentication",
    "permission",
    "not_found",
    "rate_limited",
    "overloaded",
    "context_window",
    "bad_request",
    "timeout",
    "connection_lost",
    "content_filter",
    "worker_died",
]

RETRIABLE: frozenset[FailureKind] = frozenset({"rate_limited", "overloaded", "timeout", "connection_lost"})


class KeenError(Exception):
    """Base of all errors that are shown to the person. `hint` is the next step."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class GatewayError(KeenError):
    """A model call failed. `retry_after` is in seconds, None when the provider did not say."""

    def __init__(
        self,
        kind: FailureKind,
        message: str,
        *,
        status: int | None = None,
        retry_after: float | None = None,
        hint: str = "",
    ) -> None:
        super().__init__(message, hint or HINTS[kind])
        self.kind: FailureKind = kind
        self.status = status
        self.retry_after = retry_after

    @property
    def retriable(self) -> bool:
        """Whether sending the same request again can help."""
        return self.kind in RETRIABLE


HINTS: dict[FailureKind, str] = {
    "authentication": "Check the key of this provider: /model, or `keen doctor`.",
    "permission": "This key may not use this model: choose another with /model.",
    "not_found": "Check the model's name and the base URL: /model, or `keen doctor`.",
    "rate_limited": "Send the prompt again in a while, or choose another model with /model.",
    "overloaded": "Send the prompt again in a while, or choose another model with /model.",
    "context_window": "Start a new task with /new, or choose a model with a larger window with /model.",
    "bad_request": 'Send the prompt again; if it keeps failing, set wire = "litellm" for this model.',
    "timeout": "Send the prompt again; slow servers need a larger [network] first_byte_timeout.",
    "connection_lost": "Check the line and the server, then send the prompt again.",
    "content_filter": "The provider refused the content: put it in other words, or choose another model.",
    "worker_died": "Send the prompt again: the model worker starts by itself. `keen doctor` checks it.",
}
