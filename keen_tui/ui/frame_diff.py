"""Writes to the terminal only what differs from the frame that stands on it.

Textual repaints dirty regions whole. Here the last frame is kept as rows of cells; of an update only
runs of changed cells are written, trailing blanks are erased, and a block of whole rows that moved up
is moved by the terminal itself, with line feeds at the bottom of a scroll region. What the eye sees is
the same; a blank may keep another text colour.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import repeat
from typing import Any

from rich.cells import split_graphemes
from rich.color import ColorSystem
from rich.console import Console
from textual import events
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.app import App
from textual.screen import Screen
from textual.strip import Strip

from keen_tui.ui.sgr import blank_codes, look_of, turn

Cell = tuple[str, str]
"""A character with all that combines with it, and its SGR codes. The right half of a wide one is empty."""
Row = list[Cell]

UNKNOWN: Cell = ("\0", "")
BLANK: Cell = (" ", "")
JOIN = 5
"""Runs with at most this many cells between them are written as one: a move costs as much."""
ERASE = 4
"""Trailing blanks from this many on are erased."""
SCROLL_COST = 30
"""Cells that a scroll must save."""
_EDGE = 2
"""Cells at the right that may differ in rows that moved: a scrollbar."""


def cells_of(strips: Iterable[Strip], colours: ColorSystem) -> Row:
    """The cells of strips side by side. Links are left out."""
    row: Row = []
    for text, style, _ in (segment for strip in strips for segment in strip):
        codes = "" if style is None else (style._ansi or Strip.render_ansi(style, colours))
        if text.isascii() and text.isprintable():
            row += zip(text, repeat(blank_codes(codes) if text.isspace() else codes))
            continue
        for start, end, width in split_graphemes(text)[0]:
            if width:
                row += [(text[start:end], codes), *repeat(("", codes), width - 1)]
            elif row:  # it belongs to the cell before
                at = -2 if row[-1][0] == "" else -1
                row[at] = (row[at][0] + text[start:end], row[at][1])
    return row


def _fitted(row: Row, before: Row) -> Row:
    """The row in the width of the one before; what is missing stays as it was."""
    if len(row) > len(before):
        cut = row[len(before)][0] == ""
        row = row[: len(before)]
        if cut:
            row[-1] = BLANK
    return row + before[len(row) :] if len(row) < len(before) else row


class Frame:
    """What stands on the terminal. `erases_background`: erased cells take the background colour."""

    def __init__(self, erases_background: bool = True) -> None:
        self.erases_background = erases_background
        self._rows: list[Row] = []
        self._whole = False

    def forget(self) -> bool:
        """Nothing is known of the terminal. False when nothing was known before."""
        known = bool(self._rows)
        self._rows, self._whole = [], False
        return known

    def difference(self, update: LayoutUpdate | ChopsUpdate, colours: ColorSystem) -> str:
        """The sequences that bring the terminal to the update, empty when it stands there already."""
        new = self._laid_out(update, colours) if isinstance(update, LayoutUpdate) else self._patched(update, colours)
        pen = _Pen(self.erases_background)
        changed = [y for y, (a, b) in enumerate(zip(self._rows, new, strict=True)) if a is not b and a != b]
        if self._whole and len(changed) > 2:
            self._scroll(new, changed, pen)
        for y in range(changed[0], changed[-1] + 1) if changed else ():
            if self._rows[y] is not new[y] and self._rows[y] != new[y]:
                pen.row(y, self._rows[y], new[y])
        self._rows = new
        self._whole = self._whole or isinstance(update, LayoutUpdate)
        return pen.done()

    def _fit(self, width: int, height: int) -> None:
        if len(self._rows) != height or (self._rows and len(self._rows[0]) != width):
            self._rows, self._whole = [[UNKNOWN] * width for _ in range(height)], False

    def _laid_out(self, update: LayoutUpdate, colours: ColorSystem) -> list[Row]:
        region = update.region
        self._fit(region.right, region.bottom)
        new = list(self._rows)
        for y, strips in enumerate(update.strips, region.y):
            before = new[y]
            new[y] = before[: region.x] + _fitted(cells_of(strips, colours), before[region.x :])
        return new

    def _patched(self, update: ChopsUpdate, colours: ColorSystem) -> list[Row]:
        self._fit(max((ends[-1] for ends in update.chop_ends if ends), default=0), len(update.chops))
        new = list(self._rows)
        for y, left, right in update.spans:
            row = new[y] if new[y] is not self._rows[y] else list(new[y])
            for x, end, strip in _chops(update.chops[y], update.chop_ends[y]):
                if x <= right and end > left:
                    last = min(end, right)
                    if row[x][0] == "" and x:  # half of a wide character is overwritten: none is left
                        row[x - 1] = BLANK
                    row[x:last] = _fitted(cells_of([strip.crop(0, last - x)], colours), row[x:last])
                    if last < len(row) and row[last][0] == "":
                        row[last] = BLANK
            new[y] = row
        return new

    def _scroll(self, new: list[Row], changed: list[int], pen: _Pen) -> None:
        """Move the largest block of rows that stands higher in the new frame, where that saves enough."""
        first, last = changed[0], changed[-1]
        before = ["".join([cell[0] for cell in row[:-_EDGE]]) for row in self._rows[first : last + 1]]
        after = ["".join([cell[0] for cell in row[:-_EDGE]]) for row in new[first : last + 1]]
        best = (0, 0, 0, 0)
        for by in range(1, len(after)):
            start = worth = 0
            for y in range(len(after) - by + 1):
                if y < len(after) - by and after[y] == before[y + by]:
                    worth += after[y] != before[y] and not after[y].isspace()
                    continue
                best = max(best, (worth, -by, start, y))
                start, worth = y + 1, 0
        worth, by, start, end = best[0], -best[1], best[2], best[3]
        if not worth:
            return
        top, bottom = first + start, first + end + by
        moved = self._rows[top + by : bottom] + [[BLANK] * len(self._rows[0])] * by
        if _distance(moved, new[top:bottom]) + SCROLL_COST < _distance(self._rows[top:bottom], new[top:bottom]):
            pen.scroll(top, bottom, by)
            self._rows = self._rows[:top] + moved + self._rows[bottom:]


def _chops(chops: Mapping[int, Strip | None], ends: list[int]) -> Iterator[tuple[int, int, Strip]]:
    for (x, strip), end in zip(chops.items(), ends, strict=False):
        if strip is not None:
            yield x, end, strip


def _distance(before: list[Row], after: list[Row]) -> int:
    return sum(sum(map(tuple.__ne__, a, b)) for a, b in zip(before, after, strict=True) if a is not b)


class _Pen:
    """Collects sequences, and knows where the cursor stands and with which look it writes."""

    def __init__(self, erases_background: bool) -> None:
        self._out: list[str] = []
        self._erases_background = erases_background
        self._codes = ""
        self._at = (-1, -1)

    def done(self) -> str:
        self._look("")
        return "".join(self._out)

    def scroll(self, top: int, bottom: int, by: int) -> None:
        """Move the rows from `top` to before `bottom` up; blank rows without a look come in below."""
        self._look("")
        feeds = "\n" * by
        self._out.append(f"\x1b[{top + 1};{bottom}r\x1b[{bottom}H{feeds}\x1b[r")
        self._at = (-1, -1)

    def row(self, y: int, before: Row, after: Row) -> None:
        """Write the cells of a row that changed."""
        runs = _runs(before, after)
        tail = _blank_tail(after)
        look = after[-1][1]
        erases = len(after) - tail >= ERASE and (self._erases_background or not look) and not look_of(look).attributes
        for start, end in runs:
            if erases and end > tail and end - max(start, tail) >= ERASE:
                self._cells(y, start, after[start : max(start, tail)])
                self._move(y, max(start, tail))
                self._look(look, blank=True)
                self._out.append("\x1b[K")
                return
            self._cells(y, start, after[start:end])

    def _cells(self, y: int, x: int, cells: Row) -> None:
        if not cells:
            return
        self._move(y, x)
        for text, codes in cells:
            if codes != self._codes and text:
                self._look(codes, blank=text == " ")
            self._out.append(text)
        self._at = (y, x + len(cells))

    def _move(self, y: int, x: int) -> None:
        row, column = self._at
        if self._at == (y, x):
            return
        if row == y and column < x:
            self._out.append(f"\x1b[{x - column}C" if x - column > 1 else "\x1b[C")
        else:
            self._out.append(f"\x1b[{y + 1};{x + 1}H" if x else f"\x1b[{y + 1}H")
        self._at = (y, x)

    def _look(self, codes: str, blank: bool = False) -> None:
        if codes == self._codes or (blank and blank_codes(codes) == blank_codes(self._codes)):
            return
        self._out.append(turn(self._codes, codes))
        self._codes = codes


def _runs(before: Row, after: Row) -> list[tuple[int, int]]:
    """The runs of cells to write: [start, end). A row where terminals may differ in widths is one run."""
    changed = [x for x, (a, b) in enumerate(zip(before, after, strict=True)) if a != b]
    if any(len(cell[0]) > 1 for row in (before, after) for cell in row):
        changed = [x for x, cell in enumerate(after) if cell is not UNKNOWN]
    runs: list[tuple[int, int]] = []
    for x in changed:
        start, end = x, x + 1
        if after[x][0] == "" and x:
            start -= 1
        if end < len(after) and after[end][0] == "":
            end += 1
        if runs and start - runs[-1][1] <= JOIN and UNKNOWN not in after[runs[-1][1] : start]:
            runs[-1] = (runs[-1][0], max(end, runs[-1][1]))
        else:
            runs.append((start, end))
    return runs


def _blank_tail(row: Row) -> int:
    """Where the blanks of one look at the end of a row begin."""
    x, last = len(row), (" ", row[-1][1]) if row else BLANK
    while x and row[x - 1] == last:
        x -= 1
    return x


def erases_background(environ: Mapping[str, str]) -> bool:
    """Whether erased cells take the background colour: everywhere but in GNU screen."""
    inside_screen = environ.get("TERM", "").startswith("screen") and "TMUX" not in environ
    return not (inside_screen or "STY" in environ)


class _Written(CompositorUpdate):
    """Sequences that are ready, in the clothes of an update."""

    def __init__(self, text: str) -> None:
        self.text = text

    def render_segments(self, console: Console) -> str:
        return self.text


class LeanApp(App[int]):
    """An app that writes differences. Whatever may change the terminal behind its back makes it start anew."""

    writes_differences = True

    def __init__(self, *, erases_background: bool = True, **options: Any) -> None:
        super().__init__(**options)
        self._frame = Frame(erases_background)
        self._frame_screen: Screen[Any] | None = None

    def forget_frame(self, *_: Any) -> None:
        """Draw the whole screen with the next update, and ask for one where something was drawn."""
        drawn = self._frame.forget()
        if drawn and self._running and self.screen_stack:
            self.screen.refresh()

    def on_mount(self) -> None:
        for signal in (self.app_suspend_signal, self.app_resume_signal, self.theme_changed_signal):
            signal.subscribe(self, self.forget_frame)

    def on_resize(self, _: events.Resize) -> None:
        self.forget_frame()

    def _display(self, screen: Screen[Any], renderable: Any) -> None:
        """Textual's exit to the terminal."""
        super()._display(screen, self._reduced(screen, renderable) if self._writes_here else renderable)

    @property
    def _writes_here(self) -> bool:
        """Whether Textual will write: what it passes over must not count as drawn."""
        return self._running and not (self._closed or self.is_headless or self._batch_count or self._driver is None)

    def _reduced(self, screen: Screen[Any], renderable: Any) -> Any:
        if renderable is None:
            return None
        if screen is not self._frame_screen:
            self._frame.forget()
            self._frame_screen = screen
        if not (self.writes_differences and isinstance(renderable, LayoutUpdate | ChopsUpdate)):
            self._frame.forget()
            return renderable
        text = self._frame.difference(renderable, self.console._color_system or ColorSystem.TRUECOLOR)
        cursor = self.screen.outer_size.clamp_offset(self.cursor_position)
        return _Written(text) if text or cursor != self._previous_cursor_position else None
