"""Requests do not wobble: measured on the bytes that reach the server, over random tasks."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import pytest

from keen_tui.config.settings import NetworkSettings
from keen_tui.domain.events import TurnCompleted
from keen_tui.gateway.client import WorkerGateway
from tests.emulator import Call, Emulator, Fault, Say
from tests.open_tasks import WIRES, emulated, opened, turn, workbench

pytestmark = pytest.mark.asyncio(loop_scope="session")

TURNS = 5
PROSE = ("I look.\n", "Größe 😀 zählt.\n", "", "One more step.\n\n", "中文。")


def a_call(chance: random.Random, number: int) -> Call:
    """A call that works, fails, or changes the brief."""
    return chance.choice(
        (
            Call("read_file", {"path": "a.txt", "offset": number + 1}),
            Call("read_file", {"path": f"missing{number}.txt"}),
            Call("bash", {"command": f"echo {number}; exit {number % 2}"}),
            Call("write_file", {"path": f"made{number}.txt", "content": "x\n"}),
            Call("MissionUpdate", {"plan": f"- step {number}"}),
        )
    )


def a_turn(chance: random.Random, start: int) -> tuple[list[Say | Fault], bool]:
    """The replies of one turn, and whether it comes to its normal end."""
    steps: list[Say | Fault] = []
    for step in range(chance.randint(0, 3)):
        calls = tuple(a_call(chance, start + 10 * step + index) for index in range(chance.randint(1, 3)))
        steps.append(Say(chance.choice(PROSE), thinking=chance.choice(("", "Hm.")), calls=calls))
    whole = not steps or chance.random() < 0.7
    steps.append(Say("That is all.") if whole else Fault("500"))
    return steps, whole


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("wire", WIRES)
async def test_each_request_extends_what_came_before_it(
    wire: str, seed: int, tmp_path: Path, worker: WorkerGateway
) -> None:
    chance = random.Random(f"{wire} {seed}")
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "a.txt").write_text("line\n" * 200)
    async with Emulator() as provider:
        settings = emulated(provider.base, wire, mode="yolo", network=NetworkSettings(retries=0))
        async with opened(workbench(tmp_path, worker, settings)) as (session, _):
            last, stable, pending = b"", "", ""
            for number in range(TURNS):
                words = f"What turn {number} wants."
                replies, whole = a_turn(chance, 100 * number)
                provider.script(*replies)
                first = len(provider.requests)
                await turn(session, words)
                sent = [request.raw for request in provider.requests[first:]]
                assert len(sent) == len(replies)
                if stable:
                    end = last.index(stable.encode()) + len(stable.encode())
                    assert sent[0][:end] == last[:end]
                for before, after in itertools.pairwise(sent):
                    assert before.endswith(b"]}")
                    assert after.startswith(before[:-2])
                assert isinstance(session.view.turns[-1].end, TurnCompleted) == whole
                last = sent[-1]
                # A completed recovery turns the incomplete turns before it into their compact form, once.
                stable = pending if whole and pending else words
                pending = "" if whole else pending or words
            assert provider.refusals == []
