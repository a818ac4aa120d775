"""The real program in a real pseudo-terminal, by keyboard alone, on the demo model."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.bench.terminal import Terminal

PATIENCE = 40.0
"""Seconds that anything may take on a busy machine."""

SIZES = [(120, 40), (80, 24), (200, 60)]


class Keen:
    """A running dashboard and the person in front of it."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal

    @property
    def text(self) -> str:
        return self.terminal.emulate().text

    def sees(self, *words: str, within: float = PATIENCE) -> None:
        """Wait until all words are on the screen."""
        found = self.terminal.wait_for(lambda text: all(word in text for word in words), within)
        assert found is not None, f"{words} never came; the screen is:\n{self.text}"

    def until(self, seen: Callable[[str], bool]) -> None:
        assert self.terminal.wait_for(seen, PATIENCE) is not None, self.text

    def types(self, text: str) -> None:
        self.terminal.write(text.encode())

    def ends(self) -> int:
        """Wait for the end of the program; its exit code, or the negative number of its signal."""
        while not self.terminal.ended:
            self.terminal.read(PATIENCE)
        _, status = os.waitpid(self.terminal.pid, 0)
        return os.waitstatus_to_exitcode(status)


@contextmanager
def keen(folder: Path, *arguments: str, size: tuple[int, int] = (120, 40), **more: str) -> Iterator[Keen]:
    project = folder / "project"
    if not project.exists():
        project.mkdir()
        (project / "README.md").write_text("# Tide\n\nTide tables for sailors.\n")
        (project / "tide.py").write_text("print('tide')\n")
    environ = {
        "KEEN_HOME": str(folder / "home"),
        "HOME": str(folder),
        "PATH": os.environ["PATH"],
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
        **more,
    }
    terminal = Terminal([sys.executable, "-m", "keen_tui.cli", *arguments], environ, project, *size)
    try:
        yield Keen(terminal)
    finally:
        terminal.close()


def quit_by_keyboard(program: Keen) -> None:
    program.types("\x03")
    program.sees("Ctrl+C again quits")
    program.types("\x03")
    assert program.ends() == 0


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_the_first_minute(size: tuple[int, int], tmp_path: Path) -> None:
    with keen(tmp_path, size=size) as program:
        program.sees("Choose a model", "demo")
        program.types("\r")
        program.until(lambda text: "Choose a model" not in text)
        program.types("What is this project about?\r")
        program.sees("That is all a demo can tell", "idle")
        program.types("\x1bOS" if size == (80, 24) else "")  # F4
        program.sees("Goal", "What is this project about?")
        program.types("\x1bOQ" if size == (80, 24) else "")  # F2
        program.sees("That is all a demo can tell")
        program.terminal.wait_until_quiet(0.5, 10)
        shown = program.text
        quit_by_keyboard(program)
    with keen(tmp_path, "--continue", size=size) as program:
        program.sees("That is all a demo can tell", "idle")
        program.terminal.wait_until_quiet(0.5, 10)
        assert _conversation(program.text) == _conversation(shown)
        quit_by_keyboard(program)


def _conversation(text: str) -> list[str]:
    """The rows of the conversation's own column, without the lines that say what may be pressed."""
    rows = [row.split(" │", 1)[0].rstrip(" ▁▂▃▄▅▆▇█") for row in text.splitlines()[2:-3]]
    return [row for row in rows if row]


def test_what_is_typed_while_keen_starts_is_not_lost(tmp_path: Path) -> None:
    with keen(tmp_path, "--model", "demo") as program:
        text = "Please mark src/tide.py, then run wc"
        for letter in text:
            program.types(letter)
            program.terminal.read_for(0.03)
        program.sees("idle", f"> {text}")


def test_an_edit_is_shown_whole_and_waits_for_a_key(tmp_path: Path) -> None:
    with keen(tmp_path, "--model", "demo", "/demo edit") as program:
        program.sees("Write keen-demo.md?", "y once", "+ # Keen demo")
        program.terminal.read_for(0.7)
        assert not (tmp_path / "project" / "keen-demo.md").exists()
        program.types("y")
        program.sees("Edit keen-demo.md?", "+ - colour: green")
        program.terminal.read_for(0.7)
        program.types("n")
        program.terminal.read_for(0.3)
        program.types("leave it\r")
        program.sees("leave it", "idle")
        assert "green" not in (tmp_path / "project" / "keen-demo.md").read_text()


def test_a_kill_in_the_middle_of_a_turn_can_be_continued(tmp_path: Path) -> None:
    with keen(tmp_path, "--model", "demo", "/demo long") as program:
        program.sees("answering")
        program.until(lambda text: text.count("\n") > 20 and "keen" in text)
        program.terminal.read_for(1.0)
        os.kill(program.terminal.pid, signal.SIGKILL)
        assert program.ends() == -signal.SIGKILL
    with keen(tmp_path, "--continue") as program:
        program.sees("Keen stopped while this turn was running", "idle")
        program.types("/demo help\r")
        program.sees("/demo edit", "idle")


@pytest.mark.parametrize("how", ["keys", "SIGTERM", "SIGHUP"])
def test_the_terminal_is_restored_at_the_end(how: str, tmp_path: Path) -> None:
    with keen(tmp_path, "--model", "demo") as program:
        program.sees("idle", "ask")
        assert program.terminal.is_raw
        if how == "keys":
            quit_by_keyboard(program)
        else:
            os.kill(program.terminal.pid, getattr(signal, how))
            assert program.ends() == 128 + getattr(signal, how)
        written = b"".join(piece.data for piece in program.terminal.written)
        assert written.rindex(b"\x1b[?1049l") > written.rindex(b"\x1b[?1049h")
        assert written.rindex(b"\x1b[?25h") > written.rindex(b"\x1b[?25l")
        for mode in (b"1000", b"1003", b"1006", b"2004"):
            if b"\x1b[?%sh" % mode in written:
                assert written.rindex(b"\x1b[?%sl" % mode) > written.rindex(b"\x1b[?%sh" % mode)


def test_a_resize_storm_leaves_a_whole_screen(tmp_path: Path) -> None:
    with keen(tmp_path, "--model", "demo", "/demo long") as program:
        program.sees("answering")
        for size in [(200, 50), (40, 12), (120, 40)] * 4:
            program.terminal.resize(*size)
            program.terminal.read_for(0.1)
        program.sees("idle", "ask", "demo")
        assert len(program.text.splitlines()) == 40


def test_a_huge_paste_becomes_a_chip_and_stays_whole(tmp_path: Path) -> None:
    with keen(tmp_path, "--model", "demo") as program:
        program.sees("idle", "ask")
        lines = "\r".join(f"line {number}" for number in range(10_000))
        program.types(f"\x1b[200~{lines}\x1b[201~")
        program.sees("[pasted 10,000 lines]")
        program.types("\r")
        program.sees("That is all a demo can tell")
        transcripts = list((tmp_path / "home" / "tasks").glob("*/logs/transcript.jsonl"))
        assert any("line 9999" in path.read_text() for path in transcripts)


def test_ctrl_c_in_the_editor_is_the_editors_own(tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\ntrap "echo caught; echo from the editor >$1; exit 0" INT\necho editing\nread x\n')
    editor.chmod(0o755)
    with keen(tmp_path, "--model", "demo", EDITOR=str(editor)) as program:
        program.sees("idle", "ask")
        program.types("\x07")
        program.sees("editing")
        program.types("\x03")
        program.sees("from the editor", "idle")
        program.types("\x03")
        program.sees("The draft is cleared")
        quit_by_keyboard(program)
