"""Refs: the address of one entry inside one task. No task can be named in one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

RefSource = Literal["comment", "transcript"]

_REF = re.compile(r"(comment|transcript):([1-9][0-9]{0,14})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Ref:
    """`comment:17` or `transcript:42`; numbers count from 1 inside their task."""

    source: RefSource
    number: int

    def __str__(self) -> str:
        return f"{self.source}:{self.number}"


def parse_ref(text: str) -> Ref | None:
    """The ref that a text is, or None when it is anything else."""
    found = _REF.fullmatch(text.strip())
    if found is None:
        return None
    return Ref("comment" if found[1] == "comment" else "transcript", int(found[2]))


_INSIDE = re.compile(r"\b(comment|transcript):([0-9]+)", re.ASCII | re.IGNORECASE)


def refs_in(text: str) -> list[Ref]:
    """Every ref that stands in a text, in order; one that counts from 0 is among them."""
    return [
        Ref("comment" if found[1].lower() == "comment" else "transcript", int(found[2][:15]))
        for found in _INSIDE.finditer(text)
    ]
