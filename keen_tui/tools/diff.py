"""Unified diffs (hunks without file headers) that stay quick and small for files of any size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

CONTEXT_LINES = 3
_MOST_COMPARED_LINES = 4000
_MOST_SHOWN_LINES = 2000
_MOST_LINE_CHARACTERS = 2000
_NO_NEWLINE = "\\ No newline at end of file"

Step = tuple[str, int, int, int, int]


@dataclass(frozen=True, slots=True)
class Change:
    """`hunks` is the unified diff, "" when nothing differs; `added` and `removed` count lines."""

    hunks: str = ""
    added: int = 0
    removed: int = 0


def compare(before: str, after: str) -> Change:
    """The change from `before` to `after`, by lines.

    A stretch of more than 4,000 differing lines is shown as one removal and one addition, and at
    most 2,000 lines are shown, with a sentence that says how many are left out.
    """
    if before == after:
        return Change()
    old, new = _lines(before), _lines(after)
    steps = _steps(old, new)
    added = sum(step[4] - step[3] for step in steps if step[0] != "equal")
    removed = sum(step[2] - step[1] for step in steps if step[0] != "equal")
    shown: list[str] = []
    for group in _groups(steps):
        shown.extend(_hunk(group, old, new, _MOST_SHOWN_LINES - len(shown)))
        if len(shown) >= _MOST_SHOWN_LINES:
            break
    if len(shown) >= _MOST_SHOWN_LINES:
        shown = shown[:_MOST_SHOWN_LINES]
        shown.append(f"\\ The rest of the diff is not shown (+{added:,} −{removed:,} lines in all)")
    return Change("\n".join(shown) + "\n", added, removed)


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    tail = lines.pop()
    found = [f"{line}\n" for line in lines]
    return [*found, tail] if tail else found


def _steps(old: Sequence[str], new: Sequence[str]) -> list[Step]:
    """Opcodes as difflib gives them, with equal beginnings and ends found in linear time."""
    shortest = min(len(old), len(new))
    head = 0
    while head < shortest and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < shortest - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    old_end, new_end = len(old) - tail, len(new) - tail
    steps: list[Step] = [("equal", 0, head, 0, head)] if head else []
    if old_end - head + new_end - head > _MOST_COMPARED_LINES:
        steps.append(("replace", head, old_end, head, new_end))
    else:
        matcher = SequenceMatcher(None, old[head:old_end], new[head:new_end], autojunk=old_end - head > 500)
        steps.extend((tag, i1 + head, i2 + head, j1 + head, j2 + head) for tag, i1, i2, j1, j2 in matcher.get_opcodes())
    if tail:
        steps.append(("equal", old_end, len(old), new_end, len(new)))
    return steps


def _groups(steps: Sequence[Step]) -> Iterator[list[Step]]:
    """Changes that stand near each other, with up to three equal lines on each side."""
    group: list[Step] = []
    for index, (tag, i1, i2, j1, j2) in enumerate(steps):
        if tag != "equal":
            group.append((tag, i1, i2, j1, j2))
            continue
        last = index == len(steps) - 1
        if group and not last and i2 - i1 <= 2 * CONTEXT_LINES:
            group.append((tag, i1, i2, j1, j2))
            continue
        if group:
            size = min(CONTEXT_LINES, i2 - i1)
            yield [*group, (tag, i1, i1 + size, j1, j1 + size)]
        size = min(CONTEXT_LINES, i2 - i1)
        group = [] if last else [(tag, i2 - size, i2, j2 - size, j2)]
    if any(step[0] != "equal" for step in group):
        yield group


def _hunk(group: Sequence[Step], old: Sequence[str], new: Sequence[str], most: int) -> list[str]:
    i1, i2, j1, j2 = group[0][1], group[-1][2], group[0][3], group[-1][4]
    shown = [f"@@ -{_span(i1, i2)} +{_span(j1, j2)} @@"]
    for tag, a1, a2, b1, b2 in group:
        if tag == "equal":
            _show(shown, " ", old[a1 : min(a2, a1 + most)])
        else:
            _show(shown, "-", old[a1 : min(a2, a1 + most)])
            _show(shown, "+", new[b1 : min(b2, b1 + most)])
    return shown


def _show(shown: list[str], sign: str, lines: Sequence[str]) -> None:
    for line in lines:
        body = line.removesuffix("\n").removesuffix("\r")
        if len(body) > _MOST_LINE_CHARACTERS:
            body = f"{body[:_MOST_LINE_CHARACTERS]}…"
        shown.append(f"{sign}{body}")
        if not line.endswith("\n"):
            shown.append(_NO_NEWLINE)


def _span(start: int, end: int) -> str:
    length = end - start
    if length == 1:
        return str(start + 1)
    return f"{start + 1 if length else start},{length}"
