from __future__ import annotations

from pathlib import Path

from keen_tui.domain.events import ShellRan, TurnCompleted
from tests.ui.running import running


async def test_a_shell_line_runs_and_shows_its_output_and_is_no_prompt(tmp_path: Path):
    async with running(tmp_path) as run:
        await run.type("!ls -la")
        await run.press("enter")
        await run.until(lambda: run.session.shell_lines == ["ls -la"])
        await run.until(lambda: "two" in run.text and "ls -la" in run.text)
        assert run.session.sent == [] and run.prompt.text == ""


async def test_two_marks_hand_the_output_to_the_prompt(tmp_path: Path):
    async with running(tmp_path) as run:
        await run.type("!!ls")
        await run.press("enter")
        await run.until(lambda: run.prompt.text == "$ ls\none\ntwo\n")


async def test_two_marks_alone_hand_over_the_last_output(tmp_path: Path):
    async with running(tmp_path) as run:
        run.session.start_turn()
        run.session.emit(ShellRan(text="make", exit_code=2, output="broken", output_size=6), TurnCompleted())
        await run.type("!!")
        await run.press("enter")
        await run.until(lambda: run.prompt.text == "$ make\nbroken\n[exit code 2]\n")


async def test_an_output_that_was_not_kept_is_said(tmp_path: Path):
    async with running(tmp_path) as run:
        run.session.emit(ShellRan(text="make", exit_code=0, output_size=600))
        await run.type("!!")
        await run.press("enter")
        await run.until(lambda: "not kept" in run.dashboard.conversation.notice.text)


async def test_escape_stops_the_shell_line_before_the_turn(tmp_path: Path):
    async with running(tmp_path) as run:
        run.session.shell_waits = True
        run.session.start_turn()
        await run.type("!sleep 9")
        await run.press("enter")
        await run.until(lambda: "Esc stops it" in run.text)
        await run.press("escape")
        await run.until(lambda: "stopped" in run.text)
        assert run.session.interrupts == 0
        await run.press("escape")
        assert run.session.interrupts == 1


async def test_a_secret_in_an_output_is_not_handed_over(tmp_path: Path):
    async with running(tmp_path) as run:
        run.session.shell_output = "ANTHROPIC_API_KEY=sk-ant-api03-" + "a" * 40
        await run.type("!!env")
        await run.press("enter")
        await run.until(lambda: "$ env" in run.prompt.text)
        assert "aaaaaaaa" not in run.prompt.text


async def test_hostile_output_stays_data(tmp_path: Path):
    async with running(tmp_path) as run:
        run.session.shell_output = "\x1b]52;c;aGk=\x07[/b] [x=1,state=CLOSED]"
        await run.type("!!cat x")
        await run.press("enter")
        await run.until(lambda: "state=CLOSED" in run.text)
        assert "\x1b]" not in run.text and "\x1b" not in run.prompt.text
