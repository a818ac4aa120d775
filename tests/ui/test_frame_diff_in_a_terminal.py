"""The real program in a pseudo-terminal shows the same with and without the frame difference."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from tests.bench.terminal import Terminal, now

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")


def start(folder: Path, frame_diff: bool, line: type[Terminal] = Terminal) -> Terminal:
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
    return line((sys.executable, "-m", "keen_tui.cli"), environ, folder)


def shown(terminal: Terminal) -> str:
    return re.sub(r"home-\w+", "home", terminal.emulate().text)


def agree(lean: Terminal, plain: Terminal, *needles: str) -> None:
    """Wait until both screens hold the words and are the same."""
    end = now() + 40
    while now() < end:
        for terminal in (lean, plain):
            terminal.wait_until_quiet(0.3, 5)
        text = shown(lean)
        if text == shown(plain) and all(needle in text for needle in needles):
            return
    rows = zip(shown(lean).splitlines(), shown(plain).splitlines(), strict=True)
    different = [f"{a.rstrip()}\n{b.rstrip()}" for a, b in rows if a != b]
    raise AssertionError("\n".join([f"{needles} were waited for, lean above plain:", *different]))


def test_the_program_shows_the_same_with_and_without_the_difference(tmp_path):
    both = lean, plain = start(tmp_path, True), start(tmp_path, False)
    try:
        agree(lean, plain, "F1 help", "demo")
        for keys, needle in (("wörds 中文 日本語 and 👍 typed", "typed"), ("\x7f" * 12, "日本語"), ("\x1bOR", "Tools")):
            for terminal in both:
                terminal.write(keys.encode())
            agree(lean, plain, needle)
        for columns, rows in ((60, 20), (200, 50), (100, 30)):
            for terminal in both:
                terminal.resize(columns, rows)
            agree(lean, plain, "idle")
        for keys, needle in (("\x1bOP", "Help"), ("\x1b", "idle")):
            for terminal in both:
                terminal.write(keys.encode())
            agree(lean, plain, needle)
        assert lean.bytes_written < plain.bytes_written
    finally:
        for terminal in both:
            terminal.close()


class SlowLine(Terminal):
    """Answers of this terminal take a while."""

    delay = 0.3
    _due: float | None = None

    def _answer(self, data: bytes) -> None:
        if b"?2026$p" in data:
            self._due = now() + self.delay

    def read(self, seconds: float) -> bool:
        if self._due is not None and now() >= self._due:
            self._due = None
            self.write(b"\x1b[?2026;2$y")
        return super().read(min(seconds, 0.02))


def test_a_slow_line_is_noticed_and_written_to_less_often(tmp_path):
    terminal = start(tmp_path, True, SlowLine)
    try:
        assert terminal.wait_for(lambda text: "line to this terminal is slow" in text, 30), terminal.screen.text
    finally:
        terminal.close()
