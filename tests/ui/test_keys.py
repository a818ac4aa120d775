from __future__ import annotations

from pathlib import Path

import pytest

from keen_tui.config.settings import Settings
from keen_tui.ui.actions import ACTIONS, BY_ID, BY_SLASH, actions_of
from keen_tui.ui.commands.run import HANDLERS
from keen_tui.ui.dialogs.list_dialog import ListDialog
from keen_tui.ui.jump import JumpScreen
from keen_tui.ui.keymap import bindings_for, check_keys, long_key, short_key
from keen_tui.ui.transcript.view import TranscriptView
from tests.ui import script
from tests.ui.running import running

FIRST_RELEASE = {
    "/help", "/model", "/new", "/tasks", "/resume", "/rename", "/brief",
    "/memory", "/tools", "/context", "/find", "/note", "/mode", "/copy",
    "/theme", "/keys", "/cost", "/steer", "/queue", "/quit",
}  # fmt: skip


def test_every_global_action_has_a_handler_and_every_handler_an_action():
    ours = {action.id for action in ACTIONS if action.where == "global"}
    assert set(HANDLERS) == ours


def test_action_ids_and_slash_commands_are_unique():
    assert len(BY_ID) == len(ACTIONS)
    assert len(BY_SLASH) == len([action for action in ACTIONS if action.slash])
    assert set(BY_SLASH) >= FIRST_RELEASE


def test_default_keys_never_collide():
    for action in ACTIONS:
        if action.keys:
            notices = check_keys({action.id: action.keys}).notices
            assert notices == (), notices


def test_no_default_is_a_key_that_ssh_tmux_or_a_terminal_takes():
    for action in ACTIONS:
        first = action.keys.split(",")[0]
        assert first not in {"ctrl+a", "ctrl+b", "ctrl+s", "ctrl+q"}
        if action.id != "prompt.steer":
            assert not first.startswith(("alt+", "super+", "ctrl+shift+"))


def test_the_keys_table_moves_an_action_and_reports_what_it_can_not_use():
    keymap = check_keys({"help.show": "f12", "help.shw": "f11", "jump.start": "ctrl+p"})
    assert keymap.keys == {"help.show": "f12"}
    assert "help.show?" in keymap.notices[0]
    assert "palette.show has it" in keymap.notices[1]


def test_keys_are_written_as_people_write_them():
    assert long_key("ctrl+o") == "Ctrl+O" and short_key("ctrl+o") == "^O"
    assert long_key("f1") == "F1" and long_key("G") == "G" and long_key("escape") == "Esc"


def test_bindings_carry_the_ids_of_their_actions():
    assert {binding.id for binding in bindings_for("global")} <= set(BY_ID)


def test_the_transcript_has_the_keys_of_the_registry():
    own = {binding.id: (binding.key, binding.action) for binding in TranscriptView.BINDINGS}
    assert own == {action.id: (action.keys, action.call) for action in actions_of("conversation")}


async def test_a_changed_key_works_and_the_old_one_does_not(tmp_path: Path):
    async with running(tmp_path, settings=Settings(model="demo", keys={"pane.tools": "f12"})) as run:
        await run.press("f3")
        assert "[Brief]" in run.rows[1]
        await run.press("f12")
        assert "[Tools]" in run.rows[1]


async def test_a_bad_keys_table_is_reported(tmp_path: Path):
    async with running(tmp_path, settings=Settings(model="demo", keys={"pane.tols": "f12"})) as run:
        await run.until(lambda: "pane.tools?" in run.text)


@pytest.mark.parametrize(
    ("key", "pane"), [("f3", "tools"), ("f4", "brief"), ("f5", "memory"), ("f6", "context"), ("f2", "conversation")]
)
async def test_function_keys_focus_panes(tmp_path: Path, key, pane):
    async with running(tmp_path) as run:
        await run.press(key)
        assert run.dashboard.focused_pane == pane


async def test_f1_shows_help_for_the_focused_pane_and_esc_closes_it(tmp_path: Path):
    async with running(tmp_path) as run:
        await run.press("f6", "f1")
        assert isinstance(run.app.screen, ListDialog)
        await run.until(lambda: "Help: Context" in run.text and "own shape" in run.text)
        await run.press("escape")
        assert run.app.screen is run.dashboard


async def test_the_palette_finds_and_runs_an_action(tmp_path: Path):
    async with running(tmp_path) as run:
        await run.press("ctrl+p")
        await run.type("memory files")
        await run.press("enter")
        await run.until(lambda: run.dashboard.focused_pane == "memory")


async def test_jump_mode_labels_panes_and_goes_there(tmp_path: Path):
    async with running(tmp_path) as run:
        await run.press("ctrl+o")
        assert isinstance(run.app.screen, JumpScreen)
        await run.until(lambda: " a " in run.text and " s " in run.text)
        await run.press("d")
        await run.until(lambda: run.dashboard.focused_pane != "conversation")
        await run.press("ctrl+o", "0")
        assert run.app.screen is run.dashboard


async def test_shift_tab_goes_round_the_modes(tmp_path: Path):
    async with running(tmp_path) as run:
        seen = []
        for _ in range(4):
            await run.press("shift+tab")
            seen.append(run.session.view.mode)
        assert seen == ["accept-edits", "plan", "yolo", "ask"]
        assert " ask " in run.rows[0]


async def test_tab_goes_round_the_parts_of_the_screen(tmp_path: Path):
    async with running(tmp_path) as run:
        places = []
        for _ in range(3):
            await run.press("tab")
            places.append(run.dashboard.focused)
        assert places[-1] is run.prompt and len(set(map(id, places))) == 3


async def test_esc_closes_completion_then_dialog_then_stops_the_turn(tmp_path: Path):
    async with running(tmp_path) as run:
        run.session.start_turn()
        await run.settle()
        await run.press("/")
        assert run.prompt.completing
        await run.press("escape")
        assert not run.prompt.completing and run.session.interrupts == 0
        await run.press("f1", "escape")
        assert run.session.interrupts == 0
        await run.press("escape")
        assert run.session.interrupts == 1
        assert run.prompt.text == "/"


async def test_ctrl_c_clears_the_draft_and_up_brings_it_back(tmp_path: Path):
    async with running(tmp_path) as run:
        await run.type("a long draft")
        await run.press("ctrl+c")
        assert run.prompt.text == ""
        await run.press("up")
        assert run.prompt.text == "a long draft"


async def test_ctrl_c_twice_within_a_second_quits(tmp_path: Path):
    async with running(tmp_path) as run:
        clock = run.clocks()
        await run.press("ctrl+c")
        await run.until(lambda: "Ctrl+C again quits" in run.text)
        clock.time += 1.5
        await run.press("ctrl+c")
        assert run.app.is_running
        clock.time += 0.5
        await run.press("ctrl+c")
        await run.until(lambda: run.app._exit)
    assert run.session.closed


async def test_ctrl_c_copies_a_selection_and_keeps_the_draft(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("SSH_TTY", "/dev/pts/1")
    async with running(tmp_path) as run:
        await run.type("copy me")
        run.prompt.select_all()
        await run.press("ctrl+c")
        await run.until(lambda: "sent to the terminal" in run.text)
        assert run.prompt.text == "copy me"


async def test_ctrl_c_closes_a_dialog(tmp_path: Path):
    async with running(tmp_path) as run:
        await run.press("ctrl+p", "ctrl+c")
        assert run.app.screen is run.dashboard


async def test_the_footer_names_keys_that_work_right_now(tmp_path: Path):
    async with running(tmp_path) as run:
        assert "F1 help" in run.rows[-1] and "stop" not in run.rows[-1]
        script.play(run.session)
        await run.settle()
        assert "Esc stop" in run.rows[-1]
        await run.press("f6")
        assert "b body" in run.rows[-1]


async def test_f2_goes_to_the_prompt_and_again_to_the_cards(tmp_path: Path):
    async with running(tmp_path) as run:
        await run.press("f4", "f2")
        assert run.prompt.has_focus
        await run.press("f2")
        assert run.dashboard.conversation.transcript.has_focus
        await run.press("f2")
        assert run.prompt.has_focus
