"""JSON schemas for tool parameters, in the small subset that `arguments.py` checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Property = Mapping[str, Any]


def text(description: str) -> Property:
    return {"type": "string", "description": description}


def whole_number(description: str, minimum: int, maximum: int | None = None) -> Property:
    found: dict[str, Any] = {"type": "integer", "description": description, "minimum": minimum}
    if maximum is not None:
        found["maximum"] = maximum
    return found


def number(description: str, minimum: float, maximum: float) -> Property:
    return {"type": "number", "description": description, "minimum": minimum, "maximum": maximum}


def flag(description: str) -> Property:
    return {"type": "boolean", "description": description}


def texts(description: str) -> Property:
    return {"type": "array", "items": {"type": "string"}, "description": description}


def parameters(required: Sequence[str] = (), **properties: Property) -> dict[str, Any]:
    """The schema of a tool's arguments: an object with these properties and no others."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }
