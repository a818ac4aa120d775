"""How long the request body of a long history takes in each wire format."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from typing import get_args

from keen_tui.domain.exchange import Conversation, HistoryTurn, ModelProfile, PromptPart, Wire
from keen_tui.domain.turn_memory import Activity
from keen_tui.tools.registry import standard_tools
from keen_tui.translate.registry import translator_for

_PROSE = "I look at the next file.\n" * 10


def history(turns: int, activities: int = 10) -> Sequence[HistoryTurn]:
    """Turns with that many activities each, spread over their prose."""
    made = []
    for number in range(turns):
        records = tuple(
            Activity(text_offset=25 * index, tool="read_file", status="success", target=f"src/m{number}/f{index}.py")
            for index in range(activities)
        )
        made.append(HistoryTurn(f"turn{number}", f"Question {number}", _PROSE, records))
    return made


def milliseconds(wire: Wire, turns: int, runs: int = 5) -> float:
    """The median time of one body."""
    conversation = Conversation((PromptPart("base", "You help."),), standard_tools().specs, history(turns), "Go on.")
    profile, translator = ModelProfile(name="some-model", wire=wire), translator_for(wire)
    times = []
    for _ in range(runs):
        began = time.perf_counter()
        translator.body(conversation, profile)
        times.append(1000 * (time.perf_counter() - began))
    return statistics.median(times)


def measure(turns: int = 1000) -> dict[Wire, tuple[float, float]]:
    """For each wire format: milliseconds for so many turns, and the growth exponent from a quarter of them."""
    from math import log

    found: dict[Wire, tuple[float, float]] = {}
    for wire in get_args(Wire):
        small, large = milliseconds(wire, turns // 4), milliseconds(wire, turns)
        found[wire] = large, log(large / small) / log(4)
    return found
