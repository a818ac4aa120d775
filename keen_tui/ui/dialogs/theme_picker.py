"""The theme picker, with a live preview."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from keen_tui.ui.dialogs.list_dialog import ListDialog, matches
from keen_tui.ui.lines import Span, line


def theme_picker(names: Sequence[str], current: str, preview: Callable[[str], None]) -> ListDialog:
    """Dismissed with a theme's name; `preview` gets each name that the cursor stands on."""
    ordered = [current, *(name for name in names if name != current)]
    return ListDialog(
        "Themes",
        lambda words, width: [line(Span(f"   {name}"), key=name) for name in ordered if matches(words, name)],
        footer="Arrows preview   Enter keeps   Esc puts the old one back",
        moved=preview,
    )
