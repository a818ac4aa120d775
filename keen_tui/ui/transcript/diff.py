"""A unified diff as numbered, coloured rows; side by side where there is room."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

from rich.cells import cell_len

from keen_tui.security.untrusted import visible
from keen_tui.ui.transcript.code import code_lines
from keen_tui.ui.transcript.lines import Line, Span, Spans
from keen_tui.ui.transcript.wrap import cut_rows

SIDE_BY_SIDE = 120
"""Cells from which old and new stand beside each other."""

_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")
_SIGNS = {"+": "+", "-": "−", " ": " "}
_SIGN_ROLES = {"+": "diff_added", "-": "diff_removed", " ": "diff_context"}
_FILLS = {"+": "added_fill", "-": "removed_fill", " ": ""}


@dataclass(frozen=True, slots=True)
class _Row:
    """`kind` is the sign of the diff; `old` and `new` are line numbers, 0 where there is none."""

    kind: str
    old: int
    new: int
    spans: Spans


def diff_lines(diff: str, filename: str, width: int) -> list[Line]:
    """The hunks as lines of at most `width` cells; hunks are parted by a row of dots."""
    lines: list[Line] = []
    hunks = list(_hunks(visible(diff), filename))
    digits = max((len(str(max(row.old, row.new))) for hunk in hunks for row in hunk), default=1)
    for hunk in hunks:
        if lines:
            lines.append(Line((Span("⋯".rjust(digits), "line_number"),), gutter=digits))
        if width >= SIDE_BY_SIDE:
            lines.extend(_side_by_side(hunk, width, digits))
        else:
            for row in hunk:
                lines.extend(_unified(row, width, digits))
    return lines


def _hunks(diff: str, filename: str) -> Iterator[list[_Row]]:
    old = new = 0
    hunk: list[tuple[str, int, int, str]] = []
    for text in diff.split("\n"):
        if match := _HUNK.match(text):
            if hunk:
                yield _coloured(hunk, filename)
            hunk, old, new = [], int(match[1]), int(match[2])
        elif text.startswith(("--- ", "+++ ")) and not hunk and not old and not new:
            continue
        elif text.startswith("\\"):
            hunk.append(("\\", 0, 0, text[1:].strip()))
        elif text[:1] in _SIGNS:
            kind = text[0]
            hunk.append((kind, 0 if kind == "+" else old, 0 if kind == "-" else new, text[1:]))
            old += kind != "+"
            new += kind != "-"
    if hunk:
        yield _coloured(hunk, filename)


def _coloured(hunk: list[tuple[str, int, int, str]], filename: str) -> list[_Row]:
    """Each side is coloured as one text, so that strings over several lines stay strings."""
    before = iter(code_lines("\n".join(text for kind, *_, text in hunk if kind in "- "), "", filename))
    after = iter(code_lines("\n".join(text for kind, *_, text in hunk if kind in "+ "), "", filename))
    rows = []
    for kind, old, new, text in hunk:
        if kind == "\\":
            rows.append(_Row(" ", 0, 0, (Span(text, "dim"),)))
            continue
        spans: Spans = ()
        if kind in "- ":
            spans = next(before, ())
        if kind in "+ ":
            spans = next(after, ())
        rows.append(_Row(kind, old, new, spans))
    return rows


def _unified(row: _Row, width: int, digits: int) -> list[Line]:
    number = row.new if row.kind == "+" else row.old or row.new
    return [
        Line(spans, gutter=digits + 3, join="" if part else "\n", fill=_FILLS[row.kind])
        for part, spans in enumerate(_numbered(row, number, width, digits))
    ]


def _numbered(row: _Row, number: int, width: int, digits: int) -> list[Spans]:
    """The row behind its number and sign, cut at the width."""
    fill = _FILLS[row.kind]
    result = []
    for part, cut in enumerate(cut_rows(row.spans, max(4, width - digits - 3))):
        label = str(number).rjust(digits) if number and not part else " " * digits
        gutter = Span(label, _with("line_number", fill))
        sign = Span(f" {_SIGNS[row.kind] if not part else ' '} ", _with(_SIGN_ROLES[row.kind], fill))
        code = tuple(Span(span.text, _with(span.role.replace("code", "plain", 1), fill)) for span in cut.spans)
        result.append((gutter, sign, *code))
    return result


def _with(role: str, fill: str) -> str:
    return f"{role}+{fill}" if fill else role


def _side_by_side(hunk: list[_Row], width: int, digits: int) -> Iterator[Line]:
    half = (width - 3) // 2
    for left, right in _pairs(hunk):
        old = _numbered(left, left.old, half, digits) if left else []
        new = _numbered(right, right.new, half, digits) if right else []
        for part, (one, other) in enumerate(zip_longest(old, new, fillvalue=())):
            fill = _FILLS[left.kind] if left and one else ""
            padding = Span(" " * (half - sum(cell_len(span.text) for span in one)), fill or "text")
            spans = (*one, padding, Span(" │ ", "table_border"), *other)
            gutter = sum(len(span.text) for span in (*one, padding)) + 3 + (digits + 3 if other else 0)
            after = _FILLS[right.kind] if right and other else ""
            yield Line(spans, gutter=gutter, join="" if part else "\n", fill=after)


def _pairs(hunk: list[_Row]) -> Iterator[tuple[_Row | None, _Row | None]]:
    removed: list[_Row] = []
    added: list[_Row] = []
    for row in hunk:
        if row.kind == "-" and not added:
            removed.append(row)
            continue
        if row.kind == "+":
            added.append(row)
            continue
        yield from zip_longest(removed, added)
        removed, added = ([row], []) if row.kind == "-" else ([], [])
        if row.kind == " ":
            yield row, row
    yield from zip_longest(removed, added)
