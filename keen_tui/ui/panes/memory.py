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
from keen_tui.ui.services import MemoryFileState
from keen_tui.ui.top_line import short_path

GAUGE = 20


def file_rows(file: MemoryFileState, width: int) -> list[Line]:
    """Title, path, gauge and text of one file; the cut is marked where it falls."""
    part = file.size / file.cap if file.cap else 0.0
    role: Role = "error" if part > 1 else "warning" if part > 0.8 else "bar"
    gauge = bar(min(1.0, part), GAUGE)
    rows = [
        line(
            Span(f" {file.title}", "accent"),
            right=[Span(f"{cut_left(safe(short_path(file.path)), max(10, width - len(file.title) - 4))} ", "muted")],
            key=f"memory:{file.title}",
        ),
        line(
            Span(f"   {gauge}", role),
            Span("░" * (GAUGE - len(gauge)), "muted"),
            Span(f" {size(file.size)} of {size(file.cap)}"),
        ),
    ]
    for number, source in enumerate(file.text.splitlines(), 1):
        if number == file.cut_line:
            rows.append(line(Span("   from here on it is not loaded", "warning")))
        rows += [
            line(Span(f"   {row}", "muted" if 0 < file.cut_line <= number else "text"))
            for row in wrap(source, width - 4)
        ]
    if not file.text:
        rows.append(line(Span("   empty", "muted")))
    return [*rows, Line()]


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
        self.files: Sequence[MemoryFileState] = ()

    def tell_files(self, files: Sequence[MemoryFileState]) -> None:
        self.files = files
        self.redraw()

    def rows(self, width: int) -> Sequence[Line]:
        if not any(file.text for file in self.files):
            return []
        return [row for file in self.files for row in file_rows(file, width)]

    def action_reload(self) -> None:
        self.post_message(self.Wanted())
