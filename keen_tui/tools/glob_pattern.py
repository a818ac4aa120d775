"""Glob patterns: `*`, `?`, `[a-z]`, `{a,b}` and `**`, matched against whole relative paths."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass

from keen_tui.tools.base import ToolError

_MOST_CHARACTERS = 1000
_MOST_ALTERNATIVES = 500


@dataclass(frozen=True, slots=True)
class GlobPattern:
    """A pattern ready to match paths relative to the folder that is searched, with `/` between names.

    A pattern without a slash matches names at any depth. `excludes` is set for one that began with `!`.
    """

    expression: re.Pattern[str]
    excludes: bool

    def matches(self, path: str) -> bool:
        return (self.expression.fullmatch(path) is not None) is not self.excludes


def compile_glob(pattern: str) -> GlobPattern:
    """Raises ToolError for a pattern that is empty, too long or broken."""
    if len(pattern) > _MOST_CHARACTERS:
        raise ToolError("The glob pattern is too long.")
    body = pattern.removeprefix("!")
    while body.startswith("./"):
        body = body[2:]
    body = body.strip("/") if body != "/" else ""
    if not body:
        raise ToolError('The glob pattern is empty. Use for example "**/*.py", or "*" for every file.')
    parts = [_to_regex(one) for one in _alternatives(body)]
    try:
        return GlobPattern(re.compile("|".join(parts), re.DOTALL), pattern.startswith("!"))
    except re.error as error:
        raise ToolError(f"The glob pattern {pattern!r} is broken: {error}.") from error


def _alternatives(pattern: str) -> list[str]:
    """`pattern` with its braces multiplied out: `*.{a,b}` gives `*.a` and `*.b`."""
    waiting, done = [pattern], []
    while waiting:
        one = waiting.pop(0)
        span = _first_braces(one)
        if span is None:
            done.append(one)
            continue
        start, end, commas = span
        edges = [start, *commas, end]
        waiting.extend(
            one[:start] + one[left + 1 : right] + one[end + 1 :] for left, right in itertools.pairwise(edges)
        )
        if len(waiting) + len(done) > _MOST_ALTERNATIVES:
            raise ToolError("The glob pattern has too many alternatives in braces.")
    return done


def _first_braces(pattern: str) -> tuple[int, int, list[int]] | None:
    """Start, end and top-level commas of the first braces that hold a comma."""
    for start, character in enumerate(pattern):
        if character != "{":
            continue
        depth, commas = 0, []
        for index in range(start, len(pattern)):
            if pattern[index] == "{":
                depth += 1
            elif pattern[index] == "," and depth == 1:
                commas.append(index)
            elif pattern[index] == "}":
                depth -= 1
                if depth == 0:
                    if commas:
                        return start, index, commas
                    break
    return None


def _to_regex(pattern: str) -> str:
    names = pattern.split("/")
    if len(names) == 1 and pattern != "**":
        return f"(?:.*/)?{_name_regex(pattern)}"
    pieces: list[str] = []
    for index, name in enumerate(names):
        last = index == len(names) - 1
        if name == "**":
            if index and names[index - 1] == "**":
                continue
            pieces.append(".*" if last else "(?:[^/]+/)*")
        else:
            pieces.append(_name_regex(name) + ("" if last else "/"))
    return "".join(pieces)


def _name_regex(name: str) -> str:
    pieces: list[str] = []
    index = 0
    while index < len(name):
        character = name[index]
        if character == "*":
            if not pieces or pieces[-1] != "[^/]*":
                pieces.append("[^/]*")
        elif character == "?":
            pieces.append("[^/]")
        elif character == "[" and (end := _set_end(name, index)) > 0:
            inside = name[index + 1 : end].replace("\\", "\\\\").replace("[", "\\[")
            pieces.append(f"(?!/)[{'^' + inside[1:] if inside[0] in '!^' else inside}]")
            index = end
        elif character == "\\" and index + 1 < len(name):
            index += 1
            pieces.append(re.escape(name[index]))
        else:
            pieces.append(re.escape(character))
        index += 1
    return "".join(pieces)


def _set_end(name: str, start: int) -> int:
    """The index of the `]` that closes the set at `start`, -1 when it is never closed."""
    first = start + 1
    if name[first : first + 1] in ("!", "^"):
        first += 1
    return name.find("]", first + 1)
