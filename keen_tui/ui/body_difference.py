"""What changed between the last request and the next, in the provider's own shape."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Difference:
    """`same` lines at the front and `same_end` at the end of both; between them what went and what came."""

    same: int
    removed: tuple[str, ...]
    added: tuple[str, ...]
    same_end: int


def body_lines(body: Mapping[str, Any]) -> list[str]:
    """A body as indented JSON, line by line."""
    return json.dumps(body, indent=2, ensure_ascii=False, default=str).split("\n")


def difference(last: list[str], following: list[str]) -> Difference:
    """One requests extends the other, so the parts between the equal ends are all there is to see."""
    most = min(len(last), len(following))
    front = 0
    while front < most and last[front] == following[front]:
        front += 1
    end = 0
    while end < most - front and last[-1 - end] == following[-1 - end]:
        end += 1
    return Difference(front, tuple(last[front : len(last) - end]), tuple(following[front : len(following) - end]), end)
