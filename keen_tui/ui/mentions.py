"""`@` in the prompt: the file name that is being typed, and how a whole one is written."""

from __future__ import annotations

import re
from typing import NamedTuple

_BEFORE_CURSOR = re.compile(r"(?:^|(?<=[\s(\[{<,;:=]))@(?:\"(?P<quoted>[^\"\n]*)|(?P<plain>[^\s\"]*))$")
_PLAIN = re.compile(r"[^\s\"'`()\[\]{}<>,;]+")


class Mention(NamedTuple):
    """What stands between `@` and the cursor, and the column of the `@`."""

    words: str
    column: int


def mention_before(line: str) -> Mention | None:
    """The file name that is being typed at the end of `line`; an address such as `a@b` is none."""
    found = _BEFORE_CURSOR.search(line)
    if found is None:
        return None
    quoted, plain = found["quoted"], found["plain"]
    return Mention(quoted if quoted is not None else plain or "", found.start())


def written(path: str) -> str:
    """A whole mention: names with spaces or brackets stand in quotes."""
    return f"@{path}" if _PLAIN.fullmatch(path) else '@"' + path.replace('"', '\\"') + '"'
