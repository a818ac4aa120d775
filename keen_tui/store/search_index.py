"""The search index: the entries of all tasks, with FTS5 tables of their words and their trigrams.

Each task has a range of row numbers of its own, in which its entries stand in the order in which they
happened. No statement that reads entries is without the task's id and its range.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from keen_tui.domain.entries import Entry
from keen_tui.domain.folding import flat, word_form
from keen_tui.domain.refs import Ref
from keen_tui.store.connection import Connection
from keen_tui.store.failures import StoreError
from keen_tui.store.records import Row
from keen_tui.store.search_query import Plan

INDEX_VERSION = 1
"""Raise it when texts are folded in another way: every task is then indexed anew."""
TEXT_LIMIT = 64 * 1024
"""Characters of one entry that are indexed: the beginning and the end of a longer one."""
WINDOW = 1_000
"""Matches that are ranked at most, of the newest and of the oldest each."""

_TABLES = {
    "search_words": "tokenize = \"unicode61 remove_diacritics 2 tokenchars '_'\"",
    "search_trigrams": "tokenize = 'trigram'",
}
_COLUMNS = "e.source, e.number, e.author, e.kind, e.time, e.comment, e.text"


@dataclass(frozen=True, slots=True)
class Covered:
    """How far the index of a task reaches: `bytes` and `lines` of the transcript, `comment` the last comment.

    `skipped` lines could not be read.
    """

    bytes: int = 0
    lines: int = 0
    skipped: int = 0
    comment: int = 0


@dataclass(frozen=True, slots=True)
class Filters:
    """Empty fields filter nothing. `both` leaves out what a comment holds as well."""

    source: str = ""
    author: str = ""
    kind: str = ""

    @property
    def both(self) -> bool:
        return not self.source


@dataclass(frozen=True, slots=True)
class _Row:
    """`columns` are those of search_entries behind the task, `words` and `trigrams` the forms that are indexed."""

    id: int
    task_id: str
    columns: tuple[Any, ...]
    words: str
    trigrams: str


class SearchIndex:
    """Every method raises StoreError when the database refuses."""

    def __init__(self, connection: Connection) -> None:
        self._db = connection

    async def prepare(self) -> None:
        """Make the tables where they are missing, damaged in number, or of another version."""
        if not await self._is_sound():
            await self.reset()

    async def _is_sound(self) -> bool:
        names = await self._db.read("SELECT name FROM sqlite_master WHERE name IN (?, ?)", tuple(_TABLES))
        if len(names) < len(_TABLES) or await self._db.read("SELECT version FROM search_state") != [(INDEX_VERSION,)]:
            return False
        ((entries, words, trigrams),) = await self._db.read(
            "SELECT (SELECT MAX(id) FROM search_entries), (SELECT MAX(id) FROM search_words_docsize), "
            "(SELECT MAX(id) FROM search_trigrams_docsize)"
        )
        return entries == words == trigrams or (entries or 0) == (words or 0) == (trigrams or 0)

    async def reset(self) -> None:
        """Empty the index of all tasks; each is indexed anew when it is needed."""
        async with self._db.transaction():
            for name in _TABLES:
                await self._db.write(f"DROP TABLE IF EXISTS {name}")
            for statement in ("search_entries", "search_tasks", "search_state"):
                await self._db.write(f"DELETE FROM {statement}")
            for name, options in _TABLES.items():
                await self._db.write(f"CREATE VIRTUAL TABLE {name} USING fts5(text, content = '', {options})")
            await self._db.write("INSERT INTO search_state (version) VALUES (?)", (INDEX_VERSION,))

    async def mend(self, error: StoreError) -> bool:
        """Empty an index whose own tables are damaged. False for any other error."""
        if getattr(error.__cause__, "sqlite_errorname", "") != "SQLITE_CORRUPT_VTAB":
            return False
        await self.reset()
        return True

    async def covered(self, task_id: str) -> Covered:
        """How far the index of the task reaches."""
        rows = await self._db.read("SELECT bytes, lines, skipped FROM search_tasks WHERE task_id = ?", (task_id,))
        if not rows:
            return Covered()
        ((comment,),) = await self._db.read(
            "SELECT COALESCE(MAX(number), 0) FROM search_entries WHERE task_id = ? AND source = 'comment'", (task_id,)
        )
        size, lines, skipped = rows[0]
        return Covered(size, lines, skipped, comment)

    async def counts(self, task_id: str) -> tuple[int, int]:
        """How many comments and how many entries of the transcript are indexed."""
        rows = await self._db.read(
            "SELECT source, COUNT(*) FROM search_entries WHERE task_id = ? GROUP BY source", (task_id,)
        )
        found = {str(source): int(count) for source, count in rows}
        return found.get("comment", 0), found.get("transcript", 0)

    async def write(self, task_id: str, entries: Sequence[Entry], before: Covered, after: Covered) -> bool:
        """Add or change entries and move on from `before` to `after`, all or nothing.

        False, with nothing written, when another process has moved on meanwhile.
        """
        final = await asyncio.to_thread(_written, entries)
        async with self._db.transaction():
            if await self.covered(task_id) != before:
                return False
            last = await self._last_row(task_id)
            newest = await self._newest_numbers(task_id)
            fresh = []
            for ref, written in final.items():
                old = await self._row(task_id, ref) if ref.number <= newest.get(ref.source, 0) else None
                if old is not None:
                    await self._unindex(*old)
                if written is not None:
                    last += old is None
                    fresh.append(_Row(last if old is None else old[0], task_id, *written))
            await self._insert(fresh)
            await self._db.write(
                "UPDATE search_tasks SET bytes = ?, lines = ?, skipped = ? WHERE task_id = ?",
                (after.bytes, after.lines, after.skipped, task_id),
            )
        return True

    async def _newest_numbers(self, task_id: str) -> dict[str, int]:
        newest = "(SELECT COALESCE(MAX(number), 0) FROM search_entries WHERE task_id = ? AND source = ?)"
        ((comment, line),) = await self._db.read(
            f"SELECT {newest}, {newest}", (task_id, "comment", task_id, "transcript")
        )
        return {"comment": int(comment), "transcript": int(line)}

    async def _last_row(self, task_id: str) -> int:
        """The last row number in use; a task that is not there yet gets its range."""
        bounds = await self._bounds(task_id)
        if bounds is None:
            await self._unindex_all(task_id)
            await self._db.write("INSERT INTO search_tasks (task_id) VALUES (?)", (task_id,))
            bounds = await self._bounds(task_id)
        assert bounds is not None
        ((last,),) = await self._db.read(
            "SELECT COALESCE(MAX(id), ?) FROM search_entries WHERE id BETWEEN ? AND ?", (bounds[0], *bounds)
        )
        return int(last)

    async def _row(self, task_id: str, ref: Ref) -> tuple[int, str] | None:
        rows = await self._db.read(
            "SELECT id, text FROM search_entries WHERE task_id = ? AND source = ? AND number = ?",
            (task_id, ref.source, ref.number),
        )
        return (int(rows[0][0]), str(rows[0][1])) if rows else None

    async def _insert(self, rows: Sequence[_Row]) -> None:
        await self._db.write_many(
            "INSERT INTO search_entries (id, task_id, source, number, author, kind, time, comment, text) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [(row.id, row.task_id, *row.columns) for row in rows],
        )
        await self._db.write_many(
            "INSERT INTO search_words (rowid, text) VALUES (?, ?)", [(r.id, r.words) for r in rows]
        )
        await self._db.write_many(
            "INSERT INTO search_trigrams (rowid, text) VALUES (?, ?)", [(r.id, r.trigrams) for r in rows]
        )

    async def _unindex_all(self, task_id: str) -> None:
        for row, text in await self._db.read("SELECT id, text FROM search_entries WHERE task_id = ?", (task_id,)):
            await self._unindex(int(row), str(text))

    async def _unindex(self, row: int, text: str) -> None:
        """Take a row out of all tables, given the text it has."""
        await self._db.write("DELETE FROM search_entries WHERE id = ?", (row,))
        for name, form in (("search_words", word_form(text)), ("search_trigrams", flat(text))):
            await self._db.write(f"INSERT INTO {name} ({name}, rowid, text) VALUES ('delete', ?, ?)", (row, form))

    async def forget(self, task_id: str) -> None:
        """Take a task out of the index, so that it is indexed anew."""
        async with self._db.transaction():
            await self._unindex_all(task_id)
            await self._db.write("DELETE FROM search_tasks WHERE task_id = ?", (task_id,))

    # Reading

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
        return (int(rows[0][0]) << 32, ((int(rows[0][0]) + 1) << 32) - 1) if rows else None


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


def _written(entries: Sequence[Entry]) -> dict[Ref, tuple[tuple[Any, ...], str, str] | None]:
    """What the tables get for each ref, as it is after all entries; None for one that was taken back."""
    final: dict[Ref, tuple[tuple[Any, ...], str, str] | None] = {}
    for entry in entries:
        ref, text = entry.ref, _limited(entry.text)
        if not text.strip() and ref.source == "transcript":
            final[ref] = None
            continue
        columns = (ref.source, ref.number, entry.author, entry.kind, entry.time.timestamp(), entry.comment, text)
        final[ref] = (columns, word_form(text), flat(text))
    return final


def _limited(text: str) -> str:
    text = text.encode("utf-8", "replace").decode("utf-8").replace("\0", " ")
    if len(text) <= TEXT_LIMIT:
        return text
    end = TEXT_LIMIT // 4
    return f"{text[: TEXT_LIMIT - end]}\n…\n{text[-end:]}"
