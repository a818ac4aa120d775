"""How far a shell command reaches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Level = Literal["read", "write", "network", "destructive", "unknown"]
LEVELS: tuple[Level, ...] = ("read", "write", "network", "destructive", "unknown")
"""From harmless to worst. "write" changes files or runs code of the workspace; "unknown" always asks."""


def worst(*levels: Level) -> Level:
    """The worst of the levels; "read" when there is none."""
    return max(levels, key=LEVELS.index, default="read")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one simple command may do. `rule` is the prefix that could be allowed, empty when none is safe."""

    level: Level
    reason: str = ""
    rule: str = ""
    destructive_git: bool = False
    writes: tuple[str, ...] = ()
    changes_directory: bool = False


def names(text: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(text.split())
