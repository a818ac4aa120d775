"""The agent finds in its own conversation what it can no longer see."""

from __future__ import annotations

from pathlib import Path

import pytest

from keen_tui.domain.events import ToolFinished, TurnCompleted
from keen_tui.gateway.client import WorkerGateway
from tests.emulator import Call, Emulator, Say
from tests.emulator.reading import read
from tests.open_tasks import emulated, opened, turn, workbench

pytestmark = pytest.mark.asyncio(loop_scope="session")


def search(query: str) -> Say:
    return Say("", calls=(Call("SearchTaskConversation", {"query": query}),))


async def test_an_early_constraint_is_found_cited_and_read(tmp_path: Path, worker: WorkerGateway) -> None:
    replies = (
        Say("Understood."),
        Say("Noted."),
        search("deploy host"),
        Say("", calls=(Call("ReadTaskConversation", {"ref": "comment:1"}),)),
        Say("", calls=(Call("MissionUpdate", {"user_constraints": "Deploy host 10.0.0.5. Source: comment:1"}),)),
        Say("It is 10.0.0.5."),
    )
    async with Emulator(*replies) as provider:
        async with opened(workbench(tmp_path, worker, emulated(provider.base, "anthropic"))) as (session, watch):
            await turn(session, "Never touch legacy/. The deploy host is 10.0.0.5.")
            await turn(session, "And now something else.")
            await turn(session, "Where do we deploy?")
            assert len(watch.all(TurnCompleted)) == 3
            found, whole, saved = watch.all(ToolFinished)
            assert "## Conversation Search Results" in found.output and "comment:1 user/request" in found.output
            assert "10.0.0.5" in found.output and "Never touch legacy/" in whole.output
            assert saved.status == "success"
            assert "comment:1" in session.view.brief.get("user_constraints")
            assert provider.refusals == []


@pytest.mark.parametrize(
    "query",
    ['"', "*", "AND", "NEAR(", "C++", "a-b", "🗼", "東京", "x" * 10_000, "'; DROP TABLE comments; --", "foo_bar"],
)
async def test_no_query_breaks_the_search(query: str, tmp_path: Path, worker: WorkerGateway) -> None:
    async with Emulator(search(query), Say("Done.")) as provider:
        async with opened(workbench(tmp_path, worker, emulated(provider.base, "openai_chat"))) as (session, watch):
            await turn(session, "We use C++ in 東京 🗼 with foo_bar and a-b.")
            (finished,) = watch.all(ToolFinished)
            assert finished.refused is None and finished.output.strip()
            assert "sql" not in finished.output.lower()
            if query in ("C++", "🗼", "東京", "foo_bar", "a-b"):
                assert finished.status == "success" and "comment:1" in finished.output


async def test_nothing_of_another_task_is_ever_found(tmp_path: Path, worker: WorkerGateway) -> None:
    tricks = tuple(
        Call("ReadTaskConversation", {"ref": ref})
        for ref in ("transcript:1/../../other", "comment:-1", "comment:99999999999999999999", "comment:2")
    )
    async with Emulator(Say("Kept."), search("xylophone"), Say("", calls=tricks), Say("Done.")) as provider:
        bench = workbench(tmp_path, worker, emulated(provider.base, "gemini"))
        other = await bench.new_task(bench.settings.model or "")
        await turn(other, "The secret word is xylophone.")
        await other.close()
        async with opened(bench) as (session, watch):
            await turn(session, "hello")
            assert "xylophone is" not in "".join(event.output for event in watch.all(ToolFinished))
            assert all("secret word" not in event.output for event in watch.all(ToolFinished))
            assert "secret word" not in str(read(provider.requests[-1]).results)
            assert provider.refusals == []
