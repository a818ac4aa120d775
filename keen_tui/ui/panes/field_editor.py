"""The editor of one field of the brief, and what stands above it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.binding import BindingType
from textual.message import Message

from keen_tui.domain.brief import FIELD_LIMIT, TITLES
from keen_tui.ui.fields import TextField
from keen_tui.ui.keymap import bindings_for
from keen_tui.ui.lines import Line, Span, line, wrap

THEIRS_ROWS = 5
"""Rows of the agent's version that stand above the editor."""


class FieldEditor(TextField):
    """The text of one field."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("field")]

    class Asked(Message):
        """A key of the editor: "save", "leave" or "merge"."""

        def __init__(self, what: str) -> None:
            super().__init__()
            self.what = what

    def action_save(self) -> None:
        self.post_message(self.Asked("save"))

    def action_leave(self) -> None:
        self.post_message(self.Asked("leave"))

    def action_merge(self) -> None:
        self.post_message(self.Asked("merge"))


@dataclass(slots=True)
class Draft:
    """A field that is open: `base` is the text that it had, `theirs` what it reads by now."""

    field: str
    base: str
    theirs: str
    asked: bool = False
    problem: str = ""

    @property
    def conflict(self) -> bool:
        """Somebody else changed the field meanwhile."""
        return self.theirs != self.base

    def merged(self, mine: str) -> str:
        """Mine, and behind it the lines of theirs that neither mine nor the text before had."""
        known = {row.strip() for row in (*mine.splitlines(), *self.base.splitlines())}
        more = [row for row in self.theirs.splitlines() if row.strip() and row.strip() not in known]
        return "\n".join([*mine.splitlines(), *more])

    def rows(self, mine: str, width: int) -> list[Line]:
        """What stands above the editor."""
        size = f"{len(mine):,} / {FIELD_LIMIT:,} "
        over = len(mine) > FIELD_LIMIT
        rows = [line(Span(f" {TITLES[self.field]}", "title"), right=[Span(size, "error" if over else "muted")])]
        if self.problem:
            rows += [line(Span(f" {row}", "error")) for row in wrap(self.problem, width - 2)]
        if self.conflict:
            rows += [
                line(Span(f" {row}", "warning"))
                for row in wrap("The agent changed this field while you edit it. Theirs:", width - 2)
            ]
            theirs = wrap(self.theirs or "(empty)", max(10, width - 5))
            rows += [line(Span("   ", "muted"), Span(row)) for row in theirs[:THEIRS_ROWS]]
            if len(theirs) > THEIRS_ROWS:
                rows.append(line(Span(f"   … {len(theirs) - THEIRS_ROWS} more rows", "muted")))
            rows.append(line(Span(" F9 keeps yours   ^T adds theirs   Esc takes theirs", "muted")))
        elif self.asked:
            rows.append(line(Span(" Changed. F9 saves, Esc again drops it.", "warning")))
        elif not self.problem:
            rows.append(line(Span(" F9 saves, Esc leaves", "muted")))
        if self.conflict and self.asked:
            rows.append(line(Span(" Changed. F9 saves, Esc again drops it.", "warning")))
        return rows
