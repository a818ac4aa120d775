"""The task picker: earlier tasks of the workspace, by title and by what was said in them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence

from textual.widgets import Input

from keen_tui.domain.errors import KeenError
from keen_tui.ui.dialogs.list_dialog import ListDialog, matches
from keen_tui.ui.lines import Line, Span, line
from keen_tui.ui.services import TaskRecord
from keen_tui.ui.top_line import short_model

Find = Callable[[str], Awaitable[Mapping[str, str]]]
"""Excerpts by the id of the task in which the words were said."""


class TaskPicker(ListDialog):
    """Dismissed with `task:ID`."""

    def __init__(self, tasks: Sequence[TaskRecord], current: str, find: Find) -> None:
        title, footer = "Tasks of this workspace", "Type to search all that was said   Enter opens   Esc closes"
        super().__init__(title, self._rows, footer=footer)
        self._tasks = tasks
        self._current = current
        self._find = find
        self._found: Mapping[str, str] = {}

    def _rows(self, words: str, width: int) -> list[Line]:
        if not self._tasks:
            return [line(Span(" No earlier task here.", "muted"))]
        rows: list[Line] = []
        for task in self._tasks:
            if task.id in self._found or matches(words, task.title, task.id, task.model):
                rows.append(_row(task, task.id == self._current))
                if excerpt := self._found.get(task.id):
                    rows.append(line(Span(f"     {excerpt}", "muted")))
        return rows

    def on_input_changed(self, event: Input.Changed) -> None:
        self._found = {}
        super().on_input_changed(event)
        if words := event.value.strip():
            self.run_worker(self._look(words), group="find", exclusive=True)

    async def _look(self, words: str) -> None:
        """Search in what was said. A search that fails leaves the titles."""
        try:
            found = await self._find(words)
        except KeenError:
            return
        if words == self.words.value.strip():
            self._found = found
            self.redraw()


def _row(task: TaskRecord, current: bool) -> Line:
    turns = f"{task.turns} turn{'s' if task.turns != 1 else ''}"
    when = task.updated.astimezone().strftime("%Y-%m-%d %H:%M")
    return line(
        Span(" ● " if current else "   ", "accent"),
        Span(task.title or "untitled task", "strong" if current else "text"),
        right=[Span(f"{short_model(task.model)}  {turns}  {when}  {task.id[:8]} ", "muted")],
        key=f"task:{task.id}",
    )
