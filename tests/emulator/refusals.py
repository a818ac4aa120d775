"""Errors in each provider's own JSON."""

from __future__ import annotations

from typing import Any

from tests.emulator.replies import EmulatedWire

_ANTHROPIC = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}
_OPENAI = {
    401: ("invalid_request_error", "invalid_api_key"),
    403: ("invalid_request_error", "unsupported_country_region_territory"),
    404: ("invalid_request_error", "model_not_found"),
    413: ("invalid_request_error", "request_too_large"),
    429: ("requests", "rate_limit_exceeded"),
    500: ("server_error", None),
    503: ("server_error", "server_overloaded"),
}
_GEMINI = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    413: "INVALID_ARGUMENT",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
}
_SENTENCES = {
    400: "The request is not valid.",
    401: "The API key is missing or not valid.",
    403: "This API key may not use this model.",
    404: "The requested model does not exist.",
    413: "The request is larger than the maximum size.",
    429: "Too many requests in this minute. Try again later.",
    500: "An internal error happened.",
    502: "Bad gateway.",
    503: "The service is overloaded at the moment.",
    529: "Overloaded",
}


class Refusal(Exception):
    """A request that the provider does not take. `param` is what OpenAI names in its error."""

    def __init__(self, message: str, status: int = 400, *, param: str | None = None, code: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.param = param
        self.code = code


def sentence(status: int) -> str:
    return _SENTENCES.get(status, "The request failed.")


def context_refusal(wire: EmulatedWire, used: int, limit: int) -> Refusal:
    """The error for a request of `used` tokens that a window of `limit` tokens can't hold."""
    match wire:
        case "anthropic":
            return Refusal(f"prompt is too long: {used} tokens > {limit} maximum")
        case "gemini":
            return Refusal(f"The input token count ({used}) exceeds the maximum number of tokens allowed ({limit}).")
        case "ollama":
            return Refusal(f"the request exceeds the available context size: {used} tokens, but the limit is {limit}")
        case "openai_responses":
            return Refusal(
                "Your input exceeds the context window of this model. Please adjust your input and try again.",
                param="input",
                code="context_length_exceeded",
            )
        case "openai_chat":
            return Refusal(
                f"This model's maximum context length is {limit} tokens. However, your messages resulted in "
                f"{used} tokens. Please reduce the length of the messages.",
                param="messages",
                code="context_length_exceeded",
            )


def error_json(wire: EmulatedWire, refusal: Refusal, retry_after: float | None, request_id: str) -> Any:
    """The body that goes with the status."""
    status, message = refusal.status, refusal.message
    match wire:
        case "anthropic":
            error = {"type": _ANTHROPIC.get(status, "api_error"), "message": message}
            return {"type": "error", "error": error, "request_id": request_id}
        case "openai_chat" | "openai_responses":
            kind, code = _OPENAI.get(status, ("invalid_request_error" if status < 500 else "server_error", None))
            return {
                "error": {
                    "message": message,
                    "type": kind,
                    "param": refusal.param,
                    "code": refusal.code or code,
                }
            }
        case "gemini":
            status_name = _GEMINI.get(status, "UNKNOWN")
            body: dict[str, Any] = {"code": status, "message": message, "status": status_name}
            if retry_after is not None:
                kind_url = "type.googleapis.com/google.rpc.RetryInfo"
                body["details"] = [{"@type": kind_url, "retryDelay": f"{retry_after:g}s"}]
            return {"error": body}
        case "ollama":
            return {"error": message}
