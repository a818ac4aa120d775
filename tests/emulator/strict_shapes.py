"""Checks that all wire formats share: keys, types, names, and the JSON schemas of tools."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from tests.emulator.refusals import Refusal

_SCHEMA_TYPES = frozenset({"object", "array", "string", "number", "integer", "boolean", "null"})
_TYPED_KEYS: Mapping[str, type | tuple[type, ...]] = {
    "description": str,
    "enum": list,
    "minimum": (int, float),
    "maximum": (int, float),
    "minLength": int,
    "maxLength": int,
    "pattern": str,
    "anyOf": list,
}


def words(text: str) -> frozenset[str]:
    """The names in a list that is written as plain words."""
    return frozenset(text.split())


def as_object(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise Refusal(f"{where}: Input should be an object", param=where)
    return value


def as_list(value: Any, where: str, *, empty: bool = False) -> list[Any]:
    """A list; `empty` says whether it may hold nothing."""
    if not isinstance(value, list):
        raise Refusal(f"{where}: Input should be a list", param=where)
    if not value and not empty:
        raise Refusal(f"[] is too short - '{where}'", param=where)
    return value


def as_text(value: Any, where: str, *, empty: bool = False) -> str:
    """A string; `empty` says whether it may hold no characters."""
    if not isinstance(value, str):
        raise Refusal(f"Invalid type for '{where}': expected a string", param=where)
    if not value and not empty:
        raise Refusal(f"Invalid '{where}': empty string. Expected a longer one", param=where)
    return value


def check_keys(value: Mapping[str, Any], where: str, allowed: Iterable[str], required: Iterable[str] = ()) -> None:
    """Raises Refusal for a key that is missing or that nobody knows."""
    for name in required:
        if name not in value:
            raise Refusal(f"Missing required parameter: '{_join(where, name)}'", param=_join(where, name))
    known = {*allowed, *required}
    for name in value:
        if name not in known:
            place = _join(where, name)
            raise Refusal(f"{place}: Extra inputs are not permitted (unknown parameter)", param=place)


def check_pattern(value: Any, where: str, pattern: str) -> str:
    """A string that matches `pattern` as a whole."""
    text = as_text(value, where)
    if not re.fullmatch(pattern, text):
        raise Refusal(f"Invalid '{where}': {text!r} does not match the pattern '^{pattern}$'", param=where)
    return text


def check_unique(names: Iterable[str], where: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise Refusal(f"{where} must be unique: {name!r} comes twice", param=where)
        seen.add(name)


def check_number(value: Any, where: str, least: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool):
        raise Refusal(f"Invalid type for '{where}': expected an integer", param=where)
    if value < least:
        raise Refusal(f"Invalid '{where}': {value} is below the minimum value {least}", param=where)


def check_parameters(schema: Any, where: str) -> None:
    """The schema of a tool's arguments: an object at the top, sound all the way down."""
    if as_object(schema, where).get("type") != "object":
        raise Refusal(f"Invalid schema for '{where}': schema must be of type \"object\"", param=where)
    _check_schema(schema, where)


def _check_schema(schema: Any, where: str) -> None:
    schema = as_object(schema, where)
    kinds = schema.get("type", [])
    for kind in kinds if isinstance(kinds, list) else [kinds]:
        if kind not in _SCHEMA_TYPES:
            raise Refusal(f"Invalid schema for '{where}': {kind!r} is not a valid type", param=where)
    for key, expected in _TYPED_KEYS.items():
        if key in schema and not isinstance(schema[key], expected):
            raise Refusal(f"Invalid schema for '{where}.{key}': wrong type", param=where)
    properties = as_object(schema.get("properties", {}), f"{where}.properties")
    for name, inner in properties.items():
        _check_schema(inner, f"{where}.properties.{name}")
    for name in as_list(schema.get("required", []), f"{where}.required", empty=True):
        if name not in properties:
            raise Refusal(f"Invalid schema for '{where}': required {name!r} is not a property", param=where)
    if kinds == "array":
        if "items" not in schema:
            raise Refusal(f"Invalid schema for '{where}': array schema missing items", param=where)
        _check_schema(schema["items"], f"{where}.items")
    for position, inner in enumerate(schema.get("anyOf", [])):
        _check_schema(inner, f"{where}.anyOf.{position}")


def _join(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name
