"""A brief as JSON: what an earlier program left, and what scripts read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from keen_tui.domain.brief import FIELD_LIMIT, FIELDS, Brief
from keen_tui.domain.errors import KeenError


class BriefError(KeenError):
    """A text that is no brief, or one with a field that is too long."""


def read_brief(text: str, source: str) -> Brief:
    """The brief in a JSON object of texts; lists become lines, unknown keys are kept as they are.

    `source` names where it comes from. Raises BriefError for anything else and for a field over its limit.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _refused(source, f"it is not JSON ({str(error)[:80]})") from error
    if not isinstance(data, dict):
        raise _refused(source, "it is JSON, but not an object with fields")
    values = {str(name): _text(value) for name, value in data.items()}
    for name in FIELDS:
        size = len(values.get(name, ""))
        if size > FIELD_LIMIT:
            raise _refused(source, f"{name} holds {size:,} characters, at most {FIELD_LIMIT:,} are allowed")
    return Brief({name: value for name, value in values.items() if value})


def brief_json(brief: Brief) -> dict[str, str]:
    """The fields that are set, known ones first, then unknown keys as they were read."""
    known = {name: brief.get(name) for name in FIELDS if brief.get(name)}
    return {**known, **{name: text for name, text in brief.values.items() if name not in known}}


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return "\n".join(f"- {item}" for item in value)
    if isinstance(value, Mapping | list):
        return json.dumps(value, ensure_ascii=False)
    return str(value)


def _refused(source: str, reason: str) -> BriefError:
    return BriefError(
        f"The brief in {source} was not used: {reason}. The file was left as it is.",
        "Correct it, or move it away; the task works without.",
    )
