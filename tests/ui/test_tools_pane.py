from __future__ import annotations

from pathlib import Path

import pytest

from keen_tui.domain.events import AssistantText, CommentAdded, ToolFinished, ToolStarted, TurnCompleted
from tests.ui.running import Running, running


def rows(run: Running) -> list[str]:
    return ["".join(span.text for span in (*row.left, *row.right)) for row in run.dashboard.tools.lines.rows]


def ran(run: Running) -> None:
    """Two turns: a read, an edit and a failed command; then a search."""
    session = run.session
    session.start_turn()
    session.emit(AssistantText(text="Let me look.\nAnd then edit.\n"))
    for number, (tool, more) in enumerate(
        [
            ("read_file", {"target": "a.py", "output_kind": "file", "output_size": 3100}),
            ("edit_file", {"target": "a.py", "file_changed": "a.py", "added": 1, "removed": 1}),
            ("bash", {"target": "make", "failed_command": "make", "exit_code": 2, "output_size": 900}),
        ]
    ):
        session.emit(ToolStarted(call_id=f"c{number}", tool=tool, target=more["target"]))
        session.emit(ToolFinished.model_validate({"call_id": f"c{number}", "tool": tool, "status": "success", **more}))
    session.emit(CommentAdded(comment=7, author="user", kind="interjection", text="mind the tests"))
    session.emit(AssistantText(text="Done."), TurnCompleted())
    session.start_turn("again")
    session.emit(ToolStarted(call_id="d0", tool="grep", target="x"))
    session.emit(ToolFinished(call_id="d0", tool="grep", status="success"), TurnCompleted())


async def test_filters_leave_calls_that_failed_changed_files_or_are_of_one_tool(tmp_path: Path):
    async with running(tmp_path, (120, 40)) as run:
        ran(run)
        await run.press("f3", "f")
        assert [row for row in rows(run) if "bash" in row] and not [row for row in rows(run) if "read_file" in row]
        await run.press("f", "c")
        assert [row for row in rows(run) if "edit_file" in row] and not [row for row in rows(run) if "bash" in row]
        await run.press("f")
        assert "No call fits: failed, changed files" in rows(run)[1]
        await run.press("f", "c", "t")
        assert [row.split()[0] for row in rows(run)[2:] if row.strip()] == ["bash"]
        await run.press("t", "t", "t", "t")
        assert len([row for row in rows(run) if row.startswith("   ")]) > 4


async def test_what_the_model_sees_is_the_reconstructed_form(tmp_path: Path):
    async with running(tmp_path, (200, 40)) as run:
        ran(run)
        await run.press("f3", "v")
        text = "\n".join(rows(run))
        assert "sees: native stubs, ~" in text or "sees: stubs, ~" in text
        assert 'read_file {} {"status":"success"}' in text
        assert 'edit_file {} {"status":"success","file_changed":"a.py"}' in text
        assert '{"status":"success","failed_command":"make","exit_code":2}' in text
        assert "you: mind the tests" in text and "a.py " not in text.replace('"a.py"', "")


@pytest.mark.parametrize(
    ("form", "expected"), [("bounded", 'read_file {"path":"a.py"}'), ("note", "[read_file a.py: success]")]
)
async def test_the_other_replay_forms_are_shown_as_they_are(tmp_path: Path, form, expected):
    async with running(tmp_path, (160, 40)) as run:
        run.session.replay = form
        ran(run)
        await run.press("f3", "v")
        assert expected in "\n".join(rows(run))


async def test_enter_jumps_to_the_card_and_t_comes_back(tmp_path: Path):
    async with running(tmp_path, (100, 30)) as run:
        ran(run)
        await run.press("f3", "f", "enter")
        transcript = run.dashboard.conversation.transcript
        await run.until(lambda: transcript.has_focus and transcript.focused_call == "c2")
        await run.press("t")
        await run.until(lambda: run.dashboard.tools.lines.has_focus)
        assert run.dashboard.tools.lines.key == "call:c2"
        await run.press("enter", "left_square_bracket", "t")
        await run.until(lambda: run.dashboard.tools.lines.has_focus)
        assert run.dashboard.tools.lines.key == "call:c1" and not run.dashboard.tools.filter.on
