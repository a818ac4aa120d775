"""The command palette: every action by its title."""

from __future__ import annotations

from keen_tui.ui.actions import ACTIONS
from keen_tui.ui.dialogs.list_dialog import ListDialog, matches
from keen_tui.ui.keymap import Keymap, long_key
from keen_tui.ui.lines import Line, Span, line


def palette_dialog(keymap: Keymap, waiting: bool) -> ListDialog:
    """All global actions, and the answers while an approval waits. Dismissed with an action's id."""
    places = ("global", "approval") if waiting else ("global",)
    found = [action for action in ACTIONS if action.where in places and action.id != "palette.show"]

    def rows(words: str, width: int) -> list[Line]:
        return [
            line(
                Span(f" {action.title}"),
                right=[Span(f"{action.slash}  {' '.join(map(long_key, keymap.of(action)[:1]))} ", "muted")],
                key=action.id,
            )
            for action in found
            if matches(words, action.title, action.slash, action.id)
        ]

    return ListDialog("Commands", rows, footer="Type to search   Enter runs   Esc closes")
