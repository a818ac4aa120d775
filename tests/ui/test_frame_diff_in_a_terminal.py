"""The real program in a pseudo-terminal shows the same with and without the frame difference."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from tests.bench.terminal import Terminal

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")


def start(folder: Path, frame_diff: bool) -> Terminal:
    home = folder / f"home-{frame_diff}"
    home.mkdir()
    switch = str(frame_diff).lower()
    (home / "config.toml").write_text(f'model = "demo"\n[ui]\nframe_diff = {switch}\n')
    environ = {
        "KEEN_HOME": str(home),
        "PYTHONPATH": str(ROOT),
        "PATH": os.environ["PATH"],
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "LANG": "C.UTF-8",
    }
    return Terminal((sys.executable, "-m", "keen_tui.cli"), environ, folder)


def reached(terminal: Terminal, needle: str) -> None:
    assert terminal.wait_for(lambda text: needle in text, 30), terminal.screen.text
    terminal.wait_until_quiet(0.4, 10)


def screens(terminal: Terminal) -> list[str]:
    """The screens of one walk through the program, without what counts time or memory."""
    found = []

    def keep() -> None:
        found.append(re.sub(r"home-\w+|\d+(\.\d+)? ?(s|ms|bytes|k)\b", "", terminal.emulate().text))

    try:
        reached(terminal, "F1 help")
        terminal.write("wörds 中文 日本語 and 👍 typed".encode())
        reached(terminal, "typed")
        keep()
        terminal.write(b"\x7f" * 12)
        reached(terminal, "日本語")
        keep()
        for columns, rows in ((60, 20), (200, 50), (100, 30)):
            terminal.resize(columns, rows)
            terminal.wait_until_quiet(0.5, 10)
            keep()
        terminal.write(b"\x1bOP")
        reached(terminal, "Help")
        keep()
        terminal.write(b"\x1b")
        reached(terminal, "F1 help")
        keep()
    finally:
        terminal.close()
    return found


def test_the_program_shows_the_same_with_and_without_the_difference(tmp_path):
    lean, plain = start(tmp_path, True), start(tmp_path, False)
    assert screens(lean) == screens(plain)
    assert lean.bytes_written < plain.bytes_written
