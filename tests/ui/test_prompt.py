from __future__ import annotations

from pathlib import Path

import pytest
from textual import events

from keen_tui.domain.errors import KeenError
from keen_tui.domain.events import AssistantText, TurnCompleted
from keen_tui.ui.completion import parse_slash, slash_candidates
from keen_tui.ui.pastes import Pastes
from keen_tui.ui.prompt_history import PromptHistory
from tests.ui.running import running


async def test_enter_sends_and_clears(tmp_path: Path):
    async with running(tmp_path) as run:
        await run.type("fix the test")
        await run.press("enter")
        assert run.session.sent == ["fix the test"]
        assert run.prompt.text == ""
        await run.until(lambda: run.services.history == ["fix the test"])


async def test_an_empty_prompt_is_not_sent(tmp_path: Path):
    async with running(tmp_path) as run:
        await run.press("enter", "space", "enter")
        assert run.session.sent == []


@pytest.mark.parametrize("key", ["ctrl+j", "shift+enter", "alt+enter"])
async def test_newline_keys_make_a_line(tmp_path: Path, key):
    async with running(tmp_path) as run:
        await run.press("a", key, "b", "enter")
        assert run.session.sent == ["a\nb"]


async def test_a_backslash_before_enter_makes_a_line(tmp_path: Path):
    async with running(tmp_path) as run:
        await run.press("a", "\\", "enter", "b", "enter")
        assert run.session.sent == ["a\nb"]


async def test_the_prompt_grows_to_eight_rows_and_scrolls(tmp_path: Path):
    async with running(tmp_path) as run:
        for _ in range(12):
            await run.press("x", "ctrl+j")
        await run.until(lambda: run.prompt.size.height == 8)


async def test_up_and_down_walk_the_history_and_keep_the_draft(tmp_path: Path):
    async with running(tmp_path, history=["one", "two"]) as run:
        await run.type("draft")
        seen = []
        for key in ("up", "up", "up", "down", "down"):
            await run.press(key)
            seen.append(run.prompt.text)
        assert seen == ["two", "one", "one", "two", "draft"]


async def test_up_moves_inside_a_draft_of_many_lines_first(tmp_path: Path):
    async with running(tmp_path, history=["one"]) as run:
        await run.press("a", "ctrl+j", "b", "up")
        assert run.prompt.text == "a\nb"
        await run.press("up")
        assert run.prompt.text == "one"


async def test_a_huge_paste_becomes_a_chip_and_is_sent_whole(tmp_path: Path):
    text = "\n".join(f"line {number}" for number in range(10_000))
    async with running(tmp_path) as run:
        await run.type("look: ")
        run.prompt.post_message(events.Paste(text))
        await run.until(lambda: run.prompt.text == "look: [pasted 10,000 lines]")
        await run.press("enter")
        assert run.session.sent == [f"look: {text}"]


async def test_a_prompt_of_five_megabytes_is_sent_whole(tmp_path: Path):
    text = "x" * 5_000_000
    async with running(tmp_path) as run:
        run.prompt.post_message(events.Paste(text))
        await run.until(lambda: run.prompt.text == "[pasted 5,000,000 characters]")
        await run.press("enter")
        assert run.session.sent == [text]
        await run.press("up")
        assert run.prompt.text == "[pasted 5,000,000 characters]"


async def test_backspace_removes_a_whole_chip(tmp_path: Path):
    async with running(tmp_path) as run:
        run.prompt.post_message(events.Paste("x" * 3_000))
        await run.until(lambda: run.prompt.text)
        await run.press("backspace")
        assert run.prompt.text == ""


def test_equal_looking_pastes_stay_apart():
    pastes = Pastes()
    one, two = "a" * 3_000, "b" * 3_000
    draft = f"{pastes.fold(one)} and {pastes.fold(two)} and {pastes.fold(one)}"
    assert pastes.expand(draft) == f"{one} and {two} and {one}"


def test_a_paste_that_looks_like_a_chip_is_not_expanded_again():
    pastes = Pastes()
    text = "[pasted 3,000 characters]" * 120
    assert pastes.expand(pastes.fold(text)) == text


def test_history_keeps_no_repeats_in_a_row():
    history = PromptHistory()
    for text in ("a", "a", "  ", "b"):
        history.add(text)
    assert [history.back(""), history.back(""), history.back("")] == ["b", "a", None]


async def test_the_cursor_does_not_blink_anywhere(tmp_path: Path):
    async with running(tmp_path) as run:
        for widget in run.dashboard.query("TextArea, Input"):
            assert widget.cursor_blink is False


async def test_text_that_looks_like_markup_is_plain_in_the_prompt(tmp_path: Path):
    async with running(tmp_path) as run:
        await run.type("[/b] [x=1,state=CLOSED]")
        await run.until(lambda: "[/b] [x=1,state=CLOSED]" in run.text)


def test_slash_commands_are_told_from_paths():
    assert parse_slash("/etc/hosts is wrong") is None
    assert parse_slash("/ hello") is None
    assert parse_slash("hello /help") is None
    command = parse_slash("/rename A better title")
    assert command and command.action and command.action.id == "task.rename"
    assert command.argument == "A better title"


def test_candidates_that_begin_with_the_word_come_first():
    found = [action.slash for action in slash_candidates("/co")]
    assert found[:3] == ["/context", "/cost", "/copy"]
    assert slash_candidates("/rename x") == [] and slash_candidates("hello") == []


async def test_slash_completes_with_tab_and_runs_with_enter(tmp_path: Path):
    async with running(tmp_path) as run:
        await run.type("/ren")
        await run.until(lambda: "Rename the task" in run.text)
        await run.press("tab")
        assert run.prompt.text == "/rename "
        await run.type("Better")
        await run.press("enter")
        await run.until(lambda: run.session.view.title == "Better")
        await run.until(lambda: "Better" in run.rows[0])


async def test_the_arrows_move_in_the_completion(tmp_path: Path):
    async with running(tmp_path) as run:
        await run.type("/me")
        await run.press("down", "enter")
        await run.until(lambda: run.prompt.text == "" and not run.prompt.completing)


async def test_an_unknown_command_names_the_nearest_and_keeps_the_text(tmp_path: Path):
    async with running(tmp_path) as run:
        await run.type("/brif now")
        await run.press("enter")
        await run.until(lambda: "/brif is no command. Did you mean /brief?" in run.text)
        assert run.prompt.text == "/brif now" and run.session.sent == []


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("/mode plan", "plan"), ("/note remember this", "remember this"), ("/model other/model", "model"),
        ("/cost", "price unknown"), ("/mode wild", "There is no mode wild"),
    ],
)  # fmt: skip
async def test_slash_commands_act(tmp_path: Path, command, expected):
    async with running(tmp_path) as run:
        run.prompt.put(command)
        await run.press("escape", "enter")
        await run.until(lambda: expected in run.text or any(expected in str(item) for item in run.session.view.items))


async def test_the_editor_edits_the_draft(tmp_path: Path, monkeypatch):
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)
    async with running(tmp_path) as run:
        await run.type("draft")
        await run.press("ctrl+g")
        await run.until(lambda: "No editor is set." in run.text)
        assert run.prompt.text == "draft"


async def test_a_prompt_without_a_task_stays_in_the_prompt(tmp_path: Path):
    async with running(tmp_path, problem="The database is locked.") as run:
        await run.until(lambda: "The database is locked." in run.text)
        await run.type("hello")
        await run.press("enter")
        assert run.prompt.text == "hello"


async def test_keys_that_come_in_one_burst_keep_their_order(tmp_path: Path):
    async with running(tmp_path) as run:
        for key in ("a", "b", "left", "x", "enter", "y", "up", "down", "z", "ctrl+c", "q"):
            character = key if len(key) == 1 else None
            run.app.post_message(events.Key(key, character))
        await run.until(lambda: run.prompt.text == "q")
        assert run.session.sent == ["axb"]
        await run.press("ctrl+c", "up", "up")
        assert run.prompt.text == "yz"


@pytest.mark.parametrize("name", ["~nobody-here/x", "/proc/zzz", "a/b/c", "x" * 300, "\0", ".", "README.md"])
async def test_a_file_that_can_not_be_written_is_a_sentence(tmp_path: Path, name: str):
    (tmp_path / "README.md").write_text("kept")
    async with running(tmp_path) as run:
        run.session.start_turn("hello")
        run.session.emit(AssistantText(text="An answer."), TurnCompleted())
        run.dashboard.run("copy.answer", f"file {name}")
        await run.until(lambda: "/copy file NAME" in run.dashboard.conversation.notice.text)
        assert (tmp_path / "README.md").read_text() == "kept"


async def test_a_command_that_fails_by_a_fault_of_keens_own_keeps_the_dashboard(tmp_path: Path, monkeypatch):
    async def broken(text: str) -> None:
        raise OSError(5, "disk gone")

    async with running(tmp_path) as run:
        monkeypatch.setattr(run.session, "rename", broken)
        run.dashboard.run("task.rename", "x")
        await run.until(lambda: "disk gone" in run.dashboard.conversation.notice.text)
        await run.type("still here")
        assert run.prompt.text == "still here"


@pytest.mark.parametrize("error", [KeenError("The disk is full."), OSError(28, "no space")], ids=["full", "fault"])
async def test_a_history_that_can_not_be_kept_does_not_end_the_dashboard(tmp_path: Path, monkeypatch, error):
    async def full(text: str) -> None:
        raise error

    async with running(tmp_path) as run:
        monkeypatch.setattr(run.services, "remember_prompt", full)
        await run.type("hi")
        await run.press("enter")
        await run.until(lambda: "full" in run.text or "no space" in run.text)
        await run.type("more")
        assert run.session.sent == ["hi"] and run.prompt.text == "more"
