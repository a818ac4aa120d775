"""A turn that ended abnormally goes on from its full exchange; nothing that ran is forgotten or run again."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from keen_tui.agent.session import TaskSession
from keen_tui.config.settings import NetworkSettings, Settings
from keen_tui.domain.events import Notice, ToolFinished, ToolOutput, TurnCompleted, TurnIncomplete, TurnStarted
from keen_tui.gateway.client import WorkerGateway
from tests.emulator import Call, Emulator, Fault, Say
from tests.open_tasks import MODELS, WIRES, Watch, emulated, opened, turn, workbench

pytestmark = pytest.mark.asyncio(loop_scope="session")

ALL_WIRES = (*WIRES, "litellm")
RESULT = "canary-in-the-file"
READ = Say("I read the file.\n", thinking="What is in it?", calls=(Call("read_file", {"path": "a.txt"}),))


def a_task(folder: Path, provider: Emulator, wire: str, thinking: str = "off", **more: Any) -> Settings:
    project = folder / "project"
    project.mkdir(exist_ok=True)
    (project / "a.txt").write_text(f"{RESULT}\n")
    settings = emulated(provider.base, wire, network=NetworkSettings(retries=0), **more)
    model = settings.models[MODELS[wire]].model_copy(update={"thinking": thinking})
    return settings.model_copy(update={"models": {MODELS[wire]: model}})


async def stop_in_parallel(session: TaskSession, watch: Watch) -> None:
    """Interrupt once the first of two calls is done and the second runs."""
    after = len(watch.events)
    session.send("go")
    await watch.first(ToolOutput, after)
    await watch.first(ToolFinished, after)
    session.interrupt()
    async with asyncio.timeout(10):
        await session.idle()


TWO = Say(
    "Both.\n",
    thinking="Side by side.",
    calls=(Call("read_file", {"path": "a.txt"}), Call("bash", {"command": "echo started; sleep 60"})),
)


@pytest.mark.parametrize("thinking", ["off", "high"])
@pytest.mark.parametrize("wire", ALL_WIRES)
async def test_after_an_error_the_model_goes_on_from_its_results(
    wire: str, thinking: str, tmp_path: Path, worker: WorkerGateway
) -> None:
    async with Emulator(READ, Fault("500"), Say("Going on."), Say("And later.")) as provider:
        bench = workbench(tmp_path, worker, a_task(tmp_path, provider, wire, thinking))
        async with opened(bench) as (session, watch):
            await turn(session, "read it")
            assert watch.all(TurnIncomplete)
            await turn(session, "go on")
            assert watch.all(TurnCompleted)
            assert RESULT.encode() in provider.requests[-1].raw
            await turn(session, "and?")
            assert RESULT.encode() not in provider.requests[-1].raw
            assert b"read_file" in provider.requests[-1].raw.rpartition(b"go on")[0].rpartition(b"read it")[2]
            assert provider.refusals == []


@pytest.mark.parametrize("thinking", ["off", "high"])
@pytest.mark.parametrize("wire", ALL_WIRES)
async def test_an_interrupt_in_parallel_calls_keeps_the_real_result_of_the_finished_one(
    wire: str, thinking: str, tmp_path: Path, worker: WorkerGateway
) -> None:
    async with Emulator(TWO, Say("Going on.")) as provider:
        bench = workbench(tmp_path, worker, a_task(tmp_path, provider, wire, thinking, mode="yolo"))
        async with opened(bench) as (session, watch):
            await stop_in_parallel(session, watch)
            await turn(session, "go on")
            assert provider.refusals == []
            raw = provider.requests[-1].raw
            assert RESULT.encode() in raw and b"interrupted" in raw
            assert watch.all(TurnCompleted)


async def test_a_prompt_queued_before_the_interrupt_recovers_too(tmp_path: Path, worker: WorkerGateway) -> None:
    async with Emulator(TWO, Say("Going on.")) as provider:
        bench = workbench(tmp_path, worker, a_task(tmp_path, provider, "anthropic", "high", mode="yolo"))
        async with opened(bench) as (session, watch):
            session.send("go")
            await watch.first(ToolOutput)
            await watch.first(ToolFinished)
            session.interrupt()
            session.send("go on")
            async with asyncio.timeout(20):
                await session.idle()
                session.send_queued()
                await session.idle()
            assert [event.text for event in watch.all(TurnStarted)] == ["go", "go on"]
            assert RESULT.encode() in provider.requests[-1].raw
            assert provider.refusals == []


@pytest.mark.parametrize("wire", ALL_WIRES)
async def test_a_failed_recovery_leaves_it_and_incomplete_turns_add_up(
    wire: str, tmp_path: Path, worker: WorkerGateway
) -> None:
    again = Say("Once more.\n", calls=(Call("glob", {"pattern": "*.txt"}),))
    script = (READ, Fault("500"), Fault("500"), again, Fault("500"), Say("Done."), Say("Bye."))
    async with Emulator(*script) as provider:
        bench = workbench(tmp_path, worker, a_task(tmp_path, provider, wire))
        async with opened(bench) as (session, watch):
            for text in ("one", "two", "three", "four"):
                await turn(session, text)
                assert RESULT.encode() in provider.requests[-1].raw
            assert len(watch.all(TurnIncomplete)) == 2
            await turn(session, "five")
            assert RESULT.encode() not in provider.requests[-1].raw
            assert len(provider.accepted) + len(provider.refusals) == len(provider.requests)
            assert provider.refusals == []


async def test_another_wire_format_gets_the_compact_form_and_a_notice(tmp_path: Path, worker: WorkerGateway) -> None:
    async with Emulator(READ, Fault("500"), Say("Going on.")) as provider:
        first = a_task(tmp_path, provider, "anthropic", "high")
        second = emulated(provider.base, "gemini")
        both = {"models": {**first.models, **second.models}, "providers": {**first.providers, **second.providers}}
        bench = workbench(tmp_path, worker, first.model_copy(update=both))
        async with opened(bench) as (session, watch):
            await turn(session, "read it")
            await session.switch_model(MODELS["gemini"])
            await turn(session, "go on")
            assert any("without what it returned" in notice.text for notice in watch.all(Notice))
            raw = provider.requests[-1].raw
            assert b"read_file" in raw and RESULT.encode() not in raw
            assert provider.refusals == []


@pytest.mark.parametrize("wire", ALL_WIRES)
async def test_a_full_tool_history_replays_results_and_leaves_no_trace_on_disk(
    wire: str, tmp_path: Path, worker: WorkerGateway
) -> None:
    async with Emulator(READ, Say("Read."), Say("Again."), Say("Short.")) as provider:
        bench = workbench(tmp_path, worker, a_task(tmp_path, provider, wire, "high"))
        async with opened(bench) as (session, _):
            session.set_tool_history("full")
            await turn(session, "read it")
            await turn(session, "and?")
            assert RESULT.encode() in provider.requests[-1].raw
            session.set_tool_history("none")
            await turn(session, "and?")
            assert RESULT.encode() not in provider.requests[-1].raw
            assert provider.refusals == []
            for path in (tmp_path / "home").rglob("*"):
                assert not path.is_file() or RESULT.encode() not in path.read_bytes()
