"""The transcript on a screen, driven by keys, mouse and events."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from textual.geometry import Offset
from textual.pilot import Pilot
from textual.selection import Selection

from keen_tui.domain.events import (
    ApprovalAnswered,
    ApprovalRequested,
    CommentAdded,
    Notice,
    RetryScheduled,
    TextRewound,
    ToolFinished,
    ToolOutput,
    ToolStarted,
    TurnFailed,
    now,
)
from keen_tui.ui.theme import load_themes

from .recording import Recording, Stage, recorded_turn


async def until(pilot: Pilot[None], condition: Callable[[], bool]) -> None:
    for _ in range(200):
        if condition():
            return
        await pilot.pause(0.01)
    raise AssertionError("it did not come to pass")


def long_task(turns: int) -> Recording:
    record = Recording()
    for number in range(1, turns + 1):
        record.begin(number, f"question {number}")
        record.say(f"Answer {number}.\n\n" + "It goes on for a while, in several words. " * 6)
        record.run(f"call{number}", output=f"output {number}")
        record.end(number)
    return record


async def test_a_turn_shows_words_cards_and_diff() -> None:
    stage = Stage(recorded_turn())
    async with stage.run_test(size=(80, 40)):
        assert "#1" in stage.rows[1]
        assert "Make it reliable." in stage.text
        assert "  ▸ thought for 3 s, " in stage.text
        assert "▸ read_file  tests/test_stream.py" in stage.text
        assert "exit 1" in stage.text
        assert "… 56 more lines" in stage.text
        assert "12 −     time.sleep(0.1)" in stage.text
        assert "It waits for the event now." in stage.text


async def test_it_follows_what_comes_until_the_person_reads_back() -> None:
    record = long_task(20)
    stage = Stage(record)
    async with stage.run_test(size=(80, 24)) as pilot:
        assert stage.transcript.following
        record.begin(21)
        record.say("first\n\n" * 30 + "the newest words")
        await until(pilot, lambda: "the newest words" in stage.text)
        await pilot.press("pageup")
        assert not stage.transcript.following
        before = stage.text
        record.say("\n\nmore\n\n" * 50)
        record.run("later", output="x")
        await pilot.pause(0.05)
        assert stage.text == before
        await pilot.press("G")
        assert stage.transcript.following
        assert "later" not in before
        assert "pytest -q" in stage.rows[-1]
        assert [message.following for message in stage.messages] == [False, True]


async def test_scrolling_back_to_the_bottom_follows_again() -> None:
    stage = Stage(long_task(20))
    async with stage.run_test(size=(80, 24)) as pilot:
        await pilot.press("k", "k")
        assert not stage.transcript.following
        await pilot.press("j", "j")
        assert stage.transcript.following


async def test_scrolling_up_row_by_row_skips_nothing() -> None:
    record = long_task(5)
    tall = Stage(record)
    async with tall.run_test(size=(60, 300)):
        whole = [row for row in tall.rows if row]
    stage = Stage(record)
    async with stage.run_test(size=(60, 20)) as pilot:
        seen = stage.rows
        while stage.transcript.scroll_offset.y > 0:
            await pilot.press("k")
            assert stage.rows[1:] == seen[: len(stage.rows) - 1] or stage.rows == seen[: len(stage.rows)]
            seen = stage.rows[:1] + seen
        assert [row for row in seen if row] == whole


async def test_ten_thousand_turns_render_no_more_than_ten() -> None:
    few, many = Stage(long_task(10)), Stage(long_task(10_000))
    async with few.run_test(size=(80, 24)) as pilot:
        await pilot.press("pageup", "k")
    async with many.run_test(size=(80, 24)) as pilot:
        await pilot.press("pageup", "k")
        assert "question 999" in many.text
        assert many.transcript.document.renders <= few.transcript.document.renders + 2
        await pilot.press("g")
        assert "question 1" in many.rows[2]
        assert many.transcript.document.renders < 100


async def test_a_resize_keeps_the_block_at_the_top() -> None:
    stage = Stage(long_task(60))
    async with stage.run_test(size=(100, 24)) as pilot:
        stage.transcript.jump_to_comment(61)
        await pilot.pause()
        assert "#61" in stage.rows[1]
        for width in (40, 200, 57, 120):
            await pilot.resize_terminal(width, 24)
            await pilot.pause()
            assert "#61" in stage.rows[1]
            assert all(len(row) <= width for row in stage.rows)
        assert not stage.transcript.following


async def test_enter_opens_and_closes_the_card_that_has_the_mark() -> None:
    stage = Stage(recorded_turn())
    async with stage.run_test(size=(80, 50)) as pilot:
        await pilot.press("]", "]")
        assert [message.call_id for message in stage.messages] == ["read"]
        assert any(row.startswith("▌  ▸ read_file") for row in stage.rows)
        await pilot.press("enter")
        assert "▾ read_file" in stage.text
        assert "line 20" in stage.text
        await pilot.press("enter")
        assert "▸ read_file" in stage.text
        assert "line 20" not in stage.text
        await pilot.press("[")
        assert any(row.startswith("▌  ▸ thought") for row in stage.rows)
        await pilot.press("enter")
        assert "It should wait." in stage.text


async def test_a_click_on_a_card_opens_it() -> None:
    stage = Stage(recorded_turn())
    async with stage.run_test(size=(80, 40)) as pilot:
        y = next(y for y, row in enumerate(stage.rows) if "read_file" in row)
        await pilot.click(offset=(10, y))
        assert "▾ read_file" in stage.text


async def test_everything_opens_and_closes_at_once() -> None:
    stage = Stage(recorded_turn())
    async with stage.run_test(size=(80, 200)) as pilot:
        await pilot.press("E")
        assert stage.text.count("line 59") == 2
        assert "It should wait." in stage.text
        await pilot.press("E")
        assert "line 59" not in stage.text


async def test_jumps_find_calls_comments_and_entries() -> None:
    stage = Stage(long_task(50))
    async with stage.run_test(size=(80, 24)):
        assert stage.transcript.jump_to_call("call7")
        assert "pytest -q" in stage.rows[0]
        assert stage.transcript.jump_to_comment(31)
        assert "question 16" in stage.rows[2]
        assert stage.transcript.jump_to_seq(stage.record.view.turns[29].start.seq)
        assert "question 30" in stage.rows[2]
        assert not stage.transcript.jump_to_call("nothing")
        assert not stage.transcript.jump_to_comment(9999)


async def test_jump_targets_are_the_cards_in_sight() -> None:
    stage = Stage(recorded_turn())
    async with stage.run_test(size=(80, 40)):
        targets = stage.transcript.jump_targets()
        assert len(targets) == 4
        assert "read_file" in stage.rows[targets[1].y]
        assert stage.transcript.jump_to(targets[2].key)
        assert stage.transcript.focused_block == targets[2].key


async def test_search_marks_goes_and_counts() -> None:
    stage = Stage(long_task(40))
    async with stage.run_test(size=(80, 24)) as pilot:
        assert stage.transcript.search("QUESTION 12") == 1
        assert "question 12" in stage.text
        assert stage.transcript.search("goes on") == 240
        await pilot.press("N")
        assert "goes on" in stage.text
        assert stage.transcript.search("not there at all") == 0


async def test_search_opens_the_card_that_hides_the_words() -> None:
    stage = Stage(recorded_turn())
    async with stage.run_test(size=(80, 24)):
        assert stage.transcript.search("line 3") >= 2
        assert stage.transcript.search("It should wait") == 1
        assert "It should wait." in stage.text


async def test_a_selection_copies_words_without_gutters() -> None:
    stage = Stage(recorded_turn())
    async with stage.run_test(size=(80, 60)):
        first = next(y for y, row in enumerate(stage.rows) if "async def" in row)
        last = next(y for y, row in enumerate(stage.rows) if "await" in row)
        selection = Selection(Offset(0, first), Offset(79, last))
        stage.screen.selections = {stage.transcript: selection}
        text = stage.screen.get_selected_text()
        assert text is not None
        assert text.strip("\n").split("\n") == [
            "async def test_order(stream):", "    time.sleep(0.1)", "    # the event itself",
            "    await stream.settled()",
        ]  # fmt: skip


async def test_the_mouse_selects_text() -> None:
    stage = Stage(recorded_turn())
    async with stage.run_test(size=(80, 60)) as pilot:
        y = next(y for y, row in enumerate(stage.rows) if "Make it" in row)
        await pilot.mouse_down(offset=(1, y))
        await pilot.hover(offset=(7, y))
        await pilot.mouse_up(offset=(7, y))
        assert stage.screen.get_selected_text() == "Make it"


async def test_a_whole_block_can_be_copied() -> None:
    stage = Stage(recorded_turn())
    async with stage.run_test(size=(80, 60)) as pilot:
        await pilot.press("]", "]")
        assert stage.transcript.text_of().startswith("line 0\nline 1")
        assert stage.transcript.text_of("nothing/there") == ""


async def test_a_running_tool_counts_and_only_then_a_timer_runs() -> None:
    record = Recording()
    record.begin()
    stage = Stage(record)
    async with stage.run_test(size=(80, 24)) as pilot:
        assert stage.transcript._ticking is None
        record(ToolStarted, call_id="c", tool="bash", target="make", time=now())
        await until(pilot, lambda: "running" in stage.text)
        assert stage.transcript._ticking is not None
        record(ToolOutput, call_id="c", text="compiling\n")
        await until(pilot, lambda: "compiling" in stage.text)
        record(ToolFinished, call_id="c", tool="bash", status="success", seconds=2.0)
        await until(pilot, lambda: "ok  2.0s" in stage.text)
        assert stage.transcript._ticking is None


async def test_what_a_retry_takes_back_leaves_the_screen() -> None:
    record = Recording()
    record.begin()
    stage = Stage(record)
    async with stage.run_test(size=(80, 24)) as pilot:
        record.say("half an answ")
        await until(pilot, lambda: "half an answ" in stage.text)
        record(TextRewound, characters=12)
        record(RetryScheduled, attempt=1, limit=5, delay=8, reason="The provider is overloaded")
        record.say("A whole answer.")
        await until(pilot, lambda: "A whole answer." in stage.text)
        assert "half" not in stage.text
        assert "↻ The provider is overloaded. Trying again in 8.0s (1 of 5)." in stage.text


async def test_a_retry_takes_back_only_what_the_failed_attempt_said() -> None:
    record = Recording()
    record.begin()
    stage = Stage(record)
    async with stage.run_test(size=(80, 24)) as pilot:
        record.say("Kept paragraph.\n\nKept again. Lost words")
        await until(pilot, lambda: "Lost words" in stage.text)
        record(TextRewound, characters=len("Lost words"))
        record.say("Other words")
        await until(pilot, lambda: "Kept again. Other words" in stage.text)
        assert stage.text.count("Kept paragraph.") == 1
        assert "Lost" not in stage.text


async def test_approvals_notices_and_ends_say_what_to_do() -> None:
    record = Recording()
    record.begin()
    stage = Stage(record)
    async with stage.run_test(size=(80, 30)) as pilot:
        record(ToolStarted, call_id="c", tool="bash", target="rm -r build")
        record(ApprovalRequested, request_id="r", call_id="c", tool="bash", question="Run rm -r build?")
        await until(pilot, lambda: "waiting for you" in stage.text)
        record(ApprovalAnswered, request_id="r", answer="no", reason="keep it")
        record(CommentAdded, comment=7, author="user", kind="interjection", text="look elsewhere")
        record(Notice, level="warning", text="The window is nearly full.", hint="/compact makes room.")
        record(TurnFailed, reason="authentication", message="The key was refused.", hint="Check it with /model.")
        await until(pilot, lambda: "The key was refused." in stage.text)
        assert "denied: keep it" in stage.text
        assert "you  while it worked" in stage.text
        assert "    next: /compact makes room." in stage.text
        assert "✗ The key was refused." in stage.text
        assert "interrupted" in stage.text


@pytest.mark.parametrize("theme", ["keen-dark", "keen-light", "high-contrast", "ansi", "mono"])
async def test_every_theme_shows_the_same_words(theme: str) -> None:
    stage = Stage(recorded_turn(), theme)
    async with stage.run_test(size=(80, 60)):
        assert "12 −     time.sleep(0.1)" in stage.text
        before = stage.rows
        stage.transcript.set_roles(load_themes().by_name["mono"].roles)
        assert stage.rows == before


async def test_an_update_below_the_fold_draws_nothing() -> None:
    record = long_task(30)
    stage = Stage(record)
    async with stage.run_test(size=(80, 24)) as pilot:
        await pilot.press("g")
        drawn = list(stage.transcript._rows)
        record.begin(31)
        record.say("far below")
        await pilot.pause(0.05)
        assert all(one is other for one, other in zip(drawn, stage.transcript._rows, strict=True))


async def test_hostile_text_in_any_field_does_no_harm() -> None:
    record = Recording()
    bad = "\x1b]52;c;aGk=\x07\x1b[2J\x9b31m\u202e[/red][b + x[1,state=CLOSED]\x00\ud800"
    record.begin(1, bad)
    record.think(bad)
    record.say(bad + "\n\n# " + bad + "\n\n```" + bad + "\n" + bad)
    record.run("c\x1b", bad, bad, output=bad, diff=f"@@ -1 +1 @@\n+{bad}\n-{bad}", exit_code=1)
    record(ApprovalRequested, request_id="r", call_id="c", tool=bad, question=bad)
    record(Notice, text=bad, hint=bad)
    stage = Stage(record)
    async with stage.run_test(size=(80, 60)) as pilot:
        await pilot.press("E")
        for row in stage.rows:
            assert not any(ord(char) < 32 or 0x7F <= ord(char) < 0xA0 or char in "\u202e\ud800" for char in row)


async def test_an_empty_task_is_quiet() -> None:
    stage = Stage(Recording())
    async with stage.run_test(size=(80, 10)) as pilot:
        await pilot.press("j", "k", "]", "enter", "E", "n", "G", "g")
        assert stage.text.strip() == ""
