"""Errors that arrive inside a stream, in the family of the gateway's errors."""

from __future__ import annotations

import re
from typing import Any

from keen_tui.domain.errors import FailureKind, GatewayError

_NAMES: dict[str, FailureKind] = {
    # Anthropic
    "authentication_error": "authentication",
    "permission_error": "permission",
    "billing_error": "permission",
    "not_found_error": "not_found",
    "rate_limit_error": "rate_limited",
    "overloaded_error": "overloaded",
    "api_error": "overloaded",
    "timeout_error": "timeout",
    "invalid_request_error": "bad_request",
    "request_too_large": "context_window",
    # OpenAI and compatible servers
    "invalid_api_key": "authentication",
    "insufficient_quota": "permission",
    "model_not_found": "not_found",
    "rate_limit_exceeded": "rate_limited",
    "server_error": "overloaded",
    "internal_server_error": "overloaded",
    "service_unavailable": "overloaded",
    "context_length_exceeded": "context_window",
    "exceed_context_size_error": "context_window",
    "content_filter": "content_filter",
    "content_policy_violation": "content_filter",
    "invalid_prompt": "content_filter",
    "cyber_policy": "content_filter",
    # Gemini
    "unauthenticated": "authentication",
    "permission_denied": "permission",
    "not_found": "not_found",
    "resource_exhausted": "rate_limited",
    "unavailable": "overloaded",
    "internal": "overloaded",
    "deadline_exceeded": "timeout",
    "invalid_argument": "bad_request",
    "failed_precondition": "bad_request",
}
_STATUSES: dict[int, FailureKind] = {
    400: "bad_request",
    401: "authentication",
    402: "permission",
    403: "permission",
    404: "not_found",
    408: "timeout",
    413: "context_window",
    422: "bad_request",
    429: "rate_limited",
    504: "timeout",
}
_TOO_LONG = re.compile(
    r"prompt is too long|context[ _](length|window|size)|maximum context|too many tokens"
    r"|input token count|exceeds? the (model'?s? )?(available |maximum )?context|input is too long",
    re.IGNORECASE,
)


def stream_failure(error: Any) -> GatewayError:
    """The failure that a provider's error value describes: an object with type, code, status, message.

    Unknown errors count as `overloaded`: the request was accepted, so sending it again can help.
    """
    fields = error if isinstance(error, dict) else {"message": error}
    message = _one_line(fields.get("message")) or "no reason was given"
    status = next((value for value in map(_status, (fields.get("code"), fields.get("status"))) if value), None)
    kind = _kind(fields, status)
    if kind in ("bad_request", "overloaded", "rate_limited") and _TOO_LONG.search(message):
        kind = "context_window"
    return GatewayError(kind, f"The provider ended its reply with an error: {message}", status=status)


def connection_lost() -> GatewayError:
    return GatewayError("connection_lost", "The connection ended before the reply was complete.")


def filtered(reason: str) -> GatewayError:
    """A reply that the provider's content filter stopped."""
    text = _one_line(reason)
    return GatewayError("content_filter", f"The provider's content filter stopped the reply ({text}).")


def _kind(fields: dict[str, Any], status: int | None) -> FailureKind:
    for value in (fields.get("code"), fields.get("type"), fields.get("status")):
        if isinstance(value, str) and (kind := _NAMES.get(value.lower())):
            return kind
    if status in _STATUSES:
        return _STATUSES[status]
    return "bad_request" if status is not None and 400 <= status < 500 else "overloaded"


def _status(value: object) -> int | None:
    if isinstance(value, str) and value.isdecimal() and len(value) == 3:
        value = int(value)
    return value if type(value) is int and 400 <= value < 600 else None


def _one_line(value: object) -> str:
    text = value if isinstance(value, str) else ""
    shown = "".join(letter if letter.isprintable() else " " for letter in text[:600])
    return " ".join(shown.split())[:300]
