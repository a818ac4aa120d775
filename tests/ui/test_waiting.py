from __future__ import annotations

from pathlib import Path

import pytest

from keen_tui.domain.events import ApprovalRequested, QuestionAsked, ToolStarted, TurnCompleted
from tests.ui.running import Running, running


def ask(run: Running, **fields) -> None:
    run.session.start_turn()
    values = {
        "request_id": "a1", "call_id": "c1", "tool": "bash", "question": "Run this command?",
        "detail": "rm -rf build", "rule": "rm in this folder", **fields,
    }  # fmt: skip
    run.session.emit(ToolStarted(call_id="c1", tool="bash", target="rm"), ApprovalRequested(**values))


@pytest.mark.parametrize(("key", "answer"), [("y", "once"), ("s", "session"), ("p", "project")])
async def test_a_key_answers_an_approval(tmp_path: Path, key, answer):
    async with running(tmp_path) as run:
        clock = run.clocks()
        ask(run)
        await run.until(lambda: run.dashboard.conversation.approval.has_focus)
        clock.time += 1
        await run.press(key)
        assert run.session.answers == [("a1", answer, "")]
        await run.until(lambda: run.prompt.has_focus)


async def test_keys_in_the_first_half_second_are_ignored(tmp_path: Path):
    async with running(tmp_path) as run:
        clock = run.clocks()
        ask(run)
        await run.until(lambda: run.dashboard.conversation.approval.has_focus)
        clock.time += 0.4
        await run.press("y", "s", "p", "n")
        assert run.session.answers == []
        clock.time += 0.2
        await run.press("y")
        assert run.session.answers == [("a1", "once", "")]


async def test_a_letter_that_answers_nothing_begins_a_prompt_and_the_rest_follows(tmp_path: Path):
    async with running(tmp_path) as run:
        clock = run.clocks()
        ask(run)
        await run.until(lambda: run.dashboard.conversation.approval.has_focus)
        clock.time += 1
        await run.press("/")
        await run.until(lambda: run.prompt.has_focus)
        await run.type("note yes sure")
        assert run.prompt.text == "/note yes sure"
        assert run.session.answers == []


async def test_no_takes_a_reason(tmp_path: Path):
    async with running(tmp_path) as run:
        clock = run.clocks()
        ask(run)
        await run.until(lambda: run.dashboard.conversation.approval.has_focus)
        clock.time += 1
        await run.press("n")
        await run.type("use make clean")
        await run.press("enter")
        assert run.session.answers == [("a1", "no", "use make clean")]


async def test_esc_goes_back_from_the_reason_and_then_stops_the_turn(tmp_path: Path):
    async with running(tmp_path) as run:
        clock = run.clocks()
        ask(run)
        await run.until(lambda: run.dashboard.conversation.approval.has_focus)
        clock.time += 1
        await run.press("n", "escape")
        assert run.session.interrupts == 0 and run.session.answers == []
        await run.press("escape")
        assert run.session.interrupts == 1


async def test_a_draft_keeps_the_focus_and_typed_letters_never_approve(tmp_path: Path):
    async with running(tmp_path) as run:
        clock = run.clocks()
        await run.type("sa")
        ask(run)
        await run.settle()
        clock.time += 60
        await run.type("y yes p")
        assert run.prompt.text == "say yes p" and run.session.answers == []
        assert "Tab or F8 answers this" in run.text
        await run.press("tab")
        assert run.dashboard.conversation.approval.has_focus
        clock.time += 1
        await run.press("y")
        assert run.session.answers == [("a1", "once", "")]
        assert run.prompt.text == "say yes p"


async def test_the_panel_waits_for_a_pause_in_typing(tmp_path: Path):
    async with running(tmp_path) as run:
        clock = run.clocks()
        await run.press("x", "backspace")
        clock.time += 0.9
        ask(run)
        await run.settle()
        assert run.prompt.has_focus
        clock.time += 0.2
        await run.until(lambda: run.dashboard.conversation.approval.has_focus)


async def test_without_a_rule_only_once_and_no_are_possible(tmp_path: Path):
    async with running(tmp_path) as run:
        clock = run.clocks()
        ask(run, rule="")
        await run.until(lambda: run.dashboard.conversation.approval.has_focus)
        clock.time += 1
        assert "this project" not in run.text
        await run.press("p", "s")
        assert run.session.answers == []


async def test_the_rule_is_said_in_words(tmp_path: Path):
    async with running(tmp_path) as run:
        ask(run, rule="commands that begin with git log")
        await run.until(lambda: "commands that begin with git log" in run.text)


@pytest.mark.parametrize("size", [(80, 15), (80, 24), (120, 40), (40, 10)])
async def test_all_answers_are_visible_beside_a_huge_diff(tmp_path: Path, size):
    async with running(tmp_path, size) as run:
        ask(run, kind="diff", detail="@@ -0,0 +1,500 @@\n" + "\n".join(f"+line {n}" for n in range(500)))
        await run.until(lambda: "y once" in run.text and "no, and tell it" in run.text)
        assert "line 0" in run.text
        assert run.prompt.size.height >= 1


async def test_the_whole_of_a_long_command_can_be_read(tmp_path: Path):
    command = "echo start; " + "x" * 5_000 + "; echo END_OF_IT"
    async with running(tmp_path, (80, 24)) as run:
        ask(run, detail=command)
        await run.until(lambda: run.dashboard.conversation.approval.has_focus)
        await run.press("G")
        await run.until(lambda: "END_OF_IT" in run.text.replace("\n", ""))


async def test_an_approval_goes_away_when_the_turn_ends(tmp_path: Path):
    async with running(tmp_path) as run:
        ask(run)
        await run.until(lambda: run.dashboard.conversation.approval.has_focus)
        run.session.emit(TurnCompleted())
        await run.until(lambda: run.prompt.has_focus)
        assert not run.dashboard.conversation.approval.display


async def test_the_palette_answers_an_approval_too(tmp_path: Path):
    async with running(tmp_path) as run:
        clock = run.clocks()
        ask(run)
        await run.settle()
        clock.time += 2
        await run.press("ctrl+p")
        await run.type("yes, once")
        clock.time += 2
        await run.press("enter")
        await run.settle()
        clock.time += 2
        if not run.session.answers:
            await run.press("y")
        assert run.session.answers == [("a1", "once", "")]


def question(run: Running, **fields) -> None:
    run.session.start_turn()
    run.session.emit(QuestionAsked(request_id="q1", call_id="c1", question="Which one?", **fields))


async def test_a_question_takes_the_number_of_a_choice(tmp_path: Path):
    async with running(tmp_path) as run:
        clock = run.clocks()
        question(run, choices=("the old parser", "the new parser"))
        await run.until(lambda: run.dashboard.conversation.question.answer.has_focus)
        assert "1 the old parser" in run.text and "2 the new parser" in run.text
        clock.time += 1
        await run.press("2", "enter")
        assert run.session.answers == [("q1", "the new parser", "")]
        await run.until(lambda: run.prompt.has_focus)


async def test_a_question_takes_free_text(tmp_path: Path):
    async with running(tmp_path, (80, 15)) as run:
        clock = run.clocks()
        question(run)
        await run.until(lambda: run.dashboard.conversation.question.answer.has_focus)
        clock.time += 1
        await run.type("20 of them")
        await run.press("enter")
        assert run.session.answers == [("q1", "20 of them", "")]


async def test_f8_focuses_what_waits(tmp_path: Path):
    async with running(tmp_path, (80, 24)) as run:
        await run.press("f8")
        await run.until(lambda: "Nothing waits for you." in run.text)
        await run.press("f3")
        ask(run)
        await run.settle()
        await run.press("f8")
        assert run.dashboard.conversation.approval.has_focus
