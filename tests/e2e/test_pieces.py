"""Pieces with several movements, run whole against the emulator."""

from __future__ import annotations

from pathlib import Path

import pytest

from keen_tui.domain.events import CommentAdded, MovementStarted, Notice, ToolFinished, TurnCompleted, TurnIncomplete
from keen_tui.gateway.client import WorkerGateway
from tests.emulator import Call, Emulator, Say
from tests.emulator.reading import read
from tests.open_tasks import WIRES, emulated, opened, turn, workbench

pytestmark = pytest.mark.asyncio(loop_scope="session")


def go(to: str, handoff: str) -> Say:
    return Say("", calls=(Call("transition", {"to": to, "handoff": handoff}),))


def done(result: str) -> Say:
    return Say("", calls=(Call("complete", {"result": result}),))


LOOK = Say("I look.", calls=(Call("glob", {"pattern": "*"}),))
WRITE = Say("I write.", calls=(Call("write_file", {"path": "a.txt", "content": "one\n"}),))
BETTER = Say("I mend.", calls=(Call("write_file", {"path": "b.txt", "content": "two\n"}),))


@pytest.mark.parametrize("wire", [*WIRES, "ollama"])
async def test_plan_build_review_runs_whole_with_a_way_back(wire: str, tmp_path: Path, worker: WorkerGateway) -> None:
    replies = (
        LOOK, go("build", "Write a.txt with one."), WRITE, go("review", "a.txt is written."), LOOK,
        go("build", "b.txt is missing."), BETTER, go("review", "Both are there."), done("Two files were written."),
        Say("You are welcome."),
    )  # fmt: skip
    async with Emulator(*replies) as provider:
        bench = workbench(tmp_path, worker, emulated(provider.base, wire, mode="yolo"))
        async with opened(bench) as (session, watch):
            assert session.choose_piece("plan-build-review") == ""
            await turn(session, "Write two files.")
            assert watch.all(TurnCompleted), watch.events[-1]
            started = [event.movement for event in watch.all(MovementStarted)]
            assert started == ["plan", "build", "review", "build", "review", "plan"]
            handoffs = [event.text for event in watch.all(CommentAdded) if event.kind == "handoff"]
            assert handoffs == [
                "Write a.txt with one.", "a.txt is written.", "b.txt is missing.", "Both are there.",
            ]  # fmt: skip
            assert session.view.turns[0].prose.endswith("Two files were written.")
            assert provider.refusals == []
            build = read(provider.requests[2])
            assert build.user_text.startswith("Write a.txt with one.") and "Write two files." in build.user_text
            assert b"Movement: build (2 of 3" in provider.requests[2].raw
            assert (tmp_path / "project" / "a.txt").exists() and (tmp_path / "project" / "b.txt").exists()
            plan = read(provider.requests[0]).tools
            assert "write_file" not in plan and {"MissionUpdate", "ask_user", "transition", "complete"} <= plan
            assert "write_file" in build.tools and "complete" not in build.tools
            await turn(session, "Thanks")
            assert b"Movement: plan (1 of 3" in provider.requests[-1].raw and provider.refusals == []
            comments = await (await bench.shared()).store.comments(session.record.id)
            assert [comment.kind for comment in comments].count("handoff") == 4


async def test_a_terminal_call_with_a_stale_brief_is_answered_once_and_passes_the_second_time(
    tmp_path: Path, worker: WorkerGateway
) -> None:
    replies = (LOOK, go("build", "Go."), go("build", "Go now."), go("review", "Fine."), done("Ok."))
    settings = {"limits": {"brief_reminders": True}}
    async with Emulator(*replies) as provider:
        async with opened(workbench(tmp_path, worker, emulated(provider.base, "anthropic", **settings))) as (
            session, watch,
        ):  # fmt: skip
            session.choose_piece("plan-build-review")
            await turn(session, "go")
            assert watch.all(TurnCompleted)
            outputs = [event.output for event in watch.all(ToolFinished) if event.tool == "transition"]
            assert "Reminder from Keen" in outputs[0] and "begins" in outputs[1] and "begins" in outputs[2]
            assert sum("reminded of the brief" in notice.text for notice in watch.all(Notice)) == 1
            handoffs = [event.text for event in watch.all(CommentAdded) if event.kind == "handoff"]
            assert handoffs == ["Go now.", "Fine."]


async def test_movements_that_go_round_for_ever_come_to_an_end(tmp_path: Path, worker: WorkerGateway) -> None:
    def reply(request: object) -> Say:
        last = provider.requests[-1]
        if "complete" not in read(last).tools:
            return go("review", "Look again.")
        return go("build", "Do it again.")

    async with Emulator(default=reply) as provider:
        async with opened(workbench(tmp_path, worker, emulated(provider.base, "openai_chat"))) as (session, watch):
            session.choose_piece("plan-build-review")
            await turn(session, "go")
            assert watch.all(TurnIncomplete)[0].reason == "movements"


async def test_a_turn_that_ends_in_words_stays_in_its_movement_also_after_a_restart(
    tmp_path: Path, worker: WorkerGateway
) -> None:
    async with Emulator(go("build", "Go."), Say("What colour?"), Say("Red then.")) as provider:
        bench = workbench(tmp_path, worker, emulated(provider.base, "gemini"))
        session = await bench.new_task(bench.settings.model or "")
        session.choose_piece("plan-build-review")
        await turn(session, "paint")
        assert session.course.name == "build"
        await session.close()
        again = await bench.open_task()
        assert again.course.name == "build" and again.view.piece == "plan-build-review"
        await turn(again, "red")
        assert b"Movement: build" in provider.requests[-1].raw
        await again.close()
        await (await bench.shared()).store.close()


async def test_a_movement_has_its_own_model_and_an_unknown_one_is_said(tmp_path: Path, worker: WorkerGateway) -> None:
    folder = tmp_path / "home" / "pieces"
    folder.mkdir(parents=True)
    (folder / "mine.toml").write_text(
        'name = "mine"\n[[movements]]\nname = "one"\nmodel = "openai/emulated-other"\n'
        'exits = [{to = "two", when = "x"}]\n'
        '[[movements]]\nname = "two"\nmodel = "nobody-knows-this"\n'
    )
    async with Emulator(go("two", "Next."), done("Ok.")) as provider:
        settings = emulated(provider.base, "openai_chat")
        other = {"openai/emulated-other": settings.models["openai/emulated-chat"]}
        settings = settings.model_copy(update={"models": {**settings.models, **other}})
        async with opened(workbench(tmp_path, worker, settings)) as (session, watch):
            assert session.choose_piece("mine") == ""
            await turn(session, "go")
            assert watch.all(TurnCompleted)
            models = [request.body["model"] for request in provider.requests]
            assert models == ["emulated-other", "emulated-chat"]
            assert any("nobody-knows-this" in notice.text for notice in watch.all(Notice))
