"""The person finds what was said: in this task, and in all tasks of the workspace."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from keen_tui.domain.entries import Hit
from keen_tui.domain.events import AssistantText, TurnCompleted
from keen_tui.domain.refs import Ref
from keen_tui.ui.dialogs.list_dialog import ListDialog
from tests.ui.fake_session import Record
from tests.ui.running import Running, running

NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)


def said(run: Running) -> None:
    """Many turns; the first and the last are about the auth flow."""
    for number in range(30):
        run.session.start_turn("Keep the auth flow" if number in (0, 29) else f"Message {number}")
        run.session.emit(AssistantText(text="Line.\n\n" * 8), TurnCompleted())


async def find(run: Running, words: str) -> None:
    run.prompt.put(f"/find {words}")
    await run.press("enter")


async def test_find_lists_the_hits_and_goes_to_the_one_that_is_chosen(tmp_path: Path):
    async with running(tmp_path, (100, 30)) as run:
        said(run)
        run.session.hits = (
            Hit(Ref("comment", 1), "user", "request", NOON, "Keep the auth flow", later=Ref("comment", 30)),
            Hit(Ref("comment", 30), "user", "request", NOON, "Keep the auth flow"),
        )
        await run.settle()
        assert "#1 " not in run.text
        await find(run, "auth flow")
        await run.until(lambda: isinstance(run.app.screen, ListDialog))
        await run.until(lambda: "comment:1" in run.text and "later: comment:30" in run.text)
        await run.press("enter")
        await run.until(lambda: not isinstance(run.app.screen, ListDialog))
        await run.until(lambda: "Keep the auth flow" in run.text and "Message 1" in run.text)
        assert run.dashboard.conversation.transcript.has_focus


async def test_find_says_when_nothing_was_said(tmp_path: Path):
    async with running(tmp_path, (100, 30)) as run:
        await find(run, "unicorn")
        await run.until(lambda: "Nothing was said about “unicorn”" in run.text)


async def test_the_task_picker_searches_what_was_said(tmp_path: Path):
    records = (Record("abc123", "Fix the parser", turns=3), Record("def456", "Write docs", turns=1))
    async with running(tmp_path, records=records, said={"abc123": "… mind the walrus …"}) as run:
        run.prompt.put("/resume")
        await run.press("escape", "enter")
        await run.until(lambda: "Write docs" in run.text)
        await run.type("walrus")
        await run.until(lambda: "mind the walrus" in run.text and "Write docs" not in run.text)
        await run.press("enter")
        await run.until(lambda: run.session.record.id == "abc123")
