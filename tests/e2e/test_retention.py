"""What a turn discards is nowhere afterwards: no request, transcript, database, log or other file holds it."""

from __future__ import annotations

from pathlib import Path

import pytest

from keen_tui.domain.events import ToolFinished, TurnCompleted
from keen_tui.gateway.client import WorkerGateway
from tests.emulator import Call, Emulator, Fault, Say
from tests.open_tasks import WIRES, emulated, opened, turn, workbench

pytestmark = pytest.mark.asyncio(loop_scope="session")

IN_FILE, IN_OUTPUT, IN_MATCH = "canaryfile71", "canaryoutput72", "canarymatch73"
IN_CONTENT, IN_EDIT, IN_ERROR = "canarycontent74", "canaryedit75", "canaryerror76"
SECRET = "sk-ant-api03-" + "Canary77" * 11
CANARIES = (IN_FILE, IN_OUTPUT, IN_MATCH, IN_CONTENT, IN_EDIT, IN_ERROR, SECRET)

STEPS = (
    Say("I read.\n", thinking="Read it.", calls=(Call("read_file", {"path": "a.txt"}),)),
    Say("I search.\n", calls=(Call("grep", {"pattern": "needle"}), Call("glob", {"pattern": "*"}))),
    Say("I write.\n", calls=(Call("write_file", {"path": "b.txt", "content": f"{IN_CONTENT}\n"}),)),
    Say("I edit.\n", calls=(Call("edit_file", {"path": "b.txt", "old_string": IN_CONTENT, "new_string": IN_EDIT}),)),
    Say("I run.\n", calls=(Call("bash", {"command": "cat out.txt; seq 1 50000; cat err.txt >&2; exit 3"}),)),
    Say("I log in.\n", calls=(Call("bash", {"command": f"API_KEY={SECRET} true"}),)),
    Say("And again.\n", calls=(Call("bash", {"command": f"false --token {SECRET}"}),)),
)


@pytest.mark.parametrize("broken", [False, True], ids=["completed", "incomplete"])
@pytest.mark.parametrize("wire", [*WIRES, "litellm"])
async def test_what_a_turn_discards_is_nowhere(
    wire: str, broken: bool, tmp_path: Path, worker: WorkerGateway, tmp_path_factory: pytest.TempPathFactory
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "a.txt").write_text(f"{IN_FILE}\n")
    (project / "match.txt").write_text(f"needle {IN_MATCH}\n")
    (project / "out.txt").write_text(f"{IN_OUTPUT}\n")
    (project / "err.txt").write_text(f"{IN_ERROR}\n")
    end = (Fault("400"), Say("Recovered.")) if broken else (Say("All done."),)
    async with Emulator(*STEPS, *end, Say("I know that it ran.")) as provider:
        bench = workbench(tmp_path, worker, emulated(provider.base, wire, mode="yolo"))
        async with opened(bench) as (session, watch):
            await turn(session, "do all of it")
            assert len(watch.all(ToolFinished)) == 8
            during = b"".join(request.raw for request in provider.requests)
            assert all(canary.encode() in during for canary in CANARIES)
            if broken:
                assert not watch.all(TurnCompleted)
                nowhere(bench.home.root)
                await turn(session, "go on")
            await turn(session, "what ran?")
            assert provider.refusals == []
            last = provider.requests[-1].raw
            assert [canary for canary in CANARIES if canary.encode() in last] == []
            nowhere(bench.home.root)
        nowhere(bench.home.root)
        nowhere(*tmp_path_factory.getbasetemp().glob("worker*"))


def nowhere(*folders: Path) -> None:
    """No file in these folders holds a canary, in its raw bytes or in its name."""
    for folder in folders:
        for path in folder.rglob("*"):
            data = str(path).encode() + (path.read_bytes() if path.is_file() else b"")
            assert [canary for canary in CANARIES if canary.encode() in data] == [], path
