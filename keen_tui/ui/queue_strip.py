"""Prompts that wait for the running turn to end, above the prompt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from textual.binding import BindingType
from textual.message import Message

from keen_tui.ui.keymap import bindings_for
from keen_tui.ui.line_view import LineList
from keen_tui.ui.lines import Span, line

ROWS = 4


class QueueStrip(LineList):
    """One row a queued prompt; with the focus, keys edit, remove and steer."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("list"), *bindings_for("queue")]

    class Picked(Message):
        """What to do with a queued prompt: "edit", "remove" or "steer"."""

        def __init__(self, what: str, prompt_id: str) -> None:
            super().__init__()
            self.what = what
            self.prompt_id = prompt_id

    def tell(self, queue: Mapping[str, str]) -> None:
        self.display = bool(queue)
        self.set_rows(
            [
                line(Span(" queued  ", "warning"), Span(text.strip().replace("\n", " ")[:500], "muted"), key=prompt_id)
                for prompt_id, text in queue.items()
            ]
        )
        self.styles.height = min(ROWS, max(1, len(queue)))

    def _pick(self, what: str) -> None:
        if self.key:
            self.post_message(self.Picked(what, self.key))

    def action_choose(self) -> None:
        self._pick("edit")

    def action_edit(self) -> None:
        self._pick("edit")

    def action_remove(self) -> None:
        self._pick("remove")

    def action_steer(self) -> None:
        self._pick("steer")
