"""What is said becomes comments of the right kind, and every turn after the first is told how to look back."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from keen_tui.agent.task_search import find_in_tasks
from keen_tui.config.settings import Settings
from keen_tui.domain.events import QuestionAsked, ToolFinished
from keen_tui.gateway.client import WorkerGateway
from keen_tui.gateway.demo import DemoGateway
from keen_tui.store.search_query import QueryProblem
from tests.emulator import Call, Emulator, Say
from tests.open_tasks import WIRES, emulated, opened, turn, workbench

pytestmark = pytest.mark.asyncio(loop_scope="session")

GUIDANCE = b"Conversation recall"


async def test_each_thing_that_is_said_becomes_a_comment_of_its_kind(tmp_path: Path, worker: WorkerGateway) -> None:
    held = asyncio.Event()
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "a.txt").write_text("one\n")
    replies = (
        Say("I look first.\n", calls=(Call("read_file", {"path": "a.txt"}),), hold=held),
        Say("", calls=(Call("ask_user", {"question": "Which port?", "choices": ["80", "81"]}),)),
        Say("The port is 81."),
    )
    async with Emulator(*replies) as provider:
        async with opened(workbench(tmp_path, worker, emulated(provider.base, "anthropic"))) as (session, watch):
            await session.note("Mind the firewall.")
            session.send("Set the port.")
            await provider.wait_for(1)
            session.steer("Be quick.")
            held.set()
            question = await watch.first(QuestionAsked)
            session.answer_question(question.request_id, "81")
            await session.idle()
            store = session._shared.store
            comments = await store.comments(session.record.id)
            assert [(c.id, c.author, c.kind, c.text) for c in comments] == [
                (1, "user", "comment", "Mind the firewall."),
                (2, "user", "request", "Set the port."),
                (3, "user", "interjection", "Be quick."),
                (4, "agent", "ask", "Which port?"),
                (5, "user", "comment", "81"),
                (6, "agent", "result", "The port is 81."),
            ]
            assert provider.refusals == []


@pytest.mark.parametrize("wire", WIRES)
async def test_the_guidance_comes_with_the_second_message_and_leaves_the_prefix_alone(
    wire: str, tmp_path: Path, worker: WorkerGateway
) -> None:
    async with Emulator(Say("One."), Say("Two."), Say("Three.")) as provider:
        async with opened(workbench(tmp_path, worker, emulated(provider.base, wire))) as (session, _):
            for text in ("first", "second", "third"):
                await turn(session, text)
            bodies = [request.raw for request in provider.accepted]
            assert [body.count(GUIDANCE) for body in bodies] == [0, 1, 1]
            first, second = (request.body for request in provider.accepted[:2])
            for key in ("system", "instructions", "systemInstruction", "tools"):
                assert first.get(key) == second.get(key)


async def test_a_lookup_is_shown_with_its_hits(tmp_path: Path, worker: WorkerGateway) -> None:
    search = Call("SearchTaskConversation", {"query": "legacy"})
    async with Emulator(Say("Yes."), Say("", calls=(search,)), Say("Done.")) as provider:
        async with opened(workbench(tmp_path, worker, emulated(provider.base, "openai_chat"))) as (session, watch):
            await turn(session, "Never touch legacy/.")
            await turn(session, "Go on.")
            (lookup,) = watch.all(ToolFinished)
            assert lookup.output_kind == "matches" and lookup.target is None
            assert "comment:1 user/request" in lookup.output and "excerpt: Never touch legacy/." in lookup.output


async def test_all_tasks_of_a_workspace_are_searched(tmp_path: Path) -> None:
    bench = workbench(tmp_path, DemoGateway(delay=0), Settings(model="demo"))
    shared = await bench.shared()
    ids = []
    for text in ("Look after the marmots.", "Feed the otters.", "Marmots and otters."):
        session = await bench.new_task("demo")
        await session.rename(f"task {len(ids)}")
        await session.note(text)
        await shared.store.update_task(session.record.id, turns=1)
        ids.append(session.record.id)
        await session.close()
    elsewhere = await shared.store.create_task(Path("/elsewhere"), "demo", "ask", "other")
    await shared.store.add_comment(elsewhere.id, "user", "comment", "marmots abroad")

    async def found(words: str, workspace: Path | None = bench.workspace) -> list[str]:
        return [task.record.id for task in await find_in_tasks(shared, words, workspace)]

    assert await found("marmots") == [ids[2], ids[0]]
    assert await found("marmots", None) == [elsewhere.id, ids[2], ids[0]]
    assert await found("task 1") == [ids[1]]
    assert await found("walrus") == []
    with pytest.raises(QueryProblem):
        await found("")
    await bench.close()
