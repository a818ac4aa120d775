"""`keen brief` for scripts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from keen_tui.config.settings import Settings
from keen_tui.gateway.demo import DemoGateway
from keen_tui.store.task_lock import TaskLock
from tests.open_tasks import opened, turn, workbench


def keen(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environ = {"KEEN_HOME": str(folder / "home"), "PATH": os.environ["PATH"]}
    return subprocess.run(
        [sys.executable, "-m", "keen_tui.cli", "brief", *arguments],
        cwd=folder / "project", env=environ, capture_output=True, text=True, timeout=60,
    )  # fmt: skip


async def a_task(folder: Path) -> str:
    async with opened(workbench(folder, DemoGateway(delay=0), Settings(model="demo"))) as (session, _):
        await turn(session, "/demo think")
        await session.edit_brief({"goal": "Ship it", "user_constraints": "- Keep the API"})
        return session.record.id


async def test_a_brief_is_shown_and_edited_by_scripts(tmp_path: Path) -> None:
    task = await a_task(tmp_path)
    shown = keen(tmp_path)
    assert shown.returncode == 0 and "Goal (goal)\nShip it" in shown.stdout and "- Keep the API" in shown.stdout
    changed = keen(tmp_path, "--task", task[:9], "--set", "risks=none = none", "--set", "goal=", "--json")
    assert changed.returncode == 0, changed.stderr
    assert json.loads(changed.stdout) == {"user_constraints": "- Keep the API", "risks": "none = none"}
    assert json.loads(keen(tmp_path, "--json").stdout) == json.loads(changed.stdout)


async def test_what_can_not_be_set_is_refused_with_a_sentence(tmp_path: Path) -> None:
    task = await a_task(tmp_path)
    for argument, word in (("mood=x", "no field mood"), ("goal", "no ="), (f"goal={'x' * 2_001}", "2,001")):
        refused = keen(tmp_path, "--task", task, "--set", argument)
        assert refused.returncode == 2 and word in refused.stderr
    assert json.loads(keen(tmp_path, "--json").stdout)["goal"] == "Ship it"
    assert keen(tmp_path, "--task", "nothere").returncode == 2


async def test_a_task_that_is_open_elsewhere_is_shown_but_not_edited(tmp_path: Path) -> None:
    task = await a_task(tmp_path)
    with TaskLock.acquire(tmp_path / "home" / "tasks" / task):
        assert "Ship it" in keen(tmp_path, "--task", task).stdout
        assert keen(tmp_path, "--task", task, "--set", "goal=x").returncode == 4


async def test_a_task_with_a_broken_brief_file_still_opens_and_says_so(tmp_path: Path) -> None:
    bench = workbench(tmp_path, DemoGateway(delay=0), Settings(model="demo"))
    async with opened(bench) as (session, _):
        await turn(session, "/demo think")
        task = session.record.id
    path = bench.home.task_dir(task) / "brief.json"
    path.write_text("{ no json")
    again = workbench(tmp_path, DemoGateway(delay=0), Settings(model="demo"))
    session = await again.open_task(task)
    assert any("brief.json" in problem for problem in session.problems)
    await turn(session, "/demo think")
    assert session.view.turn_count == 2 and path.read_text() == "{ no json"
    await session.close()
    path.write_text('{"goal": "Old goal", "mood": "calm"}')
    session = await again.open_task(task)
    assert session.view.brief.get("goal") == "Old goal" and session.view.brief.get("mood") == "calm"
    await session.close()
    await (await again.shared()).store.close()


async def test_the_demo_answers_a_reminder_by_updating_the_brief(tmp_path: Path) -> None:
    async with opened(workbench(tmp_path, DemoGateway(delay=0), Settings(model="demo", mode="yolo"))) as (session, _):
        await turn(session, "/demo edit")
        assert "/demo edit" in session.view.brief.get("done")
        assert session.view.turns[0].prose.count("What happened") == 1
