"""Looking into a task's own past: the search and the reading that the agent and the person share."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from keen_tui.domain.entries import Entry, Hit
from keen_tui.domain.errors import KeenError
from keen_tui.domain.events import AssistantText, Event
from keen_tui.domain.folding import flat
from keen_tui.domain.refs import Ref, parse_ref
from keen_tui.memory.recall import excerpt
from keen_tui.store.database import Store
from keen_tui.store.failures import StoreError
from keen_tui.store.search_index import Covered
from keen_tui.store.search_lookup import Filters
from keen_tui.store.search_query import Plan, Query, parse_query
from keen_tui.store.search_sync import SearchSync

log = logging.getLogger(__name__)

DEFAULT_LIMIT = 8
MOST_HITS = 20
DEFAULT_AROUND = 2
MOST_AROUND = 10
STEP_DELAY = 0.2
"""Seconds after an event until it is indexed, so that events that come together are indexed together."""
_SPARE = 3
"""How many more matches are fetched than are wanted, since some say the same."""
_LATER = 8
"""Newest matches of an author that are looked at for a later entry."""


@dataclass(frozen=True, slots=True)
class Found:
    """`notes` are sentences about what could not be searched."""

    hits: tuple[Hit, ...]
    notes: tuple[str, ...] = ()


class TaskRecall:
    """The past of one task, and of no other: no argument names a task."""

    def __init__(self, store: Store, task_id: str, transcript: Path) -> None:
        self._index, self._lookup = store.index, store.lookup
        self._task = task_id
        self._sync = SearchSync(store, task_id, transcript)
        self._following: asyncio.Task[None] | None = None
        self._again = False
        self._closing = asyncio.Event()

    # Staying in step

    def follow(self, event: Event) -> None:
        """A listener of the journal: what is stored is soon indexed."""
        if not event.stored or isinstance(event, AssistantText) or self._closing.is_set():
            return
        self._again = True
        if self._following is None or self._following.done():
            self._following = asyncio.create_task(self._follow())

    async def _follow(self) -> None:
        while self._again:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._closing.wait(), STEP_DELAY)
            self._again = False
            try:
                await self.bring_up_to_date()
            except KeenError as error:
                log.warning("the search index was not brought up to date: %s", error.message)

    async def close(self) -> None:
        """Index what is left."""
        self._closing.set()
        if self._following is not None:
            await asyncio.wait([self._following])

    async def bring_up_to_date(self) -> Covered:
        """Index what is missing. Raises StoreError when a source or the index can't be read."""
        try:
            return await self._sync.bring_up_to_date()
        except StoreError as error:
            if not await self._index.mend(error):
                raise
        return await self._sync.bring_up_to_date()

    # Searching

    async def find(
        self, words: str, *, source: str = "", author: str = "", kind: str = "", limit: int = DEFAULT_LIMIT
    ) -> Found:
        """The best hits for plain words or a phrase in quotes. Empty filters filter nothing.

        Raises QueryProblem for a query that can't be answered, StoreError when the index can't be read.
        """
        query = parse_query(words)
        covered = await self.bring_up_to_date()
        filters = Filters(source, author, kind)
        try:
            hits = await self._hits(query, filters, limit)
        except StoreError as error:
            if not await self._index.mend(error):
                raise
            covered = await self.bring_up_to_date()
            hits = await self._hits(query, filters, limit)
        notes = []
        if covered.skipped:
            lines = "1 damaged line" if covered.skipped == 1 else f"{covered.skipped:,} damaged lines"
            notes.append(f"({lines} of the transcript could not be searched.)")
        return Found(tuple(hits), tuple(notes))

    async def _hits(self, query: Query, filters: Filters, limit: int) -> list[Hit]:
        found: list[tuple[Entry, Plan]] = []
        newest: dict[tuple[Plan, str], Sequence[Entry]] = {}
        for plan in query.plans:
            if len(found) >= limit:
                break
            look = self._lookup.search if plan.ranked else self._lookup.newest
            entries = await look(self._task, plan, filters, limit * _SPARE)
            for entry in entries:
                if not any(entry.ref == other.ref or _says_the_same(entry, other) for other, _ in found):
                    found.append((entry, plan))
            if not plan.ranked and filters == Filters():
                newest |= {(plan, e.author): [o for o in entries if o.author == e.author] for e in entries}
        hits = []
        for entry, plan in found[:limit]:
            if (key := (plan, entry.author)) not in newest:
                newest[key] = await self._lookup.newest(self._task, plan, Filters(author=entry.author), _LATER)
            later = await self._later(entry, newest[key])
            text = excerpt(entry.text, query.needles)
            hits.append(Hit(entry.ref, entry.author, entry.kind, entry.time, text, later))
        return hits

    async def _later(self, entry: Entry, newest: Sequence[Entry]) -> Ref | None:
        """The newest of the matches, when it stands behind the entry and says something else."""
        for other in newest:
            if other.ref == entry.ref or not await self._lookup.is_later(self._task, other.ref, entry.ref):
                return None
            if not _says_the_same(entry, other):
                return other.ref
        return None

    # Reading

    async def read(self, ref_text: str, before: int = DEFAULT_AROUND, after: int = DEFAULT_AROUND) -> list[Entry]:
        """An entry and its neighbours, in order. Raises KeenError when the task has no such entry."""
        ref = parse_ref(ref_text)
        if ref is None:
            raise KeenError(
                f"{ref_text[:60]!r} is no ref. A ref is comment:N or transcript:N, as SearchTaskConversation gives it."
            )
        await self.bring_up_to_date()
        entries = await self._lookup.around(self._task, ref, before, after)
        if not entries:
            near = await self._lookup.nearest(self._task, ref)
            there = f" The nearest are {' and '.join(map(str, near))}." if near else ""
            raise KeenError(f"There is no entry {ref} in this task's conversation.{there}")
        return entries


def _says_the_same(one: Entry, other: Entry) -> bool:
    """Whether a comment and an entry of the transcript hold the same words of the same author."""
    if one.ref.source == other.ref.source or one.author != other.author:
        return False
    comment, line = (one, other) if one.ref.source == "comment" else (other, one)
    return flat(line.text) in flat(comment.text)
