from __future__ import annotations

from pathlib import Path

import pytest

from keen_tui.domain.brief import Brief
from keen_tui.domain.events import BriefChanged, ToolFinished, ToolStarted
from keen_tui.ui.arrangement import SIDE
from keen_tui.ui.panes.brief_rows import brief_rows, field_rows
from keen_tui.ui.panes.context import part_rows
from tests.ui import script
from tests.ui.fake_session import Part
from tests.ui.running import running


def shown(rows) -> list[str]:
    return ["".join(span.text for span in (*row.left, *row.right)) for row in rows]


@pytest.mark.parametrize("key", ["f3", "f4", "f5", "f6"])
async def test_an_empty_pane_says_what_it_is_for_and_the_key_that_starts_it(tmp_path: Path, key):
    async with running(tmp_path, (80, 24)) as run:
        run.session.parts = []
        await run.press(key)
        await run.press("tab", "tab")
        pane = run.dashboard.panes[run.dashboard.arrangement.active]
        assert len(pane.empty) > 60
        assert any(word in pane.empty for word in ("F2", "F4", "r reads"))


async def test_the_tools_pane_shows_status_target_and_what_was_discarded(tmp_path: Path):
    async with running(tmp_path, (200, 40)) as run:
        script.play(run.session)
        await run.settle()
        text = "\n".join(shown(run.dashboard.tools.lines.rows))
        assert "read_file" in text and "ok" in text and "3.1 kB" in text
        assert "exit 1" in text and "running" in text
        await run.press("f3", "v")
        assert "what the model sees next" in run.text
        assert "exit 1" in "\n".join(shown(run.dashboard.tools.lines.rows)), "a running turn is shown as it runs"


async def test_enter_in_the_tools_pane_shows_the_card_in_the_conversation(tmp_path: Path):
    async with running(tmp_path, (80, 24)) as run:
        run.session.start_turn()
        run.session.emit(
            ToolStarted(call_id="c1", tool="grep"), ToolFinished(call_id="c1", tool="grep", status="success")
        )
        await run.settle()
        await run.press("f3", "enter")
        await run.until(lambda: run.dashboard.visible_panes == ["conversation"])
        assert run.dashboard.conversation.transcript.has_focus


async def test_a_brief_field_is_edited_in_place_and_saved(tmp_path: Path):
    async with running(tmp_path) as run:
        script.play(run.session)
        await run.settle()
        await run.press("f4", "enter")
        assert run.dashboard.brief.field == "goal"
        await run.type(" Soon.")
        await run.press("f9")
        await run.until(lambda: run.session.view.brief.get("goal") == "Make the stream test reliable. Soon.")
        await run.until(lambda: "Soon." in run.text and not run.dashboard.brief.editor.display)
        assert run.dashboard.brief.lines.has_focus


async def test_leaving_a_changed_field_asks_once(tmp_path: Path):
    async with running(tmp_path) as run:
        await run.press("f4", "enter", "x", "escape")
        await run.until(lambda: "Esc again drops it" in run.text)
        assert run.dashboard.brief.field == "goal"
        await run.press("escape")
        assert run.dashboard.brief.field == "" and run.session.view.brief.get("goal") == ""


async def test_a_refused_field_keeps_its_text_and_says_why(tmp_path: Path):
    async with running(tmp_path) as run:
        run.session.brief_problem = "goal holds 2,400 characters; at most 2,000 are allowed."
        await run.press("f4", "enter", "x", "f9")
        await run.until(lambda: "2,400" in run.text)
        assert run.dashboard.brief.editor.text == "x"


async def test_the_agents_change_never_moves_text_under_the_cursor(tmp_path: Path):
    async with running(tmp_path) as run:
        await run.press("f4", "enter")
        await run.type("mine")
        run.session.emit(BriefChanged(author="agent", revision=1, changes={"goal": "theirs"}))
        await run.until(lambda: "The agent changed this field" in run.text and "theirs" in run.text)
        assert run.dashboard.brief.editor.text == "mine"


def test_lines_of_constraints_and_decisions_without_a_source_are_marked():
    rows = shown(field_rows("decisions", "- Wait (Source: comment:43)\n- Keep the API", 40))
    assert "#43" in rows[1] and "Source" not in rows[1]
    assert "no source" in rows[2]
    assert "no source" not in "".join(shown(field_rows("goal", "Ship it", 40)))


def test_empty_fields_share_a_row_until_one_is_to_be_chosen():
    brief = Brief({"goal": "Ship it"})
    assert any("Risks –" in row and "Done –" in row for row in shown(brief_rows(brief, 80, every_field=False)))
    assert len([row for row in brief_rows(brief, 80, every_field=True) if row.key]) == 10
    assert brief_rows(Brief(), 80, every_field=False) == []


async def test_the_memory_pane_shows_fill_and_the_cut(tmp_path: Path):
    async with running(tmp_path, (80, 30), files=script.memory(tmp_path)) as run:
        await run.press("f5")
        await run.until(lambda: "18.1 kB of 16.4 kB" in run.text)
        assert "from here on it is not loaded" in run.text and "Prefers short answers" in run.text


async def test_the_context_pane_shows_parts_and_the_native_body(tmp_path: Path):
    async with running(tmp_path, (80, 30)) as run:
        script.play(run.session)
        await run.settle()
        await run.press("f6")
        await run.until(lambda: "6,230" in run.text and "12 lines not loaded" in run.text)
        assert "~" in run.text and "of 200,000" in run.text
        await run.press("b")
        await run.until(lambda: '"role": "user"' in run.text)


def test_bars_are_in_proportion():
    rows = shown(part_rows([Part("a", 100), Part("b", 50), Part("c", 0)], 80))
    assert [row.count("█") for row in rows] == [24, 12, 0]


async def test_search_goes_from_hit_to_hit(tmp_path: Path):
    async with running(tmp_path, (80, 24)) as run:
        script.play(run.session)
        await run.settle()
        await run.press("f3", "/")
        await run.type("edit_file")
        await run.press("enter")
        await run.until(lambda: run.dashboard.tools.lines.key == "call:c3")
        await run.press("/")
        await run.type("zebra")
        await run.press("enter")
        await run.until(lambda: "zebra" in run.dashboard.conversation.notice.text)
        await run.press("/", "escape")
        assert run.dashboard.tools.lines.has_focus


async def test_lists_move_with_letters_and_arrows(tmp_path: Path):
    async with running(tmp_path, (80, 24)) as run:
        script.play(run.session)
        await run.settle()
        await run.press("f3")
        seen = []
        for key in ("j", "down", "k", "G", "g"):
            await run.press(key)
            seen.append(run.dashboard.tools.lines.key)
        assert seen == ["call:c2", "call:c3", "call:c2", "call:c3", "call:c1"]


async def test_a_change_in_a_hidden_pane_is_shown_when_it_is_opened(tmp_path: Path):
    async with running(tmp_path, (80, 24)) as run:
        for pane in SIDE:
            run.dashboard.focus_pane(pane)
        await run.press("f2")
        script.play(run.session)
        await run.settle()
        await run.press("f4")
        await run.until(lambda: "Make the stream test reliable." in run.text)
