from __future__ import annotations

from pathlib import Path

from keen_tui.domain.events import RetryScheduled, TurnCompleted
from tests.ui.running import running


async def test_what_is_typed_during_a_turn_is_queued_and_shown(tmp_path: Path):
    async with running(tmp_path) as run:
        await run.type("first")
        await run.press("enter")
        for text in ("second", "third"):
            await run.type(text)
            await run.press("enter")
        await run.settle()
        assert run.session.sent == ["first"]
        assert "queued  second" in run.text and "queued  third" in run.text
        assert "2 queued" in run.rows[-1]


async def test_queued_prompts_survive_an_interrupt(tmp_path: Path):
    async with running(tmp_path) as run:
        run.session.start_turn()
        run.session.send("later")
        await run.press("escape")
        await run.settle()
        assert "queued  later" in run.text


async def test_a_queued_prompt_is_edited_removed_and_handed_over(tmp_path: Path):
    async with running(tmp_path) as run:
        run.session.start_turn()
        for text in ("one", "two", "three"):
            run.session.send(text)
        await run.settle()
        run.prompt.put("/queue")
        await run.press("escape")
        assert run.session.interrupts == 0
        await run.press("enter")
        assert run.dashboard.conversation.queue.has_focus
        await run.press("x")
        assert list(run.session.view.queue.values()) == ["two", "three"]
        await run.press("s")
        assert run.session.steered == ["two"]
        await run.settle()
        await run.press("e")
        assert run.prompt.text == "three" and run.prompt.has_focus
        assert not run.session.view.queue


async def test_ctrl_enter_and_slash_steer_hand_words_over_at_once(tmp_path: Path):
    async with running(tmp_path) as run:
        run.session.start_turn()
        await run.type("stop that")
        await run.press("ctrl+enter")
        assert run.session.steered == ["stop that"]
        run.prompt.put("/steer use make")
        await run.press("enter")
        await run.until(lambda: run.session.steered == ["stop that", "use make"])


async def test_steer_without_words_takes_the_first_queued_prompt(tmp_path: Path):
    async with running(tmp_path) as run:
        run.session.start_turn()
        run.session.send("waiting")
        run.prompt.put("/steer")
        await run.press("escape", "enter")
        await run.until(lambda: run.session.steered == ["waiting"])


async def test_nothing_ticks_while_idle_and_something_does_while_it_runs(tmp_path: Path):
    async with running(tmp_path) as run:
        display = run.dashboard.display_of_task
        assert display._ticker is None
        run.session.start_turn()
        await run.settle()
        assert display._ticker is not None and "thinking 0s" in run.rows[-1]
        run.session.emit(TurnCompleted())
        await run.until(lambda: display._ticker is None)
        assert "idle" in run.rows[-1]


async def test_a_retry_counts_down(tmp_path: Path):
    async with running(tmp_path) as run:
        run.session.start_turn()
        run.session.emit(RetryScheduled(attempt=2, limit=5, delay=4.0, reason="overloaded"))
        await run.until(lambda: "(attempt 2 of 5)" in run.rows[-1])
        assert "retrying in 4s" in run.rows[-1]
        await run.until(lambda: "retrying in 3s" in run.rows[-1])
