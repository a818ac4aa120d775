"""The search index: the entries of all tasks, with FTS5 tables of their words and their trigrams.

Each task has a range of row numbers of its own, in which its entries stand in the order in which they
happened.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from keen_tui.domain.entries import Entry
from keen_tui.domain.folding import flat, word_form
from keen_tui.domain.refs import Ref
from keen_tui.store.connection import Connection
from keen_tui.store.failures import StoreError
from keen_tui.store.search_lookup import TASK_ROWS

INDEX_VERSION = 1
"""Raise it when texts are folded in another way: every task is then indexed anew."""
TEXT_LIMIT = 64 * 1024
"""Characters of one entry that are indexed: the beginning and the end of a longer one."""

_TABLES = {
    "search_words": "tokenize = \"unicode61 remove_diacritics 2 tokenchars '_'\"",
    "search_trigrams": "tokenize = 'trigram'",
}


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
class _State:
    """`line` is the newest entry of the transcript that is indexed, `row` the last row number in use."""

    covered: Covered
    line: int
    row: int


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
        ((tables, version),) = await self._db.read(
            "SELECT (SELECT COUNT(*) FROM sqlite_master WHERE name IN (?, ?)), (SELECT MIN(version) FROM search_state)",
            tuple(_TABLES),
        )
        if tables < len(_TABLES) or version != INDEX_VERSION:
            return False
        ((entries, words, trigrams),) = await self._db.read(
            "SELECT (SELECT MAX(id) FROM search_entries), (SELECT MAX(id) FROM search_words_docsize), "
            "(SELECT MAX(id) FROM search_trigrams_docsize)"
        )
        return bool(entries == words == trigrams)

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
        state = await self._state(task_id)
        return Covered() if state is None else state.covered

    async def _state(self, task_id: str) -> _State | None:
        newest = "(SELECT COALESCE(MAX(number), 0) FROM search_entries WHERE task_id = t.task_id AND source = '{}')"
        rows = await self._db.read(
            f"SELECT bytes, lines, skipped, {newest.format('comment')}, {newest.format('transcript')}, "
            f"(SELECT COALESCE(MAX(id), t.number << {TASK_ROWS}) FROM search_entries "
            f"WHERE id BETWEEN t.number << {TASK_ROWS} AND ((t.number + 1) << {TASK_ROWS}) - 1) "
            "FROM search_tasks AS t WHERE task_id = ?",
            (task_id,),
        )
        if not rows:
            return None
        size, lines, skipped, comment, line, last = map(int, rows[0])
        return _State(Covered(size, lines, skipped, comment), line, last)

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
            state = await self._state(task_id)
            if (Covered() if state is None else state.covered) != before:
                return False
            state = state or await self._begin(task_id)
            last, newest = state.row, {"comment": state.covered.comment, "transcript": state.line}
            fresh = []
            for ref, written in final.items():
                old = await self._row(task_id, ref) if ref.number <= newest[ref.source] else None
                if old is not None:
                    await self._unindex([old])
                if written is not None:
                    last += old is None
                    fresh.append(_Row(last if old is None else old[0], task_id, *written))
            await self._insert(fresh)
            await self._db.write(
                "UPDATE search_tasks SET bytes = ?, lines = ?, skipped = ? WHERE task_id = ?",
                (after.bytes, after.lines, after.skipped, task_id),
            )
        return True

    async def _begin(self, task_id: str) -> _State:
        """Give a task its range of row numbers; what an index without one left behind goes."""
        await self._unindex_all(task_id)
        await self._db.write("INSERT INTO search_tasks (task_id) VALUES (?)", (task_id,))
        state = await self._state(task_id)
        assert state is not None
        return state

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
        rows = await self._db.read("SELECT id, text FROM search_entries WHERE task_id = ?", (task_id,))
        await self._unindex([(int(row), str(text)) for row, text in rows])

    async def _unindex(self, rows: Sequence[tuple[int, str]]) -> None:
        """Take rows out of all tables, given the texts they have."""
        await self._db.write_many("DELETE FROM search_entries WHERE id = ?", [(row,) for row, _ in rows])
        for name, form in (("search_words", word_form), ("search_trigrams", flat)):
            forms = await asyncio.to_thread(_forms, rows, form)
            await self._db.write_many(f"INSERT INTO {name} ({name}, rowid, text) VALUES ('delete', ?, ?)", forms)

    async def forget(self, task_id: str) -> None:
        """Take a task out of the index, so that it is indexed anew."""
        async with self._db.transaction():
            await self._unindex_all(task_id)
            await self._db.write("DELETE FROM search_tasks WHERE task_id = ?", (task_id,))


def _forms(rows: Sequence[tuple[int, str]], form: Callable[[str], str]) -> list[tuple[int, str]]:
    return [(row, form(text)) for row, text in rows]


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
