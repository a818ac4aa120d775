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


def render(brief: Brief) -> str:
    """The brief as Markdown for the model, at most RENDER_LIMIT characters; empty when nothing is set.

    Lines of `done`, oldest first, then of `touched_files` go when it is too long, and the number is said.
    """
    texts = {name: brief.get(name) for name in MODEL_FIELDS if brief.get(name).strip()}
    if not texts:
        return ""
    dropped: dict[str, int] = {}
    rendered = _sections(texts, dropped)
    for name in ("done", "touched_files"):
        while len(rendered) > RENDER_LIMIT and texts.get(name):
            lines = texts[name].splitlines()
            texts[name] = "\n".join(lines[1:])
            dropped[name] = dropped.get(name, 0) + 1
            rendered = _sections(texts, dropped)
    return rendered


def _sections(texts: Mapping[str, str], dropped: Mapping[str, int]) -> str:
    sections = ["## Mission Brief"]
    for name, text in texts.items():
        note = f"({dropped[name]} older lines left out)\n" if dropped.get(name) else ""
        sections.append(f"### {TITLES[name]} ({name})\n{note}{text}".rstrip())
    return "\n\n".join(sections)
