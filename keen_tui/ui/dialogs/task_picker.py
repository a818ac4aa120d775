"""The task picker: earlier tasks of the workspace."""

from __future__ import annotations

from collections.abc import Sequence

from keen_tui.ui.dialogs.list_dialog import ListDialog, matches
from keen_tui.ui.lines import Line, Span, line
from keen_tui.ui.services import TaskRecord
from keen_tui.ui.top_line import short_model


def task_picker(tasks: Sequence[TaskRecord], current: str) -> ListDialog:
    """Dismissed with `task:ID`."""

    def rows(words: str, width: int) -> list[Line]:
        return [_row(task, task.id == current) for task in tasks if matches(words, task.title, task.id, task.model)]

    if not tasks:
        return ListDialog("Tasks", lambda words, width: [line(Span(" No earlier task here.", "muted"))])
    return ListDialog("Tasks of this workspace", rows, footer="Type to search   Enter opens   Esc closes")


def _row(task: TaskRecord, current: bool) -> Line:
    turns = f"{task.turns} turn{'s' if task.turns != 1 else ''}"
    when = task.updated.astimezone().strftime("%Y-%m-%d %H:%M")
    return line(
        Span(" ● " if current else "   ", "accent"),
        Span(task.title or "untitled task", "strong" if current else "text"),
        right=[Span(f"{short_model(task.model)}  {turns}  {when}  {task.id[:8]} ", "muted")],
        key=f"task:{task.id}",
    )
