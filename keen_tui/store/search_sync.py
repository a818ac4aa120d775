"""Keeps the search index of one task in step with its sources: the transcript and the comments."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from keen_tui.domain.entries import Entry, EntryReader
from keen_tui.domain.events import Event
from keen_tui.domain.refs import Ref
from keen_tui.store.database import Store
from keen_tui.store.failures import StoreError
from keen_tui.store.records import CommentRecord
from keen_tui.store.search_index import Covered
from keen_tui.store.transcript import TranscriptContents, read_lines

BATCH = 256 * 1024
"""Bytes of the transcript that are indexed in one transaction."""
ATTEMPTS = 5


class SearchSync:
    """Reads what was appended to the transcript since the last time. Any process may do it, at any time."""

    def __init__(self, store: Store, task_id: str, transcript: Path) -> None:
        self._store = store
        self._task = task_id
        self._path = transcript
        self._reader = EntryReader()
        self._read_up_to: Covered | None = Covered()
        """Where the reader stands; None when nobody knows."""
        self._running = asyncio.Lock()

    async def bring_up_to_date(self) -> Covered:
        """Index what is missing; all of it when the index or the transcript is not what it was.

        Raises StoreError when the database or the transcript can't be read.
        """
        async with self._running:
            for _ in range(ATTEMPTS):
                covered = await self._step()
                if covered is not None:
                    return covered
        raise StoreError("The search index of this task is being written by another process.", "Try again.")

    async def _step(self) -> Covered | None:
        """One try; None when another process came in between or everything must be read again."""
        index = self._store.index
        await index.prepare()
        covered = await index.covered(self._task)
        if self._read_up_to is None or covered.bytes != self._read_up_to.bytes:
            self._reader = EntryReader()
        while True:
            part = await asyncio.to_thread(_read_part, self._path, covered)
            if part is None:
                await self._start_again()
                return None
            comments = await self._store.comments(self._task, after=covered.comment)
            if not part.size and not comments:
                self._read_up_to = covered
                return covered
            self._read_up_to = None
            entries = list(_in_order(self._reader, part.contents.events, comments, all_comments=part.is_last))
            if self._reader.lost:
                await self._start_again()
                return None
            after = Covered(
                bytes=covered.bytes + part.size,
                lines=covered.lines + part.lines,
                skipped=covered.skipped + part.damaged,
                comment=max([covered.comment, *(e.ref.number for e in entries if e.ref.source == "comment")]),
            )
            if not await index.write(self._task, entries, covered, after):
                return None
            covered = self._read_up_to = after
            if part.is_last:
                return covered

    async def _start_again(self) -> None:
        self._read_up_to = None
        await self._store.index.forget(self._task)


@dataclass(frozen=True, slots=True)
class _Part:
    """Whole lines of a transcript. `is_last` says that no more stood behind them."""

    size: int
    lines: int
    contents: TranscriptContents

    @property
    def is_last(self) -> bool:
        return self.size < BATCH

    @property
    def damaged(self) -> int:
        """Lines that could not be read whole."""
        return len({problem.line for problem in self.contents.problems}) - self.contents.unknown


def _read_part(path: Path, covered: Covered) -> _Part | None:
    """What stands behind what is covered, a batch at most; None when the file is not the one of before."""
    raw = _read_bytes(path, covered.bytes)
    if raw is None:
        return None
    return _Part(len(raw), raw.count(b"\n"), read_lines(raw, covered.lines))


def _read_bytes(path: Path, start: int) -> bytes | None:
    try:
        with path.open("rb") as file:
            if start > os.fstat(file.fileno()).st_size:
                return None
            if start:
                file.seek(start - 1)
                if file.read(1) != b"\n":
                    return None
            part = file.read(BATCH)
            if len(part) == BATCH and not part.endswith(b"\n"):
                part += file.readline()
    except FileNotFoundError:
        return None if start else b""
    except OSError as error:
        raise StoreError(
            f"The transcript {path} can't be read: {error.strerror or error}. It was left as it is.",
            "Make the file readable for you.",
        ) from error
    return part[: part.rfind(b"\n") + 1]


def _in_order(
    reader: EntryReader, events: Sequence[Event], comments: Sequence[CommentRecord], *, all_comments: bool
) -> Iterator[Entry]:
    """Entries in the order in which things happened: a comment stands right before what tells of it."""
    waiting = list(comments)
    for event in events:
        number = getattr(event, "comment", 0)
        while waiting and waiting[0].id <= number:
            yield _of_comment(waiting.pop(0))
        yield from reader.take(event)
    if all_comments:
        yield from map(_of_comment, waiting)


def _of_comment(record: CommentRecord) -> Entry:
    return Entry(Ref("comment", record.id), record.author, record.kind, record.time, record.text)


def expected_counts(events: Sequence[Event], comments: Sequence[CommentRecord]) -> tuple[int, int]:
    """How many comments and entries of the transcript an index in step holds."""
    found: dict[Ref, Entry] = {}
    for entry in _in_order(EntryReader(), events, comments, all_comments=True):
        found[entry.ref] = entry
    kept = [ref for ref, entry in found.items() if entry.text.strip() or ref.source == "comment"]
    return sum(ref.source == "comment" for ref in kept), sum(ref.source == "transcript" for ref in kept)
