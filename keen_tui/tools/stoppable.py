"""Blocking work in a thread that a cancelled call stops and waits for."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")
_MOST_SECONDS_TO_STOP = 5.0


class Stop:
    """Tells work in a thread to end: because the call was cancelled, or because its time is up."""

    def __init__(self, seconds: float | None = None) -> None:
        self._cancelled = threading.Event()
        self._deadline = None if seconds is None else time.monotonic() + seconds

    def cancel(self) -> None:
        self._cancelled.set()

    @property
    def cancelled(self) -> bool:
        return self._cancelled.is_set()

    @property
    def late(self) -> bool:
        return self._deadline is not None and time.monotonic() > self._deadline

    def __bool__(self) -> bool:
        return self.cancelled or self.late


async def in_thread(work: Callable[[Stop], Result], seconds: float | None = None) -> Result:
    """Run `work` in a thread. When the caller is cancelled, `work` is told and its end is awaited.

    So a write is either not begun or finished when the cancellation gets through. A disk that hangs is
    waited for at most five seconds.
    """
    stop = Stop(seconds)
    running = asyncio.get_running_loop().run_in_executor(None, work, stop)
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        stop.cancel()
        done, _ = await asyncio.wait([running], timeout=_MOST_SECONDS_TO_STOP)
        if running in done and not running.cancelled():
            running.exception()
        raise
