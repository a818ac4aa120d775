"""Ids and signatures of the emulator: they look like the providers' and can be checked again."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_SECRET = b"emulated provider"
_LETTERS = "0123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


class Mint:
    """Makes ids that never repeat, the same ones in every run."""

    def __init__(self) -> None:
        self._count = 0

    def id(self, prefix: str, length: int = 24) -> str:
        self._count += 1
        digest = hashlib.sha512(f"{prefix}{self._count}".encode()).digest()
        return prefix + "".join(_LETTERS[byte % len(_LETTERS)] for byte in digest[:length])

    def serial(self) -> int:
        self._count += 1
        return self._count


def seal(kind: str, content: str, serial: int) -> str:
    """An opaque signature over `content`; base64, like the ones the providers give out."""
    head = serial.to_bytes(8, "big")
    return base64.b64encode(head + _mac(kind, content, head)).decode()


def is_sealed(kind: str, token: object, content: str) -> bool:
    """Whether `token` was made by `seal` for this kind and exactly this content."""
    if not isinstance(token, str):
        return False
    try:
        raw = base64.b64decode(token, validate=True)
    except (binascii.Error, ValueError):
        return False
    return hmac.compare_digest(raw[8:], _mac(kind, content, raw[:8]))


def canonical(value: Mapping[str, Any]) -> str:
    """Equal text for equal JSON objects, whatever the order of their keys."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _mac(kind: str, content: str, head: bytes) -> bytes:
    return hmac.digest(_SECRET, kind.encode() + head + content.encode(errors="surrogatepass"), "sha512")


@dataclass(slots=True)
class Issued:
    """What went out with which call, so that a running turn can be checked when it comes back.

    `thinking` holds the Anthropic thinking blocks in front of a tool_use id, `reasoning` the
    reasoning_content of the message with a chat call id, `needs` the reasoning item that an item of
    the Responses API was made from, `follows` the reverse.
    """

    thinking: dict[str, tuple[dict[str, Any], ...]] = field(default_factory=dict)
    reasoning: dict[str, str] = field(default_factory=dict)
    needs: dict[str, str] = field(default_factory=dict)
    follows: dict[str, str] = field(default_factory=dict)
