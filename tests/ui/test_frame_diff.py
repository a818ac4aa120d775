"""The frame difference: fewer bytes, the same screen."""

from __future__ import annotations

import inspect
import random
import re
from itertools import pairwise
from typing import Any

import pyte
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.color import ColorSystem
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.app import App
from textual.geometry import Region
from textual.strip import Strip

from keen_tui.ui.frame_diff import Frame, erases_background
from keen_tui.ui.sgr import turn

CONSOLE = Console(color_system="truecolor", force_terminal=True)
BASE = Style.parse("#e0e0e0 on #101010")
STYLES = (BASE, BASE, BASE, Style.parse("bold #ffaa00 on #101010"), Style.parse("#e0e0e0 on #303030"), Style(), 
          Style.parse("reverse"), Style.parse("underline red"), Style.parse("italic #00ff00 on #101010"))  # fmt: skip
CHARACTERS = "aabbcc    xyz─│é中文日👍"


class Terminal:
    """What pyte shows of the sequences."""

    def __init__(self, width: int, height: int) -> None:
        self.screen = pyte.Screen(width, height)
        self.stream = pyte.Stream(self.screen)
        self.written = 0

    def feed(self, text: str) -> None:
        self.written += len(text.encode())
        self.stream.feed(text)

    def shown(self) -> list[list[tuple[Any, ...]]]:
        """Each cell as the eye sees it: of a blank, only what shows on it."""
        return [[self._seen(self.screen.buffer[y][x]) for x in range(self.screen.columns)]
                for y in range(self.screen.lines)]  # fmt: skip

    @staticmethod
    def _seen(cell: Any) -> tuple[Any, ...]:
        lines = (cell.underscore, cell.strikethrough, cell.reverse)
        if cell.data in ("", " ") and not cell.reverse:
            return (cell.data, cell.bg, lines)
        return (cell.data, cell.fg, cell.bg, cell.bold, cell.italics, lines)


class World:
    """Random updates, written twice: as Textual writes them, and as differences."""

    def __init__(self, seed: int, characters: str = CHARACTERS) -> None:
        self.random = random.Random(seed)
        self.characters = characters
        self.frame = Frame()
        self.resize()

    def resize(self) -> None:
        self.width, self.height = self.random.randint(8, 40), self.random.randint(3, 14)
        self.side = self.random.choice((0, 0, self.width // 3))
        self.rows = [self.line(self.width) for _ in range(self.height)]
        self.plain, self.lean = Terminal(self.width, self.height), Terminal(self.width, self.height)
        self.whole()

    def line(self, width: int) -> Strip:
        segments, left = [], width
        while left > 0:
            text = "".join(self.random.choice(self.characters) for _ in range(self.random.randint(1, 9)))
            text = text if self.random.random() < 0.7 else " " * len(text)
            while cell_len(text) > left:
                text = text[:-1]
            text = text or " "
            segments.append(Segment(text, self.random.choice(STYLES)))
            left -= cell_len(text)
        return Strip(segments, width)

    def whole(self) -> None:
        self.write(LayoutUpdate([[row] for row in self.rows], Region(0, 0, self.width, self.height)))

    def write(self, update: LayoutUpdate | ChopsUpdate) -> None:
        self.plain.feed(update.render_segments(CONSOLE))
        self.lean.feed(self.frame.difference(update, ColorSystem.TRUECOLOR))
        assert self.lean.shown() == self.plain.shown()

    def step(self) -> None:
        match self.random.choice(("resize", "whole", "scroll", "scroll", "scroll", "change", "change", "part", "part")):
            case "resize" if self.random.random() < 0.3:
                self.frame.forget()
                self.resize()
            case "scroll":
                self.scroll()
                self.whole()
            case "change":
                self.rows[self.random.randrange(self.height)] = self.line(self.width)
                self.whole()
            case "part":
                self.part()
            case _:
                self.whole()

    def scroll(self) -> None:
        """Rows move up, between others that stay; beside a pane only their left part does."""
        top = self.random.randint(0, self.height - 2)
        bottom = self.random.randint(top + 2, self.height)
        by = self.random.randint(1, bottom - top - 1)
        old = list(self.rows)
        for y in range(top, bottom):
            edge = self.width - self.side
            moved = old[y + by] if y + by < bottom else self.line(self.width)
            self.rows[y] = Strip.join([moved.crop(0, edge), old[y].crop(edge)]) if self.side else moved

    def part(self) -> None:
        """Some rows, in cuts, of which some are not drawn."""
        cuts = sorted({0, self.width, self.random.randint(1, self.width - 1)})
        spans, chops = [], []
        for y in range(self.height):
            if self.random.random() < 0.5:
                left, right = (0, self.width) if len(cuts) < 3 else self.random.choice([cuts[:2], cuts[1:]])
                fresh = self.line(right - left)
                self.rows[y] = Strip.join([self.rows[y].crop(0, left), fresh, self.rows[y].crop(right)])
                spans.append((y, left, right))
                chops.append({x: self.rows[y].crop(x, end) if left <= x < right else None
                              for x, end in pairwise(cuts)})  # fmt: skip
            else:
                chops.append(dict.fromkeys(cuts[:-1]))
        if spans:
            self.write(ChopsUpdate(chops, spans, [cuts[1:]] * self.height))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 1 << 32))
def test_the_screen_is_the_same_over_random_updates_scrolls_and_resizes(seed):
    world = World(seed, "aabbcc    xyz─│é")
    for _ in range(25):
        world.step()


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 1 << 32))
def test_the_screen_is_the_same_when_every_row_is_redrawn_with_wide_characters(seed):
    world = World(seed)
    for _ in range(20):
        world.scroll()
        # Rows are drawn left to right and whole: half a wide character is never left over.
        world.rows = [row if cell_len(row.text) == world.width else world.line(world.width) for row in world.rows]
        world.whole()


def rows_update(*texts: str) -> LayoutUpdate:
    width = max(map(cell_len, texts))
    strips = [[Strip([Segment(text + " " * (width - cell_len(text)), BASE)], width)] for text in texts]
    return LayoutUpdate(strips, Region(0, 0, width, len(texts)))


def written(frame: Frame, *texts: str) -> str:
    return frame.difference(rows_update(*texts), ColorSystem.TRUECOLOR)


def test_nothing_is_written_for_the_same_frame_and_little_for_one_character():
    frame = Frame()
    written(frame, "one   ", "two   ")
    assert written(frame, "one   ", "two   ") == ""
    text = written(frame, "one   ", "twoX  ")
    assert text.startswith("\x1b[2;4H") and "X" in text and "two" not in text


def test_rows_that_moved_are_moved_by_the_terminal():
    words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"]
    frame = Frame()
    rows = [f"{words[number % 7]} row {number} {words[number % 5]} {words[number % 8]}" for number in range(30)]
    rows = [f"{row:<40}" for row in rows]
    written(frame, *rows[:20])
    text = written(frame, *rows[2:22])
    assert text.startswith("\x1b[1;20r\x1b[20H\n\n\x1b[r")
    assert "row 20" in text and "row 21" in text and "row 19" not in text


def test_rows_beside_a_pane_that_stays_are_not_scrolled():
    frame, side = Frame(), [f"│ pane line {number:>2} stays" for number in range(20)]
    rows = [f"row {number:>2} with words" for number in range(30)]
    written(frame, *(a + b for a, b in zip(rows, side, strict=False)))
    text = written(frame, *(a + b for a, b in zip(rows[1:], side, strict=False)))
    assert "r\x1b[" not in text and "pane" not in text and "words" not in text


def test_trailing_blanks_are_erased_where_erasing_takes_the_background():
    for erases, expected in ((True, True), (False, False)):
        frame = Frame(erases)
        written(frame, "a long line of words", "x")
        assert ("\x1b[K" in written(frame, "a", "x" + " " * 19)) == expected


def test_gnu_screen_does_not_erase_with_the_background():
    assert not erases_background({"TERM": "screen-256color", "STY": "1.pts"})
    assert erases_background({"TERM": "screen-256color", "TMUX": "/tmp/tmux"})
    assert erases_background({"TERM": "xterm-256color"})


def test_a_zero_width_character_belongs_to_the_cell_before_and_its_row_is_written_whole():
    frame = Frame()
    written(frame, "start e\u0301nd")
    assert "start e\u0301nX" in re.sub(r"\x1b\[[\d;]*[A-Za-z]", "", written(frame, "start e\u0301nX"))


def test_a_wide_character_is_written_whole():
    frame, terminal = Frame(), Terminal(8, 1)
    for text in ("a中b文  ", "aa中文  ", "中文中  ", "xxxxxx  "):
        terminal.feed(written(frame, text))
        assert terminal.screen.display[0].split() == text.split()


def test_a_forgotten_frame_is_drawn_whole():
    frame = Frame()
    first = written(frame, "one", "two")
    frame.forget()
    assert written(frame, "one", "two") == first


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("", "1;38;2;1;2;3", "\x1b[1;38;2;1;2;3m"),
        ("38;2;1;2;3;48;5;4", "38;2;9;9;9;48;5;4", "\x1b[38;2;9;9;9m"),
        ("1;31;40", "31;40", "\x1b[0;31;40m"),
        ("31", "", "\x1b[m"),
    ],
)
def test_a_look_is_changed_by_as_few_codes_as_possible(before, after, expected):
    assert turn(before, after) == expected


def test_textual_still_has_the_names_that_the_difference_is_built_on():
    """Fails with an update of Textual that renames them: then read `frame_diff.py` against it again."""
    assert list(inspect.signature(App._display).parameters) == ["self", "screen", "renderable"]
    source = inspect.getsource(App._display)
    for name in ("_batch_count", "_running", "_closed", "is_headless", "_driver", "_begin_update", "render_segments",
                 "cursor_position", "_previous_cursor_position", "_end_update"):  # fmt: skip
        assert name in source, name
    assert issubclass(LayoutUpdate, CompositorUpdate) and issubclass(ChopsUpdate, CompositorUpdate)
    assert list(inspect.signature(LayoutUpdate).parameters) == ["strips", "region"]
    assert list(inspect.signature(ChopsUpdate).parameters) == ["chops", "spans", "chop_ends"]
    assert "_ansi" in inspect.getsource(Strip.render_ansi)
