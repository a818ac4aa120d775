"""Actions on the brief and on the piece of the task."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING

from keen_tui.domain.errors import KeenError
from keen_tui.domain.refs import Ref
from keen_tui.ui.commands.task import open_session
from keen_tui.ui.dialogs.piece_picker import piece_picker

if TYPE_CHECKING:
    from keen_tui.ui.dashboard import Dashboard


def show_brief(dashboard: Dashboard, argument: str) -> None:
    """Show the pane, or its history."""
    if argument not in ("", "history"):
        raise KeenError(f"/brief knows history, not {argument}.", "/brief alone shows the pane.")
    dashboard.focus_pane("brief")
    if argument:
        dashboard.brief.action_history()


def jump_to_ref(dashboard: Dashboard, ref: Ref) -> None:
    """Show the entry with this address in the conversation."""
    dashboard.rearrange(dashboard.arrangement.focused("conversation"))
    transcript = dashboard.conversation.transcript
    transcript.focus()
    found = transcript.jump_to_comment if ref.source == "comment" else transcript.jump_to_seq
    if not found(ref.number):
        dashboard.say(f"{ref} is not in this task.", "warning")


async def choose_piece(dashboard: Dashboard, argument: str) -> None:
    """Work by another piece: the one that is named, or one of the list."""
    session = open_session(dashboard)
    name = argument.strip()
    if not name:
        chosen = await dashboard.app.push_screen_wait(piece_picker(session.pieces, session.view.piece))
        name = chosen.removeprefix("piece:")
    if name and (problem := session.choose_piece(name)):
        raise KeenError(problem)
    if name:
        dashboard.say(f"The next prompt starts the piece {name}.")


HANDLERS: Mapping[str, Callable[[Dashboard, str], Awaitable[None] | None]] = {
    "pane.brief": show_brief,
    "task.piece": choose_piece,
}
