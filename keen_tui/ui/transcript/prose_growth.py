"""Prose that still arrives: finished sections once, the growing one as cheaply as its size asks for."""

from __future__ import annotations

from dataclasses import dataclass, field

from keen_tui.domain.segments import TextSegment
from keen_tui.security.untrusted import visible
from keen_tui.ui.transcript.blocks import Fold, ProseBlock, prose_width
from keen_tui.ui.transcript.lines import Line, Span
from keen_tui.ui.transcript.markdown import markdown_lines
from keen_tui.ui.transcript.sections import Section, Sections
from keen_tui.ui.transcript.wrap import TAB, wrap_lines

SMALL = 2_000
"""Characters up to which the growing section is rendered whole for every frame."""

GROWTH = 8
"""A larger one is rendered whole again when it has grown by one part in this many."""


class ProseFeed:
    """Hands what is added to a text segment to the section splitter, once."""

    def __init__(self, segment: TextSegment) -> None:
        self._segment = segment
        self._sections = Sections()
        self._parts = 0
        self._first = 0
        self._size = 0
        self._closed = False

    def take(self) -> list[Section]:
        """Sections that were finished since the last call; all that is left once the segment is closed."""
        for part in self._added():
            self._size += len(part)
            self._sections.feed(part)
        if not self._segment.open and not self._closed:
            self._closed = True
            self._sections.close()
        return self._sections.take()

    @property
    def growing(self) -> Section | None:
        return self._sections.growing

    def _added(self) -> list[str]:
        parts = self._segment.parts
        merged = len(parts) < self._parts or (self._parts and len(parts[0]) != self._first)
        added = parts[self._parts :]
        if merged:
            # Somebody read the whole text: what was in many parts is one.
            added = [parts[0][self._size :], *parts[1:]] if parts else []
        self._parts = len(parts)
        self._first = len(parts[0]) if parts else 0
        return added


@dataclass
class GrowingProse:
    """The block of the growing section. It changes in place; its rows are never cached by others."""

    key: str
    section: Section
    gap: int = 0
    foldable: bool = False
    _whole: list[Line] = field(default_factory=list)
    _rendered: int = 0
    _width: int = 0

    @property
    def source(self) -> str:
        return self.section.text

    def grow(self, section: Section) -> None:
        if not section.text.startswith(self.section.text[:64]):
            self._rendered = 0
        self.section = section

    def lines(self, width: int, fold: Fold) -> list[Line]:
        text = self.section.text
        if len(text) <= SMALL:
            return ProseBlock(self.key, self.section).lines(width, fold)
        if self._width != width or len(text) >= self._rendered + self._rendered // GROWTH:
            cut = text.rfind("\n") + 1
            cut = cut if cut > len(text) // 2 else len(text)
            room = prose_width(text, width)
            self._whole = markdown_lines(text[:cut], room, self.section.number)
            self._rendered, self._width = cut, width
        rest = text[self._rendered :]
        return [*self._whole, *self._plain(rest, prose_width(text, width))] if rest else self._whole

    def _plain(self, text: str, width: int) -> list[Line]:
        code = self.section.text.lstrip().startswith(("```", "~~~"))
        shown = visible(text).expandtabs(TAB)
        if not code:
            return wrap_lines((Span(shown),), width)
        margin = (Span(" ", "code"),)
        rows = wrap_lines((Span(shown, "code"),), width - 1, margin, margin, gutter=True)
        return [Line(row.spans, row.gutter, join=row.join, fill="code") for row in rows]
