"""Single lines of a field: adding, replacing, removing, moving."""

from __future__ import annotations

import re

_BULLET = re.compile(r"\A\s*(?:[-*+]|\d+[.)])\s+")


class LineNotFound(Exception):
    """No line, or more than one, is meant. The message says so."""


def bare(line: str) -> str:
    """A line without its bullet."""
    return _BULLET.sub("", line, count=1).strip()


def append_line(text: str, line: str) -> str:
    """The text with a line at its end, with a bullet where the lines before have one."""
    lines = text.splitlines()
    return "\n".join([*lines, _like(lines, line)])


def replace_line(text: str, old: str, new: str) -> str:
    """The text with one line replaced. Raises LineNotFound."""
    lines = text.splitlines()
    index = find_line(text, old)
    lines[index] = _like(lines, new)
    return "\n".join(lines)


def remove_line(text: str, old: str) -> str:
    """The text without one line. Raises LineNotFound."""
    return without_line(text, find_line(text, old))


def without_line(text: str, index: int) -> str:
    """The text without the line at an index."""
    lines = text.splitlines()
    del lines[index]
    return "\n".join(lines)


def moved_line(text: str, index: int, by: int) -> str:
    """The text with a line moved up or down by some lines that say something; unchanged at the ends."""
    lines = text.splitlines()
    shown = [number for number, line in enumerate(lines) if line.strip()]
    if index not in shown:
        return text
    other = shown.index(index) + by
    if not 0 <= other < len(shown):
        return text
    lines.insert(shown[other], lines.pop(index))
    return "\n".join(lines)


def find_line(text: str, wanted: str) -> int:
    """The index of the line that `wanted` names: the same words, else the only one that holds them.

    Bullets and blanks around do not count. Raises LineNotFound.
    """
    lines = text.splitlines()
    words = bare(wanted)
    if not words:
        raise LineNotFound("Name the line by its text.")
    for found in (
        [index for index, line in enumerate(lines) if bare(line) == words],
        [index for index, line in enumerate(lines) if words in line],
    ):
        if len(found) == 1:
            return found[0]
        if found:
            raise LineNotFound(f"{len(found)} lines match {words[:80]!r}. Give the whole line.")
    raise LineNotFound(f"No line reads {words[:80]!r}.")


def _like(lines: list[str], line: str) -> str:
    """The line with the bullet of the others, when they have one and it has none."""
    bulleted = any(other.lstrip().startswith("- ") for other in lines)
    return f"- {line.strip()}" if bulleted and not _BULLET.match(line) and "\n" not in line else line.strip("\n")
