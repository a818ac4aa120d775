"""The frames between the dashboard and the model worker.

A frame is a 4-byte big-endian length, then one line of JSON with a `type`, then any number of raw
lines. The body of a call and the payloads of a stream travel as raw lines, so that JSON is never
wrapped in JSON. To the worker go `call`, `cancel` and `count`; from it come `ready`, `event`, `done`,
`error` and `counted`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from keen_tui.domain.errors import GatewayError
from keen_tui.gateway.calls import ModelCall, Timeouts

LENGTH_BYTES = 4
MAX_FRAME = 512 * 1024 * 1024
"""Bytes. A longer frame can only be a broken pipe protocol."""


class FrameError(ValueError):
    """What came through the pipe is not a frame."""


@dataclass(frozen=True, slots=True)
class Frame:
    header: Mapping[str, Any]
    lines: Sequence[bytes] = ()

    @property
    def type(self) -> str:
        return str(self.header.get("type", ""))

    @property
    def id(self) -> int:
        """The call that the frame is about; 0 for the worker as a whole."""
        return int(self.header.get("id", 0))


def encode(header: Mapping[str, Any], lines: Sequence[bytes] = ()) -> bytes:
    """A frame's bytes. The lines must hold no newline."""
    content = b"\n".join((json.dumps(header, separators=(",", ":")).encode(), *lines))
    if len(content) > MAX_FRAME:
        raise FrameError(f"{len(content)} bytes are too many for one frame")
    return len(content).to_bytes(LENGTH_BYTES, "big") + content


def decode(content: bytes) -> Frame:
    """The frame in `content`, which is what comes behind the length."""
    first, *lines = content.split(b"\n")
    try:
        header = json.loads(first)
    except ValueError as error:
        raise FrameError("the first line is not JSON") from error
    if not isinstance(header, dict):
        raise FrameError("the first line is not a JSON object")
    return Frame(header, lines)


async def read_frame(reader: asyncio.StreamReader) -> Frame | None:
    """The next frame, or None at the end of the pipe. Raises FrameError."""
    try:
        length = int.from_bytes(await reader.readexactly(LENGTH_BYTES), "big")
        if length > MAX_FRAME:
            raise FrameError(f"{length} bytes are too many for one frame")
        return decode(await reader.readexactly(length))
    except (asyncio.IncompleteReadError, ConnectionError):
        return None


def body_bytes(body: Mapping[str, Any]) -> bytes:
    """The body as it goes on the wire: compact JSON in UTF-8, keys in their order.

    Half a surrogate pair can't be UTF-8 and becomes U+FFFD. Raises GatewayError("bad_request") for
    what JSON can't hold.
    """
    try:
        text = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise GatewayError("bad_request", f"The request can't be written as JSON: {error}.") from None
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


def call_frame(number: int, call: ModelCall) -> bytes:
    """The frame that starts a call. It holds the key, so it is never logged."""
    header = {
        "type": "call",
        "id": number,
        "wire": call.wire,
        "provider": call.provider,
        "model": call.model,
        "base_url": call.base_url,
        "api_key": call.api_key,
        "headers": dict(call.headers),
        "timeouts": asdict(call.timeouts),
    }
    return encode(header, (body_bytes(call.body),))


def call_of(frame: Frame) -> tuple[ModelCall, bytes]:
    """The call in a `call` frame, without its body, and the body's bytes."""
    header = frame.header
    call = ModelCall(
        wire=header["wire"],
        provider=header["provider"],
        model=header["model"],
        body={},
        base_url=header["base_url"],
        api_key=header["api_key"],
        headers=header["headers"],
        timeouts=Timeouts(**header["timeouts"]),
    )
    return call, b"\n".join(frame.lines)


def error_frame(number: int, error: GatewayError) -> bytes:
    """The frame that ends a call, or with number 0 the worker, with a failure."""
    return encode(
        {
            "type": "error",
            "id": number,
            "kind": error.kind,
            "message": error.message,
            "status": error.status,
            "retry_after": error.retry_after,
            "hint": error.hint,
        }
    )


def error_of(frame: Frame) -> GatewayError:
    header = frame.header
    return GatewayError(
        header["kind"],
        header["message"],
        status=header["status"],
        retry_after=header["retry_after"],
        hint=header["hint"],
    )
