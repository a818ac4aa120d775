"""What is wrong with a configuration, in words for the person who wrote it."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from keen_tui.config.settings import Settings
from keen_tui.domain.errors import KeenError

SHOWN_VALUE = 60
"""Characters of a wrong value that are shown."""

_KINDS = {
    "string_type": "text in quotes",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "finite_number": "a number",
    "bool_type": "true or false",
    "model_type": "a table",
    "dict_type": "a table",
    "mapping_type": "a table",
}


class ConfigError(KeenError):
    """A configuration can't be used. The message names the source and the key."""


def dotted(path: Sequence[object]) -> str:
    """A key as TOML writes it, with quotes where they are needed and no raw control characters."""
    return ".".join(_quoted(str(part)) for part in path)


def _quoted(part: str) -> str:
    if re.fullmatch(r"[A-Za-z0-9_-]+", part):
        return part
    return json.dumps(part, ensure_ascii=not part.isprintable())


def explain(error: ValidationError, source: str) -> ConfigError:
    """The first problem of a validation, as an error that names source, key, value and what is allowed."""
    details = error.errors(include_url=False)
    first = details[0]
    path = first["loc"]
    if first["type"] == "extra_forbidden":
        return unknown_key(path, source)
    allowed = " or ".join(dict.fromkeys(_allowed(item) for item in details if item["loc"] == path))
    return ConfigError(
        f"{source}: {dotted(path)} is {_shown(path, first['input'])}; allowed is {allowed}.",
        f"Correct {dotted(path)}, then start again. Nothing was changed.",
    )


def unknown_key(path: Sequence[object], source: str) -> ConfigError:
    """An error for a key that no setting has, with the nearest one there is."""
    siblings = _keys_at(path[:-1])
    near = difflib.get_close_matches(str(path[-1]), siblings, n=1, cutoff=0.6)
    where = f"[{dotted(path[:-1])}]" if path[:-1] else "the top level"
    known = f"Keys of {where}: {', '.join(siblings)}." if siblings else ""
    meant = f" Did you mean {dotted([*path[:-1], near[0]])}?" if near else ""
    return ConfigError(
        f"{source}: there is no setting {dotted(path)}.{meant}",
        f"Correct or remove the key, then start again. {known}".rstrip(),
    )


def _keys_at(path: Sequence[object]) -> list[str]:
    section: type[BaseModel] | None = Settings
    rest = list(path)
    while rest and section is not None:
        field = section.model_fields.get(str(rest.pop(0)))
        annotation: Any = field.annotation if field else None
        inner = [item for item in get_args(annotation) if _is_section(item)]
        if inner and rest:
            rest.pop(0)
            section = inner[0]
        else:
            section = annotation if _is_section(annotation) else None
    return list(section.model_fields) if section is not None else []


def _is_section(annotation: object) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def _allowed(item: ErrorDetails) -> str:
    context: Mapping[str, Any] = item.get("ctx", {})
    kind = item["type"]
    if kind == "literal_error":
        return str(context["expected"]).replace("'", '"')
    if kind == "value_error":
        return str(context["error"])
    if kind in ("greater_than", "greater_than_equal", "less_than", "less_than_equal"):
        word = kind.replace("_equal", " or equal").replace("_", " ").replace("than or equal", "than or equal to")
        return f"a number {word} {next(iter(context.values())):,}"
    return _KINDS.get(kind, item["msg"])


def _shown(path: Sequence[object], value: object) -> str:
    if path and path[0] == "providers":
        return "not valid (its value is not shown, it may be secret)"
    if isinstance(value, dict | list):
        return "a table" if isinstance(value, dict) else "a list"
    if isinstance(value, bool):
        return str(value).lower()
    text = json.dumps(value) if isinstance(value, str) else str(value)
    return text if len(text) <= SHOWN_VALUE else text[: SHOWN_VALUE - 1] + "…"
