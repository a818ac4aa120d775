"""The commands keen tasks and keen doctor --task."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from keen_tui.security.untrusted import visible_line

if TYPE_CHECKING:
    from keen_tui.agent.doctor import Check
    from keen_tui.agent.task_search import TaskFound
    from keen_tui.agent.workbench import Workbench
    from keen_tui.store.records import TaskRecord


def tasks_command(parser: argparse.ArgumentParser, arguments: list[str], bench: Callable[[], Workbench]) -> int:
    """List the tasks, or those in which words were said."""
    parser.add_argument("--all", action="store_true", help="of every workspace")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--search", metavar="WORDS", help="only tasks in which these words stand, with what was found")
    options = parser.parse_args(arguments)
    return asyncio.run(_list_tasks(bench(), options.all, options.json, options.search))


async def _list_tasks(bench: Workbench, everywhere: bool, as_json: bool, words: str | None) -> int:
    from keen_tui.agent.task_search import TaskFound, find_in_tasks

    workspace = None if everywhere else bench.workspace
    try:
        shared = await bench.shared()
        if words is None:
            found = [TaskFound(record, ()) for record in await shared.store.tasks(workspace)]
        else:
            found = await find_in_tasks(shared, words, workspace)
    finally:
        await bench.close()
    if as_json:
        print(json.dumps([_as_json(task, words is not None) for task in found], default=str))
    elif not found:
        print("No tasks yet. `keen` starts one." if words is None else "No task matches. Try fewer words.")
    for task in () if as_json else found:
        _print_task(task, everywhere)
    return 0


def _as_json(task: TaskFound, searched: bool) -> dict[str, object]:
    record: dict[str, object] = asdict(task.record)
    if searched:
        record["hits"] = [
            {
                "ref": str(hit.ref),
                "author": hit.author,
                "kind": hit.kind,
                "time": hit.time,
                "excerpt": hit.excerpt,
                "later": None if hit.later is None else str(hit.later),
            }
            for hit in task.hits
        ]
    return record


def _print_task(task: TaskFound, everywhere: bool) -> None:
    print(visible_line(_title(task.record, everywhere)))
    for hit in task.hits:
        print(visible_line(f"    {hit.ref} {hit.author}: {hit.excerpt}"))
    for note in task.notes:
        print(visible_line(f"    {note}"))


def _title(record: TaskRecord, everywhere: bool) -> str:
    place = f"  {record.workspace}" if everywhere else ""
    updated = record.updated.astimezone().strftime("%Y-%m-%d %H:%M")
    return f"{record.id}  {updated}  {record.turns:>3} turns  {record.title}{place}"


async def examine_task(bench: Workbench, task: str | None, fix: bool) -> Sequence[Check]:
    """Check one task, or repair it. Raises KeenError when there is no such task, TaskLocked when it is open."""
    from keen_tui.agent.repair import check_task, repair_task

    try:
        record = await bench.find_task(task)
        shared = await bench.shared()
        return await (repair_task if fix else check_task)(shared, record)
    finally:
        await bench.close()
