"""The main job in every wire format: read, edit with approval, run the tests, answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from keen_tui.domain.events import ApprovalRequested, ToolFinished, TurnCompleted, UsageReported
from keen_tui.gateway.client import WorkerGateway
from tests.emulator import Call, Emulator, Say
from tests.open_tasks import MODELS, WIRES, emulated, opened, turn, workbench

pytestmark = pytest.mark.asyncio(loop_scope="session")


def a_project(folder: Path) -> Path:
    project = folder / "project"
    project.mkdir()
    (project / "app.py").write_text("def add(a, b):\n    return a - b\n")
    (project / "test_app.py").write_text("from app import add\nassert add(1, 2) == 3\n")
    return project


THE_JOB = (
    Say(
        "Let me look at both files.\n",
        thinking="The bug is likely in app.py.",
        calls=(Call("read_file", {"path": "app.py"}), Call("read_file", {"path": "test_app.py"})),
    ),
    Say(
        "The sign is wrong.\n",
        thinking="A minus where a plus belongs.",
        calls=(
            Call(
                "edit_file",
                {"path": "app.py", "old_string": "return a - b", "new_string": "return a + b"},
            ),
        ),
    ),
    Say("I run the test.\n", calls=(Call("bash", {"command": "python3 test_app.py && echo passed"}),)),
    Say("The test passes: `add` used a minus sign."),
)


@pytest.mark.parametrize("wire", [*WIRES, "litellm"])
@pytest.mark.parametrize("thinking", ["off", "high"])
async def test_a_task_runs_to_its_end_and_every_request_is_accepted(
    wire: str, thinking: str, tmp_path: Path, worker: WorkerGateway
) -> None:
    project = a_project(tmp_path)
    async with Emulator(*THE_JOB, Say("You asked to fix the test, and it passes.")) as provider:
        settings = emulated(provider.base, wire)
        model = settings.models[MODELS[wire]].model_copy(update={"thinking": thinking})
        settings = settings.model_copy(update={"models": {MODELS[wire]: model}})
        async with opened(workbench(tmp_path, worker, settings)) as (session, watch):
            watch.answer_all("once")
            await turn(session, "Fix the failing test.")
            assert provider.refusals == []
            assert watch.all(TurnCompleted)
            assert (project / "app.py").read_text() == "def add(a, b):\n    return a + b\n"
            asked = [request.tool for request in watch.all(ApprovalRequested)]
            assert asked == ["edit_file", "bash"]
            finished = watch.all(ToolFinished)
            assert [(event.tool, event.status) for event in finished] == [
                ("read_file", "success"),
                ("read_file", "success"),
                ("edit_file", "success"),
                ("bash", "success"),
            ]
            assert (finished[2].added, finished[2].removed) == (1, 1)
            assert "passed" in finished[3].output
            assert session.view.turns[0].prose.endswith("`add` used a minus sign.")
            assert watch.all(UsageReported)[0].input_tokens > 0

            await turn(session, "What did I ask?")
            assert provider.refusals == []
            assert len(provider.accepted) == 5
            assert session.view.turn_count == 2
