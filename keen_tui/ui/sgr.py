"""SGR codes: what a terminal writes with, and the shortest way from one look to another."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple


class Look(NamedTuple):
    """SGR codes, taken apart."""

    attributes: frozenset[str]
    foreground: str
    background: str


@lru_cache(4096)
def look_of(codes: str) -> Look:
    """Take apart codes as they stand in a style, such as `1;38;2;255;0;0`."""
    attributes, foreground, background = set(), "", ""
    parts = iter(codes.split(";") if codes else ())
    for part in parts:
        if part in ("38", "48"):
            kind = next(parts, "")
            colour = ";".join([part, kind, *(next(parts, "") for _ in range(3 if kind == "2" else 1))])
        else:
            colour = part
        number = int(part)
        if 30 <= number <= 39 or 90 <= number <= 97:
            foreground = colour
        elif 40 <= number <= 49 or 100 <= number <= 107:
            background = colour
        else:
            attributes.add(part)
    return Look(frozenset(attributes), foreground, background)


@lru_cache(4096)
def blank_codes(codes: str) -> str:
    """What of the codes shows on a blank: the background, and lines or inversion."""
    look = look_of(codes)
    if "7" in look.attributes:
        return codes
    return ";".join([*sorted(look.attributes - {"1", "2", "3"}), *filter(None, [look.background])])


@lru_cache(4096)
def turn(before: str, after: str) -> str:
    """The sequence that turns one look into another."""
    old, new = look_of(before), look_of(after)
    lost = old.attributes - new.attributes or (old[1] and not new[1]) or (old[2] and not new[2])
    if lost:
        return f"\x1b[0;{after}m" if after else "\x1b[m"
    changed = [*sorted(new.attributes - old.attributes), *(b for a, b in zip(old[1:], new[1:], strict=True) if a != b)]
    return f"\x1b[{';'.join(changed)}m" if changed else ""
