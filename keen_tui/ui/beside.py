"""Work beside the keyboard: whatever goes wrong in it becomes a sentence, never the end of the dashboard."""

from __future__ import annotations

import logging
from collections.abc import Awaitable
from typing import TYPE_CHECKING

from keen_tui.domain.errors import KeenError

if TYPE_CHECKING:
    from keen_tui.ui.dashboard import Dashboard

log = logging.getLogger(__name__)


def run_beside(dashboard: Dashboard, work: Awaitable[None], group: str, *, exclusive: bool = False) -> None:
    """Run work without waiting for it. With `exclusive` it takes the place of earlier work of its group."""
    dashboard.run_worker(_finish(dashboard, work), group=group, exclusive=exclusive)


async def _finish(dashboard: Dashboard, work: Awaitable[None]) -> None:
    try:
        await work
    except Exception as error:  # noqa: BLE001 - what fails beside must not take the task with it
        tell(dashboard, error)


def tell(dashboard: Dashboard, error: Exception) -> None:
    """Say what went wrong; a fault of Keen's own goes to the log as well."""
    dashboard.say(sentence(error), "error")


def sentence(error: Exception) -> str:
    """What went wrong, in words for the person; a fault of Keen's own goes to the log as well."""
    if isinstance(error, KeenError):
        return f"{error.message} {error.hint}".strip()
    log.error("a fault beside the keyboard", exc_info=error)
    return f"A fault of Keen's own stopped this ({type(error).__name__}: {error}). Details are in the log."
