"""Jump mode: a letter on every pane and card; one more key goes there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.app import ComposeResult
from textual.screen import ModalScreen

from keen_tui.ui.line_view import LineBlock
from keen_tui.ui.lines import Span, line

LETTERS = "asdfghjklqwertyuiopzxcvbnm"


@dataclass(frozen=True, slots=True)
class JumpTarget:
    """A place on the screen, in cells from its top left."""

    key: str
    x: int
    y: int


class JumpScreen(ModalScreen[str]):
    """Labels over the dashboard. Dismissed with the key of the target, or an empty text."""

    def __init__(self, targets: Sequence[JumpTarget]) -> None:
        super().__init__()
        self._targets = dict(zip(LETTERS, targets, strict=False))

    def compose(self) -> ComposeResult:
        for letter, target in self._targets.items():
            label = LineBlock(classes="jump-label")
            label.set_rows([line(Span(f" {letter} ", "chip"))])
            label.styles.offset = (target.x, target.y)
            yield label

    def on_key(self, event: events.Key) -> None:
        event.stop()
        target = self._targets.get(event.key)
        self.dismiss(target.key if target else "")
