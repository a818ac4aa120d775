"""A task whose records are damaged is reported as it is, and repaired without losing the original."""

from __future__ import annotations

from pathlib import Path

import pytest

from keen_tui.agent.repair import check_task, repair_task
from keen_tui.agent.workbench import Workbench
from keen_tui.config.settings import Settings
from keen_tui.gateway.demo import DemoGateway
from keen_tui.store.task_lock import TaskLocked
from tests.open_tasks import turn, workbench


async def a_task(folder: Path) -> tuple[Workbench, str]:
    bench = workbench(folder, DemoGateway(delay=0), Settings(model="demo"))
    session = await bench.new_task("demo")
    await turn(session, "The first words about a marmot.")
    await session.note("A note on the marmot.")
    await session.close()
    return bench, session.record.id


async def report(bench: Workbench, task: str) -> dict[str, str]:
    checks = await check_task(await bench.shared(), await bench.find_task(task))
    return {check.name: check.state for check in checks}


async def test_a_sound_task_is_reported_as_sound(tmp_path: Path) -> None:
    bench, task = await a_task(tmp_path)
    assert await report(bench, task) == {"transcript": "ok", "comments": "ok", "search index": "ok"}
    await bench.close()


async def test_a_dry_run_changes_nothing_and_a_repair_keeps_the_original(tmp_path: Path) -> None:
    bench, task = await a_task(tmp_path)
    path = bench.home.transcript(task)
    lines = path.read_bytes().splitlines(keepends=True)
    middle = len(lines) * 2 // 5
    unknown = b'{"type":"of_tomorrow","seq":%d}\n' % (len(lines) + 1)
    lines[middle:middle] = [b"{torn in the mid\n", b"\0" * 50 + lines[middle], b"\0\0\0\n"]
    broken = b"".join(lines) + unknown + b'{"type":"notice","te'
    path.write_bytes(broken)
    shared, record = await bench.shared(), await bench.find_task(task)

    checks = await check_task(shared, record)
    assert path.read_bytes() == broken
    reasons = " ".join(check.found for check in checks)
    for word in ("not a JSON object", "NUL bytes", "torn", "of_tomorrow"):
        assert word in reasons
    assert next(check for check in checks if check.name == "transcript").state == "problem"

    done = await repair_task(shared, record)
    assert all(check.state == "ok" for check in done), done
    (backup,) = path.parent.glob("*.bak")
    assert backup.read_bytes() == broken and backup.stat().st_mode & 0o077 == 0
    assert unknown in path.read_bytes() and b"\0" not in path.read_bytes()
    after = {check.name: check for check in await check_task(shared, record)}
    assert after["transcript"].state == "ok" and after["search index"].state == "ok"
    session = await bench.open_task(task)
    assert session.view.turns[0].start.text == "The first words about a marmot."
    assert len((await session.recall.find("marmot", source="comment")).hits) >= 2
    await bench.close()


async def test_comments_that_stand_only_in_the_transcript_come_back(tmp_path: Path) -> None:
    bench, task = await a_task(tmp_path)
    shared, record = await bench.shared(), await bench.find_task(task)
    before = await shared.store.comments(task)
    async with shared.store._db.transaction():
        await shared.store._db.write("DELETE FROM comments WHERE task_id = ?", (task,))
    assert (await report(bench, task))["comments"] == "problem"
    await repair_task(shared, record)
    after = await shared.store.comments(task)
    assert [(c.id, c.author, c.kind, c.text) for c in after] == [(c.id, c.author, c.kind, c.text) for c in before]
    await bench.close()


async def test_a_task_that_is_open_is_not_repaired(tmp_path: Path) -> None:
    bench, task = await a_task(tmp_path)
    session = await bench.open_task(task)
    with pytest.raises(TaskLocked):
        await repair_task(await bench.shared(), session.record)
    await bench.close()


async def test_a_missing_transcript_is_said_and_the_comments_still_found(tmp_path: Path) -> None:
    bench, task = await a_task(tmp_path)
    bench.home.transcript(task).unlink()
    assert (await report(bench, task))["transcript"] == "problem"
    session = await bench.open_task(task)
    assert any("transcript" in problem for problem in session.problems)
    assert (await session.recall.find("first words")).hits
    await turn(session, "Go on with the marmot.")
    await bench.close()
