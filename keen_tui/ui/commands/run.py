"""From an action's id to what it does."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from inspect import isawaitable
from typing import TYPE_CHECKING

from keen_tui.domain.errors import KeenError
from keen_tui.ui.actions import BY_ID
from keen_tui.ui.commands import brief, memory, navigation, prompting, showing, task

if TYPE_CHECKING:
    from keen_tui.ui.dashboard import Dashboard

log = logging.getLogger(__name__)

Handler = Callable[["Dashboard", str], Awaitable[None] | None]

HANDLERS: Mapping[str, Handler] = {
    **brief.HANDLERS,
    **memory.HANDLERS,
    **navigation.HANDLERS,
    **prompting.HANDLERS,
    **showing.HANDLERS,
    **task.HANDLERS,
}


def run_action(dashboard: Dashboard, action_id: str, argument: str) -> None:
    """Run an action; what takes time runs beside, and an error becomes a sentence."""
    action = BY_ID[action_id]
    if action.needs_argument and not argument:
        dashboard.focus_pane("conversation")
        dashboard.conversation.prompt.put(f"{action.slash} ")
        return
    try:
        pending = HANDLERS[action_id](dashboard, argument)
    except Exception as error:  # noqa: BLE001 - a command that fails must not take the task with it
        _tell(dashboard, error)
        return
    if isawaitable(pending):
        dashboard.run_worker(_finish(dashboard, pending), group="commands")


async def _finish(dashboard: Dashboard, pending: Awaitable[None]) -> None:
    try:
        await pending
    except Exception as error:  # noqa: BLE001 - a command that fails must not take the task with it
        _tell(dashboard, error)


def _tell(dashboard: Dashboard, error: Exception) -> None:
    """Say what went wrong; a fault of Keen's own goes to the log as well."""
    if isinstance(error, KeenError):
        dashboard.say(f"{error.message} {error.hint}".strip(), "error")
        return
    log.error("a command failed", exc_info=error)
    what = f"{type(error).__name__}: {error}"
    dashboard.say(f"The command failed by a fault of Keen's own ({what}). Details are in the log.", "error")
