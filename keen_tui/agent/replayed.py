"""What the model sees next of a past turn: the reconstructed form, laid out for a reader."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from keen_tui.agent.history import history_pieces
from keen_tui.agent.request_parts import estimate
from keen_tui.domain.exchange import Conversation, HistoryTurn, ModelProfile, NativeMessage, ToolSpec
from keen_tui.domain.replayed_turn import WHOLE, ReplayedTurn, SeenCall, SeenText
from keen_tui.domain.segments import ToolSegment
from keen_tui.domain.turn_memory import collect
from keen_tui.domain.views import TurnView
from keen_tui.translate.registry import translator_for
from keen_tui.translate.replay import offered_tools, outcome_text, passages
from keen_tui.translate.wire_text import compact

FORMS = {"empty": "native stubs", "bounded": "native stubs with targets", "note": "notes"}


def replayed_turn(
    turn: TurnView, exchange: Sequence[NativeMessage] | None, tools: Sequence[ToolSpec], profile: ModelProfile
) -> ReplayedTurn:
    """The turn as the next request carries it. `exchange` are native messages that stand in for it."""
    if exchange is not None:
        whole = "\n".join(json.dumps(message, ensure_ascii=False, default=str) for message in exchange)
        return ReplayedTurn(WHOLE, estimate(turn.start.text) + estimate(whole), tuple(_as_it_ran(turn)))
    pieces = history_pieces(turn)
    ran = list(_call_ids(turn))
    rows: list[SeenText | SeenCall] = []
    for index, piece in enumerate(pieces):
        if index:
            rows.append(SeenText(piece.user_text, user=True))
        own, ran = ran[: len(piece.activities)], ran[len(piece.activities) :]
        rows += _piece_rows(piece, own, tools, profile)
    return ReplayedTurn(FORMS[profile.replay], turn_tokens(pieces, tools, profile), tuple(rows))


def _piece_rows(
    piece: HistoryTurn, ran: list[str], tools: Sequence[ToolSpec], profile: ModelProfile
) -> Iterator[SeenText | SeenCall]:
    for passage in passages(piece, offered_tools(tools), profile.replay, lambda turn, count: ran[:count]):
        if passage.text:
            yield SeenText(passage.text)
        for call in passage.calls:
            yield SeenCall(call.id, call.name, compact(dict(call.arguments)), outcome_text(call.activity))


def _as_it_ran(turn: TurnView) -> Iterator[SeenText | SeenCall]:
    if turn.prose.strip():
        yield SeenText(turn.prose)
    for segment in turn.segments:
        if isinstance(segment, ToolSegment) and segment.finish is not None:
            yield SeenCall(segment.call_id, segment.tool, "as sent", "as returned")


def _call_ids(turn: TurnView) -> Iterator[str]:
    """The calls that later turns are told about, in order."""
    return (segment.call_id for segment in turn.segments if isinstance(segment, ToolSegment) and collect([segment]))


def turn_tokens(pieces: Sequence[HistoryTurn], tools: Sequence[ToolSpec], profile: ModelProfile) -> int:
    """An estimate of what a turn adds to a request in the model's wire format."""
    return max(0, _size(pieces, tools, profile) - _size((), tools, profile))


def _size(pieces: Sequence[HistoryTurn], tools: Sequence[ToolSpec], profile: ModelProfile) -> int:
    conversation = Conversation(system=(), tools=tools, history=pieces, user_text="")
    body = translator_for(profile.wire).body(conversation, profile)
    return estimate(json.dumps({key: part for key, part in body.items() if key != "tools"}, ensure_ascii=False))
