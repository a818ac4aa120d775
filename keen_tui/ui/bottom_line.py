"""The bottom line: what happens, what it holds and costs, and the keys that work right now."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from keen_tui.domain.views import TaskView
from keen_tui.ui.amounts import dollars, duration, tokens
from keen_tui.ui.line_view import LineBlock
from keen_tui.ui.lines import Line, Role, Span, width_of

Hint = tuple[str, str]
"""A key as it is written, and one word."""


def state_span(view: TaskView, now: datetime) -> Span:
    """The state of the task in words; whatever takes time says seconds."""
    since = view.phase_since
    passed = (now - since).total_seconds() if since else 0.0
    spent = duration(passed)
    match view.phase:
        case "thinking":
            return Span(f"thinking {spent}", "accent")
        case "answering":
            return Span(f"answering {spent}", "accent")
        case "tool":
            running = [tool.tool for tool in view.tools.values() if tool.finish is None]
            what = running[0] if len(running) == 1 else f"{len(running)} tools" if running else "tools"
            return Span(f"running {what} {spent}", "accent")
        case "waiting":
            return Span("waiting for you", "warning")
        case "retrying":
            if view.retry is None:
                return Span("retrying", "warning")
            left = duration(max(0.0, view.retry.delay - passed) + 0.999)
            return Span(f"retrying in {left} (attempt {view.retry.attempt} of {view.retry.limit})", "warning")
    return Span("idle", "muted")


def meter_spans(view: TaskView) -> list[Span]:
    """The context meter; a percentage only where the window is known."""
    if not view.context_tokens:
        return []
    if not view.context_window:
        return [Span(f"{tokens(view.context_tokens)} tokens")]
    percent = round(100 * view.context_tokens / view.context_window)
    role: Role = "error" if percent >= 90 else "warning" if percent >= 75 else "text"
    return [Span(f"{tokens(view.context_tokens)} / {tokens(view.context_window)}  {percent}%", role)]


def cost_spans(view: TaskView) -> list[Span]:
    """Cost, and how much of the input came from a cache."""
    parts = [] if view.cost is None else [dollars(view.cost)]
    if view.cached_tokens and view.input_tokens:
        parts.append(f"{round(100 * view.cached_tokens / view.input_tokens)}% cached")
    return [Span("  ".join(parts))] if parts else []


def queue_spans(view: TaskView) -> list[Span]:
    return [Span(f"{len(view.queue)} queued", "warning")] if view.queue else []


def bottom_row(view: TaskView, hints: Sequence[Hint], now: datetime, width: int) -> Line:
    """The row for a width. Cost and meter give way to the first two keys; later keys to everything."""
    state = [Span(" "), state_span(view, now)]
    extras = [part for part in (meter_spans(view), cost_spans(view), queue_spans(view)) if part]
    keys = list(hints)
    while True:
        left = list(state)
        for part in extras:
            left += [Span("   "), *part]
        right = _keys(keys)
        if width_of(left) + width_of(right) + 2 <= width or (len(keys) <= 1 and not extras):
            return Line(tuple(left), tuple(right))
        if len(keys) > 2:
            keys.pop()
        elif extras:
            extras.pop(1 if len(extras) > 1 else 0)
        else:
            keys.pop()


def _keys(hints: Sequence[Hint]) -> list[Span]:
    spans: list[Span] = []
    for key, word in hints:
        spans += [Span("  " if spans else ""), Span(key, "key"), Span(f" {word}", "muted")]
    return [*spans, Span(" ")]


class BottomLine(LineBlock):
    """One row at the bottom of the screen."""

    def tell(self, view: TaskView, hints: Sequence[Hint], now: datetime) -> None:
        self.set_rows([bottom_row(view, hints, now, self.size.width or 80)])
