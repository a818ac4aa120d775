"""Texts and JSON as they go out and come in, in every wire format."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from keen_tui.domain.exchange import PromptPart
from keen_tui.domain.replay_steps import sendable

NO_OUTPUT = "(no output)"
NO_TEXT = "(no text)"

compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
"""JSON without spaces, characters as they are."""


def compact_flat(fields: Mapping[str, str | int]) -> str:
    """What `compact` gives for an object of plain names, texts and numbers, several times quicker."""
    members = [f'"{name}":{compact(value) if isinstance(value, str) else value}' for name, value in fields.items()]
    return f"{{{','.join(members)}}}"


def spoken(text: str) -> str:
    """A user's text that every provider accepts: blank texts are refused, so they are named."""
    return sendable(text) if text and not text.isspace() else NO_TEXT


def output(text: str) -> str:
    """A tool's text that every provider accepts."""
    return sendable(text) if text and not text.isspace() else NO_OUTPUT


def is_blank(text: str) -> bool:
    return not text or text.isspace()


def system_texts(parts: Sequence[PromptPart]) -> list[str]:
    """The parts of the system prompt that hold something."""
    return [sendable(part.text) for part in parts if not is_blank(part.text)]


def received(value: Any) -> str:
    """A piece of streamed text: anything but a string counts as nothing, half surrogate pairs go."""
    if not isinstance(value, str):
        return ""
    return value if value.isascii() else sendable(value)


def number(value: Any) -> int:
    """A token count; anything but a positive whole number counts as 0."""
    return value if type(value) is int and value > 0 else 0


def mapping(value: Any) -> dict[str, Any]:
    """A JSON object, empty for anything else."""
    return value if isinstance(value, dict) else {}


def objects(value: Any) -> list[dict[str, Any]]:
    """The objects in a JSON array; everything else in it is left out."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def writable(value: Any) -> Any:
    """The same JSON value without half surrogate pairs, which no file and no request can hold."""
    if isinstance(value, str):
        return sendable(value)
    if isinstance(value, dict):
        return {sendable(key): writable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [writable(item) for item in value]
    return value
