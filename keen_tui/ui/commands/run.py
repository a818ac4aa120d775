"""From an action's id to what it does."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from inspect import isawaitable
from typing import TYPE_CHECKING

from keen_tui.ui.actions import BY_ID
from keen_tui.ui.beside import run_beside, tell
from keen_tui.ui.commands import brief, memory, navigation, prompting, recall, reports, showing, task

if TYPE_CHECKING:
    from keen_tui.ui.dashboard import Dashboard

Handler = Callable[["Dashboard", str], Awaitable[None] | None]

HANDLERS: Mapping[str, Handler] = {
    **brief.HANDLERS,
    **memory.HANDLERS,
    **navigation.HANDLERS,
    **prompting.HANDLERS,
    **recall.HANDLERS,
    **reports.HANDLERS,
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
        tell(dashboard, error)
        return
    if isawaitable(pending):
        run_beside(dashboard, pending, "commands")
