"""The Context pane: what the next request will hold, part by part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Literal, get_args

from textual.binding import BindingType

from keen_tui.domain.exchange import Wire
from keen_tui.domain.views import TurnView
from keen_tui.ui.amounts import bar
from keen_tui.ui.body_difference import body_lines, difference
from keen_tui.ui.keymap import bindings_for
from keen_tui.ui.line_view import LineList
from keen_tui.ui.lines import Line, Span, cut, line, safe, wrap
from keen_tui.ui.panes.pane import Pane
from keen_tui.ui.services import RequestPart, TaskSession
from keen_tui.ui.top_line import short_model

BODY_LIMIT = 200_000
"""Characters of the native body that are shown."""
PART_LIMIT = 20_000
"""Characters of one part that are shown."""
DIFFERENCE_LIMIT = 500
"""Lines of a difference that are shown on each side."""
NAME = 18
WIRES: tuple[Wire, ...] = get_args(Wire)


def part_rows(parts: Sequence[RequestPart], width: int) -> list[Line]:
    """The rows of all parts."""
    most = max((part.tokens for part in parts), default=0) or 1
    return [row for part in parts for row in part_row(part, most, width)]


def part_row(part: RequestPart, most: int, width: int) -> list[Line]:
    """A part: its name, tokens, a bar, and its note below where there is no room beside."""
    room = max(4, min(24, width - NAME - 15))
    count = f"{'~' if part.estimated else ''}{part.tokens:,}"
    drawn = bar(part.tokens / most, room)
    left = [
        Span(f"   {cut(safe(part.name), NAME - 1):<{NAME}}"),
        Span(f"{count:>8}  "),
        Span(drawn, "bar"),
    ]
    beside = width - NAME - 14 - room
    fits = len(part.note) + 2 <= beside
    if part.note and fits:
        left.append(Span(f"{' ' * (room - len(drawn))}  {part.note}", "muted"))
    rows = [line(*left, key=f"part:{part.name}")]
    if part.note and not fits:
        rows += [line(Span(f"     {row}", "muted")) for row in wrap(part.note, width - 7)]
    return rows


def turn_row(turn: TurnView, tokens: int) -> Line:
    """A turn of the history, with about how many tokens it takes."""
    words = turn.start.text.strip().split("\n", 1)[0][:200]
    return line(
        Span(f"     turn {turn.start.number:<4}", "muted"), Span(f"{f'~{tokens:,}':>14}  "), Span(words, "muted")
    )


class ContextPane(Pane):
    """The next request."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("context")]
    pane = "context"
    empty = (
        "What the next request will hold, in tokens, and in the provider's own shape.\n\n"
        "Send a prompt to start: F2, then Enter."
    )

    def __init__(self, request: Callable[[], TaskSession | None]) -> None:
        super().__init__()
        self._request = request
        self.shows: Literal["parts", "body", "difference"] = "parts"
        self.wire: Wire | None = None
        """The wire format of the body; None is the task's own."""
        self._opened: set[str] = set()

    def rows(self, width: int) -> Sequence[Line]:
        session = self._request()
        if session is None:
            return []
        if self.shows == "body":
            return self._body_rows(session, width)
        return self._difference_rows(session, width) if self.shows == "difference" else self._part_rows(session, width)

    def _head(self, text: str) -> Line:
        wire = self.wire or self.view.wire or short_model(self.view.model)
        return line(Span(" Next request", "strong"), Span(f"   {wire}", "accent"), right=[Span(f"{text} ", "muted")])

    def _part_rows(self, session: TaskSession, width: int) -> list[Line]:
        parts = session.next_request()
        if not parts:
            return []
        about = "~" if any(part.estimated for part in parts) else ""
        total = f"{about}{sum(part.tokens for part in parts):,} tokens"
        window = self.view.context_window
        if window:
            total += f" of {window:,}"
        rows = [self._head(""), line(Span(f" {total}", "muted")), Line()]
        most = max(part.tokens for part in parts) or 1
        for part in parts:
            rows += part_row(part, most, width)
            if part.name in self._opened:
                rows += self._inside(session, part, width)
        return rows

    def _inside(self, session: TaskSession, part: RequestPart, width: int) -> list[Line]:
        """What a part holds: the turns of the history with their tokens, else its text."""
        if part.name.startswith("history"):
            return [turn_row(turn, session.replayed(turn).tokens) for turn in self.view.turns if turn.end is not None]
        rows = wrap(part.text[:PART_LIMIT], width - 7) if part.text.strip() else ["(empty)"]
        if len(part.text) > PART_LIMIT:
            rows.append(f"… {len(part.text) - PART_LIMIT:,} more characters")
        return [line(Span(f"     {row}", "muted")) for row in rows]

    def _body_rows(self, session: TaskSession, width: int) -> list[Line]:
        text = "\n".join(body_lines(session.native_body(self.wire)))
        rows = [self._head(f"{len(text):,} characters")]
        rows += [line(Span(f" {row}")) for row in wrap(text[:BODY_LIMIT], width - 2)]
        if len(text) > BODY_LIMIT:
            rows.append(line(Span(f" … {len(text) - BODY_LIMIT:,} more characters", "muted")))
        return rows

    def _difference_rows(self, session: TaskSession, width: int) -> list[Line]:
        if not session.last_body:
            return [self._head(""), Line(), line(Span(" No request was sent since Keen was started.", "muted"))]
        found = difference(body_lines(session.last_body), body_lines(session.native_body()))
        rows = [self._head("against the last request"), line(Span(f" {found.same:,} lines are the same", "muted"))]
        for mark, role, lines in (("−", "removed", found.removed), ("+", "added", found.added)):
            rows += [line(Span(f" {mark} {cut(safe(row), width - 4)}", role)) for row in lines[:DIFFERENCE_LIMIT]]
            if len(lines) > DIFFERENCE_LIMIT:
                rows.append(line(Span(f"   … {len(lines) - DIFFERENCE_LIMIT:,} more lines", "muted")))
        return [*rows, line(Span(f" {found.same_end:,} lines are the same", "muted"))]

    def on_line_list_chosen(self, event: LineList.Chosen) -> None:
        """Enter on a part shows what is in it."""
        event.stop()
        self._opened ^= {event.key.removeprefix("part:")}
        self.redraw()

    def action_switch_body(self) -> None:
        self._show("parts" if self.shows == "body" else "body")

    def action_difference(self) -> None:
        self._show("parts" if self.shows == "difference" else "difference")

    def action_next_wire(self) -> None:
        """The body in the next wire format; behind the last one comes the task's own."""
        own = self.view.wire
        others = [wire for wire in WIRES if wire != own]
        after = others.index(self.wire) + 1 if self.wire in others else 0
        self.wire = others[after] if after < len(others) else None
        self._show("body")

    def _show(self, shows: Literal["parts", "body", "difference"]) -> None:
        self.shows = shows
        if shows != "body":
            self.wire = None
        self.lines.scroll_to(y=0, animate=False)
        self.redraw()
