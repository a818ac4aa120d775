"""Tool cards: one line for the call, and below it as much of the output as is wanted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rich.cells import cell_len

from keen_tui.security.untrusted import visible, visible_line
from keen_tui.ui.transcript.amounts import plural, size_text
from keen_tui.ui.transcript.blocks import INDENT, Fold
from keen_tui.ui.transcript.diff import diff_lines
from keen_tui.ui.transcript.lines import Line, Span, prefixed
from keen_tui.ui.transcript.wrap import TAB, crop, wrap_lines

OPEN_LINES = 200
"""Rows of output or diff in an opened card."""

DIFF_PREVIEW = 24
TAIL_PREVIEW = 4
LONG_PREVIEW = 24
_BODY = (Span(" " * (INDENT + 4)),)
_LONGEST = 2_000

Preview = Literal["none", "head", "tail", "long", "diff"]


@dataclass(frozen=True, slots=True)
class ToolCard:
    """One tool call as the transcript shows it.

    `status` is a word or two, `took` its seconds. `known` is False when the output was never kept:
    then only `size` is known. `preview` is what an untouched card shows below its line.
    """

    key: str
    call_id: str
    tool: str
    target: str
    status: str
    status_role: str
    took: str
    output: str = ""
    size: int = 0
    known: bool = True
    diff: str = ""
    preview: Preview = "none"
    gap: int = 0

    @property
    def foldable(self) -> bool:
        return bool(self.output or self.diff or not self.known)

    @property
    def source(self) -> str:
        return self.output or self.diff or self.target

    def lines(self, width: int, fold: Fold) -> list[Line]:
        body: list[Line] = []
        if self.foldable and fold != "closed":
            body = self._whole(width) if fold == "open" else self._preview(width)
        glyph = ("▾" if body else "▸") if self.foldable else "·"
        return [self._head(glyph, width), *body]

    def _head(self, glyph: str, width: int) -> Line:
        took = self.took.rjust(6) if self.took else ""
        right = Span(self.status, self.status_role)
        size = cell_len(self.status) + len(took)
        name = crop(visible_line(self.tool), max(4, width - INDENT - 4 - size))
        left = (Span(f"{' ' * INDENT}{glyph} ", "dim"), Span(name, "tool"))
        used = INDENT + 2 + cell_len(name)
        room = width - used - size - 4
        target = visible_line(self.target, _LONGEST)
        target = crop(target, room, keep_end="/" in target and " " not in target) if room > 3 else ""
        shown = (Span(f"  {target}", "tool_target"),) if target else ()
        used += cell_len(target) + 2 if target else 0
        space = Span(" " * max(1, width - used - size))
        return Line((*left, *shown, space, right, Span(took, "dim")))

    def _preview(self, width: int) -> list[Line]:
        match self.preview:
            case "diff":
                return self._diff(width, DIFF_PREVIEW)
            case "head":
                return self._output(width, TAIL_PREVIEW, tail=False)
            case "tail":
                return self._output(width, TAIL_PREVIEW, tail=True)
            case "long" if self.output:
                return self._output(width, LONG_PREVIEW, tail=True)
            case _:
                return []

    def _whole(self, width: int) -> list[Line]:
        if self.diff:
            return self._diff(width, OPEN_LINES)
        if not self.known:
            what = f"output not kept ({size_text(self.size)})" if self.size else "not kept"
            return prefixed([Line((Span(what, "dim"),))], _BODY, _BODY, gutter=True)
        return self._output(width, OPEN_LINES, tail=False)

    def _diff(self, width: int, limit: int) -> list[Line]:
        rows = diff_lines(self.diff, self.target, max(16, width - INDENT - 2))
        indent = (Span(" " * (INDENT + 2)),)
        shown = rows[:limit] if len(rows) > limit + 1 else rows
        lines = prefixed(shown, indent, indent, gutter=True)
        return [*lines, *_more(len(rows) - len(shown))]

    def _output(self, width: int, limit: int, *, tail: bool) -> list[Line]:
        rows = self.output.strip("\n").split("\n")
        cut = len(rows) > limit + 1
        shown = (rows[-limit:] if tail else rows[:limit]) if cut else rows
        text = "\n".join(row[:_LONGEST] + "…" if len(row) > _LONGEST else row for row in shown)
        spans = (Span(visible(text).expandtabs(TAB), "tool_output"),)
        lines = wrap_lines(spans, max(16, width), _BODY, _BODY, gutter=True)
        hidden = len(rows) - len(shown)
        if len(lines) > limit + 1:
            hidden += 1
            lines = lines[-limit:] if tail else lines[:limit]
        return [*_more(hidden), *lines] if tail else [*lines, *_more(hidden)]


def _more(hidden: int) -> list[Line]:
    if hidden <= 0:
        return []
    return prefixed([Line((Span(f"… {plural(hidden, 'more line')}", "dim"),))], _BODY, _BODY, gutter=True)
