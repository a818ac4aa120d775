"""What Keen keeps of tasks beside their transcripts."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Self

from keen_tui.store.connection import BUSY_TIMEOUT, Connection
from keen_tui.store.failures import StoreError
from keen_tui.store.kept_form import kept_text
from keen_tui.store.records import (
    BriefRevision,
    CommentRecord,
    TaskRecord,
    UsageTotals,
    brief_revision,
    comment_record,
    path_value,
    task_record,
)
from keen_tui.store.search_index import SearchIndex
from keen_tui.store.search_lookup import SearchLookup
from keen_tui.store.task_ids import new_task_id

__all__ = [
    "BriefRevision",
    "CommentRecord",
    "Store",
    "StoreError",
    "TaskRecord",
    "UsageTotals",
]

HISTORY_ENTRY = 64 * 1024
"""Characters of the longest prompt that the prompt history keeps."""
HISTORY_SIZE = 2_000
"""Prompts in the history of one workspace."""

_TASK = "id, workspace, title, model, mode, replay, draft, turns, created, updated"
_NEXT_TOUCH = "(SELECT COALESCE(MAX(touch), 0) + 1 FROM tasks)"


class Store:
    """The database. Every method raises StoreError when the file can't be read or written.

    Texts are kept without the secrets in them.
    """

    def __init__(self, connection: Connection) -> None:
        self._db = connection
        self.index = SearchIndex(connection)
        self.lookup = SearchLookup(connection)

    @classmethod
    async def open(cls, path: Path, busy_timeout: float = BUSY_TIMEOUT) -> Self:
        """Open or create the database (0600) and bring it to the current schema.

        Raises StoreError when it is damaged, locked, read-only, full or written by a newer Keen.
        """
        return cls(await Connection.open(path, busy_timeout))

    async def close(self) -> None:
        await self._db.close()

    async def create_task(self, workspace: Path, model: str, mode: str, title: str = "") -> TaskRecord:
        """A task with a fresh id."""
        moment = time.time()
        async with self._db.transaction():
            task_id = new_task_id(moment)
            while await self._db.read("SELECT 1 FROM tasks WHERE id = ?", (task_id,)):
                task_id = new_task_id(moment)
            await self._db.write(
                "INSERT INTO tasks (id, workspace, title, model, mode, created, updated, touch) "
                f"VALUES (?, ?, ?, ?, ?, ?, ?, {_NEXT_TOUCH})",
                (task_id, path_value(workspace), kept_text(title), kept_text(model), mode, moment, moment),
            )
        return await self._one_task(task_id)

    async def task(self, id_or_prefix: str) -> TaskRecord | None:
        """The task with this id, or the only one whose id begins so; None when there is none.

        Raises StoreError when several begin so.
        """
        prefix = id_or_prefix.strip().lower()
        if not prefix.isascii() or not prefix.isalnum():
            return None
        rows = await self._db.read(
            f"SELECT {_TASK} FROM tasks WHERE id >= ? AND id < ? ORDER BY id LIMIT 6", (prefix, prefix + "~")
        )
        if len(rows) == 1:
            return task_record(rows[0])
        if not rows:
            return None
        names = ", ".join(row[0] for row in rows[:5]) + (", …" if len(rows) > 5 else "")
        raise StoreError(f"Several tasks begin with {prefix}: {names}.", "Give more characters of the task's id.")

    async def tasks(self, workspace: Path | None, limit: int = 200, *, empty: bool = False) -> list[TaskRecord]:
        """Tasks of one workspace, or of all (None), the last touched first.

        Those without a turn, a title or a draft are left out unless `empty`.
        """
        conditions = [] if empty else ["(turns > 0 OR title != '' OR draft != '')"]
        values: list[object] = []
        if workspace is not None:
            conditions.append("workspace = ?")
            values.append(path_value(workspace))
        where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
        rows = await self._db.read(f"SELECT {_TASK} FROM tasks {where} ORDER BY touch DESC LIMIT ?", [*values, limit])
        return [task_record(row) for row in rows]

    async def newest_task(self, workspace: Path) -> TaskRecord | None:
        """The workspace's last touched task that is not empty."""
        found = await self.tasks(workspace, limit=1)
        return found[0] if found else None

    async def update_task(
        self,
        task_id: str,
        *,
        title: str | None = None,
        model: str | None = None,
        mode: str | None = None,
        turns: int | None = None,
        draft: str | None = None,
        replay: str | None = None,
    ) -> None:
        """Change what is not None, and make the task the last touched one. Raises StoreError for no task."""
        texts = {"title": title, "model": model, "mode": mode, "draft": draft, "replay": replay}
        changes: dict[str, object] = {name: kept_text(text) for name, text in texts.items() if text is not None}
        if turns is not None:
            changes["turns"] = turns
        changes["updated"] = time.time()
        columns = ", ".join(f"{name} = ?" for name in changes)
        async with self._db.transaction():
            changed = await self._db.write(
                f"UPDATE tasks SET {columns}, touch = {_NEXT_TOUCH} WHERE id = ?",
                [*changes.values(), task_id],
            )
            if not changed:
                raise _no_task(task_id)

    async def add_comment(self, task_id: str, author: str, kind: str, text: str, time: datetime | None = None) -> int:
        """Add an entry to the conversation; its number in the task, from 1."""
        async with self._db.transaction():
            number = await self._next("comments", "id", task_id)
            await self._db.write(
                "INSERT INTO comments (task_id, id, author, kind, text, time) VALUES (?, ?, ?, ?, ?, ?)",
                (task_id, number, author, kind, kept_text(text), _seconds(time)),
            )
        return number

    async def put_comment(self, task_id: str, comment: CommentRecord) -> None:
        """Bring back a comment under its own number; one that is there stays as it is."""
        async with self._db.transaction():
            await self._require(task_id)
            await self._db.write(
                "INSERT OR IGNORE INTO comments (task_id, id, author, kind, text, time) VALUES (?, ?, ?, ?, ?, ?)",
                (task_id, comment.id, comment.author, comment.kind, kept_text(comment.text), _seconds(comment.time)),
            )

    async def comments(self, task_id: str, after: int = 0) -> list[CommentRecord]:
        """The comments of a task in order, those behind a number."""
        rows = await self._db.read(
            "SELECT id, author, kind, text, time FROM comments WHERE task_id = ? AND id > ? ORDER BY id",
            (task_id, after),
        )
        return [comment_record(row) for row in rows]

    async def add_brief_revision(
        self,
        task_id: str,
        author: str,
        fields: Sequence[str],
        before: Mapping[str, str],
        after: Mapping[str, str],
        movement: str = "",
    ) -> int:
        """Record a change of the brief; its number in the task, from 1."""
        texts = (json.dumps(list(fields)), _texts(before), _texts(after))
        async with self._db.transaction():
            number = await self._next("brief_revisions", "revision", task_id)
            await self._db.write(
                "INSERT INTO brief_revisions "
                "(task_id, revision, author, movement, fields, before, after, time) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (task_id, number, author, kept_text(movement), *texts, _seconds(None)),
            )
        return number

    async def brief_revisions(self, task_id: str) -> list[BriefRevision]:
        """All changes of the brief in order."""
        rows = await self._db.read(
            "SELECT revision, author, movement, fields, before, after, time FROM brief_revisions "
            "WHERE task_id = ? ORDER BY revision",
            (task_id,),
        )
        return [brief_revision(row) for row in rows]

    async def add_usage(
        self,
        task_id: str,
        *,
        model: str,
        input_tokens: int,
        output_tokens: int,
        cached_tokens: int = 0,
        cost: float | None = None,
        turn: str = "",
    ) -> None:
        """Record one model call. Tokens as in the event UsageReported; `cost` in USD."""
        values = (task_id, turn, kept_text(model), input_tokens, output_tokens, cached_tokens, cost)
        async with self._db.transaction():
            await self._require(task_id)
            await self._db.write(
                "INSERT INTO usage "
                "(task_id, turn, model, input_tokens, output_tokens, cached_tokens, cost, time) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (*values, _seconds(None)),
            )

    async def usage(self, task_id: str) -> UsageTotals:
        """Sums over all model calls of a task."""
        ((calls, sent, received, cached, cost),) = await self._db.read(
            "SELECT COUNT(*), COALESCE(SUM(input_tokens), 0), COALESCE(SUM(output_tokens), 0), "
            "COALESCE(SUM(cached_tokens), 0), SUM(cost) FROM usage WHERE task_id = ?",
            (task_id,),
        )
        return UsageTotals(calls, sent, received, cached, cost)

    async def add_prompt_history(self, workspace: Path, text: str) -> None:
        """Remember a prompt. An empty, a very long or a repeated one is passed over; the oldest go."""
        text, place = kept_text(text), path_value(workspace)
        if not text.strip() or len(text) > HISTORY_ENTRY or text in await self.prompt_history(workspace, 1):
            return
        async with self._db.transaction():
            await self._db.write(
                "INSERT INTO prompt_history (workspace, text, time) VALUES (?, ?, ?)",
                (place, text, _seconds(None)),
            )
            await self._db.write(
                "DELETE FROM prompt_history WHERE workspace = ? AND id <= (SELECT id FROM prompt_history "
                "WHERE workspace = ? ORDER BY id DESC LIMIT 1 OFFSET ?)",
                (place, place, HISTORY_SIZE),
            )

    async def prompt_history(self, workspace: Path, limit: int = 500) -> list[str]:
        """Prompts sent in a workspace, newest first."""
        rows = await self._db.read(
            "SELECT text FROM prompt_history WHERE workspace = ? ORDER BY id DESC LIMIT ?",
            (path_value(workspace), limit),
        )
        return [row[0] for row in rows]

    async def _one_task(self, task_id: str) -> TaskRecord:
        rows = await self._db.read(f"SELECT {_TASK} FROM tasks WHERE id = ?", (task_id,))
        if not rows:
            raise _no_task(task_id)
        return task_record(rows[0])

    async def _require(self, task_id: str) -> None:
        if not await self._db.read("SELECT 1 FROM tasks WHERE id = ?", (task_id,)):
            raise _no_task(task_id)

    async def _next(self, table: str, column: str, task_id: str) -> int:
        await self._require(task_id)
        ((number,),) = await self._db.read(
            f"SELECT COALESCE(MAX({column}), 0) + 1 FROM {table} WHERE task_id = ?", (task_id,)
        )
        return int(number)


def _no_task(task_id: str) -> StoreError:
    return StoreError(f"There is no task {task_id}. Nothing was saved.", "`keen tasks` lists the tasks.")


def _texts(fields: Mapping[str, str]) -> str:
    return json.dumps({name: kept_text(text) for name, text in fields.items()})


def _seconds(moment: datetime | None) -> float:
    return time.time() if moment is None else moment.timestamp()
