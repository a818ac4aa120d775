"""The row of pane names. A dot marks panes that changed since they were last seen."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from textual import events
from textual.message import Message

from keen_tui.ui.arrangement import TITLES, PaneName
from keen_tui.ui.line_view import LineBlock
from keen_tui.ui.lines import Line, Span


class TabBar(LineBlock):
    """Names of panes, the open one in brackets."""

    class Picked(Message):
        """A click on a name."""

        def __init__(self, pane: PaneName) -> None:
            super().__init__()
            self.pane = pane

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._ends: list[tuple[int, PaneName]] = []

    @property
    def starts(self) -> list[tuple[int, PaneName]]:
        """The column where each name begins."""
        begins = [0, *(end for end, _ in self._ends)]
        return [(start, pane) for start, (_, pane) in zip(begins, self._ends, strict=False)]

    def tell(self, panes: Sequence[PaneName], shown: PaneName, changed: Collection[PaneName]) -> None:
        spans: list[Span] = []
        self._ends = []
        at = 0
        for pane in self._fitting(panes, shown):
            title = TITLES[pane]
            text = f"[{title}] " if pane == shown else f" {title}{'·' if pane in changed else ' '} "
            spans.append(Span(text, "tab" if pane == shown else "accent" if pane in changed else "muted"))
            at += len(text)
            self._ends.append((at, pane))
        self.set_rows([Line(tuple(spans))])

    def _fitting(self, panes: Sequence[PaneName], shown: PaneName) -> Sequence[PaneName]:
        """The panes from the first one on that lets the open one be seen whole."""
        width = self.size.width or 80
        first = 0
        at = panes.index(shown) if shown in panes else 0
        while first < at and sum(len(TITLES[pane]) + 3 for pane in panes[first : at + 1]) > width:
            first += 1
        return panes[first:]

    def on_click(self, event: events.Click) -> None:
        for end, pane in self._ends:
            if event.x < end:
                self.post_message(self.Picked(pane))
                return
