"""Markdown to lines: markdown-it tokens, rendered by block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from rich.cells import cell_len

from keen_tui.security.untrusted import visible, visible_line
from keen_tui.ui.transcript.code import code_lines
from keen_tui.ui.transcript.inline import inline_spans
from keen_tui.ui.transcript.lines import BLANK, Line, Span, Spans, prefixed
from keen_tui.ui.transcript.table import Align, table_lines
from keen_tui.ui.transcript.wrap import cut_rows, wrap_lines

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_BULLETS = ("•", "–", "·")
_TASKS = {"[ ] ": "☐", "[x] ": "☑", "[X] ": "☑"}
_NARROWEST = 6
"""Cells below which the inside of a list or quote is no longer indented."""


def markdown_lines(text: str, width: int, number: int | None = None) -> list[Line]:
    """The text as lines of at most `width` cells.

    HTML and link definitions are shown as the text they are. `number` overrides the number of an
    ordered list's first item. The text is made safe here, before and after the parser (which turns
    entities into characters).
    """
    tokens = _parser().parse(visible(text))
    return _Blocks(tokens, number).render(0, len(tokens), max(8, width), 0)


@lru_cache(1)
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": 20})
    return parser.enable(["table", "strikethrough"]).disable("reference")


class _Blocks:
    """Renders ranges of one token list. Containers render their inside narrower and add a prefix."""

    def __init__(self, tokens: Sequence[Token], number: int | None) -> None:
        self._tokens = tokens
        self._number = number
        self._ends = _matching_ends(tokens)

    def render(self, start: int, end: int, width: int, depth: int) -> list[Line]:
        lines: list[Line] = []
        index, tight = start, False
        while index < end:
            token = self._tokens[index]
            stop = self._ends.get(index, index)
            block = self._block(token, index, stop, width, depth)
            if block:
                nested_list = token.type in ("bullet_list_open", "ordered_list_open") and tight
                if lines and not nested_list and not token.hidden:
                    lines.append(BLANK)
                lines.extend(block)
            tight = token.hidden
            index = stop + 1
        return lines

    def _block(self, token: Token, start: int, stop: int, width: int, depth: int) -> list[Line]:
        match token.type:
            case "paragraph_open":
                return wrap_lines(self._inline(start), width)
            case "heading_open":
                role = "heading" if token.tag in ("h1", "h2") else "subheading"
                return wrap_lines((Span(s.text, f"{s.role}+{role}") for s in self._inline(start)), width)
            case "fence" | "code_block":
                return fence_lines(token.content.removesuffix("\n"), token.info, width)
            case "hr":
                return [Line((Span("─" * width, "rule"),))]
            case "blockquote_open":
                if width - 2 < _NARROWEST:
                    return self._inside(start, stop, width, depth)
                inside = self._inside(start, stop, width - 2, depth)
                quoted = [_with_role(row, "quote") for row in inside]
                return prefixed(quoted, (Span("▎ ", "quote_bar"),), (Span("▎ ", "quote_bar"),), gutter=True)
            case "bullet_list_open" | "ordered_list_open":
                return self._list(token, start, stop, width, depth)
            case "table_open":
                return self._table(start, stop, width)
            case _:
                return []

    def _inside(self, start: int, stop: int, width: int, depth: int) -> list[Line]:
        return self.render(start + 1, stop, width, depth)

    def _inline(self, start: int) -> Spans:
        return inline_spans(self._tokens[start + 1])

    def _list(self, token: Token, start: int, stop: int, width: int, depth: int) -> list[Line]:
        ordered = token.type == "ordered_list_open"
        number = int(token.attrs.get("start", 1)) if ordered else 0
        if ordered and depth == 0 and self._number is not None:
            number = self._number
        starts = []
        index = start + 1
        while index < stop:
            starts.append(index)
            index = self._ends[index] + 1
        size = len(str(number + len(starts) - 1)) + 2 if ordered else 2
        lines: list[Line] = []
        for count, item in enumerate(starts):
            loose = self._is_loose(item)
            if lines and loose:
                lines.append(BLANK)
            mark = f"{number + count}." if ordered else _BULLETS[min(depth, len(_BULLETS) - 1)]
            lines.extend(self._item(item, mark.rjust(size - 1), width, depth))
        return lines

    def _item(self, start: int, mark: str, width: int, depth: int) -> list[Line]:
        stop = self._ends[start]
        box = self._task(start)
        if box:
            mark = box
        size = cell_len(mark) + 1
        if width - size < _NARROWEST:
            size = 0
        inside = self._inside(start, stop, width - size, depth + 1) or [BLANK]
        if not size:
            return inside
        return prefixed(inside, (Span(mark + " ", "bullet"),), (Span(" " * size),))

    def _task(self, start: int) -> str:
        """The box of a task item, whose mark is then taken out of the text; else empty."""
        if start + 2 >= len(self._tokens) or self._tokens[start + 1].type != "paragraph_open":
            return ""
        children = self._tokens[start + 2].children or []
        if not children or children[0].type != "text":
            return ""
        box = _TASKS.get(children[0].content[:4], "")
        if box:
            children[0].content = children[0].content[4:]
        return box

    def _is_loose(self, item: int) -> bool:
        inside = self._tokens[item + 1]
        return inside.type == "paragraph_open" and not inside.hidden

    def _table(self, start: int, stop: int, width: int) -> list[Line]:
        rows: list[list[Spans]] = []
        aligns: list[Align] = []
        for index in range(start, stop):
            token = self._tokens[index]
            if token.type == "tr_open":
                rows.append([])
            elif token.type in ("th_open", "td_open"):
                rows[-1].append(self._inline(index))
                if token.type == "th_open":
                    aligns.append(_align(str(token.attrs.get("style", ""))))
        return table_lines(rows, aligns, width)


def fence_lines(source: str, info: str, width: int) -> list[Line]:
    """A code block: filled with the code background, its language at the right of the first row."""
    language = visible_line((info.split() or [""])[0], 24)
    name = language.split(":")[0].strip("{}.")
    lines: list[Line] = []
    for spans in code_lines(visible(source), name):
        for row in cut_rows(spans, max(1, width - 2)):
            lines.append(Line((Span(" ", "code"), *row.spans), gutter=1, join=row.join, fill="code"))
    if not language:
        return lines
    first = lines[0]
    free = width - first.cells - cell_len(language) - 1
    if free < 2:
        label = Span(language.rjust(width - 1), "code_label")
        return [Line((label,), gutter=len(label.text), fill="code"), *lines]
    label = Span(" " * free + language, "code_label")
    lines[0] = replace(first, spans=(*first.spans, label), tail=len(label.text))
    return lines


def _with_role(row: Line, role: str) -> Line:
    return replace(row, spans=tuple(Span(s.text, f"{role}+{s.role}") for s in row.spans))


def _align(style: str) -> Align:
    if "right" in style:
        return "right"
    return "center" if "center" in style else "left"


def _matching_ends(tokens: Sequence[Token]) -> dict[int, int]:
    ends: dict[int, int] = {}
    stack: list[int] = []
    for index, token in enumerate(tokens):
        if token.nesting == 1:
            stack.append(index)
        elif token.nesting == -1:
            ends[stack.pop()] = index
    return ends
