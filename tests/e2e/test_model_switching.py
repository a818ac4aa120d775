"""One task through models of four wire formats: every request is accepted, nothing that ran is forgotten."""

from __future__ import annotations

from pathlib import Path

import pytest

from keen_tui.config.settings import ModelSettings, ProviderSettings, Settings
from keen_tui.domain.events import TurnCompleted
from keen_tui.gateway.client import WorkerGateway
from tests.emulator import Call, Emulator, Say
from tests.open_tasks import MODELS, opened, turn, workbench

pytestmark = pytest.mark.asyncio(loop_scope="session")

ROUTE = ("anthropic", "openai_responses", "gemini", "ollama", "anthropic")


@pytest.mark.parametrize("replay", ["empty", "bounded", "note"])
async def test_a_task_goes_round_all_providers(replay: str, tmp_path: Path, worker: WorkerGateway) -> None:
    async with Emulator() as provider:
        settings = Settings(
            model=MODELS["anthropic"],
            mode="yolo",
            providers={
                MODELS[wire].split("/")[0]: ProviderSettings(base_url=provider.base(wire), api_key_env="EMULATOR_KEY")
                for wire in ROUTE
            },
            models={
                MODELS[wire]: ModelSettings.model_validate(
                    {"wire": wire, "thinking": "high", "replay": replay, "context_window": 200_000}
                )
                for wire in ROUTE
            },
        )
        async with opened(workbench(tmp_path, worker, settings)) as (session, watch):
            for number, wire in enumerate(ROUTE):
                if number:
                    await session.switch_model(MODELS[wire])
                calls = (
                    Call("write_file", {"path": f"made{number}.txt", "content": "x\n"}),
                    Call("bash", {"command": f"exit {number + 3}"}),
                )
                provider.script(Say("I write.\n", thinking="Two things.", calls=calls), Say("Done.", thinking="Good."))
                await turn(session, f"part {number}")
                assert provider.refusals == []
                raw = provider.requests[-2].raw
                assert provider.requests[-2].wire == wire
                for earlier in range(number):
                    assert f"made{earlier}.txt".encode() in raw
                    assert f"exit {earlier + 3}".encode() in raw or f"exit code {earlier + 3}".encode() in raw
            assert len(watch.all(TurnCompleted)) == len(ROUTE)
