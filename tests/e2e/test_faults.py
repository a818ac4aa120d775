"""A fault of the provider leaves the task usable, says what happened and what to do."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from keen_tui.config.settings import NetworkSettings, Settings
from keen_tui.domain.events import (
    RetryScheduled,
    TextRewound,
    ToolFinished,
    TurnCompleted,
    TurnFailed,
    TurnIncomplete,
)
from keen_tui.gateway.client import WorkerGateway
from tests.emulator import Call, Emulator, Fault, Say
from tests.open_tasks import WIRES, Watch, emulated, opened, turn, workbench

pytestmark = pytest.mark.asyncio(loop_scope="session")

SOUND = "Everything works again."


class Waits:
    """Stands in for the clock between retries: notes the seconds and lets the turn go on."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)
        await asyncio.sleep(0)


def quick(provider: Emulator, wire: str) -> Settings:
    network = NetworkSettings(connect_timeout=2.0, first_byte_timeout=1.0, stall_timeout=1.0, retries=2)
    return emulated(provider.base, wire, network=network)


def end_of(watch: Watch) -> TurnCompleted | TurnFailed | TurnIncomplete:
    ends = [event for event in watch.events if isinstance(event, TurnCompleted | TurnFailed | TurnIncomplete)]
    assert ends, "the turn has no end"
    return ends[0]


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("kind", ["400", "401", "403", "404", "413", "context", "html"])
async def test_what_a_retry_can_not_mend_is_said_at_once(
    kind: str, wire: str, tmp_path: Path, worker: WorkerGateway
) -> None:
    async with Emulator(Fault(kind), Say(SOUND)) as provider:
        async with opened(workbench(tmp_path, worker, quick(provider, wire))) as (session, watch):
            await turn(session, "hello")
            end = end_of(watch)
            assert isinstance(end, TurnFailed)
            assert end.message and end.hint
            assert not watch.all(RetryScheduled)
            assert len(provider.requests) == 1
            await turn(session, "again")
            assert session.view.turns[1].prose == SOUND
            assert provider.requests[-1].refused == ""


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(
    "kind",
    [
        "429",
        "500",
        "502",
        "503",
        "529",
        "disconnect",
        "disconnect_in_text",
        "disconnect_in_call",
        "silence",
        "stall",
        "empty_body",
        "error_event",
        "no_terminal",
        "not_json",
    ],
)
async def test_what_a_retry_can_mend_is_sent_again_and_told(
    kind: str, wire: str, tmp_path: Path, worker: WorkerGateway
) -> None:
    waits = Waits()
    async with Emulator(
        Fault(kind, say=Say("Half an answer that is cut somewhere in the middle.")), Say(SOUND)
    ) as provider:
        bench = workbench(tmp_path, worker, quick(provider, wire))
        bench.sleep = waits
        async with opened(bench) as (session, watch):
            await turn(session, "hello")
            assert isinstance(end_of(watch), TurnCompleted), end_of(watch)
            assert session.view.turns[0].prose == SOUND
            retries = watch.all(RetryScheduled)
            assert [retry.attempt for retry in retries] == [1]
            assert retries[0].reason
            assert waits.seconds == [1.0]
            await turn(session, "again")
            assert provider.refusals == [request.refused for request in provider.requests[:1] if request.refused]


async def test_retry_after_is_honoured(tmp_path: Path, worker: WorkerGateway) -> None:
    waits = Waits()
    async with Emulator(Fault("429", retry_after=7), Fault("503", retry_after=11), Say(SOUND)) as provider:
        bench = workbench(tmp_path, worker, quick(provider, "anthropic"))
        bench.sleep = waits
        async with opened(bench) as (session, _):
            await turn(session, "hello")
            assert waits.seconds == [7.0, 11.0]
            assert session.view.turns[0].prose == SOUND


async def test_a_provider_that_stays_down_ends_the_turn_after_the_last_retry(
    tmp_path: Path, worker: WorkerGateway
) -> None:
    async with Emulator(Fault("500"), Fault("500"), Fault("500"), Say(SOUND)) as provider:
        bench = workbench(tmp_path, worker, quick(provider, "openai_chat"))
        bench.sleep = Waits()
        async with opened(bench) as (session, watch):
            await turn(session, "hello")
            assert isinstance(end_of(watch), TurnFailed)
            assert len(provider.requests) == 3
            await turn(session, "again")
            assert session.view.turns[1].prose == SOUND


@pytest.mark.parametrize("wire", WIRES)
async def test_a_fault_after_tool_work_keeps_what_was_done(wire: str, tmp_path: Path, worker: WorkerGateway) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "a.txt").write_text("one\n")
    read = Say("I read.\n", calls=(Call("read_file", {"path": "a.txt"}),))
    async with Emulator(read, Fault("401"), Say(SOUND)) as provider:
        async with opened(workbench(tmp_path, worker, quick(provider, wire))) as (session, watch):
            await turn(session, "read a.txt")
            assert isinstance(end_of(watch), TurnIncomplete)
            await turn(session, "go on")
            assert session.view.turns[1].prose == SOUND
            assert b"read_file" in provider.requests[-1].raw
            assert provider.requests[-1].refused == ""


@pytest.mark.parametrize("wire", WIRES)
async def test_a_stream_that_breaks_takes_back_its_half_answer(
    wire: str, tmp_path: Path, worker: WorkerGateway
) -> None:
    half = Say("This half must not stay. " * 4, thinking="Neither must this.")
    async with Emulator(Fault("disconnect_in_text", say=half), Say(SOUND)) as provider:
        bench = workbench(tmp_path, worker, quick(provider, wire))
        bench.sleep = Waits()
        async with opened(bench) as (session, watch):
            await turn(session, "hello")
            assert watch.all(TextRewound)
            assert session.view.turns[0].prose == SOUND


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("kind", ["broken_arguments", "empty_arguments", "unknown_tool", "repeated_ids", "split_utf8"])
async def test_calls_that_make_no_sense_come_back_to_the_model_as_errors(
    kind: str, wire: str, tmp_path: Path, worker: WorkerGateway
) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "a.txt").write_text("one\n")
    said = Say("Grüße aus 東京 🗼. ") if kind == "split_utf8" else None
    async with Emulator(Fault(kind, say=said), Say(SOUND)) as provider:
        async with opened(workbench(tmp_path, worker, quick(provider, wire))) as (session, watch):
            await turn(session, "hello")
            assert isinstance(end_of(watch), TurnCompleted), end_of(watch)
            assert provider.refusals == []
            if kind in ("broken_arguments", "empty_arguments"):
                assert [event.refused for event in watch.all(ToolFinished)] == ["input"]
            if kind == "unknown_tool":
                assert [event.refused for event in watch.all(ToolFinished)] == ["unknown"]
            if kind == "split_utf8":
                assert session.view.turns[0].prose == "Grüße aus 東京 🗼. "
            await turn(session, "again")
            assert provider.refusals == []


async def test_ten_megabytes_of_text_arrive_whole(tmp_path: Path, worker: WorkerGateway) -> None:
    async with Emulator(Fault("huge_text")) as provider:
        async with opened(workbench(tmp_path, worker, quick(provider, "openai_chat"))) as (session, watch):
            await turn(session, "hello")
            assert isinstance(end_of(watch), TurnCompleted)
            assert len(session.view.turns[0].prose) >= 10_000_000


@pytest.mark.parametrize("wire", WIRES)
async def test_an_interrupt_closes_the_connection_at_once(wire: str, tmp_path: Path, worker: WorkerGateway) -> None:
    held = asyncio.Event()
    async with Emulator(Say("A long answer begins here and goes on.", hold=held), Say(SOUND)) as provider:
        async with opened(workbench(tmp_path, worker, quick(provider, wire))) as (session, watch):
            session.send("hello")
            request = await provider.next_request()
            async with asyncio.timeout(10):
                await request.held.wait()
                assert session.interrupt()
                await session.idle()
                await request.disconnected.wait()
            end = end_of(watch)
            assert isinstance(end, TurnFailed) and end.reason == "interrupted"
            await turn(session, "again")
            assert session.view.turns[1].prose == SOUND
            assert provider.refusals == []


async def test_a_dead_worker_costs_one_turn_and_starts_again(tmp_path: Path) -> None:
    gateway = WorkerGateway(log_file=tmp_path / "worker.log")
    held = asyncio.Event()
    try:
        async with Emulator(Say("A long answer begins here.", hold=held), Say(SOUND)) as provider:
            bench = workbench(tmp_path, gateway, quick(provider, "anthropic"))
            async with opened(bench) as (session, watch):
                session.send("hello")
                request = await provider.next_request()
                await request.held.wait()
                assert gateway.worker_pid is not None
                os.kill(gateway.worker_pid, signal.SIGKILL)
                async with asyncio.timeout(20):
                    await session.idle()
                end = end_of(watch)
                assert isinstance(end, TurnFailed) and end.reason == "worker_died"
                await turn(session, "again")
                assert session.view.turns[1].prose == SOUND
    finally:
        await gateway.close()
