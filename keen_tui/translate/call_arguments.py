"""The arguments of received calls: repaired where that is safe, refused in a sentence where not."""

from __future__ import annotations

import json
from typing import Any

from keen_tui.domain.exchange import ToolCall
from keen_tui.translate.wire_text import writable

_CUT_OFF = "The arguments were cut off because the reply reached its output limit. Send a shorter call."


def read_call(call_id: str, name: str, raw: str, *, cut_off: bool = False) -> ToolCall:
    """A call from its argument text. Empty text and `null` are no arguments.

    An object that was written as a JSON string is unwrapped. `cut_off`: the reply ended at its limit.
    """
    arguments, problem = _parse(raw)
    if arguments is None and cut_off:
        problem = _CUT_OFF
    return ToolCall(call_id, name, arguments, raw, problem)


def read_object_call(call_id: str, name: str, value: Any, raw: str) -> ToolCall:
    """A call whose arguments came as a JSON value."""
    if value is None:
        return ToolCall(call_id, name, {}, raw)
    if isinstance(value, dict):
        return ToolCall(call_id, name, writable(value), raw)
    return ToolCall(call_id, name, None, raw, _not_an_object(value))


def _parse(raw: str) -> tuple[dict[str, Any] | None, str]:
    if not raw.strip():
        return {}, ""
    try:
        value = json.loads(raw, parse_constant=_refuse, strict=False)
        if isinstance(value, str) and value.lstrip().startswith("{"):
            value = json.loads(value, parse_constant=_refuse, strict=False)
    except (ValueError, RecursionError) as error:
        return None, f"The arguments are not valid JSON ({error}). Send one JSON object."
    if value is None:
        return {}, ""
    if not isinstance(value, dict):
        return None, _not_an_object(value)
    return (writable(value) if "\\u" in raw or not raw.isascii() else value), ""


def _not_an_object(value: Any) -> str:
    kinds = {list: "a list", str: "a string", bool: "true or false", int: "a number", float: "a number"}
    return f"The arguments must be one JSON object, not {kinds.get(type(value), 'something else')}."


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON number")
