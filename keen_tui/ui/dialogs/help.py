"""Help: the keys and commands for where the person is."""

from __future__ import annotations

from collections.abc import Sequence

from keen_tui.ui.actions import PLACES, Action, Where, actions_of
from keen_tui.ui.dialogs.list_dialog import ListDialog, matches
from keen_tui.ui.keymap import Keymap, long_key
from keen_tui.ui.lines import Line, Span, line


def help_dialog(places: Sequence[Where], keymap: Keymap) -> ListDialog:
    """Help for some places, the nearest first."""

    def rows(words: str, width: int) -> list[Line]:
        made: list[Line] = []
        for place in places:
            found = [
                _row(action, keymap)
                for action in actions_of(place)
                if matches(words, action.title, action.slash, action.typed, action.keys)
            ]
            if found:
                made += [*([Line()] if made else []), line(Span(f" {PLACES[place]}", "accent")), *found]
        return made

    return ListDialog(f"Help: {PLACES[places[0]]}", rows, footer="Type to search   Esc closes")


def _row(action: Action, keymap: Keymap) -> Line:
    keys = action.typed or " ".join(long_key(key) for key in keymap.of(action)[:3])
    slash = f"{action.slash} {action.argument}".strip()
    return line(
        Span(f"   {keys:<22}", "key"),
        Span(action.title),
        right=[Span(f"{slash} ", "muted")] if slash else [],
    )
