"""The picker of pieces: named workflows."""

from __future__ import annotations

from collections.abc import Sequence

from keen_tui.domain.pieces import Piece
from keen_tui.ui.dialogs.list_dialog import ListDialog, matches
from keen_tui.ui.lines import Line, Span, line


def piece_picker(pieces: Sequence[Piece], current: str) -> ListDialog:
    """Dismissed with `piece:NAME`."""

    def rows(words: str, width: int) -> list[Line]:
        shown: list[Line] = []
        for piece in pieces:
            if matches(words, piece.name, piece.description):
                mark = " ● " if piece.name == current else "   "
                shown.append(line(Span(mark, "accent"), Span(piece.name, "strong"), key=f"piece:{piece.name}"))
                ways = " → ".join(movement.name for movement in piece.movements)
                detail = f"{piece.description}  {ways}" if piece.has_phases else piece.description
                shown.append(line(Span(f"     {detail}", "muted")))
        return shown

    return ListDialog("Piece of this task", rows, footer="Type to search   Enter chooses   Esc closes")
