from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from keen_tui.agent.export import export_task
from keen_tui.domain.events import AssistantText, ToolFinished, ToolStarted, TurnCompleted
from keen_tui.ui.body_difference import difference
from tests.ui import script
from tests.ui.running import Running, running

SECRET = "sk-ant-api03-" + "a" * 40


def ran(run: Running) -> None:
    session = run.session
    session.start_turn(f"use ANTHROPIC_API_KEY={SECRET}")
    session.emit(AssistantText(text="Let me **look**.\n"), ToolStarted(call_id="c1", tool="bash", target="ls"))
    session.emit(ToolFinished(call_id="c1", tool="bash", status="success", output="canary-77", output_size=9))
    session.emit(AssistantText(text="Done."), TurnCompleted())


async def test_w_shows_the_body_in_each_wire_format(tmp_path: Path):
    async with running(tmp_path, (100, 40)) as run:
        await run.press("f6")
        seen = []
        for _ in range(6):
            await run.press("w")
            seen.append(run.dashboard.context.wire)
        assert seen == ["anthropic", "openai_responses", "gemini", "ollama", "litellm", None]


async def test_d_shows_what_is_different_from_the_last_request(tmp_path: Path):
    async with running(tmp_path, (100, 40)) as run:
        await run.press("f6", "d")
        await run.until(lambda: "lines are the same" in run.text and '"hello"' in run.text)
        await run.press("d")
        await run.until(lambda: "base prompt" in run.text)


def test_a_difference_is_what_stands_between_equal_ends():
    found = difference(list("abxyz"), list("abqyz"))
    assert (found.same, found.removed, found.added, found.same_end) == (2, ("x",), ("q",), 2)
    assert difference(list("aa"), list("aaa")).added == ("a",)


async def test_enter_on_the_history_shows_its_turns_with_their_tokens(tmp_path: Path):
    async with running(tmp_path, (100, 40)) as run:
        script.play(run.session)
        run.session.emit(TurnCompleted())
        await run.settle()
        await run.press("f6")
        run.dashboard.context.lines.select("part:history, 7 turns")
        await run.press("enter")
        await run.until(lambda: any("turn 1" in row and "~" in row for row in run.rows))
        await run.press("enter")
        await run.until(lambda: not any("turn 1" in row for row in run.rows))


@pytest.mark.parametrize("dirty", [True, False])
async def test_a_mark_behind_the_branch_says_that_the_tree_is_dirty(tmp_path: Path, dirty):
    subprocess.run(["git", "init", "-q", "-b", "main", str(tmp_path)], check=True)
    async with running(tmp_path, (160, 40), dirty=dirty) as run:
        await run.until(lambda: run.dashboard.display_of_task._dirty_tree is dirty)
        await run.until(lambda: ("main*" in run.rows[0]) is dirty and "main" in run.rows[0])


async def test_the_title_row_names_the_comments_of_the_task(tmp_path: Path):
    async with running(tmp_path, (200, 40)) as run:
        ran(run)
        run.session.start_turn("more")
        await run.until(lambda: "#1–#2" in run.text)


async def test_doctor_shows_every_check_with_what_to_do(tmp_path: Path):
    async with running(tmp_path, (100, 30)) as run:
        run.dashboard.run("doctor.show")
        await run.until(lambda: "PROBLEM" in run.text and "Add one with /model." in run.text)
        await run.press("escape")
        assert run.app.screen is run.dashboard


@pytest.mark.parametrize("format", ["md", "json"])
async def test_an_export_holds_words_and_activities_and_no_secret(tmp_path: Path, format):
    async with running(tmp_path, (100, 30)) as run:
        ran(run)
        run.dashboard.run("task.export", f"{format} out.{format}")
        await run.until(lambda: "The task is in" in run.text)
        text = (tmp_path / f"out.{format}").read_text()
        assert "Let me **look**." in text and "bash" in text
        assert SECRET not in text and "canary-77" not in text
        if format == "json":
            assert json.loads(text)["turns"][0]["activities"][0]["target"] == "ls"
        assert export_task("t", run.session.view, format)
        run.dashboard.run("task.export", f"{format} out.{format}")
        await run.until(lambda: "exists; nothing was written" in run.text)
