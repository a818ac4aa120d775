"""Finds paths by a few of their letters, the likeliest first."""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Iterable, Sequence

MOST_SCORED = 20_000
"""Paths that hold the letters and are compared; in a huge repository the first ones are enough to go on."""
_WORD_START = re.compile(r"(?:^|[/._\- ])")


def find_paths(paths: Sequence[str], words: str, limit: int, stopped: Callable[[], bool] = lambda: False) -> list[str]:
    """At most `limit` paths that hold the letters of `words` in order, in any case.

    Without words the shortest paths come first. `stopped` is asked now and then; then nothing is found.
    """
    wanted = words.lower().replace(" ", "")
    if not wanted:
        return heapq.nsmallest(limit, paths, key=lambda path: (path.rstrip("/").count("/"), path))
    holds = re.compile(".*?".join(map(re.escape, wanted)), re.DOTALL).search
    found: list[str] = []
    for index, path in enumerate(paths):
        if index % 1024 == 0 and stopped():
            return []
        if holds(path.lower()):
            found.append(path)
            if len(found) == MOST_SCORED:
                break
    return heapq.nsmallest(limit, found, key=lambda path: (-score(path, wanted), len(path), path))


def score(path: str, wanted: str) -> int:
    """How well a path fits letters that it holds in order; more is better. `wanted` is in lower case."""
    low = path.lower()
    name = low.rstrip("/").rpartition("/")[2]
    depth = path.rstrip("/").count("/")
    if name == wanted or low == wanted:
        return 1000 - depth
    if name.startswith(wanted):
        return 800 - depth
    if (at := name.find(wanted)) > 0:
        return (700 if _WORD_START.match(name, at - 1) else 600) - depth
    if (at := low.find(wanted)) >= 0:
        return (500 if at == 0 or low[at - 1] == "/" else 400) - depth
    gaps = _gaps(name, wanted)
    if gaps is not None:
        return max(210, 300 - 5 * gaps) - depth
    return max(10, 150 - 5 * (_gaps(low, wanted) or 0)) - depth


def _gaps(text: str, wanted: Iterable[str]) -> int | None:
    """How often the letters are not neighbours, a jump to the start of a word free; None: not all there."""
    gaps, at = 0, -1
    for letter in wanted:
        found = text.find(letter, at + 1)
        if found < 0:
            return None
        if found != at + 1 and not _WORD_START.match(text, found - 1):
            gaps += 1
        at = found
    return gaps
