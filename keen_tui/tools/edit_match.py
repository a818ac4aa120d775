"""Finds the one place that an edit means, on the bytes of a file, and explains why there is none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from keen_tui.tools.base import ToolError
from keen_tui.tools.text_files import TextFile, uses_crlf

_MOST_COMPARED_LINES = 20_000
_MOST_COMPARED_CHARACTERS = 200
_MOST_NAMED_LINES = 10
_NUMBERED_LINE = re.compile(r"^ *\d+\t")


@dataclass(frozen=True, slots=True)
class Match:
    """Byte offsets where `old` stands in the file, and the bytes to put there."""

    offsets: tuple[int, ...]
    old: bytes
    new: bytes

    def apply(self, content: bytes) -> bytes:
        """`content` with every match replaced and all other bytes as they are."""
        pieces: list[bytes] = []
        position = 0
        for offset in self.offsets:
            pieces += (content[position:offset], self.new)
            position = offset + len(self.old)
        return b"".join([*pieces, content[position:]])


def find_matches(file: TextFile, old: str, new: str) -> Match:
    """All places of `old` in `file`; none is an empty `offsets`.

    Where the file has CRLF line endings and `old` was given with LF, the CRLF form is matched and
    written. A file with CRLF on every line gets CRLF in `new` as well.
    """
    crlf = uses_crlf(file.text)
    wanted = _with_crlf(new) if crlf else new
    match = _search(file, old, wanted)
    if not match.offsets and "\n" in old and b"\r" in file.content:
        return _search(file, _with_crlf(old), _with_crlf(new))
    return match


def lines_of(file: TextFile, match: Match) -> list[int]:
    """The line numbers (from 1) at which the matches begin."""
    newline = file.encode("\n")
    found: list[int] = []
    line, position = 1, len(file.mark)
    for offset in match.offsets:
        line += len(_positions(file.content[position:offset], newline, 0, file.unit))
        position = offset
        found.append(line)
    return found


def refuse_several(file: TextFile, match: Match, name: str) -> ToolError:
    lines = lines_of(file, match)
    named = ", ".join(f"{line:,}" for line in lines[:_MOST_NAMED_LINES])
    more = f" and {len(lines) - _MOST_NAMED_LINES:,} more" if len(lines) > _MOST_NAMED_LINES else ""
    return ToolError(
        f"old_string stands in {name} {len(lines):,} times, at lines {named}{more}. Nothing was changed. "
        "Add lines around it until it is unique, or set replace_all to change every one."
    )


def refuse_none(file: TextFile, old: str, name: str) -> ToolError:
    """Says that `old` is nowhere in the file and shows the lines that come nearest."""
    lines = [line.removesuffix("\r") for line in file.text.split("\n")]
    wanted = [line.removesuffix("\r") for line in old.strip("\n").split("\n")]
    sentence = f"old_string is not in {name}, so nothing was changed."
    if all(_NUMBERED_LINE.match(line) for line in wanted if line.strip()):
        sentence += " Leave out the line numbers and tabs that read_file puts before each line."
        wanted = [_NUMBERED_LINE.sub("", line) for line in wanted]
    start = _same_but_for_spaces(lines, wanted)
    if start is not None:
        sentence += " These lines differ from it only in spaces or tabs; copy them exactly:"
        return ToolError(f"{sentence}\n{_show(lines, start, start + len(wanted))}")
    start = _nearest(lines, wanted)
    if start is None:
        return ToolError(f"{sentence} Nothing in the file is like it; read the file again.")
    first, last = max(0, start - 1), min(len(lines), start + min(len(wanted), 12) + 1)
    return ToolError(f"{sentence} The nearest lines are:\n{_show(lines, first, last)}")


def _with_crlf(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\n", "\r\n")


def _search(file: TextFile, old: str, new: str) -> Match:
    try:
        wanted = old.encode(file.codec)
    except UnicodeEncodeError:
        return Match((), b"", b"")
    offsets = _positions(file.content, wanted, len(file.mark), file.unit)
    return Match(tuple(offsets), wanted, file.encode(new) if offsets else b"")


def _positions(content: bytes, wanted: bytes, start: int, unit: int) -> list[int]:
    """Where `wanted` stands, without overlaps and only at whole code units counted from `start`."""
    found: list[int] = []
    position = content.find(wanted, start)
    while position >= 0:
        if (position - start) % unit:
            position = content.find(wanted, position + 1)
            continue
        found.append(position)
        position = content.find(wanted, position + len(wanted))
    return found


def _same_but_for_spaces(lines: Sequence[str], wanted: Sequence[str]) -> int | None:
    bare = ["".join(line.split()) for line in lines]
    bare_wanted = ["".join(line.split()) for line in wanted]
    if not any(bare_wanted):
        return None
    first = bare_wanted[0]
    for start in range(len(bare) - len(bare_wanted) + 1):
        if bare[start] == first and bare[start : start + len(bare_wanted)] == bare_wanted:
            return start
    return None


def _nearest(lines: Sequence[str], wanted: Sequence[str]) -> int | None:
    """The line at which the text that is most like `wanted` begins, judged by its longest line."""
    key_index = max(range(len(wanted)), key=lambda index: len(wanted[index].strip()))
    key = wanted[key_index].strip()[:_MOST_COMPARED_CHARACTERS]
    if not key:
        return None
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(key)
    best, best_ratio = None, 0.5
    for index, line in enumerate(lines[:_MOST_COMPARED_LINES]):
        matcher.set_seq1(line.strip()[:_MOST_COMPARED_CHARACTERS])
        if matcher.real_quick_ratio() <= best_ratio or matcher.quick_ratio() <= best_ratio:
            continue
        if (ratio := matcher.ratio()) > best_ratio:
            best, best_ratio = index, ratio
    return None if best is None else max(0, best - key_index)


def _show(lines: Sequence[str], first: int, last: int) -> str:
    shown = lines[first : min(last, first + 20)]
    return "\n".join(f"{number:>6}\t{line[:500]}" for number, line in enumerate(shown, start=first + 1))
