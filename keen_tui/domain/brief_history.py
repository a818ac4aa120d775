"""The revisions of a brief: what each changed, and how they are undone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from keen_tui.domain.brief import Brief
from keen_tui.domain.events import Author

Way = Literal["edit", "undo", "redo", "restore"]


@dataclass(frozen=True, slots=True)
class BriefStep:
    """One revision: the named fields had `before` and have `after`. `of` is the revision that an undo,
    redo or restore is about, 0 for an edit."""

    revision: int
    author: Author
    movement: str
    time: datetime
    before: Mapping[str, str]
    after: Mapping[str, str]
    way: Way = "edit"
    of: int = 0


def undo_of(steps: Sequence[BriefStep]) -> BriefStep | None:
    """The revision that an undo takes back: the last change by a person or the agent that holds."""
    done, _ = _stacks(steps)
    return done[-1] if done else None


def redo_of(steps: Sequence[BriefStep]) -> BriefStep | None:
    """The revision that a redo brings back; None when something was changed since the undo."""
    _, undone = _stacks(steps)
    return undone[-1] if undone else None


def _stacks(steps: Sequence[BriefStep]) -> tuple[list[BriefStep], list[BriefStep]]:
    done: list[BriefStep] = []
    undone: list[BriefStep] = []
    for step in steps:
        if step.way == "undo":
            if done:
                undone.append(done.pop())
        elif step.way == "redo":
            if undone:
                done.append(undone.pop())
        elif step.author != "system":
            done.append(step)
            undone.clear()
    return done, undone


def brief_at(steps: Sequence[BriefStep], revision: int) -> Brief | None:
    """The brief as it stood after a revision; None when there is no such revision."""
    brief = Brief()
    for step in steps:
        brief = brief.changed(step.after)
        if step.revision == revision:
            return brief
    return None


def changes_between(current: Brief, wanted: Brief) -> dict[str, str]:
    """The whole fields that turn one brief into another; an empty text clears."""
    names = dict.fromkeys([*current.values, *wanted.values])
    return {name: wanted.get(name) for name in names if current.get(name) != wanted.get(name)}
