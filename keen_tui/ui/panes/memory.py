"""The Memory pane: the two memory files, how full they are, and what is not loaded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import BindingType
from textual.message import Message

from keen_tui.ui.amounts import bar, size
from keen_tui.ui.keymap import bindings_for
from keen_tui.ui.lines import Line, Role, Span, cut_left, line, safe, wrap
from keen_tui.ui.panes.pane import Pane
from keen_tui.ui.services import MemoryFile
from keen_tui.ui.top_line import short_path

GAUGE = 20
SHOWN = 5_000
"""Lines of a file that are shown."""
LINE = 5_000
"""Characters of one line that are shown."""


def file_rows(file: MemoryFile, width: int) -> list[Line]:
    """Title, path, gauge and text of one file; the cut is marked where it falls."""
    part = file.size / file.cap if file.cap else 0.0
    role: Role = "error" if part > 1 else "warning" if part > 0.8 else "bar"
    gauge = bar(min(1.0, part), GAUGE)
    title = file.scope.capitalize()
    path = cut_left(safe(short_path(file.path)), max(10, width - len(title) - 4))
    rows = [
        line(Span(f" {title}", "accent"), right=[Span(f"{path} ", "muted")], key=f"memory:{file.scope}"),
        line(
            Span(f"   {gauge}", role),
            Span("░" * (GAUGE - len(gauge)), "muted"),
            Span(f" {size(file.size)} of {size(file.cap)}"),
        ),
    ]
    if file.problem:
        rows += [line(Span(f"   {row}", "warning")) for row in wrap(file.problem, width - 4)]
    return [*rows, *_text_rows(file, width), Line()]


def _text_rows(file: MemoryFile, width: int) -> list[Line]:
    if not file.text.strip():
        return [line(Span("   empty" if file.exists else "   no file yet", "muted"))]
    cut = file.cut_line or 0
    rows: list[Line] = []
    for number, source in enumerate(file.text.splitlines()[:SHOWN], 1):
        if number == cut:
            rows.append(line(Span("   from here on it is not loaded", "warning")))
        role: Role = "muted" if 0 < cut <= number else "text"
        rows += [line(Span(f"   {row}", role)) for row in wrap(source[:LINE], width - 4)]
    return rows


class MemoryPane(Pane):
    """Durable facts across tasks."""

    class Wanted(Message):
        """The files should be read again."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("memory")]
    pane = "memory"
    empty = (
        "Facts that outlive a task: one memory file for everything you do, one for this project. Each request "
        "begins with both.\n\nr reads them again; the agent adds to them when you ask it to remember."
    )

    def __init__(self) -> None:
        super().__init__()
        self.files: Sequence[MemoryFile] = ()

    def tell_files(self, files: Sequence[MemoryFile]) -> None:
        self.files = files
        self.redraw()

    def rows(self, width: int) -> Sequence[Line]:
        if not any(file.text for file in self.files):
            return []
        return [row for file in self.files for row in file_rows(file, width)]

    def action_reload(self) -> None:
        self.post_message(self.Wanted())
