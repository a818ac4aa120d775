"""The form in which events and texts go to the disk: without secrets, and in characters that UTF-8 carries."""

from __future__ import annotations

from typing import Any

from keen_tui.domain.events import AssistantText, Event, TextRewound, TurnStarted, stored_form
from keen_tui.security.secrets import redact

_NEVER_PROSE = frozenset({"type", "task", "turn", "time", "call_id", "request_id", "prompt_id", "mode", "wire"})
_SHORTEST = 6
"""Characters of the shortest text that can hold a secret and what gives it away."""


def kept_text(text: str) -> str:
    """The text with secret values replaced by `[redacted]` and lone surrogates by question marks."""
    text = text.encode("utf-8", "replace").decode("utf-8")
    return redact(text) if len(text) >= _SHORTEST else text


class KeptForm:
    """Makes the JSON objects of one transcript.

    It remembers how much shorter redaction made the prose of the turn, since a retry takes back prose
    by the number of its characters.
    """

    def __init__(self) -> None:
        self._prose: list[tuple[int, int]] = []

    def of(self, event: Event) -> dict[str, Any]:
        """The object that is kept of an event."""
        if isinstance(event, TextRewound):
            event = event.model_copy(update={"characters": self._take_back(event.characters)})
        elif isinstance(event, TurnStarted):
            self._prose.clear()
        try:
            form = stored_form(event)
        except (ValueError, UnicodeError):
            form = stored_form(_storable(event))
        form = {name: value if name in _NEVER_PROSE else _kept(value) for name, value in form.items()}
        if isinstance(event, AssistantText):
            self._prose.append((len(event.text), len(form["text"])))
        return form

    def _take_back(self, characters: int) -> int:
        """How many kept characters the last `characters` live ones became."""
        kept = 0
        while characters > 0 and self._prose:
            live, stored = self._prose.pop()
            if live > characters:
                rest = max(0, stored - characters)
                self._prose.append((live - characters, rest))
                return kept + stored - rest
            characters -= live
            kept += stored
        return kept + characters


def _kept(value: Any) -> Any:
    if isinstance(value, str):
        return kept_text(value)
    if isinstance(value, dict):
        return {name: _kept(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_kept(item) for item in value]
    return value


def _storable(event: Event) -> Event:
    fields = {name: _cleaned(getattr(event, name)) for name in type(event).model_fields}
    return event.model_copy(update=fields)


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {_cleaned(key): _cleaned(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_cleaned(item) for item in value)
    return value
