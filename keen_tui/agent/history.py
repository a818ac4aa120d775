"""Past turns as later requests carry them."""

from __future__ import annotations

from collections.abc import Iterable

from keen_tui.domain.exchange import HistoryTurn
from keen_tui.domain.turn_memory import collect
from keen_tui.domain.views import CommentSegment, Segment, TextSegment, TurnView


def history_of(turns: Iterable[TurnView]) -> tuple[HistoryTurn, ...]:
    """Every ended turn, oldest first."""
    return tuple(piece for turn in turns if turn.end is not None for piece in history_pieces(turn))


def history_pieces(turn: TurnView) -> list[HistoryTurn]:
    """A turn as user text and what followed; an interjection opens a piece of its own.

    The user's first text so stays as it was sent, and words said in between keep their place.
    """
    pieces: list[HistoryTurn] = []
    user_text, start = turn.start.text, 0
    for index, segment in enumerate(turn.segments):
        if isinstance(segment, CommentSegment) and segment.event.kind == "interjection":
            pieces.append(_piece(turn.id, len(pieces), user_text, turn.segments[start:index]))
            user_text, start = segment.event.text, index + 1
    pieces.append(_piece(turn.id, len(pieces), user_text, turn.segments[start:]))
    return pieces


def _piece(turn_id: str, index: int, user_text: str, segments: list[Segment]) -> HistoryTurn:
    prose = "".join(segment.text for segment in segments if isinstance(segment, TextSegment))
    return HistoryTurn(
        id=f"{turn_id}_{index}" if index else turn_id,
        user_text=user_text,
        prose=prose,
        activities=collect(segments),
    )
