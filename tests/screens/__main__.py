"""Draws the README's picture from the real app: `python -m tests.screens` writes `dashboard.svg`."""

from __future__ import annotations

import asyncio
import os
import tempfile
from pathlib import Path

from textual.pilot import Pilot

from keen_tui.agent.workbench import Workbench
from keen_tui.config.paths import KeenHome
from keen_tui.config.settings import Settings
from keen_tui.domain.events import ApprovalRequested, Event, TurnCompleted
from keen_tui.gateway.demo import DemoGateway
from keen_tui.ui.app import KeenApp

PICTURE = Path(__file__).parent / "dashboard.svg"
SIZE = (120, 40)
FILES = {
    "README.md": "# Tide\n\nReads tide tables and tells when to sail. Try `tide today`.\n",
    "pyproject.toml": '[project]\nname = "tide"\nversion = "1.2.0"\n',
    "tide/__init__.py": '"""Tide tables for sailors."""\n',
    "tide/stream.py": "async def settled(stream):\n    await stream.done.wait()\n    return stream.rows\n",
    "tide/tables.py": "def high_water(rows):\n    return max(rows, key=lambda row: row.height)\n",
    "tests/test_stream.py": "async def test_order(stream):\n    assert await settled(stream)\n",
}


async def draw() -> None:
    """One question and the beginning of an edit, on a small project."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HOME"] = folder
        workspace = Path(folder) / "src" / "tide"
        for name, text in FILES.items():
            (workspace / name).parent.mkdir(parents=True, exist_ok=True)
            (workspace / name).write_text(text)
        bench = Workbench(
            home=KeenHome(Path(folder) / ".keen"),
            workspace=workspace,
            cwd=workspace,
            settings=Settings(model="demo"),
            environ={},
            gateway=DemoGateway(delay=0),
        )
        app = KeenApp(bench, environ={})
        async with app.run_test(size=SIZE) as pilot:
            await say(pilot, app, "What is this project about?", TurnCompleted)
            await say(pilot, app, "/demo edit", ApprovalRequested)
            PICTURE.write_text(app.export_screenshot(title="keen"))


async def say(pilot: Pilot[int], app: KeenApp, text: str, until: type) -> None:
    """Send a prompt and wait for an event."""
    seen = asyncio.Event()

    def listen(event: Event) -> None:
        if isinstance(event, until):
            seen.set()

    await pilot.pause()
    session = app.dashboard.display_of_task.session
    while session is None:
        await pilot.pause(0.02)
        session = app.dashboard.display_of_task.session
    session.subscribe(listen)
    await pilot.press(*(" " if key == " " else key for key in text), "enter")
    await asyncio.wait_for(seen.wait(), 30)
    await pilot.pause(0.3)


if __name__ == "__main__":
    asyncio.run(draw())
