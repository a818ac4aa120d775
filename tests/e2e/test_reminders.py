"""The stale check: a reminder at the end of work that the brief does not know of."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from keen_tui.domain.events import Notice, TurnCompleted
from keen_tui.gateway.client import WorkerGateway
from tests.emulator import Call, Emulator, Fault, Say
from tests.open_tasks import WIRES, Watch, emulated, opened, turn, workbench

pytestmark = pytest.mark.asyncio(loop_scope="session")

ON = {"limits": {"brief_reminders": True}}
LOOK = Say("I look.\n", calls=(Call("glob", {"pattern": "*"}),))
WRITE = Say("I write.\n", calls=(Call("write_file", {"path": "new.txt", "content": "hello\n"}),))
UPDATE = Say("", calls=(Call("MissionUpdate", {"done": "- looked"}),))


def reminders(watch: Watch) -> list[str]:
    return [notice.text for notice in watch.all(Notice) if "reminded of the brief" in notice.text]


@pytest.mark.parametrize("wire", [*WIRES, "ollama"])
async def test_work_without_an_update_is_reminded_of_once_and_never_kept(
    wire: str, tmp_path: Path, worker: WorkerGateway
) -> None:
    async with Emulator(WRITE, Say("Written."), UPDATE, Say("")) as provider:
        bench = workbench(tmp_path, worker, emulated(provider.base, wire, mode="yolo", **ON))
        async with opened(bench) as (session, watch):
            await turn(session, "write")
            assert reminders(watch) == ["The agent was reminded of the brief: 1 tool, 1 file since its last update."]
            assert watch.all(TurnCompleted) and provider.refusals == []
            assert b"Reminder from Keen" in provider.requests[2].raw and b"new.txt" in provider.requests[2].raw
            assert session.view.brief.get("done") == "- looked"
            count = len(provider.requests)
            await turn(session, "thanks")
            assert len(provider.requests) == count + 1
            assert b"Reminder from Keen" not in provider.requests[-1].raw
            transcript = bench.home.transcript(session.record.id).read_bytes()
            assert b"Reminder from Keen" not in transcript


@pytest.mark.parametrize("replies", [(Say("Hello."),), (LOOK, UPDATE, Say("Done."))], ids=["no tools", "updated"])
async def test_no_reminder_where_nothing_is_stale(
    replies: tuple[Say, ...], tmp_path: Path, worker: WorkerGateway
) -> None:
    async with Emulator(*replies) as provider:
        async with opened(workbench(tmp_path, worker, emulated(provider.base, "anthropic", **ON))) as (session, watch):
            await turn(session, "go")
            assert reminders(watch) == [] and len(provider.requests) == len(replies)


async def test_a_model_that_ignores_it_for_fifty_turns_is_reminded_twice_and_never_loops(
    tmp_path: Path, worker: WorkerGateway
) -> None:
    def reply(request: object) -> Say:
        return LOOK if len(provider.requests) in starts else Say("Done.")

    starts: set[int] = set()
    async with Emulator(default=reply) as provider:
        async with opened(workbench(tmp_path, worker, emulated(provider.base, "openai_chat", **ON))) as (
            session,
            watch,
        ):
            for _ in range(50):
                starts |= {len(provider.requests), len(provider.requests) + 1}
                starts.discard(len(provider.requests))
                await turn(session, "go")
            assert len(watch.all(TurnCompleted)) == 50
            assert len(reminders(watch)) == 2
            assert len(provider.requests) == 50 * 2 + 2


async def test_an_update_brings_the_reminders_back(tmp_path: Path, worker: WorkerGateway) -> None:
    ignored = (LOOK, Say("Done."), Say("Still done."))
    silent = (LOOK, Say("Done."))
    async with Emulator(*ignored, *ignored, *silent, LOOK, UPDATE, Say("Ok."), *ignored) as provider:
        async with opened(workbench(tmp_path, worker, emulated(provider.base, "gemini", **ON))) as (session, watch):
            for _ in range(5):
                await turn(session, "go")
            assert len(reminders(watch)) == 3


async def test_a_fault_after_the_reminder_does_not_undo_the_answer(tmp_path: Path, worker: WorkerGateway) -> None:
    async with Emulator(LOOK, Say("The answer."), Fault("401")) as provider:
        async with opened(workbench(tmp_path, worker, emulated(provider.base, "anthropic", **ON))) as (session, watch):
            await turn(session, "go")
            assert watch.all(TurnCompleted) and session.view.turns[0].prose.endswith("The answer.")


@pytest.mark.parametrize("wire", WIRES)
async def test_sixty_turns_send_every_constraint_word_for_word(
    wire: str, tmp_path: Path, worker: WorkerGateway
) -> None:
    constraints = "- Don't touch the parser; keep its API.\n- Tabs, never spaces. Source: comment:1\n- Größe ≤ 3 MB"
    async with Emulator(default=Say("Done.")) as provider:
        async with opened(workbench(tmp_path, worker, emulated(provider.base, wire))) as (session, _):
            await turn(session, "start")
            assert await session.edit_brief({"user_constraints": constraints}) == ""
            for number in range(60):
                if number in (20, 40):
                    for past in session.view.turns:
                        past.segments.clear()
                filler = dict.fromkeys(("done", "open", "decisions", "goal", "risks"), f"- {number} " + "x" * 1900)
                assert await session.edit_brief(filler) == ""
                await turn(session, f"turn {number}")
                body = json.dumps(provider.requests[-1].body, ensure_ascii=False)
                assert json.dumps(constraints, ensure_ascii=False).strip('"') in body
            assert provider.refusals == []


@pytest.mark.parametrize("wire", WIRES)
async def test_what_the_user_edits_meanwhile_reaches_the_agent_with_the_results(
    wire: str, tmp_path: Path, worker: WorkerGateway
) -> None:
    held = asyncio.Event()
    first = Say("I look.", calls=(Call("glob", {"pattern": "*"}),), hold=held)
    async with Emulator(first, Say("Seen."), Say("Yes.")) as provider:
        async with opened(workbench(tmp_path, worker, emulated(provider.base, wire))) as (session, _):
            session.send("look")
            request = await provider.next_request()
            await request.held.wait()
            assert await session.edit_brief({"goal": "Find the owl"}) == ""
            held.set()
            await session.idle()
            assert b"Find the owl" in provider.requests[1].raw
            await turn(session, "and?")
            assert b"has just edited" not in provider.requests[2].raw and provider.refusals == []


@pytest.mark.parametrize("mode", ["accept-edits", "yolo"])
async def test_a_pinned_path_asks_and_names_the_line(mode: str, tmp_path: Path, worker: WorkerGateway) -> None:
    from keen_tui.domain.events import ApprovalRequested

    async with Emulator(WRITE, Say("Refused.")) as provider:
        async with opened(workbench(tmp_path, worker, emulated(provider.base, "anthropic", mode=mode))) as (
            session,
            watch,
        ):
            await session.edit_brief({"user_constraints": "- path: *.txt is read-only"})
            watch.answer_all("no")
            await turn(session, "write")
            assert "path: *.txt is read-only" in watch.all(ApprovalRequested)[0].reasons[0]
            assert not (tmp_path / "project" / "new.txt").exists()
