"""The start: the screen and the keyboard come first, everything slow comes behind."""

from __future__ import annotations

import asyncio
from pathlib import Path

from keen_tui.agent.workbench import Workbench
from keen_tui.config.settings import Settings
from keen_tui.gateway.demo import DemoGateway
from keen_tui.ui.app import KeenApp
from tests.open_tasks import workbench


class SlowToStart(DemoGateway):
    """A gateway that never gets ready."""

    def __init__(self) -> None:
        super().__init__(delay=0)
        self.asked = asyncio.Event()

    async def start(self) -> None:
        self.asked.set()
        await asyncio.Event().wait()


class SlowToOpen(Workbench):
    """A workbench whose tasks open when the test says so."""

    gate: asyncio.Event

    async def new_task(self, model: str):
        await self.gate.wait()
        return await super().new_task(model)


async def test_the_keyboard_works_while_the_model_worker_starts(tmp_path: Path) -> None:
    gateway = SlowToStart()
    app = KeenApp(workbench(tmp_path, gateway, Settings(model="demo")), environ={})
    async with app.run_test(size=(120, 40)) as pilot:
        await asyncio.wait_for(gateway.asked.wait(), 10)
        await pilot.press(*"hello")
        assert app.dashboard.conversation.prompt.text == "hello"


async def test_a_prompt_sent_before_the_task_is_open_is_not_lost(tmp_path: Path) -> None:
    plain = workbench(tmp_path, DemoGateway(delay=0), Settings(model="demo"))
    bench = SlowToOpen(
        home=plain.home,
        workspace=plain.workspace,
        cwd=plain.cwd,
        settings=plain.settings,
        environ=plain.environ,
        gateway=plain.gateway,
    )
    bench.gate = asyncio.Event()
    app = KeenApp(bench, environ={})
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press(*"hello", "enter")
        assert app.dashboard.display_of_task.session is None
        bench.gate.set()
        async with asyncio.timeout(10):
            while app.dashboard.display_of_task.session is None or not app.dashboard.display_of_task.view.turns:
                await pilot.pause()
        assert app.dashboard.display_of_task.view.turns[0].start.text == "hello"


async def test_the_demos_own_commands_go_to_the_demo(tmp_path: Path) -> None:
    app = KeenApp(workbench(tmp_path, DemoGateway(delay=0), Settings(model="demo")), prompt="/demo help", environ={})
    async with app.run_test(size=(120, 40)) as pilot:
        async with asyncio.timeout(10):
            while not app.dashboard.display_of_task.view.turns:
                await pilot.pause()
        assert app.dashboard.display_of_task.view.turns[0].start.text == "/demo help"


async def test_everything_that_is_wrong_at_the_start_is_told(tmp_path: Path) -> None:
    bench = workbench(tmp_path, DemoGateway(delay=0), Settings(model="nobody/knows", theme="nowhere"))
    bench.notices = ("the first notice", "the second notice")
    app = KeenApp(bench, prompt="hello", environ={})
    async with app.run_test(size=(120, 40)) as pilot:
        async with asyncio.timeout(10):
            while "nobody/knows" not in app.dashboard.conversation.notice.text:
                await pilot.pause()
        said = app.dashboard.conversation.notice.text
        assert all(words in said for words in ("the first notice", "the second notice", "no theme 'nowhere'"))
        assert app.dashboard.conversation.prompt.text == "hello"


async def test_what_is_said_is_cut_with_a_count(tmp_path: Path) -> None:
    app = KeenApp(workbench(tmp_path, DemoGateway(delay=0), Settings(model="demo")), environ={})
    async with app.run_test(size=(120, 40)) as pilot:
        app.dashboard.say_all([f"problem {number}" for number in range(30)])
        await pilot.pause()
        shown = "\n".join(strip.text for strip in app.screen._compositor.render_strips())
        assert "problem 6" in shown and "… 23 more rows" in shown and "problem 7" not in shown
