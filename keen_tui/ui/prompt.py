"""The prompt: a text area that sends with Enter, remembers, and folds huge pastes."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message

from keen_tui.ui.fields import TextField
from keen_tui.ui.keymap import bindings_for
from keen_tui.ui.pastes import Pastes
from keen_tui.ui.prompt_history import PromptHistory

PLACEHOLDER = "Say what should be done. / for commands, F1 for help"


class Prompt(TextField):
    """What the person says to the agent."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("prompt")]

    class Sent(Message):
        """Enter: send, or queue while a turn runs. `steer` hands it to the running turn at once."""

        def __init__(self, text: str, steer: bool = False) -> None:
            super().__init__()
            self.text = text
            self.steer = steer

    class CompletionKey(Message):
        """A key for the open completion: "accept", "up", "down"."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    def __init__(self, *, id: str | None = None, clock: Callable[[], float] = monotonic) -> None:
        super().__init__(id=id, placeholder=PLACEHOLDER)
        self.past = PromptHistory()
        self.completing = False
        self._pastes = Pastes()
        self._clock = clock
        self._last_typed = float("-inf")

    @property
    def whole_text(self) -> str:
        """The draft with pastes unfolded."""
        return self._pastes.expand(self.text)

    @property
    def typed_seconds_ago(self) -> float:
        return self._clock() - self._last_typed

    def put(self, text: str) -> None:
        """Replace the draft; huge texts become a chip."""
        self._pastes.clear()
        self.text = self._pastes.fold(text)
        self.move_cursor(self.document.end)

    def insert_text(self, text: str) -> None:
        """Insert at the cursor; huge texts become a chip."""
        start, end = self.selection
        self.replace(self._pastes.fold(text), start, end, maintain_selection_offset=False)

    @property
    def before_cursor(self) -> str:
        """The line of the cursor, up to it; empty while text is selected."""
        row, column = self.cursor_location
        return self.document[row][:column] if self.selection.is_empty else ""

    def complete(self, column: int, text: str) -> None:
        """Put `text` in the place of what stands between a column of the cursor's line and the cursor."""
        row, end = self.cursor_location
        self.replace(text, (row, column), (row, end), maintain_selection_offset=False)

    def clear_draft(self) -> bool:
        """Empty the prompt; Up brings the draft back. False when it was empty."""
        whole = self.whole_text
        if not whole:
            return False
        self.past.add(whole)
        self.put("")
        return True

    async def _on_key(self, event: events.Key) -> None:
        if event.is_printable or event.key in ("backspace", "delete"):
            self._last_typed = self._clock()

    async def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        self._last_typed = self._clock()
        self.insert_text(event.text)

    def action_send(self) -> None:
        if self.completing:
            self.post_message(self.CompletionKey("send"))
            return
        row, column = self.cursor_location
        if column and self.document[row][:column].endswith("\\"):
            self.replace("\n", (row, column - 1), (row, column), maintain_selection_offset=False)
            return
        self._send(steer=False)

    def action_steer(self) -> None:
        self._send(steer=True)

    def _send(self, steer: bool) -> None:
        text = self.whole_text.strip()
        if not text:
            return
        self.past.add(text)
        self.put("")
        self.post_message(self.Sent(text, steer))

    def action_newline(self) -> None:
        start, end = self.selection
        self.replace("\n", start, end, maintain_selection_offset=False)

    def action_history_back(self) -> None:
        if self.completing:
            self.post_message(self.CompletionKey("up"))
        elif not self.cursor_at_first_line or not self._walk(self.past.back(self.whole_text)):
            self.action_cursor_up()

    def action_history_forward(self) -> None:
        if self.completing:
            self.post_message(self.CompletionKey("down"))
        elif not self.cursor_at_last_line or not self._walk(self.past.forward()):
            self.action_cursor_down()

    def _walk(self, text: str | None) -> bool:
        if text is None:
            return False
        self.put(text)
        return True

    def action_delete_left(self) -> None:
        row, column = self.cursor_location
        chip = self._pastes.chip_before(self.document[row][:column])
        if chip and self.selection.is_empty:
            self.delete((row, column - len(chip)), (row, column))
        else:
            super().action_delete_left()
