"""What TurnMemory saves: the tokens of a recorded task with and without what its tools returned.

The recording is JSON lines of events with outputs, as `keen run --format json` prints them; several runs of
one task may stand behind each other.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from keen_tui.domain.events import Event, ToolFinished, ToolStarted
from keen_tui.domain.exchange import Conversation, HistoryTurn, ModelProfile
from keen_tui.domain.segments import TextSegment
from keen_tui.domain.turn_memory import collect
from keen_tui.domain.views import TurnView, fold
from keen_tui.translate.registry import translator_for

BYTES_A_TOKEN = 4


def read_events(path: Path) -> list[Event]:
    """The events of a recording. Lines that are no event are skipped."""
    adapter: TypeAdapter[Any] = TypeAdapter(Event)
    lines = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("{"))
    return [adapter.validate_python(line) for line in lines if "type" in line]


def measure(path: Path) -> dict[str, float]:
    """`calls`, `full` and `kept` in tokens (bytes / 4), and `percent` of kept in full."""
    events = read_events(path)
    turns = [item for item in fold(events).items if isinstance(item, TurnView)]
    kept = tuple(
        HistoryTurn(
            turn.id,
            turn.start.text,
            "".join(segment.text for segment in turn.segments if isinstance(segment, TextSegment)),
            collect(turn.segments),
        )
        for turn in turns
    )
    body = translator_for("openai_chat").body(Conversation((), (), kept, ""), ModelProfile("m", "openai_chat"))
    kept_bytes = len(json.dumps(body["messages"], ensure_ascii=False).encode())
    words = sum(len((turn.user_text + turn.prose).encode()) for turn in kept)
    calls = [event for event in events if isinstance(event, ToolStarted)]
    arguments = sum(len(json.dumps(dict(event.arguments)).encode()) + len(event.tool) for event in calls)
    outputs = sum(len(event.output.encode("utf-8", "replace")) for event in events if isinstance(event, ToolFinished))
    full = words + arguments + outputs
    return {
        "calls": len(calls),
        "full": full / BYTES_A_TOKEN,
        "kept": kept_bytes / BYTES_A_TOKEN,
        "percent": 100 * kept_bytes / full if full else float("nan"),
    }
