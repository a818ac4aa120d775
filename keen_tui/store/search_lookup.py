"""Looks into the search index of one task at a time.

No statement is without the task's id: the range of row numbers that belongs to the task narrows the FTS5
tables, and the entries are checked by the id as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from keen_tui.domain.entries import Entry
from keen_tui.domain.refs import Ref
from keen_tui.store.connection import Connection
from keen_tui.store.records import Row
from keen_tui.store.search_query import Plan

WINDOW = 1_000
"""Matches that are ranked at most, of the newest and of the oldest each."""
TASK_ROWS = 32
"""Bits of a row number that count the entries of one task."""

_COLUMNS = "e.source, e.number, e.author, e.kind, e.time, e.comment, e.text"


@dataclass(frozen=True, slots=True)
class Filters:
    """Empty fields filter nothing. `both` leaves out what a comment holds as well."""

    source: str = ""
    author: str = ""
    kind: str = ""

    @property
    def both(self) -> bool:
        return not self.source


class SearchLookup:
    """Every method raises StoreError when the database refuses."""

    def __init__(self, connection: Connection) -> None:
        self._db = connection

    async def search(self, task_id: str, plan: Plan, filters: Filters, limit: int) -> list[Entry]:
        """The best matches by BM25; of equal ones the newest first."""
        bounds = await self._bounds(task_id)
        if bounds is None:
            return []
        found, values = _matching(plan, filters, task_id, bounds)
        driver = _driver(plan)
        key = f"{driver}.rowid" if driver else "e.id"
        score = f"ROUND(bm25({driver}), 2)" if driver else "0.0"
        ranked: dict[int, float] = {}
        for order in ("DESC", "ASC"):
            rows = await self._db.read(f"SELECT {key}, {score} {found} ORDER BY {key} {order} LIMIT {WINDOW}", values)
            ranked.update((int(row), float(points)) for row, points in rows)
            if len(rows) < WINDOW:
                break
        best = sorted(ranked, key=lambda row: (ranked[row], -row))[:limit]
        rows = await self._db.read(
            f"SELECT e.id, {_COLUMNS} FROM search_entries AS e WHERE +e.task_id = ? "
            f"AND e.id IN ({', '.join('?' * len(best))})",
            (task_id, *best),
        )
        entries = {int(row[0]): _entry(row[1:]) for row in rows}
        return [entries[row] for row in best if row in entries]

    async def newest(self, task_id: str, plan: Plan, filters: Filters, limit: int) -> list[Entry]:
        """The newest matches, the last one first."""
        bounds = await self._bounds(task_id)
        if bounds is None:
            return []
        found, values = _matching(plan, filters, task_id, bounds)
        key = f"{_driver(plan)}.rowid" if _driver(plan) else "e.id"
        rows = await self._db.read(f"SELECT {_COLUMNS} {found} ORDER BY {key} DESC LIMIT ?", (*values, limit))
        return [_entry(row) for row in rows]

    async def is_later(self, task_id: str, one: Ref, other: Ref) -> bool:
        """Whether the first entry stands behind the second one."""
        query = "(SELECT id FROM search_entries WHERE task_id = ? AND source = ? AND number = ?)"
        ((later,),) = await self._db.read(
            f"SELECT {query} > {query}", (task_id, one.source, one.number, task_id, other.source, other.number)
        )
        return bool(later)

    async def around(self, task_id: str, ref: Ref, before: int, after: int) -> list[Entry]:
        """The entry and its neighbours of the same source, in order; empty when there is no such entry."""
        select = f"SELECT {_COLUMNS} FROM search_entries AS e WHERE e.task_id = ? AND e.source = ? AND e.number"
        earlier = await self._db.read(
            f"{select} <= ? ORDER BY e.number DESC LIMIT ?", (task_id, ref.source, ref.number, before + 1)
        )
        if not earlier or _entry(earlier[0]).ref != ref:
            return []
        later = await self._db.read(f"{select} > ? ORDER BY e.number LIMIT ?", (task_id, ref.source, ref.number, after))
        return [_entry(row) for row in (*reversed(earlier), *later)]

    async def nearest(self, task_id: str, ref: Ref) -> list[Ref]:
        """The entries of the same source right before and behind a number."""
        found = []
        for side in (
            "MAX(number) FROM search_entries WHERE number <",
            "MIN(number) FROM search_entries WHERE number >",
        ):
            ((number,),) = await self._db.read(
                f"SELECT {side} ? AND task_id = ? AND source = ?", (ref.number, task_id, ref.source)
            )
            if number is not None:
                found.append(Ref(ref.source, int(number)))
        return found

    async def _bounds(self, task_id: str) -> tuple[int, int] | None:
        rows = await self._db.read("SELECT number FROM search_tasks WHERE task_id = ?", (task_id,))
        return (int(rows[0][0]) << TASK_ROWS, ((int(rows[0][0]) + 1) << TASK_ROWS) - 1) if rows else None


def _driver(plan: Plan) -> str:
    """The FTS5 table that finds the candidates; empty when all entries must be looked at."""
    return "search_trigrams" if plan.trigrams else "search_words" if plan.words else ""


def _matching(plan: Plan, filters: Filters, task_id: str, bounds: tuple[int, int]) -> tuple[str, list[Any]]:
    """FROM and WHERE of the entries that match, with their values."""
    driver = _driver(plan)
    values: list[Any] = []
    if driver:
        source = f"FROM {driver} CROSS JOIN search_entries AS e ON e.id = {driver}.rowid"
        conditions = [f"{driver} MATCH ?", f"{driver}.rowid BETWEEN ? AND ?"]
        values += [plan.trigrams or plan.words, *bounds]
    else:
        source = "FROM search_entries AS e"
        conditions = ["e.id BETWEEN ? AND ?"]
        values += bounds
    conditions.append("+e.task_id = ?")
    values.append(task_id)
    if plan.words and plan.trigrams:
        conditions.append(
            "e.id IN (SELECT rowid FROM search_words WHERE search_words MATCH ? AND rowid BETWEEN ? AND ?)"
        )
        values += [plan.words, *bounds]
    for text in plan.contains:
        conditions.append("instr(lower(e.text), ?) > 0")
        values.append(text)
    if filters.both:
        conditions.append("e.comment = 0")
    for column, value in (("source", filters.source), ("author", filters.author), ("kind", filters.kind)):
        if value:
            conditions.append(f"e.{column} = ?")
            values.append(value)
    if filters.kind:
        conditions.append("e.source = 'comment'")
    return f"{source} WHERE {' AND '.join(conditions)}", values


def _entry(row: Row) -> Entry:
    source, number, author, kind, time, comment, text = row
    return Entry(Ref(source, number), author, kind, datetime.fromtimestamp(time, UTC), text, comment)
