"""A model that copies the empty calls of the history is noticed while it works."""

from __future__ import annotations

from pathlib import Path

import pytest

from keen_tui.domain.events import Notice
from keen_tui.gateway.client import WorkerGateway
from tests.emulator import Call, Emulator, Say
from tests.open_tasks import emulated, opened, turn, workbench

pytestmark = pytest.mark.asyncio(loop_scope="session")

EMPTY = Say("I read.\n", calls=(Call("read_file", {}),))


async def test_the_second_empty_call_of_a_task_proposes_another_replay_form(
    tmp_path: Path, worker: WorkerGateway
) -> None:
    async with Emulator(EMPTY, Say("No."), EMPTY, Say("No again.")) as provider:
        async with opened(workbench(tmp_path, worker, emulated(provider.base, "ollama"))) as (session, watch):
            await turn(session, "read")
            assert not watch.all(Notice)
            await turn(session, "read again")
            (notice,) = watch.all(Notice)
            assert 'replay = "bounded"' in notice.hint and "ollama/emulated" in notice.hint
            assert provider.refusals == []


async def test_a_cache_key_stays_the_same_for_a_whole_task(tmp_path: Path, worker: WorkerGateway) -> None:
    async with Emulator(Say("One."), Say("Two.")) as provider:
        async with opened(workbench(tmp_path, worker, emulated(provider.base, "openai_responses"))) as (session, _):
            await turn(session, "one")
            await turn(session, "two")
            assert [request.body["prompt_cache_key"] for request in provider.requests] == [session.record.id] * 2
