"""The Context pane: what the next request will hold, part by part."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from textual.binding import BindingType

from keen_tui.ui.amounts import bar
from keen_tui.ui.keymap import bindings_for
from keen_tui.ui.lines import Line, Span, cut, line, safe, wrap
from keen_tui.ui.panes.pane import Pane
from keen_tui.ui.services import RequestPart
from keen_tui.ui.top_line import short_model

BODY_LIMIT = 200_000
"""Characters of the native body that are shown."""
NAME = 18


def part_rows(parts: Sequence[RequestPart], width: int) -> list[Line]:
    """One row a part: its name, tokens, a bar, and its note below where there is no room beside."""
    most = max((part.tokens for part in parts), default=0) or 1
    room = max(4, min(24, width - NAME - 15))
    rows: list[Line] = []
    for part in parts:
        count = f"{'~' if part.estimated else ''}{part.tokens:,}"
        drawn = bar(part.tokens / most, room)
        left = [
            Span(f"   {cut(safe(part.name), NAME - 1):<{NAME}}"),
            Span(f"{count:>8}  "),
            Span(drawn, "bar"),
        ]
        beside = width - NAME - 14 - room
        if part.note and len(part.note) + 2 <= beside:
            left.append(Span(f"{' ' * (room - len(drawn))}  {part.note}", "muted"))
        rows.append(line(*left))
        if part.note and len(part.note) + 2 > beside:
            rows += [line(Span(f"     {row}", "muted")) for row in wrap(part.note, width - 7)]
    return rows


class ContextPane(Pane):
    """The next request."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("context")]
    pane = "context"
    empty = (
        "What the next request will hold, in tokens, and in the provider's own shape.\n\n"
        "Send a prompt to start: F2, then Enter."
    )

    def __init__(self, parts: Callable[[], Sequence[RequestPart]], body: Callable[[], Mapping[str, Any]]) -> None:
        super().__init__()
        self._parts = parts
        self._body = body
        self.shows_body = False

    def rows(self, width: int) -> Sequence[Line]:
        return self._body_rows(width) if self.shows_body else self._part_rows(width)

    def _head(self, text: str) -> Line:
        wire = self.view.wire or short_model(self.view.model)
        return line(Span(" Next request", "strong"), Span(f"   {wire}", "accent"), right=[Span(f"{text} ", "muted")])

    def _part_rows(self, width: int) -> list[Line]:
        parts = self._parts()
        if not parts:
            return []
        about = "~" if any(part.estimated for part in parts) else ""
        total = f"{about}{sum(part.tokens for part in parts):,} tokens"
        window = self.view.context_window
        if window:
            total += f" of {window:,}"
        return [self._head(""), line(Span(f" {total}", "muted")), Line(), *part_rows(parts, width)]

    def _body_rows(self, width: int) -> list[Line]:
        text = json.dumps(self._body(), indent=2, ensure_ascii=False, default=str)
        rows = [self._head(f"{len(text):,} characters")]
        rows += [line(Span(f" {row}")) for row in wrap(text[:BODY_LIMIT], width - 2)]
        if len(text) > BODY_LIMIT:
            rows.append(line(Span(f" … {len(text) - BODY_LIMIT:,} more characters", "muted")))
        return rows

    def action_switch_body(self) -> None:
        self.shows_body = not self.shows_body
        self.lines.scroll_to(y=0, animate=False)
        self.redraw()
