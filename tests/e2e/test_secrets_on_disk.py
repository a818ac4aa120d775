"""Secrets stay out of every file: the model and the screen have them, the disk does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from keen_tui.domain.events import Notice
from keen_tui.gateway.client import WorkerGateway
from tests.emulator import Call, Emulator, Say
from tests.open_tasks import emulated, opened, turn, workbench
from tests.security.secret_samples import SAMPLES

pytestmark = pytest.mark.asyncio(loop_scope="session")

KEY = SAMPLES["GitHub token"]


def holders(folder: Path, value: str = KEY) -> list[str]:
    """The files that hold a value."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [str(path.relative_to(folder)) for path in files if value.encode() in path.read_bytes()]


async def test_a_whole_turn_with_secrets_leaves_none_on_the_disk(tmp_path: Path, worker: WorkerGateway) -> None:
    script = (
        Say(f"I use {KEY} as you say.\n", calls=(Call("bash", {"command": f"echo {KEY}; false # {KEY}"}),)),
        Say("", calls=(Call("MissionUpdate", {"goal": f"Use {KEY}"}),)),
        Say(f"It was {KEY}."),
        Say("Yes."),
    )
    async with Emulator(*script) as provider:
        bench = workbench(tmp_path, worker, emulated(provider.base, "openai_chat"))
        async with opened(bench) as (session, watch):
            watch.answer_all("once")
            await bench.remember_prompt(f"log in with {KEY}")
            await turn(session, f"log in with {KEY}")
            await session.note(f"the key is {KEY}")
            assert KEY in session.view.turns[0].start.text and KEY in session.view.turns[0].prose
            warnings = [notice.text for notice in watch.all(Notice) if "Your words hold a secret" in notice.text]
            assert len(warnings) == 2 and KEY not in str(warnings)
            assert KEY in str(provider.requests[0].body) and KEY in str(provider.requests[1].body)
            assert holders(bench.home.root) == []
            await turn(session, "and?")
            assert KEY in str(provider.requests[-1].body)
            task = session.record.id
        assert holders(bench.home.root) == []
        again = workbench(tmp_path, worker, emulated(provider.base, "openai_chat"))
        resumed = await again.open_task(task, read_only=True)
        assert "[redacted]" in resumed.view.turns[0].start.text and "[redacted]" in resumed.view.turns[0].prose
        await (await again.shared()).store.close()
