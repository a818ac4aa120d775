from __future__ import annotations

from pathlib import Path

import pytest

from keen_tui.config.paths import KeenHome
from keen_tui.ui.arrangement import Arrangement
from keen_tui.ui.saved_layout import load_layout
from tests.ui.running import running


async def test_a_draft_is_kept_while_it_is_typed_and_at_most_once_a_second(tmp_path: Path):
    async with running(tmp_path) as run:
        await run.type("fix the")
        await run.until(lambda: run.session.drafts)
        assert run.session.drafts == ["fix the"]
        await run.press("enter")
        await run.until(lambda: run.session.drafts == ["fix the", ""])


async def test_a_draft_is_there_when_its_task_is_opened(tmp_path: Path):
    async with running(tmp_path, continue_=True, draft="half a thought") as run:
        await run.until(lambda: run.prompt.text == "half a thought")
        await run.type("!")
    assert run.session.drafts == ["half a thought!"]


async def test_a_draft_does_not_overwrite_what_was_typed_meanwhile(tmp_path: Path):
    async with running(tmp_path) as run:
        run.services.draft = "older"
        run.dashboard.drafts._session = None
        await run.type("x")
        run.dashboard.display_of_task.attach(await run.services.open_task("t-9"))
        assert run.prompt.text == "x"
        await run.press("up")
        assert run.prompt.text == "older"


async def test_each_task_has_its_own_draft(tmp_path: Path):
    async with running(tmp_path) as run:
        await run.type("of the first")
        first = run.session
        run.services.draft = "of the second"
        run.dashboard.run("task.resume", "t-2")
        await run.until(lambda: run.prompt.text == "of the second")
        await run.until(lambda: first.drafts[-1:] == ["of the first"])


async def test_the_layout_is_remembered(tmp_path: Path):
    KeenHome(tmp_path / "home").ensure()
    async with running(tmp_path, (120, 40)) as run:
        await run.press("f3")
        run.dashboard.run("layout.split_left")
        await run.press("f2")
    async with running(tmp_path, (120, 40)) as run:
        assert run.dashboard.arrangement == Arrangement(side="tools", split=-4)
        assert "[Tools]" in run.rows[1]
        assert run.prompt.has_focus
    assert (tmp_path / "home" / "layout.json").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "content", [b"", b"\xff\x00", b"[1]", b'{"side": 3, "split": "x", "lower": "brief", "maximised": 1}', b"[" * 4000]
)
def test_a_broken_layout_file_is_ignored(tmp_path: Path, content: bytes):
    (tmp_path / "layout.json").write_bytes(content)
    assert load_layout(KeenHome(tmp_path)) == Arrangement()


def test_a_split_that_no_screen_has_is_brought_back(tmp_path: Path):
    (tmp_path / "layout.json").write_text('{"split": 99999}')
    assert load_layout(KeenHome(tmp_path)).split == 60
