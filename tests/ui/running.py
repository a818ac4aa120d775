"""The dashboard in a headless terminal, and what stands on its screen."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from keen_tui.config.paths import KeenHome
from keen_tui.config.settings import Settings
from keen_tui.ui.app import KeenApp
from keen_tui.ui.dashboard import Dashboard
from keen_tui.ui.prompt import Prompt
from tests.ui.fake_session import FakeServices, FakeSession


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.time = 1_000.0

    def __call__(self) -> float:
        return self.time


@dataclass
class Running:
    app: KeenApp
    pilot: Pilot[Any]
    services: FakeServices

    @property
    def dashboard(self) -> Dashboard:
        return self.app.dashboard

    @property
    def session(self) -> FakeSession:
        return self.services.session

    @property
    def prompt(self) -> Prompt:
        return self.dashboard.conversation.prompt

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def type(self, text: str) -> None:
        await self.press(*("space" if character == " " else character for character in text))

    async def until(self, condition: Callable[[], Any], what: str = "") -> None:
        """Wait for a condition, at most for some seconds."""
        for _ in range(200):
            if condition():
                return
            await self.pilot.pause(0.02)
        raise AssertionError(f"never came: {what or condition}\n{self.text}")

    async def settle(self) -> None:
        """Let the screen catch up with the events."""
        display = self.dashboard.display_of_task
        await self.until(lambda: not display._scheduled)
        await self.pilot.pause()
        await self.pilot.pause()

    @property
    def rows(self) -> list[str]:
        return [strip.text for strip in self.app.screen._compositor.render_strips()]

    @property
    def text(self) -> str:
        return "\n".join(self.rows)

    def clocks(self) -> Clock:
        """One moved clock for all that waits or counts."""
        clock = Clock()
        conversation = self.dashboard.conversation
        conversation.approval.clock = conversation.question.clock = clock
        conversation.prompt._clock = clock
        self.dashboard.quit_gate.clock = clock
        return clock


@asynccontextmanager
async def running(
    tmp_path: Path, size: tuple[int, int] = (120, 40), settings: Settings | None = None, **options: Any
) -> AsyncIterator[Running]:
    """The app on a fake session. Options are those of KeenApp and of FakeServices."""
    app_options = {name: options.pop(name) for name in ("prompt", "resume", "continue_") if name in options}
    services = FakeServices(
        KeenHome(tmp_path / "home"), tmp_path, settings=settings or Settings(model="demo"), **options
    )
    app = KeenApp(services, environ={}, **app_options)
    async with app.run_test(size=size) as pilot:
        run = Running(app, pilot, services)
        if services.settings.model is not None and not services.problem:
            await run.until(lambda: app.dashboard.display_of_task.session, "an open task")
        await pilot.pause()
        yield run
