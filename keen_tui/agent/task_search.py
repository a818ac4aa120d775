"""Search over everything that was said in all tasks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from keen_tui.agent.recall import TaskRecall
from keen_tui.agent.shared import Shared
from keen_tui.domain.entries import Hit
from keen_tui.domain.folding import flat
from keen_tui.store.records import TaskRecord
from keen_tui.store.search_query import parse_query

HITS = 3
"""Hits of one task that are shown."""
MOST_TASKS = 2_000


@dataclass(frozen=True, slots=True)
class TaskFound:
    """`hits` is empty where only the title matches. `notes` say what could not be searched."""

    record: TaskRecord
    hits: tuple[Hit, ...]
    notes: tuple[str, ...] = ()


async def find_in_tasks(shared: Shared, words: str, workspace: Path | None) -> list[TaskFound]:
    """The tasks of one workspace, or of all (None), that match, the last touched first.

    Raises QueryProblem for a query that can't be answered, StoreError when the index can't be read.
    """
    query = parse_query(words)
    found = []
    for record in await shared.store.tasks(workspace, limit=MOST_TASKS):
        recall = TaskRecall(shared.store, record.id, shared.home.transcript(record.id))
        in_task = await recall.find(words, limit=HITS)
        title = flat(record.title)
        if in_task.hits or all(needle in title for needle in query.needles):
            found.append(TaskFound(record, in_task.hits, in_task.notes))
    return found
