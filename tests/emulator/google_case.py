"""Google takes the keys of a request in camelCase and in snake_case alike."""

from __future__ import annotations

import re
from typing import Any

_USER_DATA = ("args", "response", "parametersJsonSchema", "properties")
_UNDERSCORE = re.compile(r"_([a-z])")


def camel(value: Any) -> Any:
    """The same JSON with the API's own keys in camelCase; arguments, results and schemas stay as they are."""
    if isinstance(value, list):
        return [camel(item) for item in value]
    if not isinstance(value, dict):
        return value
    out = {}
    for key, inner in value.items():
        name = _UNDERSCORE.sub(lambda match: match.group(1).upper(), key)
        out[name] = inner if name in _USER_DATA else camel(inner)
    return out
