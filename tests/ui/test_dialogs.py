from __future__ import annotations

from pathlib import Path

import pytest

from keen_tui.config.settings import Settings
from keen_tui.ui.dialogs.list_dialog import ListDialog
from keen_tui.ui.dialogs.model_picker import AddKey
from tests.ui.fake_session import Record
from tests.ui.running import running


async def test_the_first_run_lists_demo_keys_servers_and_how_to_add_a_key(tmp_path: Path):
    async with running(tmp_path, settings=Settings()) as run:
        await run.until(lambda: "No key needed" in run.text)
        for words in ("demo", "claude-sonnet-5-5", "qwen3", "Add a key"):
            assert words in run.text
        await run.press("enter")
        await run.until(lambda: run.services.opened)
        assert run.services.chosen == ["demo"] and run.session.view.model == "demo"
        await run.until(lambda: run.prompt.has_focus)


async def test_the_first_run_fits_into_80_by_15(tmp_path: Path):
    async with running(tmp_path, (80, 15), settings=Settings()) as run:
        await run.until(lambda: "demo" in run.text and "Enter chooses" in run.text)


async def test_the_prompt_of_the_command_line_is_sent_after_the_first_choice(tmp_path: Path):
    async with running(tmp_path, settings=Settings(), prompt="hello") as run:
        await run.until(lambda: "No key needed" in run.text)
        await run.press("enter")
        await run.until(lambda: run.services.opened and run.session.sent == ["hello"])


async def test_the_catalogue_is_searched_and_a_missing_key_is_asked_for(tmp_path: Path):
    async with running(tmp_path) as run:
        run.prompt.put("/model")
        await run.press("escape", "enter")
        await run.until(lambda: isinstance(run.app.screen, ListDialog))
        await run.type("gpt")
        await run.until(lambda: "openai/gpt-5.6" in run.text)
        await run.press("enter")
        await run.until(lambda: isinstance(run.app.screen, AddKey))
        await run.type("sk-secret")
        assert "sk-secret" not in run.text
        await run.press("enter")
        await run.until(lambda: run.services.keys == {"openai": "sk-secret"})
        await run.until(lambda: "The key for openai is in the keyring." in run.text)
        await run.until(lambda: "openai/gpt-5.6" in run.session.view.model)


async def test_the_task_picker_opens_an_earlier_task(tmp_path: Path):
    records = (Record("abc123", "Fix the parser", turns=3), Record("def456", "Write docs", turns=1))
    async with running(tmp_path, records=records) as run:
        first = run.session
        run.prompt.put("/resume")
        await run.press("escape", "enter")
        await run.until(lambda: "Fix the parser" in run.text and "3 turns" in run.text)
        await run.type("docs")
        await run.press("enter")
        await run.until(lambda: run.session.record.id == "def456")
        await run.until(lambda: first.closed)


async def test_resume_with_an_id_opens_it_and_an_error_is_a_sentence(tmp_path: Path):
    async with running(tmp_path) as run:
        run.prompt.put("/resume abc")
        await run.press("enter")
        await run.until(lambda: run.session.record.id == "abc")
        run.services.problem = "There is no task zzz."
        run.prompt.put("/resume zzz")
        await run.press("enter")
        await run.until(lambda: "There is no task zzz. Try another." in run.text)
        assert run.dashboard.display_of_task.session is run.session


async def test_command_line_resume_and_continue_open_tasks(tmp_path: Path):
    async with running(tmp_path / "a", resume="abc") as run:
        assert run.session.record.id == "abc"
    async with running(tmp_path / "b", continue_=True) as run:
        assert run.session.record.id == "newest"


async def test_leaving_a_running_turn_asks_first(tmp_path: Path):
    async with running(tmp_path) as run:
        run.session.start_turn()
        run.prompt.put("/quit")
        await run.press("escape")
        await run.press("enter")
        await run.until(lambda: "A turn is running." in run.text)
        await run.press("enter")
        await run.until(lambda: run.app.screen is run.dashboard)
        assert run.app.is_running
        run.prompt.put("/quit")
        await run.press("enter", "down", "enter")
        await run.until(lambda: run.app._exit)


async def test_help_is_searched_by_typing(tmp_path: Path):
    async with running(tmp_path) as run:
        await run.press("f1")
        await run.type("palette")
        await run.until(lambda: "Nothing matches." in run.text)
        await run.press(*["backspace"] * 7)
        await run.type("clear the draft")
        await run.until(lambda: "Ctrl+C" in run.text)


@pytest.mark.parametrize("end", ["enter", "escape"])
async def test_themes_are_previewed_kept_or_put_back(tmp_path: Path, end):
    async with running(tmp_path) as run:
        run.services.home.ensure()
        run.prompt.put("/theme")
        await run.press("escape", "enter")
        await run.until(lambda: "keen-light" in run.text)
        await run.press("down")
        await run.until(lambda: run.app.theme != "keen-dark")
        previewed = run.app.theme
        await run.press(end)
        await run.until(lambda: run.app.theme == (previewed if end == "enter" else "keen-dark"))
        saved = run.services.home.config_file
        assert (saved.exists() and previewed in saved.read_text()) == (end == "enter")


async def test_notices_of_the_start_are_shown(tmp_path: Path):
    async with running(tmp_path, notices=("The workspace may not set providers.",)) as run:
        await run.until(lambda: "The workspace may not set providers." in run.text)
        assert run.services.gateway_started == 1
