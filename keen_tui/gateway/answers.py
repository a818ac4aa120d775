"""What an HTTP error answer of a provider means."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from keen_tui.domain.errors import FailureKind

MESSAGE_LIMIT = 500
"""Characters kept of a provider's own words."""


@dataclass(frozen=True, slots=True)
class Answer:
    """`headers` have lower-case names. `code` is the provider's own error code, where it is known apart."""

    status: int
    text: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    code: str = ""


_TOO_LONG = re.compile(
    r"context.{0,20}(length|window|size|limit)|maximum context|prompt is too long|too many (input )?tokens"
    r"|input (is )?too (long|large)|request.{0,20}too large"
    r"|exceeds? the (maximum|available|limit).{0,40}tokens"
    r"|input token count.{0,40}exceeds|context_length_exceeded|exceed_context_size|reduce the length of the"
    r"|input length and .max_tokens. exceed|string too long|string_above_max_length",
    re.IGNORECASE,
)
_FILTERED = re.compile(
    r"content.?filter|content_policy|content (management )?policy|ResponsibleAIPolicy|usage polic"
    r"|blocked by (our )?(content|safety)|flagged (as|for)|PROHIBITED_CONTENT|cyber_policy_violation",
    re.IGNORECASE,
)
_WRONG_KEY = re.compile(
    r"api[ _-]?key (is )?(not valid|invalid|missing|expired)|invalid[ _-](x-)?api[ _-]?key|incorrect api key"
    r"|API_KEY_INVALID|no api key|authentication_error|invalid_api_key|Unauthorized",
    re.IGNORECASE,
)
_NO_CREDIT = re.compile(
    r"insufficient_quota|exceeded your current quota, please check your plan|credit balance is too low"
    r"|insufficient (balance|credit|funds)|billing_(hard_limit|not_active)|payment required|out of credits"
    r"|requires more credits",
    re.IGNORECASE,
)

_CREDIT_HINT = "Add credit at the provider, or choose another model with /model."
_MOVED_HINT = "Set base_url of this provider to the address that the server points to."

Verdict = tuple[FailureKind, str, str]
"""The kind, the opening of the sentence with `{server}` and `{status}`, and a hint ("" for the usual one)."""

_BY_STATUS: Mapping[int, Verdict] = {
    401: ("authentication", "{server} refused the key ({status})", ""),
    402: ("permission", "The account at {server} has no credit ({status})", _CREDIT_HINT),
    403: ("permission", "{server} does not allow this ({status})", ""),
    404: ("not_found", "{server} does not know this model or address ({status})", ""),
    405: ("not_found", "{server} does not take this kind of request at this address ({status})", ""),
    408: ("timeout", "{server} gave up waiting ({status})", ""),
    413: ("context_window", "The request is larger than {server} takes ({status})", ""),
    429: ("rate_limited", "{server} limits how much may be asked ({status})", ""),
    501: ("bad_request", "{server} can't do what was asked ({status})", ""),
    504: ("timeout", "{server} did not get an answer in time ({status})", ""),
    524: ("timeout", "{server} did not get an answer in time ({status})", ""),
}


def classify(answer: Answer, message: str) -> Verdict:
    """The kind of failure, the opening of its sentence, and a hint.

    An account without credit is `permission`, though some providers answer 429: waiting does not help.
    """
    status = answer.status
    said = f"{answer.code} {_codes(answer.text)} {message}"
    if status in (400, 402, 403, 429) and _NO_CREDIT.search(said):
        return "permission", "The account at {server} has no credit ({status})", _CREDIT_HINT
    if status in (400, 413, 422, 500) and _TOO_LONG.search(said):
        return "context_window", "The request is larger than the model's context window ({status})", ""
    if status in (400, 403, 422) and _WRONG_KEY.search(said):
        return _BY_STATUS[401]
    if status in (400, 403, 422) and _FILTERED.search(said):
        return "content_filter", "{server} refused the content ({status})", ""
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    if 300 <= status < 400:
        return "not_found", "{server} points to another address ({status})", _MOVED_HINT
    if status >= 500:
        return "overloaded", "{server} is overloaded or failing ({status})", ""
    return "bad_request", "{server} refused the request ({status})", ""


def provider_message(text: str) -> str:
    """The provider's own sentence in an error body, bounded; "" when there is none for people to read."""
    text = text.strip()
    if not text:
        return ""
    parsed = _parsed(text)
    if parsed is not None:
        found = _message_in(parsed)
        return _bounded(found or "")
    if re.match(r"<(!doctype|html|\?xml|head)", text, re.IGNORECASE):
        title = re.search(r"<title[^>]*>(.*?)</title>", text, re.IGNORECASE | re.DOTALL)
        return _bounded(title.group(1) if title else "")
    # litellm puts names of classes in front, and may say everything twice.
    text = text.split("Original exception:", 1)[0]
    return _bounded(re.sub(r"^((litellm\.)?[A-Za-z.]*(Error|Exception)\s*[:-]\s*)+", "", text))


def retry_after(answer: Answer) -> float | None:
    """Seconds that the provider asks to wait: `retry-after-ms`, `retry-after`, or Google's RetryInfo."""
    headers = answer.headers
    milliseconds = _seconds(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    text = headers.get("retry-after", "").strip()
    seconds = _seconds(text)
    if seconds is not None:
        return seconds
    if text:
        return _until(text)
    if delay := re.search(r'"retryDelay"\s*:\s*"([0-9.]+)s"', answer.text):
        return _seconds(delay.group(1))
    return None


def _seconds(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return max(0.0, value) if math.isfinite(value) else None


def _until(date: str) -> float | None:
    try:
        moment = parsedate_to_datetime(date)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())


def _parsed(text: str) -> Any:
    """The JSON in the text, which litellm may have put behind words of its own."""
    for start in (0, text.find("{")):
        if start < 0 or text[start] not in "{[":
            continue
        try:
            return json.JSONDecoder().raw_decode(text[start:])[0]
        except (ValueError, RecursionError):
            continue
    return None


def _message_in(value: Any, depth: int = 0) -> str | None:
    if depth > 4:
        return None
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return next((found for item in value[:3] if (found := _message_in(item, depth + 1))), None)
    if isinstance(value, dict):
        for name in ("error", "message", "msg", "detail", "errors", "error_description", "title"):
            if value.get(name) and (found := _message_in(value[name], depth + 1)):
                return found
    return None


def _codes(text: str) -> str:
    """The machine-readable words of an error body: type, code, status and reason."""
    parsed = _parsed(text.strip()) if text.strip() else None
    if isinstance(parsed, list) and parsed:
        parsed = parsed[0]
    error = parsed.get("error", parsed) if isinstance(parsed, dict) else None
    if not isinstance(error, dict):
        return ""
    words = [error.get(name) for name in ("type", "code", "status", "reason")]
    details = error.get("details")
    if isinstance(details, list):
        words += [item.get("reason") for item in details if isinstance(item, dict)]
    return " ".join(word for word in words if isinstance(word, str))


def _bounded(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= MESSAGE_LIMIT else text[: MESSAGE_LIMIT - 1] + "…"
