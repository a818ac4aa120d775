"""The Mission Brief: the ledger of task facts that stays pinned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

FIELDS = (
    "goal",
    "user_constraints",
    "decisions",
    "done",
    "open",
    "current_focus",
    "touched_files",
    "risks",
    "clarifications",
    "last_updated_by_movement",
)
MODEL_FIELDS = tuple(name for name in FIELDS if name != "last_updated_by_movement")
FIELD_LIMIT = 2_000
"""Characters in one field."""
RENDER_LIMIT = 8_000
"""Characters in the rendered brief."""

TITLES = {
    "goal": "Goal",
    "user_constraints": "Constraints",
    "decisions": "Decisions",
    "done": "Done",
    "open": "Open",
    "current_focus": "Focus",
    "touched_files": "Files",
    "risks": "Risks",
    "clarifications": "Clarifications",
    "last_updated_by_movement": "Last movement",
}


@dataclass(frozen=True, slots=True)
class Brief:
    """`values` holds only non-empty fields; keys that Keen does not know are kept and never rendered."""

    values: Mapping[str, str] = field(default_factory=dict)

    def get(self, name: str) -> str:
        return self.values.get(name, "")

    def changed(self, changes: Mapping[str, str]) -> Brief:
        """A brief with whole fields replaced; an empty text clears its field."""
        merged = {**self.values, **changes}
        return Brief({name: text for name, text in merged.items() if text})


def too_long(changes: Mapping[str, str]) -> str:
    """A sentence for the first field over its limit, or an empty string."""
    for name, text in changes.items():
        if len(text) > FIELD_LIMIT:
            return f"{name} holds {len(text):,} characters; at most {FIELD_LIMIT:,} are allowed. Shorten it."
    return ""


def oversized(brief: Brief) -> tuple[str, ...]:
    """The fields that hold more than their limit: they are kept, and left out of requests."""
    return tuple(name for name in MODEL_FIELDS if len(brief.get(name)) > FIELD_LIMIT)


_GIVE_WAY = ("done", "touched_files", "clarifications", "risks", "decisions", "open", "current_focus", "goal")
"""Fields in the order in which their oldest lines go. `user_constraints` is never cut."""


def render(brief: Brief) -> str:
    """The brief as Markdown for the model, at most RENDER_LIMIT characters; empty when nothing is set.

    When it is too long, lines of `done` go first, the oldest before the others, then of `touched_files`,
    then of the other fields, and the number is said. `user_constraints` stands word for word.
    """
    texts = {name: brief.get(name) for name in MODEL_FIELDS if brief.get(name).strip()}
    if not texts:
        return ""
    notes: dict[str, str] = {}
    for name in oversized(brief):
        notes[name] = f"({len(texts[name]):,} characters, too long to be shown here)"
        texts[name] = ""
    rendered = _sections(texts, notes)
    for name in _GIVE_WAY:
        lines = texts.get(name, "").splitlines()
        count = 0
        while len(rendered) > RENDER_LIMIT and count < len(lines):
            count += 1
            notes[name] = f"({count} older line{'s' if count > 1 else ''} left out)"
            texts[name] = "\n".join(lines[count:])
            rendered = _sections(texts, notes)
    return rendered


def _sections(texts: Mapping[str, str], notes: Mapping[str, str]) -> str:
    sections = ["## Mission Brief"]
    for name, text in texts.items():
        lines = [f"### {TITLES[name]} ({name})", *([notes[name]] if name in notes else []), text]
        sections.append("\n".join(lines).rstrip())
    return "\n\n".join(sections)
