"""The Brief pane: the facts of the task, edited in place."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import TextArea

from keen_tui.domain.brief import FIELD_LIMIT, MODEL_FIELDS, TITLES, Brief
from keen_tui.domain.views import TaskView
from keen_tui.ui.fields import TextField
from keen_tui.ui.keymap import bindings_for
from keen_tui.ui.line_view import LineBlock, LineList
from keen_tui.ui.lines import Line, Span, line, wrap
from keen_tui.ui.panes.pane import Pane

SOURCED = ("user_constraints", "decisions")
SOURCE = re.compile(r"[\s(\[]*\bSource:\s*(comment|transcript):(\d+)[)\].]*", re.IGNORECASE)
SaveBrief = Callable[[Mapping[str, str]], Awaitable[str]]


def field_rows(name: str, text: str, width: int) -> list[Line]:
    """The title and the lines of one field."""
    lines = [source for source in text.splitlines() if source.strip()]
    count = [Span(f"{len(lines)} ", "muted")] if len(lines) > 1 else []
    rows = [line(Span(f" {TITLES[name]}", "accent"), right=count, key=name)]
    for source in lines:
        ref = SOURCE.search(source)
        words = SOURCE.sub("", source) if ref else source
        words = re.sub(r"^\s*[-*]\s+", "", words)
        mark: list[Span] = []
        if ref:
            mark = [Span(f"{'#' if ref[1].lower() == 'comment' else 't'}{ref[2]} ", "muted")]
        elif name in SOURCED:
            mark = [Span("no source ", "warning")]
        room = width - 5 - sum(len(span.text) for span in mark)
        first, *rest = wrap(words, max(10, room))
        rows.append(line(Span(f"   {first}"), right=mark))
        rows += [line(Span(f"   {more}")) for more in rest]
    return rows


def brief_rows(brief: Brief, width: int, every_field: bool) -> list[Line]:
    """All fields that hold text; the empty ones on one row, or a row each to choose from."""
    rows: list[Line] = []
    empty = [name for name in MODEL_FIELDS if not brief.get(name).strip()]
    if len(empty) == len(MODEL_FIELDS) and not every_field:
        return []
    for name in MODEL_FIELDS:
        if text := brief.get(name).strip():
            rows += field_rows(name, text, width)
    if empty and rows:
        rows.append(Line())
    if every_field:
        rows += [line(Span(f" {TITLES[name]}", "muted"), Span("  –", "muted"), key=name) for name in empty]
    elif empty:
        joined = "  ".join(f"{TITLES[name]} –" for name in empty)
        rows += [line(Span(f" {row}", "muted")) for row in wrap(joined, width - 2)]
    if not every_field or len(empty) < len(MODEL_FIELDS):
        total = sum(len(text) for text in brief.values.values())
        rows += [Line(), line(Span(f" {total:,} of 8,000 characters", "muted"))]
    return rows


class FieldEditor(TextField):
    """The text of one field."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("field")]

    def action_save(self) -> None:
        self.run_worker(self._pane.save(), group="brief", exclusive=True)

    def action_leave(self) -> None:
        self._pane.leave()

    @property
    def _pane(self) -> BriefPane:
        return self.query_ancestor(BriefPane)


class BriefPane(Pane):
    """The Mission Brief."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("brief")]
    pane = "brief"
    empty = (
        "Goal, constraints, decisions and what is open: facts that stay in every request, however long the "
        "task gets. The agent keeps them up to date, and you can.\n\nF4, then Enter, writes the first one."
    )

    def __init__(self, save: SaveBrief) -> None:
        super().__init__()
        self._save = save
        self.field = ""
        self._before = ""
        self._asked = False
        self.editor = FieldEditor(classes="field-editor", placeholder="One fact a line")
        self.field_title = LineBlock(classes="field-title")

    def compose(self) -> ComposeResult:
        yield from super().compose()
        yield self.field_title
        yield self.editor

    def on_mount(self) -> None:
        super().on_mount()
        self.editor.display = self.field_title.display = False

    def rows(self, width: int) -> Sequence[Line]:
        return brief_rows(self.view.brief, width, every_field=self.lines.has_focus)

    def tell(self, view: TaskView) -> None:
        super().tell(view)
        if self.field:
            self._draw_title()

    def on_descendant_focus(self) -> None:
        self.redraw()

    def on_descendant_blur(self) -> None:
        self.call_after_refresh(self.redraw)

    def on_line_list_chosen(self, event: LineList.Chosen) -> None:
        event.stop()
        self.edit(event.key)

    def action_edit(self) -> None:
        if self.lines.key:
            self.edit(self.lines.key)

    def edit(self, name: str) -> None:
        """Open a field for editing."""
        self.field, self._asked = name, False
        self._before = self.view.brief.get(name)
        self.editor.text = self._before
        self.editor.display = self.field_title.display = True
        self.editor.move_cursor(self.editor.document.end)
        self._draw_title()
        self.editor.focus()

    def _draw_title(self, problem: str = "") -> None:
        width = self.size.width or 40
        size = f"{len(self.editor.text):,} / {FIELD_LIMIT:,} "
        rows = [line(Span(f" {TITLES[self.field]}", "title"), right=[Span(size, "muted")])]
        theirs = self.view.brief.get(self.field)
        if problem:
            rows += [line(Span(f" {row}", "error")) for row in wrap(problem, width - 2)]
        elif self._asked:
            rows.append(line(Span(" Changed. F9 saves, Esc again drops it.", "warning")))
        elif theirs != self._before:
            words = f"The agent changed this field meanwhile, saving replaces it: {theirs or '(empty)'}"
            rows += [line(Span(f" {row}", "warning")) for row in wrap(words, width - 2)[:5]]
        else:
            rows.append(line(Span(" F9 saves, Esc leaves", "muted")))
        self.field_title.set_rows(rows)

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        if self.field:
            self._asked = False
            self._draw_title()

    async def save(self) -> None:
        """Write the field; a refusal is shown and nothing is lost."""
        if not self.field:
            return
        if self.editor.text == self._before:
            self._close()
            return
        problem = await self._save({self.field: self.editor.text})
        if problem:
            self._draw_title(problem)
        else:
            self._close()

    def leave(self) -> None:
        """Close the editor; changes are asked about once."""
        if self.editor.text != self._before and not self._asked:
            self._asked = True
            self._draw_title()
        else:
            self._close()

    def _close(self) -> None:
        self.field = ""
        self.editor.display = self.field_title.display = False
        self.lines.focus()
        self.redraw()
