"""How long the line to the terminal is, by a question that the terminal has answered before."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any

from textual import messages
from textual.app import App

QUESTION = "\x1b[?2026$p"
"""Is output synchronized? Textual asks it at the start, and knows the answer."""
SLOW = 0.150
"""Seconds from which on a line counts as slow."""
QUIET = 1.0
"""Seconds after the start, when nothing else keeps the program busy."""


class RoundTrip:
    """Asks once. A terminal that said nothing at the start is not asked, and its line counts as quick."""

    def __init__(self, app: App[Any], slow: Callable[[], None]) -> None:
        self._app = app
        self._slow = slow
        self._asked: float | None = None
        self.seconds: float | None = None

    def measure_soon(self) -> None:
        self._app.set_timer(QUIET, self._ask)

    def _ask(self) -> None:
        driver = self._app._driver
        if self._app._sync_available and driver is not None and not self._app.is_headless:
            self._asked = monotonic()
            driver.write(QUESTION)
            driver.flush()

    def answered(self, message: messages.TerminalSupportsSynchronizedOutput) -> None:
        """Take in an answer; the first after the question counts."""
        if self._asked is None or self.seconds is not None:
            return
        self.seconds = message.time - self._asked
        if self.seconds > SLOW:
            self._slow()
