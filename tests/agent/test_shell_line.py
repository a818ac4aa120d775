from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from keen_tui.agent.shell_line import MOST_CHARACTERS
from keen_tui.config.settings import Settings
from keen_tui.domain.errors import KeenError
from keen_tui.domain.events import ShellRan
from keen_tui.gateway.demo import DemoGateway
from tests.open_tasks import opened, turn, workbench

CANARY = "canary-9b1f"


def bench(folder: Path):
    return workbench(folder, DemoGateway(delay=0), Settings(model="demo"))


async def test_a_shell_line_runs_in_the_workspace_and_is_an_event(tmp_path: Path):
    async with opened(bench(tmp_path)) as (session, watch):
        pieces: list[str] = []
        ran = await session.shell("pwd; exit 3", pieces.append)
        assert ran is not None and ran.exit_code == 3
        assert ran.output.strip() == str(tmp_path / "project") == "".join(pieces).strip()
        assert watch.all(ShellRan)[0].text == "pwd; exit 3"


async def test_the_output_is_neither_kept_nor_told_to_the_model(tmp_path: Path):
    async with opened(bench(tmp_path)) as (session, _):
        await session.shell(f"printf can; printf {CANARY[3:]}")
        await turn(session, "hello")
        assert CANARY not in str(session.native_body())
    for folder, _, names in os.walk(tmp_path):
        for name in names:
            assert CANARY.encode() not in Path(folder, name).read_bytes()


async def test_a_line_that_waits_is_stopped_with_its_children(tmp_path: Path):
    async with opened(bench(tmp_path)) as (session, _):
        started = asyncio.Event()
        work = asyncio.create_task(session.shell("echo up; sleep 600 & sleep 600", lambda text: started.set()))
        async with asyncio.timeout(10):
            await started.wait()
            assert session.stop_shell()
            ran = await work
        assert ran is not None and ran.exit_code is None and ran.output == "up\n"
        assert not session.stop_shell()


async def test_one_line_runs_at_a_time_and_a_task_that_closes_ends_it(tmp_path: Path):
    async with opened(bench(tmp_path)) as (session, _):
        started = asyncio.Event()
        work = asyncio.create_task(session.shell("echo up; sleep 600", lambda text: started.set()))
        async with asyncio.timeout(10):
            await started.wait()
            with pytest.raises(KeenError, match="Another shell line"):
                await session.shell("ls")
            await session.close()
            await work


async def test_of_a_flood_the_end_stays(tmp_path: Path):
    async with opened(bench(tmp_path)) as (session, _):
        ran = await session.shell("head -c 3000000 /dev/zero | tr '\\0' x; echo end")
        assert ran is not None and ran.output_size == 3_000_004
        assert ran.output.endswith("xend\n") and len(ran.output) < 2 * MOST_CHARACTERS


async def test_secrets_in_the_line_do_not_get_into_the_transcript(tmp_path: Path):
    async with opened(bench(tmp_path)) as (session, watch):
        await session.shell("true API_KEY=sk-ant-api03-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")
        assert "aaaaaaaaaa" not in watch.all(ShellRan)[0].text
