"""Past turns as later requests carry them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from keen_tui.domain.exchange import HistoryTurn, NativeMessage
from keen_tui.domain.segments import CommentSegment, Segment, TextSegment
from keen_tui.domain.turn_memory import collect
from keen_tui.domain.views import TurnView


def history_of(
    turns: Iterable[TurnView], exchanges: Mapping[str, tuple[NativeMessage, ...]] | None = None
) -> tuple[HistoryTurn, ...]:
    """Every ended turn, oldest first. `exchanges` are native messages that stand in for turns, by turn id."""
    kept = exchanges or {}
    return tuple(piece for turn in turns if turn.end is not None for piece in history_pieces(turn, kept.get(turn.id)))


def history_pieces(turn: TurnView, exchange: tuple[NativeMessage, ...] | None = None) -> list[HistoryTurn]:
    """A turn as user text and what followed; an interjection opens a piece of its own.

    The user's first text so stays as it was sent, and words said in between keep their place. A native
    exchange holds all of that already, so a turn that has one stays in one piece.
    """
    if exchange is not None:
        whole = _piece(turn.id, 0, turn.start.text, turn.segments)
        return [replace(whole, exchange=exchange)]
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
