"""Two presses in a row: the first one warns, the second one counts."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic


class QuitGate:
    """Remembers the first press for a second."""

    def __init__(self, seconds: float = 1.0, clock: Callable[[], float] = monotonic) -> None:
        self.clock = clock
        self._seconds = seconds
        self._first = float("-inf")

    def again(self) -> bool:
        """True for a second press in time."""
        pressed = self.clock()
        if pressed - self._first <= self._seconds:
            return True
        self._first = pressed
        return False
