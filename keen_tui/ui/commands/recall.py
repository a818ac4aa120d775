"""Actions on the past of the task."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING

from keen_tui.domain.refs import parse_ref
from keen_tui.ui.commands.brief import jump_to_ref
from keen_tui.ui.commands.task import open_session
from keen_tui.ui.dialogs.hit_picker import hit_picker

if TYPE_CHECKING:
    from keen_tui.ui.dashboard import Dashboard


async def find(dashboard: Dashboard, argument: str) -> None:
    """Mark the words in the conversation, list the best hits, and go to the one that is chosen."""
    session = open_session(dashboard)
    found = await session.find(argument)
    dashboard.focus_pane("conversation")
    dashboard.conversation.transcript.focus()
    dashboard.conversation.transcript.search(argument.strip().strip('"'))
    if not found.hits:
        dashboard.say(" ".join((f"Nothing was said about “{argument}”. Try fewer words.", *found.notes)))
        return
    chosen = await dashboard.app.push_screen_wait(hit_picker(argument, found.hits, found.notes))
    if (ref := parse_ref(chosen)) is not None:
        jump_to_ref(dashboard, ref)


HANDLERS: Mapping[str, Callable[[Dashboard, str], Awaitable[None] | None]] = {"task.find": find}
