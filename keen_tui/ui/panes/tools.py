"""The Tools pane: which tool ran where in the prose, how it ended, what is kept and what was discarded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from textual.binding import BindingType

from keen_tui.domain.views import TaskView, TextSegment, ToolSegment, TurnView
from keen_tui.ui.amounts import size
from keen_tui.ui.arrangement import TITLES
from keen_tui.ui.keymap import bindings_for
from keen_tui.ui.lines import Line, Role, Span, cut, line, safe
from keen_tui.ui.panes.pane import Pane

Shown = Literal["ran", "sees"]
WIDE = 64
"""Columns from which words stand beside sizes."""


def turn_rows(turn: TurnView, shown: Shown, width: int) -> list[Line]:
    """The rows of one turn; empty when it used no tool."""
    if not any(isinstance(segment, ToolSegment) for segment in turn.segments):
        return []
    time = turn.start.time.astimezone().strftime("%H:%M")
    rows = [line(Span(f" Turn {turn.start.number}", "strong"), Span(f"  {time}", "muted"))]
    for segment in turn.segments:
        if isinstance(segment, TextSegment) and segment.text.strip():
            prose = segment.text.strip().split("\n", 1)[0][:400]
            rows.append(line(Span(f"   {prose}", "muted")))
        elif isinstance(segment, ToolSegment):
            rows.append(tool_row(segment, shown, width))
    return rows


def tool_row(tool: ToolSegment, shown: Shown, width: int) -> Line:
    """One call: the tool, its status, its target, what is kept or discarded."""
    name_width = 12 if width < WIDE else 16
    name = f"   {cut(safe(tool.tool), name_width - 1):<{name_width}}"
    status, role = status_of(tool)
    left = [Span(name), Span(f"{status:<9}", role)]
    kept = _kept(tool)
    if shown == "sees" and kept:
        left.append(Span(kept, "strong"))
    else:
        left.append(Span(tool.target or ""))
    return line(*left, right=_right(tool, shown, width), key=f"call:{tool.call_id}")


def status_of(tool: ToolSegment) -> tuple[str, Role]:
    """A word for how a call ended, never colour alone."""
    if tool.refused:
        return "refused", "warning"
    if tool.status == "success":
        return "ok", "ok"
    if tool.status == "error":
        code = tool.finish.exit_code if tool.finish else None
        return (f"exit {code}" if code is not None else "error"), "error"
    return (tool.status, "accent") if tool.status == "running" else ("stopped", "warning")


def _kept(tool: ToolSegment) -> str:
    """What later turns still know beside tool, status and target."""
    finish = tool.finish
    if finish is None:
        return ""
    facts = []
    if finish.file_changed:
        facts.append(f"file_changed {finish.file_changed}")
    if finish.failed_command:
        facts.append(f"failed_command {finish.failed_command}")
    if finish.exit_code is not None:
        facts.append(f"exit_code {finish.exit_code}")
    return ", ".join(facts)


def _right(tool: ToolSegment, shown: Shown, width: int) -> list[Span]:
    finish = tool.finish
    if finish is None:
        return []
    if shown == "ran" and (finish.added or finish.removed):
        return [Span(f"+{finish.added} ", "added"), Span(f"−{finish.removed} ", "removed")]
    if not finish.output_size:
        return []
    what = f" of {finish.output_kind}" if finish.output_kind else ""
    if width < WIDE:
        return [Span(f"−{size(finish.output_size)} ", "muted")]
    return [Span(f"discarded: {size(finish.output_size)}{what} ", "muted")]


class ToolsPane(Pane):
    """The tool history as later turns get it."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("tools")]
    pane = "tools"
    empty = (
        "Which tool ran where in the prose, what it touched, how it ended, and what the model does not see "
        "again.\n\nSend a prompt to start: F2, then Enter."
    )

    def __init__(self) -> None:
        super().__init__()
        self.shown: Shown = "ran"
        self._cache: dict[str, list[Line]] = {}
        self._cached_for: tuple[TaskView | None, Shown, int] = (None, "ran", 0)

    def title(self) -> Line:
        view = "what ran" if self.shown == "ran" else "what the model sees next"
        return line(Span(f" {TITLES['tools']}", "title"), Span(f"  {view}", "muted"))

    def rows(self, width: int) -> Sequence[Line]:
        cached_for = (self.view, self.shown, width)
        if self._cached_for[0] is not self.view or self._cached_for[1:] != cached_for[1:]:
            self._cache, self._cached_for = {}, cached_for
        rows: list[Line] = []
        for turn in self.view.turns:
            made = self._cache.get(turn.id)
            if made is None:
                made = turn_rows(turn, self.shown, width)
                if turn.end is not None:
                    self._cache[turn.id] = made
            if made:
                rows += [*made, Line()]
        if rows and self.shown == "sees":
            rows.insert(0, line(Span(" The model sees next: prose, and these facts", "muted")))
        return rows

    def action_switch_view(self) -> None:
        self.shown = "sees" if self.shown == "ran" else "ran"
        self.redraw()
