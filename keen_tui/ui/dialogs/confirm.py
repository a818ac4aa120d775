"""A question with a few answers."""

from __future__ import annotations

from collections.abc import Sequence

from keen_tui.ui.dialogs.list_dialog import ListDialog
from keen_tui.ui.lines import Span, line


def confirm_dialog(question: str, answers: Sequence[tuple[str, str]]) -> ListDialog:
    """`answers` are keys and titles, the safe one first. Dismissed with a key, or an empty text."""
    rows = [line(Span(f"   {title}"), key=key) for key, title in answers]
    return ListDialog(question, lambda words, width: rows, filtered=False)
