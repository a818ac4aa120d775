"""Checks a call's arguments against the tool's schema and says in one sentence what is wrong."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from keen_tui.domain.exchange import ToolSpec

_NAMES = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}


def check_arguments(spec: ToolSpec, arguments: Mapping[str, Any] | None) -> str:
    """What is wrong with `arguments`, for the model; "" when nothing is.

    Knows type, properties, required, additionalProperties, enum, minimum, maximum and items. A null
    for an optional parameter counts as left out.
    """
    if not isinstance(arguments, Mapping):
        return f"The arguments of {spec.name} must be a JSON object. {_wanted(spec.parameters)}"
    problem = _check_object(spec.parameters, arguments, "")
    if not problem:
        return ""
    return f"{spec.name} did not run: {problem} {_wanted(spec.parameters)}"


def _wanted(schema: Mapping[str, Any]) -> str:
    required = set(schema.get("required", ()))
    names = [name if name in required else f"{name} (optional)" for name in schema.get("properties", {})]
    return f"It takes: {', '.join(names)}." if names else "It takes no arguments."


def _check_object(schema: Mapping[str, Any], value: Mapping[str, Any], where: str) -> str:
    properties: Mapping[str, Any] = schema.get("properties", {})
    missing = [name for name in schema.get("required", ()) if name not in value]
    unknown = [name for name in value if name not in properties]
    if unknown and schema.get("additionalProperties", True) is False:
        return _unknown_sentence(unknown[0], missing or list(properties), where)
    if missing:
        names = " and ".join(f'"{where}{name}"' for name in missing)
        return f"{names} {'is' if len(missing) == 1 else 'are'} missing."
    required = schema.get("required", ())
    for name, inner in value.items():
        if inner is None and name not in required:
            continue
        if name in properties and (problem := _check_value(properties[name], inner, f"{where}{name}")):
            return problem
    return ""


def _unknown_sentence(name: str, candidates: Sequence[str], where: str) -> str:
    lowered = {candidate.lower().replace("_", ""): candidate for candidate in candidates}
    near = difflib.get_close_matches(name.lower().replace("_", ""), list(lowered), n=1, cutoff=0.5)
    advice = f' Did you mean "{lowered[near[0]]}"?' if near else ""
    return f'there is no parameter "{where}{_short(name)}".{advice}'


def _check_value(schema: Mapping[str, Any], value: object, name: str) -> str:
    kinds = schema.get("type")
    allowed: Sequence[str] = [kinds] if isinstance(kinds, str) else list(kinds or ())
    if allowed and not any(_is_of(kind, value) for kind in allowed):
        wanted = " or ".join(_NAMES.get(kind, kind) for kind in allowed)
        return f'"{name}" must be {wanted}, not {_short(json.dumps(value, default=str))}.'
    if "enum" in schema and value not in schema["enum"]:
        choices = ", ".join(json.dumps(choice) for choice in schema["enum"])
        return f'"{name}" must be one of {choices}.'
    if problem := _check_range(schema, value, name):
        return problem
    if isinstance(value, Mapping):
        return _check_object(schema, value, f"{name}.")
    if isinstance(value, list) and "items" in schema:
        for index, item in enumerate(value):
            if problem := _check_value(schema["items"], item, f"{name}[{index}]"):
                return problem
    return ""


def _check_range(schema: Mapping[str, Any], value: object, name: str) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    if value != value:
        return f'"{name}" must be a number.'
    if "minimum" in schema and value < schema["minimum"]:
        return f'"{name}" must be at least {schema["minimum"]}.'
    if "maximum" in schema and value > schema["maximum"]:
        return f'"{name}" must be at most {schema["maximum"]}.'
    return ""


def _is_of(kind: str, value: object) -> bool:
    if kind == "integer":
        return not isinstance(value, bool) and (
            isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        )
    if kind == "number":
        return not isinstance(value, bool) and isinstance(value, int | float)
    types = {"string": str, "boolean": bool, "array": list, "object": Mapping, "null": type(None)}
    return isinstance(value, types.get(kind, object))


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:79]}…"
