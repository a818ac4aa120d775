"""What a block renders to: lines of spans, each span a text with the name of a role."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from rich.cells import cell_len


class Span(NamedTuple):
    """A piece of one line. `role` names a role of the theme; several are joined by `+`."""

    text: str
    role: str = "text"


Spans = tuple[Span, ...]
Join = Literal["\n", " ", ""]


@dataclass(frozen=True, slots=True)
class Line:
    """One row of the screen.

    `gutter` leading and `tail` trailing characters are decoration: copying leaves them out. `join`
    is what stands between this line and the one before in copied text: a wrapped row joins by a
    space or by nothing. `fill` is the role of the cells behind the last span, empty for none.
    """

    spans: Spans = ()
    gutter: int = 0
    tail: int = 0
    join: Join = "\n"
    fill: str = ""

    @property
    def text(self) -> str:
        return "".join(span.text for span in self.spans)

    @property
    def cells(self) -> int:
        return sum(cell_len(span.text) for span in self.spans)

    @property
    def copied(self) -> str:
        """The text without its decoration."""
        text = self.text
        return text[self.gutter : len(text) - self.tail]


BLANK = Line()


def line(text: str, role: str = "text") -> Line:
    return Line((Span(text, role),))


def copied_text(lines: Iterable[Line]) -> str:
    """The lines as a person would paste them: no gutters, wrapped rows joined again."""
    parts: list[str] = []
    for number, row in enumerate(lines):
        if number:
            parts.append(row.join)
        parts.append(row.copied)
    return "".join(parts)


def prefixed(lines: Sequence[Line], first: Spans, rest: Spans, *, gutter: bool = False) -> list[Line]:
    """The lines behind a prefix: `first` before the first one, `rest` before the others.

    The prefix counts as gutter when asked to, and wherever the line has a gutter already.
    """
    result = []
    for number, row in enumerate(lines):
        prefix = rest if number else first
        size = sum(len(span.text) for span in prefix)
        kept = row.gutter + size if gutter or row.gutter else 0
        result.append(replace(row, spans=prefix + row.spans, gutter=kept))
    return result
