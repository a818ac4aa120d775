"""The measuring works; what it measures is never asserted."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from keen_tui.domain.events import AssistantText, ToolFinished, ToolStarted, TurnCompleted, TurnStarted
from keen_tui.domain.exchange import Wire
from tests.bench import context_size, formatting
from tests.bench.budgets import Figure, as_json, table
from tests.bench.programs import floor
from tests.bench.server import chunks
from tests.bench.session import Session


def test_an_answer_has_the_length_that_was_asked_for():
    pieces = chunks(500, "ZZENDA")
    assert len(pieces) == 500 and pieces[-1] == "ZZENDA" and "".join(pieces).count("```") % 2 == 0


def test_a_table_shows_ratio_budget_and_verdict():
    figures = [Figure("start", "to prompt", 400.0, "ms", 1.3, 320.0, 3), Figure("keys", "bytes", 151.0, "B", 150)]
    rows = table(figures).splitlines()
    assert "1.25" in rows[2] and "x 1.3" in rows[2] and " ok" in rows[2] and "missed" in rows[3]
    assert as_json(figures, {})["figures"][1]["verdict"] == "missed"


def test_every_wire_format_is_timed():
    assert set(formatting.measure(4)) == set(Wire.__args__)


def test_a_recording_shows_what_turn_memory_saves(tmp_path: Path):
    events = [
        TurnStarted(turn="t1", number=1, text="Look."),
        AssistantText(turn="t1", text="I read it.\n"),
        ToolStarted(turn="t1", call_id="c1", tool="read_file", target="a.py", arguments={"path": "a.py"}),
        ToolFinished(turn="t1", call_id="c1", tool="read_file", status="success", target="a.py", output="x" * 40_000),
        TurnCompleted(turn="t1"),
    ]
    file = tmp_path / "recorded.jsonl"
    file.write_text("\n".join(json.dumps(event.model_dump(mode="json", exclude_none=True)) for event in events))
    found = context_size.measure(file)
    assert found["calls"] == 1 and found["full"] > 10_000 and found["percent"] < 8


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="reads /proc")
def test_the_floor_answers_in_its_terminal(tmp_path: Path):
    server = subprocess.Popen([sys.executable, "-m", "tests.bench.server"], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        port = int(server.stdout.readline())
        with Session(floor(tmp_path, port), port) as session:
            answer = session.ask(30)
            assert session.usable >= session.first_paint > 0
            assert answer.bytes_each > 0 and answer.shown > 0
            assert session.memory()[0] > 1
    finally:
        server.terminate()
        server.wait()
