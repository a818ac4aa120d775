"""A killed process loses nothing that was committed, and the task goes on."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from pathlib import Path

import pytest

from keen_tui.domain.events import TurnCompleted, TurnIncomplete
from keen_tui.domain.segments import ToolSegment
from keen_tui.gateway.client import WorkerGateway
from keen_tui.store.task_lock import TaskLocked
from tests.emulator import Call, Emulator, Say
from tests.open_tasks import MODELS, WIRES, Watch, emulated, turn, workbench

pytestmark = pytest.mark.asyncio(loop_scope="session")


def configure(folder: Path, provider: Emulator, wire: str) -> None:
    home = folder / "home"
    home.mkdir()
    model = MODELS[wire]
    (home / "config.toml").write_text(
        f'model = "{model}"\nmode = "yolo"\n[providers.{model.split("/")[0]}]\n'
        f'base_url = "{provider.base(wire)}"\napi_key_env = "EMULATOR_KEY"\n[models."{model}"]\nwire = "{wire}"\n'
    )


async def keen(folder: Path, *arguments: str) -> Process:
    environ = {"KEEN_HOME": str(folder / "home"), "EMULATOR_KEY": "good-key-0123456789", "PATH": os.environ["PATH"]}
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "keen_tui.cli", *arguments, cwd=folder / "project", env=environ, stdout=PIPE, stderr=PIPE
    )


@pytest.mark.parametrize("wire", WIRES)
async def test_a_kill_in_the_middle_of_a_turn_keeps_all_that_was_committed(
    wire: str, tmp_path: Path, worker: WorkerGateway
) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "a.txt").write_text("one\n")
    held = asyncio.Event()
    replies = (
        Say("I read the file first.\n", calls=(Call("read_file", {"path": "a.txt"}),)),
        Say("First paragraph of the answer.\n\nSecond, and then nothing mo", hold=held, hold_after=5, chunk=11),
        Say("Going on."),
    )
    async with Emulator(*replies) as provider:
        configure(tmp_path, provider, wire)
        process = await keen(tmp_path, "run", "read a.txt", "--mode", "yolo")
        requests = await provider.wait_for(2, timeout=60)
        await asyncio.wait_for(requests[1].held.wait(), 20)
        assert process.stdout is not None
        await asyncio.wait_for(process.stdout.readuntil(b"paragraph of the answer."), 20)
        process.kill()
        await process.wait()
        await asyncio.wait_for(requests[1].disconnected.wait(), 20)

        bench = workbench(tmp_path, worker, emulated(provider.base, wire))
        session = await bench.open_task()
        try:
            (first,) = session.view.turns
            assert first.start.text == "read a.txt"
            assert first.prose.startswith("I read the file first.\nFirst paragraph of the answer.")
            assert isinstance(first.end, TurnIncomplete) and first.end.reason == "stopped"
            tool = next(segment for segment in first.segments if isinstance(segment, ToolSegment))
            assert tool.status == "success" and tool.output == "" and tool.target == "a.txt"
            watch = Watch(session)
            await turn(session, "go on")
            assert watch.all(TurnCompleted)
            assert provider.refusals == []
            assert b"read_file" in provider.requests[-1].raw
        finally:
            await session.close()
            await (await bench.shared()).store.close()


async def test_a_task_that_is_open_elsewhere_can_be_read_but_not_written(tmp_path: Path, worker: WorkerGateway) -> None:
    async with Emulator(Say("Hello.")) as provider:
        bench = workbench(tmp_path, worker, emulated(provider.base, "anthropic"))
        session = await bench.new_task("demo")
        await session.note("a note")
        with pytest.raises(TaskLocked):
            await bench.open_task(session.record.id)
        reader = await bench.open_task(session.record.id, read_only=True)
        assert len(reader.view.items) == 1
        reader.send("does nothing")
        assert reader.view.turn_count == 0
        await session.close()
        await reader.close()
        again = await bench.open_task(session.record.id)
        assert not again.read_only
        await again.close()
        await (await bench.shared()).store.close()


async def test_an_interrupted_run_says_so_and_exits_with_130(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    held = asyncio.Event()
    async with Emulator(Say("A long answer begins.", hold=held)) as provider:
        configure(tmp_path, provider, "openai_chat")
        process = await keen(tmp_path, "run", "hello")
        request = (await provider.wait_for(1, timeout=60))[0]
        await asyncio.wait_for(request.held.wait(), 20)
        process.send_signal(signal.SIGINT)
        _, err = await asyncio.wait_for(process.communicate(), 20)
        assert process.returncode == 130
        assert b"You stopped this turn." in err
        await asyncio.wait_for(request.disconnected.wait(), 20)
