"""What the transcript is made of: frozen pieces of data that know how to render themselves."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from rich.cells import cell_len

from keen_tui.security.untrusted import visible, visible_line
from keen_tui.ui.transcript.amounts import clock, plural, seconds_text, size_text
from keen_tui.ui.transcript.lines import Line, Span, Spans, line
from keen_tui.ui.transcript.markdown import markdown_lines
from keen_tui.ui.transcript.sections import Section
from keen_tui.ui.transcript.wrap import TAB, crop, wrap_lines

Fold = Literal["auto", "open", "closed"]
"""`auto` is what a block shows by itself; the other two are the person's choice."""

PROSE = 100
"""Prose is not set wider than this, in cells: longer rows are hard to read."""

PASTE = 40
"""Lines of a message that are shown before the rest is folded."""

INDENT = 2
CHARS_A_ROW = 0.8


class Block(Protocol):
    """One part of the transcript.

    `key` stays the same while the block changes. `gap` is the number of blank rows above. A
    `foldable` block shows more when opened. `source` is the text that copying the whole gives.
    """

    @property
    def key(self) -> str: ...
    @property
    def gap(self) -> int: ...
    @property
    def foldable(self) -> bool: ...
    @property
    def source(self) -> str: ...
    def lines(self, width: int, fold: Fold) -> list[Line]: ...


def estimated_rows(text: str | int, width: int) -> int:
    """About how many rows a text takes, from its length alone."""
    size = text if isinstance(text, int) else len(text)
    return 1 + int(size / max(8, min(width, PROSE) * CHARS_A_ROW))


def split_row(left: Spans, right: Spans, width: int) -> Line:
    """A row with something at each end; what does not fit is left out of the left part."""
    size = sum(cell_len(span.text) for span in right)
    room = max(0, width - size - 2 if right else width)
    kept: list[Span] = []
    for span in left:
        text = crop(span.text, room)
        if text:
            kept.append(Span(text, span.role))
        room -= cell_len(text)
        if text != span.text:
            break
    used = sum(cell_len(span.text) for span in kept)
    if not right or used + size + 1 > width:
        return Line(tuple(kept))
    return Line((*kept, Span(" " * (width - used - size)), *right))


@dataclass(frozen=True, slots=True)
class MessageBlock:
    """Words of the person: a request, an interjection, a note, an answer. They are shown as typed."""

    key: str
    name: str
    text: str
    time: datetime
    comment: int = 0
    label: str = ""
    gap: int = 1

    @property
    def foldable(self) -> bool:
        return self.text.count("\n") >= PASTE or len(self.text) > PASTE * PROSE

    @property
    def source(self) -> str:
        return self.text

    def lines(self, width: int, fold: Fold) -> list[Line]:
        name = [Span(visible_line(self.name, 40), "user")]
        if self.label:
            name.append(Span(f"  {self.label}", "dim"))
        right = clock(self.time) + (f"  #{self.comment}" if self.comment else "")
        head = split_row(tuple(name), (Span(right, "dim"),), width)
        text = self.text.rstrip("\n")
        if fold != "open" and self.foldable:
            text = text[: PASTE * PROSE]
        spans = (Span(visible(text).expandtabs(TAB), "user_text"),)
        body = wrap_lines(spans, min(width, PROSE))
        if fold != "open" and self.foldable:
            body = body[:PASTE]
            rest = max(1, self.text.count("\n") + 1 - len(body))
            body.append(line(f"… {plural(rest, 'more line')}, {size_text(len(self.text))} in all", "dim"))
        return [head, *body]


@dataclass(frozen=True, slots=True)
class SpeakerBlock:
    """The line that says who answers."""

    key: str
    name: str = "keen"
    gap: int = 1
    foldable: bool = False
    source: str = ""

    def lines(self, width: int, fold: Fold) -> list[Line]:
        return [line(self.name, "agent")]


@dataclass(frozen=True, slots=True)
class ProseBlock:
    """One finished section of Markdown."""

    key: str
    section: Section
    gap: int = 0
    foldable: bool = False

    @property
    def source(self) -> str:
        return self.section.text

    def lines(self, width: int, fold: Fold) -> list[Line]:
        return markdown_lines(self.section.text, prose_width(self.section.text, width), self.section.number)


def prose_width(text: str, width: int) -> int:
    """Tables and code may be as wide as the pane."""
    wide = text.lstrip().startswith(("```", "~~~", "|")) or "\n|" in text or "\n    " in text
    return width if wide else min(width, PROSE)


@dataclass(frozen=True, slots=True)
class ReasoningBlock:
    """Reasoning, folded. After a resume only its size is known."""

    key: str
    text: str
    size: int
    seconds: float
    running: bool
    gap: int = 0

    @property
    def foldable(self) -> bool:
        return bool(self.text)

    @property
    def source(self) -> str:
        return self.text

    def lines(self, width: int, fold: Fold) -> list[Line]:
        opened = fold == "open" and self.foldable
        glyph = ("▾" if opened else "▸") if self.foldable else "·"
        if self.running:
            words = f"thinking, {size_text(self.size)}"
        else:
            took = f" for {_long_seconds(self.seconds)}" if self.seconds >= 0.05 else ""
            words = f"thought{took}, {size_text(self.size)}"
        head = line(f"  {glyph} {words}", "reasoning")
        if not opened:
            return [head]
        indent = (Span(" " * (INDENT + 2)),)
        text = visible(self.text.strip("\n")).expandtabs(TAB)
        body = wrap_lines((Span(text, "reasoning"),), min(width, PROSE), indent, indent, gutter=True)
        return [head, *body]


def _long_seconds(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 1 else f"{round(seconds)} s" if seconds < 60 else seconds_text(seconds)


@dataclass(frozen=True, slots=True)
class RemarkBlock:
    """One line of news, with the next step below it: a notice, a retry, an approval, the way a turn ended."""

    key: str
    mark: str
    text: str
    role: str = "notice"
    state: str = ""
    state_role: str = "dim"
    hint: str = ""
    gap: int = 0
    foldable: bool = False

    @property
    def source(self) -> str:
        return f"{self.text}\n{self.hint}" if self.hint else self.text

    def lines(self, width: int, fold: Fold) -> list[Line]:
        first = (Span(" " * INDENT + self.mark + " ", self.role),)
        rest = (Span(" " * (INDENT + 2)),)
        state = (Span(visible_line(self.state, 200), self.state_role),) if self.state else ()
        room = min(width, PROSE)
        text = visible(self.text).expandtabs(TAB)
        one_row = INDENT + 2 + cell_len(text) + 2 + (cell_len(state[0].text) if state else 0)
        if state and "\n" not in text and one_row <= width:
            rows = [split_row((*first, Span(text, self.role)), state, width)]
        else:
            rows = wrap_lines((Span(text, self.role),), room, first, rest, gutter=True)
            if state:
                rows.extend(wrap_lines(state, room, rest, rest, gutter=True))
        if self.hint:
            hint = (Span("next: ", "dim"), Span(visible(self.hint).expandtabs(TAB), "hint"))
            rows.extend(wrap_lines(hint, room, rest, rest, gutter=True))
        return rows
