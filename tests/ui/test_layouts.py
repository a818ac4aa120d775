from __future__ import annotations

from pathlib import Path

import pytest
from textual.geometry import Region, Size

from keen_tui.ui.arrangement import PANES, Arrangement, shape_of
from tests.ui import script
from tests.ui.running import running

SIZES = [(200, 60), (160, 24), (120, 40), (100, 20), (99, 40), (80, 24), (80, 15), (40, 10)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("maximised", [False, True])
@pytest.mark.parametrize("pane", PANES)
def test_regions_never_overlap_and_stay_inside(size, maximised, pane):
    body = Size(size[0], size[1] - 2)
    for split in (-60, 0, 60):
        arrangement = Arrangement(maximised=maximised, split=split).focused(pane)
        regions = arrangement.regions(shape_of(Size(*size)), body)
        assert pane in regions
        found = list(regions.values())
        assert all(region in Region(0, 0, *body) and region.area for region in found)
        assert sum(region.area for region in found) == body.area


@pytest.mark.parametrize(
    ("size", "shape"),
    [
        ((160, 20), "wide"), ((159, 20), "normal"), ((100, 20), "normal"), ((99, 20), "narrow"),
        ((160, 19), "narrow"), ((40, 10), "narrow"), ((39, 10), "tiny"), ((40, 9), "tiny"),
    ],
)  # fmt: skip
def test_the_layout_follows_the_breakpoints(size, shape):
    assert shape_of(Size(*size)) == shape


async def test_a_wide_screen_shows_three_columns(tmp_path: Path):
    async with running(tmp_path, (200, 60)) as run:
        script.play(run.session)
        await run.settle()
        assert run.dashboard.visible_panes == ["conversation", "tools", "brief", "memory"]
        head = run.rows[1]
        assert head.index("Tools") < head.index("Conversation") < head.index("Brief")
        assert "read_file" in run.text and "Make the stream test reliable." in run.text


async def test_a_normal_screen_shows_the_conversation_and_one_side_pane(tmp_path: Path):
    async with running(tmp_path) as run:
        assert "[Brief]" in run.rows[1]
        await run.press("f3")
        assert "[Tools]" in run.rows[1]
        assert run.dashboard.visible_panes == ["conversation", "tools"]


async def test_a_narrow_screen_shows_one_pane_and_marks_changed_tabs(tmp_path: Path):
    async with running(tmp_path, (80, 24)) as run:
        assert run.dashboard.visible_panes == ["conversation"]
        script.play(run.session)
        await run.settle()
        assert "[Conversation]" in run.rows[1] and "Tools·" in run.rows[1] and "Brief·" in run.rows[1]
        await run.press("f4")
        assert run.dashboard.visible_panes == ["brief"]
        assert "[Brief]" in run.rows[1] and "Brief·" not in run.text


async def test_an_approval_marks_the_conversation_tab_when_another_pane_fills_the_screen(tmp_path: Path):
    async with running(tmp_path, (80, 24)) as run:
        await run.press("f3")
        script.play(run.session)
        await run.settle()
        assert "Conversation·" in run.rows[1] and "waiting for you" in run.rows[-1]


@pytest.mark.parametrize("size", [(30, 8), (39, 30), (10, 3)])
async def test_too_small_a_screen_asks_for_more_room(tmp_path: Path, size):
    async with running(tmp_path, size) as run:
        assert "Keen" in run.text
        await run.pilot.resize_terminal(80, 24)
        await run.until(lambda: "[Conversation]" in run.text)
        assert run.prompt.has_focus


async def test_forty_by_ten_is_enough_to_work(tmp_path: Path):
    async with running(tmp_path, (40, 10)) as run:
        script.play(run.session)
        await run.settle()
        assert "[Conversation]" in run.text and "waiting for you" in run.text
        for key in ("f3", "f4", "f5", "f6", "f2"):
            await run.press(key)


async def test_a_resize_storm_keeps_the_draft_and_the_task(tmp_path: Path):
    async with running(tmp_path) as run:
        await run.type("hello")
        for width, height in [(200, 60), (30, 8), (80, 24), (99, 19), (160, 40), (40, 10), (120, 40)]:
            await run.pilot.resize_terminal(width, height)
            await run.pilot.pause()
        assert run.prompt.text == "hello"
        assert "[Brief]" in run.rows[1]


async def test_a_pane_is_maximised_and_put_back(tmp_path: Path):
    async with running(tmp_path) as run:
        await run.press("f4", "z")
        assert run.dashboard.visible_panes == ["brief"]
        await run.press("z")
        assert run.dashboard.visible_panes == ["conversation", "brief"]
        await run.press("f2", "f7")
        assert run.dashboard.visible_panes == ["conversation"]


async def test_the_split_moves_with_keys(tmp_path: Path):
    async with running(tmp_path) as run:
        before = run.dashboard.conversation.size.width
        await run.press("f4", "<", "<")
        await run.until(lambda: run.dashboard.conversation.size.width != before)
        moved = run.dashboard.conversation.size.width
        await run.press(">", ">")
        await run.until(lambda: run.dashboard.conversation.size.width == before)
        assert moved != before
