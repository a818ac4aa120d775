"""Calls that only repeat themselves: the third time the same call gives the same result, the turn stops."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from keen_tui.domain.exchange import ToolCall

LIMIT = 3


@dataclass(slots=True)
class Repeats:
    """Counts equal results of equal calls inside one turn. A changed file starts the count anew."""

    _seen: dict[str, tuple[str, int]] = field(default_factory=dict)

    def count(self, call: ToolCall, result: str) -> int:
        """How many times in a row this call has given exactly this result, this time included."""
        arguments = json.dumps(call.arguments, sort_keys=True) if call.arguments is not None else call.raw
        key = f"{call.name}\0{arguments}"
        last, times = self._seen.get(key, ("", 0))
        times = times + 1 if times and last == result else 1
        self._seen[key] = (result, times)
        return times

    def file_changed(self) -> None:
        self._seen.clear()
