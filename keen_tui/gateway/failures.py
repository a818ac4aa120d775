"""From anything that can go wrong in a model call to the one family of errors.

A failure is found by walking from the exception to the provider's HTTP answer or to the error of the
connection, because litellm's own classes differ by provider (a refused connection is a 500 there).
"""

from __future__ import annotations

import json
import socket
import ssl
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import httpx

from keen_tui.domain.errors import FailureKind, GatewayError
from keen_tui.gateway.answers import Answer, classify, provider_message, retry_after

Clean = Callable[[str], str]
"""Takes keys and other secrets out of a text."""


def failure_of(error: BaseException, server: str, clean: Clean) -> GatewayError:
    """The failure that the person is told of. `server` is the name for it in the sentence."""
    if isinstance(error, GatewayError):
        return error
    chain = list(walk(error))
    answer = next((found for link in chain if (found := _answer(link, native=True))), None)
    connection = next((link for link in chain if isinstance(link, httpx.TransportError)), None)
    if answer is None and connection is None:
        # What litellm raises for a broken stream wraps the real cause in a 503 of its own.
        inner = sorted(chain, key=lambda link: type(link).__name__ == "MidStreamFallbackError")
        answer = next((found for link in inner if (found := _answer(link, native=False))), None)
        if any(type(link).__name__ == "APIConnectionError" for link in chain):
            return GatewayError(
                "connection_lost", f"The connection to {server} failed: {clean(provider_message(str(error)))}"
            )
    if answer is not None:
        return answered(answer, server, clean)
    if connection is not None or any(_is_transport(link) for link in chain):
        return connection_failure(chain, server, clean)
    text = clean(str(error))[:500] or type(error).__name__
    return GatewayError("bad_request", f"The call to {server} failed: {text}")


def answered(answer: Answer, server: str, clean: Clean) -> GatewayError:
    """The failure in a provider's error answer."""
    message = clean(provider_message(answer.text))
    kind, opening, hint = classify(answer, message)
    sentence = opening.format(server=server, status=answer.status)
    wait = retry_after(answer)
    if message:
        sentence = f"{sentence}: {message}"
    return GatewayError(kind, sentence, status=answer.status, retry_after=wait, hint=hint)


def walk(error: BaseException) -> Iterator[BaseException]:
    """The exception and all that it came from, outermost first, each once."""
    waiting, seen = [error], set()
    while waiting:
        link = waiting.pop(0)
        if id(link) in seen:
            continue
        seen.add(id(link))
        yield link
        for origin in (getattr(link, "original_exception", None), link.__cause__, link.__context__):
            if isinstance(origin, BaseException):
                waiting.append(origin)


def _answer(error: BaseException, native: bool) -> Answer | None:
    """The HTTP answer an exception carries. Only httpx's own is surely the provider's (`native`)."""
    if native:
        return _of_response(error.response) if isinstance(error, httpx.HTTPStatusError) else None
    status = getattr(error, "status_code", None)
    if isinstance(status, str) and status.isdigit():
        status = int(status)
    if not isinstance(status, int) or status < 300 or getattr(error, "status_code_is_synthesized", False):
        return None
    response = getattr(error, "response", None)
    headers = getattr(response, "headers", None) or getattr(error, "litellm_response_headers", None) or {}
    text = getattr(error, "message", None) or str(error)
    body = getattr(error, "body", None)
    if isinstance(body, dict):
        text = json.dumps(body)
    return Answer(status, str(text), _plain(headers), code=str(getattr(error, "code", "") or ""))


def _of_response(response: httpx.Response) -> Answer:
    try:
        text = response.text
    except (httpx.ResponseNotRead, httpx.StreamError):
        text = ""
    return Answer(response.status_code, text, _plain(response.headers))


def _plain(headers: Any) -> Mapping[str, str]:
    try:
        return {str(name).lower(): str(value) for name, value in dict(headers).items()}
    except (TypeError, ValueError):
        return {}


def _is_transport(error: BaseException) -> bool:
    return isinstance(error, OSError | ssl.SSLError | TimeoutError | httpx.RequestError | httpx.InvalidURL)


def connection_failure(chain: list[BaseException], server: str, clean: Clean) -> GatewayError:
    """The failure of a connection, told by the innermost cause that says something."""
    names = " ".join(type(link).__name__ for link in chain)
    kind: FailureKind = "connection_lost"
    hint = ""
    if any(isinstance(link, httpx.ConnectTimeout) for link in chain):
        kind = "timeout"
        sentence = f"{server} could not be reached in time."
        hint = "Check the line and the base URL, then send the prompt again."
    elif any(isinstance(link, httpx.TimeoutException | TimeoutError) for link in chain):
        kind, sentence = "timeout", f"{server} did not answer in time."
    elif any(isinstance(link, socket.gaierror) for link in chain) or "DNSError" in names:
        sentence = f"The name {server} can't be resolved."
        hint = "Check the line, the name server and the base URL, then send the prompt again."
    elif any(isinstance(link, ConnectionRefusedError) for link in chain):
        sentence = f"Nothing answers at {server}: the connection was refused."
        hint = "Start the server, or check its base URL, then send the prompt again."
    elif "Certificate" in names or any("CERTIFICATE_VERIFY_FAILED" in str(link) for link in chain):
        sentence = f"The certificate of {server} is not trusted."
        hint = "Set SSL_CERT_FILE to the file with your organisation's certificates, or check the base URL."
    elif "SSL" in names:
        sentence = f"{server} does not speak TLS as it should."
        hint = "Check whether the base URL begins with the right one of http:// and https://."
    elif any(isinstance(link, httpx.ProxyError) for link in chain):
        sentence = f"The proxy on the way to {server} can't be reached."
        hint = "Check HTTP_PROXY and HTTPS_PROXY, or name the server in NO_PROXY."
    elif any(isinstance(link, httpx.ConnectError) for link in chain):
        sentence = f"{server} can't be reached: {clean(str(chain[-1]))[:200]}"
    else:
        sentence = f"The connection to {server} was lost before the answer was complete."
    return GatewayError(kind, sentence, hint=hint)


def answer_without_stream(noise: bytes, content_type: str, server: str, clean: Clean) -> GatewayError:
    """The failure of an answer with status 200 that held no payload."""
    text = noise.decode("utf-8", "replace").strip()
    if not text:
        return GatewayError(
            "connection_lost",
            f"{server} sent an empty answer. Local servers do this when the request is larger than their context.",
        )
    if text.startswith(("{", "[")):
        message = clean(provider_message(text))
        if message:
            kind, _, hint = classify(Answer(400, text), message)
            return GatewayError(kind, f"{server} answered with an error: {message}", hint=hint)
    kind_of = f" but {content_type}" if content_type else ""
    return GatewayError(
        "not_found",
        f"{server} answered with no stream of a model{kind_of}.",
        hint="Check the base URL and the wire format of this model: `keen doctor`.",
    )
