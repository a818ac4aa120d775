"""The Tools pane: which tool ran where in the prose, how it ended, what is kept and what was discarded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import ClassVar, Literal

from textual.binding import BindingType

from keen_tui.domain.replayed_turn import WHOLE, ReplayedTurn, SeenCall
from keen_tui.domain.segments import TextSegment, ToolSegment
from keen_tui.domain.views import TurnView
from keen_tui.ui.amounts import size
from keen_tui.ui.arrangement import TITLES
from keen_tui.ui.keymap import bindings_for
from keen_tui.ui.lines import Line, Role, Span, cut, line, safe
from keen_tui.ui.panes.pane import Pane
from keen_tui.ui.panes.tool_filters import ToolFilter, next_tool, tools_of

Shown = Literal["ran", "sees"]
WIDE = 64
"""Columns from which words stand beside sizes."""


def ran_rows(turn: TurnView, filter: ToolFilter, width: int) -> list[Line]:
    """What ran in one turn; empty when no call fits."""
    calls = [segment for segment in turn.segments if isinstance(segment, ToolSegment) and filter.fits(segment)]
    if not calls:
        return []
    rows = [_head(turn, "")]
    for segment in turn.segments:
        if isinstance(segment, TextSegment) and segment.text.strip() and not filter.on:
            rows.append(_prose(segment.text))
        elif isinstance(segment, ToolSegment) and filter.fits(segment):
            rows.append(tool_row(segment, width))
    return rows


def seen_rows(turn: TurnView, replayed: ReplayedTurn, filter: ToolFilter, width: int) -> list[Line]:
    """What the model sees next of one turn; empty when no call fits."""
    calls = {segment.call_id: segment for segment in turn.segments if isinstance(segment, ToolSegment)}
    fitting = {call_id for call_id, call in calls.items() if filter.fits(call)}
    if not fitting:
        return []
    form = replayed.form if width >= WIDE else replayed.form.removeprefix("native ")
    rows = [_head(turn, f"sees: {form}, ~{replayed.tokens:,} tokens ")]
    for part in replayed.rows:
        if isinstance(part, SeenCall):
            if part.call_id in fitting:
                rows.append(_seen_call(part, calls[part.call_id], width))
        elif part.user:
            rows.append(line(Span(f"   you: {part.text.strip().split(chr(10), 1)[0][:400]}", "user")))
        elif not filter.on:
            rows += _seen_text(part.text)
    if len(rows) == 1:
        rows.append(line(Span("     nothing of these calls", "muted")))
    return rows


def _seen_text(text: str) -> list[Line]:
    """Prose by its first line; bracketed notes of calls each on their row."""
    rows: list[Line] = []
    prose: list[str] = []

    def close() -> None:
        if prose:
            rows.append(_prose("\n".join(prose)))
            prose.clear()

    for row in text.split("\n"):
        if row.startswith("[") and row.endswith("]"):
            close()
            rows.append(line(Span(f"     {row[:400]}")))
        elif row.strip():
            prose.append(row)
    close()
    return rows


def _seen_call(call: SeenCall, segment: ToolSegment, width: int) -> Line:
    return line(
        Span(f"     {safe(call.name)} "),
        Span(f"{call.arguments} ", "muted"),
        Span(call.outcome, "strong"),
        right=_discarded(segment, width),
        key=f"call:{segment.call_id}",
    )


def _head(turn: TurnView, right: str) -> Line:
    time = turn.start.time.astimezone().strftime("%H:%M")
    return line(
        Span(f" Turn {turn.start.number}", "strong"),
        Span(f"  {time}", "muted"),
        right=[Span(right, "muted")] if right else [],
    )


def _prose(text: str) -> Line:
    first, _, rest = text.strip().partition("\n")
    more = f"  … {rest.count(chr(10)) + 1:,} more lines" if rest.strip() else ""
    return line(Span(f"   {first[:400]}", "muted"), Span(more, "muted"))


def tool_row(tool: ToolSegment, width: int) -> Line:
    """One call: the tool, its status, its target, what is discarded."""
    name_width = 12 if width < WIDE else 16
    name = f"   {cut(safe(tool.tool), name_width - 1):<{name_width}}"
    status, role = status_of(tool)
    left = [Span(name), Span(f"{status:<9}", role), Span(tool.target or "")]
    finish = tool.finish
    if finish is not None and (finish.added or finish.removed):
        right = [Span(f"+{finish.added} ", "added"), Span(f"−{finish.removed} ", "removed")]
    else:
        right = _discarded(tool, width)
    return line(*left, right=right, key=f"call:{tool.call_id}")


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


def _discarded(tool: ToolSegment, width: int) -> list[Span]:
    finish = tool.finish
    if finish is None or not finish.output_size:
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

    def __init__(self, replayed: Callable[[TurnView], ReplayedTurn | None]) -> None:
        super().__init__()
        self.shown: Shown = "ran"
        self.filter = ToolFilter()
        self._replayed = replayed
        self._cache: dict[str, list[Line]] = {}
        self._cached_for: tuple[object, ...] = ()

    def title(self) -> Line:
        view = "what ran" if self.shown == "ran" else "what the model sees next"
        words = f"  only: {self.filter.words}" if self.filter.on else ""
        return line(Span(f" {TITLES['tools']}", "title"), Span(f"  {view}", "muted"), Span(words, "accent"))

    def rows(self, width: int) -> Sequence[Line]:
        view = self.view
        cached_for = (id(view), view.model, view.wire, self.shown, self.filter, width)
        if self._cached_for != cached_for:
            self._cache, self._cached_for = {}, cached_for
        rows: list[Line] = []
        for turn in view.turns:
            made = self._cache.get(turn.id)
            if made is None:
                made, final = self._turn_rows(turn, width)
                if final:
                    self._cache[turn.id] = made
            if made:
                rows += [*made, Line()]
        if not rows and self.filter.on and view.turns:
            return [Line(), line(Span(f" No call fits: {self.filter.words}. The same key shows all again.", "muted"))]
        if rows and (self.filter.on or self.shown == "sees"):
            rows.insert(0, line(Span(self._caption(), "muted")))
        return rows

    def _caption(self) -> str:
        words = f" Only: {self.filter.words}." if self.filter.on else ""
        if self.shown == "ran":
            return words
        return f"{words} What the model sees next, in {self.view.wire or 'its wire format'}"

    def _turn_rows(self, turn: TurnView, width: int) -> tuple[list[Line], bool]:
        """The rows of a turn, and whether they stay as they are."""
        if self.shown == "ran" or turn.end is None:
            return ran_rows(turn, self.filter, width), turn.end is not None
        replayed = self._replayed(turn)
        if replayed is None:
            return ran_rows(turn, self.filter, width), False
        return seen_rows(turn, replayed, self.filter, width), replayed.form != WHOLE

    def show_call(self, call_id: str) -> bool:
        """Put the cursor on a call, whatever the filter; False when no row stands for it."""
        if self.lines.select(f"call:{call_id}"):
            return True
        self._narrow(ToolFilter())
        return self.lines.select(f"call:{call_id}")

    def action_switch_view(self) -> None:
        self.shown = "sees" if self.shown == "ran" else "ran"
        self.redraw()

    def action_failed(self) -> None:
        self._narrow(replace(self.filter, failed=not self.filter.failed))

    def action_changed(self) -> None:
        self._narrow(replace(self.filter, changed=not self.filter.changed))

    def action_by_tool(self) -> None:
        self._narrow(replace(self.filter, tool=next_tool(tools_of(self.view.turns), self.filter.tool)))

    def _narrow(self, filter: ToolFilter) -> None:
        self.filter = filter
        self.redraw()
