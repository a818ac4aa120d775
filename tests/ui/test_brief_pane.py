"""The Brief pane by keyboard alone, at 80x24."""

from __future__ import annotations

from pathlib import Path

import pytest

from keen_tui.domain.events import BriefChanged, CommentAdded, ToolFinished, ToolStarted, TurnCompleted
from keen_tui.ui.dialogs.cite_picker import comments_of
from keen_tui.ui.panes.brief_rows import field_rows
from tests.ui.running import Running, running

CONSTRAINTS = "- Keep the parser. Source: comment:1\n- Tabs only\n- No new packages. Source: comment:9"


async def start(run: Running) -> None:
    """A task with one turn and a brief, and the focus on the pane."""
    run.session.start_turn("Make the parser quick, but keep it.")
    run.session.emit(
        ToolStarted(call_id="c1", tool="write_file"),
        ToolFinished(call_id="c1", tool="write_file", status="success", file_changed="a.py"),
        TurnCompleted(comment=2),
        CommentAdded(comment=3, author="user", kind="comment", text="Use tabs everywhere"),
        BriefChanged(
            author="agent", revision=1, changes={"goal": "Quick parser", "user_constraints": CONSTRAINTS, "done": ""}
        ),
    )
    await run.settle()
    await run.press("f4")
    await run.until(lambda: run.dashboard.brief.lines.has_focus)


def go(run: Running, key: str) -> None:
    assert run.dashboard.brief.lines.select(key)


def brief(run: Running, name: str) -> str:
    return run.session.view.brief.get(name)


async def test_refs_sources_and_sizes_stand_beside_the_lines(tmp_path: Path):
    async with running(tmp_path, (80, 24)) as run:
        await start(run)
        rows = {row.strip(): row for row in run.rows}
        text = run.text
        assert "#1" in text and "no source" in text and "#9 not found" in text
        assert f"{len(CONSTRAINTS)} / 2,000" in text and "of 8,000 characters" in text
        assert any("Quick parser" in row for row in rows)


async def test_a_line_is_added(tmp_path: Path):
    async with running(tmp_path, (80, 24)) as run:
        await start(run)
        go(run, "user_constraints:1")
        await run.press("a")
        await run.type("Fast")
        await run.press("f9")
        await run.until(lambda: brief(run, "user_constraints") == f"{CONSTRAINTS}\n- Fast")
        assert run.dashboard.brief.lines.has_focus


async def test_the_first_line_of_an_empty_list_gets_a_bullet_and_a_sentence_none(tmp_path: Path):
    async with running(tmp_path, (80, 24)) as run:
        await start(run)
        go(run, "open")
        await run.press("a", "x", "f9")
        await run.until(lambda: brief(run, "open") == "- x")
        go(run, "current_focus")
        await run.press("a", "y", "f9")
        await run.until(lambda: brief(run, "current_focus") == "y")


async def test_a_line_is_deleted_and_comes_back(tmp_path: Path):
    async with running(tmp_path, (80, 24)) as run:
        await start(run)
        go(run, "user_constraints:1")
        await run.press("d")
        await run.until(lambda: "Tabs only" not in brief(run, "user_constraints"))
        await run.press("u")
        await run.until(lambda: brief(run, "user_constraints") == CONSTRAINTS)
        await run.press("r")
        await run.until(lambda: "Tabs only" not in brief(run, "user_constraints"))


async def test_a_line_is_moved_and_the_cursor_goes_along(tmp_path: Path):
    async with running(tmp_path, (80, 24)) as run:
        await start(run)
        go(run, "user_constraints:1")
        await run.press("K")
        await run.until(lambda: brief(run, "user_constraints").startswith("- Tabs only"))
        await run.until(lambda: run.dashboard.brief.lines.key == "user_constraints:0")
        await run.press("J")
        await run.until(lambda: brief(run, "user_constraints") == CONSTRAINTS)
        await run.until(lambda: run.dashboard.brief.lines.key == "user_constraints:1")


@pytest.mark.parametrize("key", ["d", "J", "c"])
async def test_a_key_for_lines_says_what_it_needs_on_a_title(tmp_path: Path, key: str):
    async with running(tmp_path, (120, 24)) as run:
        await start(run)
        go(run, "user_constraints")
        await run.press(key)
        await run.until(lambda: "Go to a line" in run.text)
        assert brief(run, "user_constraints") == CONSTRAINTS


async def test_a_line_cites_a_comment_of_the_conversation(tmp_path: Path):
    async with running(tmp_path, (80, 24)) as run:
        await start(run)
        go(run, "user_constraints:1")
        await run.press("c")
        await run.until(lambda: "Source of this line" in run.text and "Use tabs everywhere" in run.text)
        await run.type("tabs")
        await run.press("enter")
        await run.until(lambda: "- Tabs only Source: comment:3" in brief(run, "user_constraints"))


async def test_enter_on_a_line_with_a_ref_shows_the_message(tmp_path: Path):
    async with running(tmp_path, (80, 24)) as run:
        await start(run)
        go(run, "user_constraints:0")
        await run.press("enter")
        await run.until(lambda: run.dashboard.conversation.transcript.has_focus)
        assert "Make the parser quick" in run.text
        await run.press("f4")
        go(run, "user_constraints:2")
        await run.press("enter")
        await run.until(lambda: "comment:9 is not in this task" in run.text)


async def test_enter_on_a_line_without_a_ref_opens_the_field_there(tmp_path: Path):
    async with running(tmp_path, (80, 24)) as run:
        await start(run)
        go(run, "user_constraints:1")
        await run.press("enter")
        await run.type("!")
        await run.press("ctrl+enter")
        await run.until(lambda: "- Tabs only!" in brief(run, "user_constraints"))


async def test_the_history_shows_differences_and_restores_a_revision(tmp_path: Path):
    async with running(tmp_path, (80, 24)) as run:
        await start(run)
        run.session.emit(BriefChanged(author="user", revision=2, changes={"goal": "Quicker parser"}))
        await run.settle()
        await run.press("h")
        await run.until(lambda: "− Quick parser" in run.text and "+ Quicker parser" in run.text)
        await run.press("down", "enter")
        await run.until(lambda: brief(run, "goal") == "Quick parser")
        assert run.session.view.brief_history[-1].way == "restore"


async def test_slash_brief_history_opens_the_history(tmp_path: Path):
    async with running(tmp_path, (80, 24)) as run:
        await start(run)
        await run.press("i")
        await run.type("/brief history")
        await run.press("enter")
        await run.until(lambda: "History of the brief" in run.text)


async def test_a_conflict_shows_both_versions_and_nothing_is_lost(tmp_path: Path):
    async with running(tmp_path, (80, 24)) as run:
        await start(run)
        go(run, "user_constraints")
        await run.press("e", "enter")
        await run.type("mine")
        run.session.emit(
            BriefChanged(author="agent", revision=2, changes={"user_constraints": CONSTRAINTS + "\n- theirs"})
        )
        await run.until(lambda: "The agent changed this field" in run.text and "- theirs" in run.text)
        assert run.dashboard.brief.editor.text.endswith("mine")
        await run.press("ctrl+t")
        assert run.dashboard.brief.editor.text.endswith("mine\n- theirs")
        await run.press("f9")
        await run.until(lambda: brief(run, "user_constraints").endswith("mine\n- theirs"))


async def test_keeping_mine_in_a_conflict_leaves_theirs_in_the_history(tmp_path: Path):
    async with running(tmp_path, (80, 24)) as run:
        await start(run)
        go(run, "goal")
        await run.press("e")
        await run.type(" of mine")
        run.session.emit(BriefChanged(author="agent", revision=2, changes={"goal": "Theirs"}))
        await run.until(lambda: "The agent changed this field" in run.text)
        await run.press("f9")
        await run.until(lambda: brief(run, "goal") == "Quick parser of mine")
        assert run.session.view.brief_history[-1].before == {"goal": "Theirs"}


async def test_a_constraint_becomes_a_rule_that_keen_checks(tmp_path: Path):
    async with running(tmp_path, (80, 24)) as run:
        await start(run)
        run.session.emit(
            BriefChanged(author="user", revision=2, changes={"user_constraints": "- Don't touch src/parser/, please"})
        )
        await run.settle()
        go(run, "user_constraints:0")
        await run.press("p")
        assert run.dashboard.brief.editor.text.endswith("- path: src/parser/** is read-only")
        await run.press("f9")
        await run.until(lambda: "path: src/parser/** is read-only" in brief(run, "user_constraints"))


async def test_work_since_the_last_update_is_said(tmp_path: Path):
    async with running(tmp_path, (80, 24)) as run:
        await start(run)
        assert "stale:" not in run.text
        run.session.start_turn("More")
        run.session.emit(
            ToolStarted(call_id="c2", tool="bash"),
            ToolFinished(call_id="c2", tool="bash", status="success", file_changed="b.py"),
        )
        await run.until(lambda: "stale: 1 tool, 1 file since" in run.text)


async def test_another_task_closes_the_editor(tmp_path: Path):
    async with running(tmp_path, (80, 24)) as run:
        await start(run)
        await run.press("e", "x")
        run.dashboard.display_of_task.attach(await run.services.new_task("demo"))
        await run.settle()
        await run.until(lambda: run.dashboard.brief.field == "")


async def test_every_comment_of_the_conversation_can_be_cited(tmp_path: Path):
    async with running(tmp_path, (80, 24)) as run:
        await start(run)
        found = [(comment.number, comment.kind) for comment in comments_of(run.session.view)]
        assert found == [(1, "request"), (2, "result"), (3, "comment")]


def test_a_field_that_is_too_long_to_be_sent_says_so():
    title = field_rows("goal", "x" * 2_400, 60)[0]
    assert "not sent" in title.right[0].text and "2,400" in title.right[0].text


async def test_a_piece_is_chosen_and_its_movement_stands_in_the_top_line(tmp_path: Path):
    async with running(tmp_path, (80, 24)) as run:
        await run.type("/piece")
        await run.press("enter")
        await run.until(lambda: "Piece of this task" in run.text and "plan → build" in run.text)
        await run.press("down", "enter")
        await run.until(lambda: "plan 1/2" in run.rows[0])
    async with running(tmp_path, (120, 24)) as run:
        await run.type("/piece two-steps")
        await run.press("enter")
        await run.until(lambda: "two-steps: plan 1/2" in run.rows[0])


async def test_an_unknown_piece_is_said(tmp_path: Path):
    async with running(tmp_path, (120, 24)) as run:
        await run.type("/piece nowhere")
        await run.press("enter")
        await run.until(lambda: "There is no piece nowhere" in run.text)
