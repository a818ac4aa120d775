"""Actions on the brief."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING

from keen_tui.domain.errors import KeenError
from keen_tui.domain.refs import Ref

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


HANDLERS: Mapping[str, Callable[[Dashboard, str], Awaitable[None] | None]] = {"pane.brief": show_brief}
