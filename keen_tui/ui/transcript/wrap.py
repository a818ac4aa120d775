"""Breaking text into rows by cell width, with the break rules of Chinese, Japanese and Korean."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len, split_graphemes

from keen_tui.ui.transcript.lines import Join, Line, Span, Spans

TAB = 4

_WORD = re.compile(r"[^ ]+ *| +")
_NO_START = frozenset(
    "、。，．,.:;!?！？：；)]}）］｝〕〉》」』】〙〗〟’”｠»ゝゞーァィゥェォッャュョヮヵヶぁぃぅぇぉっゃゅょゎ々〻‐゠–〜…‥・％%"
)
_NO_END = frozenset("([{（［｛〔〈《「『【〘〖〝‘“｟«$￥＄£€")


class _Piece(NamedTuple):
    """A part of the text that is not broken unless it is wider than a row: [start, end) and then spaces."""

    start: int
    end: int
    cells: int
    spaces: int


class Row(NamedTuple):
    spans: Spans
    join: Join


def wrap_lines(
    spans: Iterable[Span], width: int, first: Spans = (), rest: Spans = (), *, gutter: bool = False
) -> list[Line]:
    """The spans as rows of at most `width` cells, prefixes included. A newline in a text ends a row."""
    room = max(1, width - max(_cells(first), _cells(rest)))
    lines = []
    for number, row in enumerate(wrap_rows(spans, room)):
        prefix = rest if number else first
        size = sum(len(span.text) for span in prefix) if gutter else 0
        lines.append(Line(prefix + row.spans, gutter=size, join=row.join))
    return lines


def wrap_rows(spans: Iterable[Span], width: int) -> list[Row]:
    """Rows of at most `width` cells (a single wider character excepted, at width 1)."""
    rows: list[Row] = []
    for paragraph in split_lines(spans):
        rows.extend(_wrap_paragraph(paragraph, width))
    return rows


def cut_rows(spans: Sequence[Span], width: int) -> list[Row]:
    """One line as rows cut at exactly `width` cells, wherever that falls; spaces stay. For code."""
    text = "".join(span.text for span in spans)
    if cell_len(text) <= width:
        return [Row(tuple(spans), "\n")]
    bounds = list(_hard_bounds(text, 0, len(text), width))
    return _rows(spans, [(start, end, "" if start else "\n") for start, end in bounds])


def split_lines(spans: Iterable[Span]) -> list[Spans]:
    """The spans, parted at newlines."""
    lines: list[list[Span]] = [[]]
    for span in spans:
        if "\n" not in span.text:
            lines[-1].append(span)
            continue
        head, *others = span.text.split("\n")
        lines[-1].append(Span(head, span.role))
        lines.extend([Span(other, span.role)] for other in others)
    return [tuple(span for span in row if span.text) for row in lines]


def crop(text: str, width: int, *, keep_end: bool = False) -> str:
    """At most `width` cells of a one-line text, with `…` where something is missing."""
    if width <= 0:
        return ""
    if cell_len(text) <= width:
        return text
    graphemes, _ = split_graphemes(text)
    used = 1
    if keep_end:
        start = len(text)
        for begin, _, cells in reversed(graphemes):
            if used + cells > width:
                break
            used, start = used + cells, begin
        return "…" + text[start:]
    end = 0
    for _, stop, cells in graphemes:
        if used + cells > width:
            break
        used, end = used + cells, stop
    return text[:end].rstrip(" ") + "…"


def _cells(spans: Spans) -> int:
    return sum(cell_len(span.text) for span in spans)


def _wrap_paragraph(spans: Spans, width: int) -> list[Row]:
    text = "".join(span.text for span in spans)
    if cell_len(text) <= width:
        return [Row(spans, "\n")]
    bounds: list[tuple[int, int, Join]] = []
    start = end = used = 0
    join: Join = "\n"
    for piece in _pieces(text):
        if used and used + piece.cells > width:
            bounds.append((start, end, join))
            join = "" if end == piece.start else " "
            start = end = piece.start
            used = 0
        if piece.cells > width:
            *whole, (start, end) = _hard_bounds(text, piece.start, piece.end, width)
            for begin, stop in whole:
                bounds.append((begin, stop, join))
                join = ""
            used = cell_len(text[start:end]) + piece.spaces
        else:
            end = piece.end
            used += piece.cells + piece.spaces
    bounds.append((start, end, join))
    return _rows(spans, bounds)


def _pieces(text: str) -> Iterator[_Piece]:
    plain = text.isascii()
    for match in _WORD.finditer(text):
        whole = match.group()
        word = whole.rstrip(" ")
        start, spaces = match.start(), len(whole) - len(word)
        if not word:
            yield _Piece(start, match.end(), spaces, 0)
        elif plain or cell_len(word) == len(word):
            yield _Piece(start, start + len(word), cell_len(word), spaces)
        else:
            yield from _wide_pieces(word, start, spaces)


def _wide_pieces(word: str, offset: int, spaces: int) -> Iterator[_Piece]:
    graphemes, _ = split_graphemes(word)
    start = used = 0
    last_char, last_wide = "", False
    for begin, _, cells in graphemes:
        char, wide = word[begin], cells > 1
        may_break = begin and (wide or last_wide) and char not in _NO_START and last_char not in _NO_END
        if may_break:
            yield _Piece(offset + start, offset + begin, used, 0)
            start, used = begin, 0
        used += cells
        last_char, last_wide = char, wide
    yield _Piece(offset + start, offset + len(word), used, spaces)


def _hard_bounds(text: str, start: int, end: int, width: int) -> Iterator[tuple[int, int]]:
    """[start, end) cut into parts of at most `width` cells, never inside a grapheme."""
    part = text[start:end]
    if part.isascii():
        for begin in range(start, end, width):
            yield begin, min(end, begin + width)
        return
    begin = used = 0
    for first, _, cells in split_graphemes(part)[0]:
        if used and used + cells > width:
            yield start + begin, start + first
            begin, used = first, 0
        used += cells
    yield start + begin, end


def _rows(spans: Sequence[Span], bounds: Sequence[tuple[int, int, Join]]) -> list[Row]:
    """The parts of the spans between rising bounds."""
    rows: list[Row] = []
    index, at = 0, 0
    for start, end, join in bounds:
        row: list[Span] = []
        while index < len(spans):
            text, role = spans[index]
            if at + len(text) > start:
                piece = text[max(0, start - at) : max(0, end - at)]
                if piece:
                    row.append(Span(piece, role))
            if at + len(text) > end:
                break
            at += len(text)
            index += 1
        rows.append(Row(tuple(row), join))
    return rows
