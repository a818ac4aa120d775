"""What a turn does beside the plain way: approvals, modes, interrupts, queue, limits."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from keen_tui.agent.person import Nobody
from keen_tui.config.settings import LimitSettings
from keen_tui.domain.events import (
    ApprovalRequested,
    CommentAdded,
    Notice,
    PromptQueued,
    QuestionAsked,
    ToolFinished,
    ToolOutput,
    TurnCompleted,
    TurnIncomplete,
    TurnStarted,
)
from keen_tui.gateway.client import WorkerGateway
from tests.emulator import Call, Emulator, Say
from tests.emulator.reading import read
from tests.open_tasks import emulated, opened, turn, workbench

pytestmark = pytest.mark.asyncio(loop_scope="session")

WRITE = Say("I write.\n", calls=(Call("write_file", {"path": "new.txt", "content": "hello\n"}),))
WRITE_MORE = Say("And more.\n", calls=(Call("write_file", {"path": "other.txt", "content": "hello\n"}),))


async def test_a_refusal_reaches_the_model_with_its_reason_and_changes_nothing(
    tmp_path: Path, worker: WorkerGateway
) -> None:
    async with Emulator(WRITE, Say("Understood.")) as provider:
        bench = workbench(tmp_path, worker, emulated(provider.base, "anthropic"))
        async with opened(bench) as (session, watch):
            watch.answer_all("no", "use another name")
            await turn(session, "write")
            assert not (tmp_path / "project" / "new.txt").exists()
            assert watch.all(ToolFinished)[0].refused == "denied"
            assert "use another name" in str(read(provider.requests[-1]).results)
            assert provider.refusals == []


@pytest.mark.parametrize(("answer", "asked"), [("once", 2), ("session", 1), ("project", 1)])
async def test_a_broader_answer_is_not_asked_again(
    answer: str, asked: int, tmp_path: Path, worker: WorkerGateway
) -> None:
    async with Emulator(WRITE, WRITE_MORE, Say("Done.")) as provider:
        bench = workbench(tmp_path, worker, emulated(provider.base, "openai_chat"))
        async with opened(bench) as (session, watch):
            watch.answer_all(answer)  # type: ignore[arg-type]
            await turn(session, "write")
            requests = watch.all(ApprovalRequested)
            assert len(requests) == asked
            assert requests[0].detail.endswith("+hello\n") or "+hello" in requests[0].detail
            assert (tmp_path / "project" / "other.txt").exists()
            kept = list((tmp_path / "home").rglob("permissions.toml"))
            assert len(kept) == (1 if answer == "project" else 0)


async def test_plan_mode_refuses_changes_without_asking(tmp_path: Path, worker: WorkerGateway) -> None:
    command = Say("", calls=(Call("bash", {"command": "touch x"}), Call("bash", {"command": "ls"})))
    async with Emulator(WRITE, command, Say("A plan.")) as provider:
        bench = workbench(tmp_path, worker, emulated(provider.base, "gemini", mode="plan"))
        async with opened(bench) as (session, watch):
            await turn(session, "write")
            assert not watch.all(ApprovalRequested)
            assert [event.refused for event in watch.all(ToolFinished)] == ["denied", "denied", None]
            assert list((tmp_path / "project").iterdir()) == []
            assert provider.refusals == []


async def test_without_a_screen_what_would_ask_is_refused_and_counted(tmp_path: Path, worker: WorkerGateway) -> None:
    async with Emulator(WRITE, Say("", calls=(Call("ask_user", {"question": "Which?"}),)), Say("Done.")) as provider:
        bench = workbench(tmp_path, worker, emulated(provider.base, "anthropic"), Nobody())
        async with opened(bench) as (session, watch):
            await turn(session, "write")
            assert watch.all(TurnCompleted)[0].refused == 1
            assert any("nobody can be asked" in notice.text for notice in watch.all(Notice))
            assert not watch.all(QuestionAsked)


async def test_the_agent_asks_and_hears_the_answer(tmp_path: Path, worker: WorkerGateway) -> None:
    ask = Say("", calls=(Call("ask_user", {"question": "Tabs or spaces?", "choices": ["tabs", "spaces"]}),))
    async with Emulator(ask, Say("Spaces it is.")) as provider:
        async with opened(workbench(tmp_path, worker, emulated(provider.base, "gemini"))) as (session, watch):
            session.send("format it")
            question = await watch.first(QuestionAsked)
            assert question.choices == ("tabs", "spaces")
            assert session.view.phase == "waiting"
            session.answer_question(question.request_id, "spaces")
            await session.idle()
            assert "spaces" in str(read(provider.requests[-1]).results)
            comments = await (await workbench_store(tmp_path)).comments(session.record.id)
            assert [(comment.author, comment.kind) for comment in comments] == [
                ("user", "request"),
                ("agent", "ask"),
                ("user", "comment"),
                ("agent", "result"),
            ]


async def workbench_store(folder: Path):
    from keen_tui.store.database import Store

    return await Store.open(folder / "home" / "keen.db")


async def test_an_interrupt_while_calls_run_side_by_side_keeps_the_finished_one(
    tmp_path: Path, worker: WorkerGateway
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "a.txt").write_text("one\n")
    calls = (Call("read_file", {"path": "a.txt"}), Call("bash", {"command": "echo started; sleep 60; touch late"}))
    async with Emulator(Say("Both.\n", calls=calls), Say("Going on.")) as provider:
        bench = workbench(tmp_path, worker, emulated(provider.base, "anthropic", mode="yolo"))
        async with opened(bench) as (session, watch):
            session.send("go")
            output = await watch.first(ToolOutput)
            assert "started" in output.text
            assert session.interrupt()
            async with asyncio.timeout(10):
                await session.idle()
            end = watch.all(TurnIncomplete)[0]
            assert end.reason == "interrupted"
            assert [event.tool for event in watch.all(ToolFinished)] == ["read_file"]
            await turn(session, "go on")
            assert provider.refusals == []
            assert b"read_file" in provider.requests[-1].raw
            assert not (project / "late").exists()


async def test_a_prompt_typed_while_the_agent_works_is_queued_and_sent_next(
    tmp_path: Path, worker: WorkerGateway
) -> None:
    held = asyncio.Event()
    async with Emulator(Say("First answer.", hold=held), Say("Second answer.")) as provider:
        async with opened(workbench(tmp_path, worker, emulated(provider.base, "openai_responses"))) as (session, watch):
            session.send("first")
            request = await provider.next_request()
            await request.held.wait()
            session.send("second")
            session.send("third")
            third = watch.all(PromptQueued)[1]
            assert session.remove_queued(third.prompt_id) == "third"
            held.set()
            await session.idle()
            assert [event.text for event in watch.all(TurnStarted)] == ["first", "second"]
            assert session.view.queue == {}


async def test_a_queue_survives_an_interrupt_and_a_restart(tmp_path: Path, worker: WorkerGateway) -> None:
    held = asyncio.Event()
    async with Emulator(Say("First answer.", hold=held), Say("Second answer.")) as provider:
        bench = workbench(tmp_path, worker, emulated(provider.base, "anthropic"))
        session = await bench.new_task(bench.settings.model or "")
        session.send("first")
        request = await provider.next_request()
        await request.held.wait()
        session.send("second")
        session.interrupt()
        await session.idle()
        assert list(session.view.queue.values()) == ["second"]
        await session.close()
        again = await bench.open_task()
        assert list(again.view.queue.values()) == ["second"]
        assert again.send_queued()
        await again.idle()
        assert again.view.turns[1].prose == "Second answer."
        assert provider.refusals == []
        await again.close()
        await (await bench.shared()).store.close()


@pytest.mark.parametrize("wire", ["anthropic", "openai_responses", "openai_chat", "gemini"])
async def test_steering_reaches_the_agent_at_its_next_tool_boundary(
    wire: str, tmp_path: Path, worker: WorkerGateway
) -> None:
    held = asyncio.Event()
    first = Say("I look around.", calls=(Call("glob", {"pattern": "*"}),), hold=held)
    async with Emulator(first, Say("With tests then."), Say("Yes.")) as provider:
        async with opened(workbench(tmp_path, worker, emulated(provider.base, wire))) as (session, watch):
            session.send("look")
            request = await provider.next_request()
            await request.held.wait()
            session.steer("write tests as well")
            assert list(session.view.queue.values()) == ["write tests as well"]
            held.set()
            await session.idle()
            assert b"write tests as well" in provider.requests[1].raw
            assert watch.all(CommentAdded)[0].kind == "interjection"
            assert session.view.queue == {}
            await turn(session, "and now?")
            assert provider.refusals == []
            assert b"write tests as well" in provider.requests[2].raw


async def test_a_turn_stops_at_three_useless_calls(tmp_path: Path, worker: WorkerGateway) -> None:
    again = Say("", calls=(Call("read_file", {"path": "missing.txt"}),))
    async with Emulator(default=again) as provider:
        async with opened(workbench(tmp_path, worker, emulated(provider.base, "openai_chat"))) as (session, watch):
            await turn(session, "read")
            end = watch.all(TurnIncomplete)[0]
            assert end.reason == "repeats"
            assert len(provider.requests) == 3


async def test_a_turn_stops_at_its_limit_of_model_calls(tmp_path: Path, worker: WorkerGateway) -> None:
    count = iter(range(100))

    def reply(_: object) -> Say:
        return Say("", calls=(Call("glob", {"pattern": f"*{next(count)}"}),))

    async with Emulator(default=reply) as provider:
        settings = emulated(provider.base, "anthropic", limits=LimitSettings(iterations=4))
        async with opened(workbench(tmp_path, worker, settings)) as (session, watch):
            await turn(session, "go")
            assert watch.all(TurnIncomplete)[0].reason == "iterations"
            assert len(provider.requests) == 4


async def test_outputs_of_a_turn_are_deleted_at_its_end(tmp_path: Path, worker: WorkerGateway) -> None:
    big = Say("", calls=(Call("bash", {"command": "seq 1 200000"}),))
    async with Emulator(big, Say("Done.")) as provider:
        bench = workbench(tmp_path, worker, emulated(provider.base, "anthropic", mode="yolo"))
        async with opened(bench) as (session, _):
            await turn(session, "go")
            task_dir = bench.home.task_dir(session.record.id)
            assert "199999" not in "".join(
                path.read_text(errors="replace") for path in task_dir.rglob("*") if path.is_file()
            )


async def test_the_demo_model_needs_no_worker_and_no_key(tmp_path: Path) -> None:
    from keen_tui.config.settings import Settings
    from keen_tui.gateway.demo import DemoGateway

    project = tmp_path / "project"
    project.mkdir()
    (project / "README.md").write_text("# Tide\n\nA clock for sailors.\n")
    (project / "tide.py").write_text("print('tide')\n")
    async with opened(workbench(tmp_path, DemoGateway(delay=0), Settings(model="demo"))) as (session, watch):
        await turn(session, "What is this project about?")
        assert watch.all(TurnCompleted)
        prose = session.view.turns[0].prose
        assert "README.md" in prose and "tide.py" in prose and "sailors" in prose
        assert "What is this project about?" in session.view.brief.get("goal")
        watch.answer_all("once")
        await turn(session, "/demo edit")
        assert (project / "keen-demo.md").exists()
        assert session.view.brief.get("touched_files") == "- keen-demo.md"
