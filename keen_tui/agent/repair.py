"""What is wrong with one task's records, and how it is put right: `keen doctor --task`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from keen_tui.agent.doctor import Check
from keen_tui.agent.recall import TaskRecall
from keen_tui.agent.shared import Shared
from keen_tui.agent.task_record import closing_prose
from keen_tui.config.private_files import write_private
from keen_tui.domain.errors import KeenError
from keen_tui.domain.events import CommentAdded, Event, QuestionAnswered, QuestionAsked, TurnCompleted, TurnStarted
from keen_tui.domain.views import apply, fold
from keen_tui.store.failures import StoreError
from keen_tui.store.records import CommentRecord, TaskRecord
from keen_tui.store.search_sync import expected_counts
from keen_tui.store.task_lock import TaskLock
from keen_tui.store.transcript import Transcript, TranscriptContents, read_lines

SHOWN = 20
"""Damaged lines that are listed one by one."""
FIX = "`keen doctor --fix --task {}` repairs it and keeps the original beside it."


@dataclass(frozen=True, slots=True)
class _Findings:
    contents: TranscriptContents
    exists: bool
    missing: Sequence[CommentRecord]
    indexed: tuple[int, int]
    expected: tuple[int, int]

    @property
    def damaged(self) -> bool:
        """Whether there is a line that a repair would change."""
        return len(self.contents.problems) > self.contents.unknown


async def check_task(shared: Shared, record: TaskRecord) -> list[Check]:
    """The report on one task. Nothing is changed. Raises StoreError when a file can't be read at all."""
    return _report(record, await _look(shared, record))


async def repair_task(shared: Shared, record: TaskRecord) -> list[Check]:
    """Put right what can be, and report what was done. Raises TaskLocked when the task is open elsewhere."""
    lock = TaskLock.acquire(shared.home.task_dir(record.id))
    try:
        found = await _look(shared, record)
        done: list[Check] = []
        path = shared.home.transcript(record.id)
        if found.damaged:
            kept, dropped = await asyncio.to_thread(_rewrite, path)
            text = f"{dropped} unreadable lines taken out, {found.contents.last_seq:,} entries kept"
            done.append(Check("transcript", "ok", f"repaired: {text}", f"The original is {kept}."))
        for comment in found.missing:
            await shared.store.put_comment(record.id, comment)
        if found.missing:
            done.append(Check("comments", "ok", f"{len(found.missing)} brought back from the transcript"))
        await shared.store.index.forget(record.id)
        covered = await TaskRecall(shared.store, record.id, path).bring_up_to_date()
        comments, entries = await shared.store.index.counts(record.id)
        done.append(Check("search index", "ok", f"made again: {comments:,} comments, {entries:,} entries"))
        if covered.skipped:
            done.append(Check("transcript", "problem", f"{covered.skipped} lines still can't be read"))
        return done
    finally:
        lock.release()


async def _look(shared: Shared, record: TaskRecord) -> _Findings:
    path = shared.home.transcript(record.id)
    contents = await asyncio.to_thread(Transcript.read, path)
    comments = await shared.store.comments(record.id)
    missing = await asyncio.to_thread(_missing_comments, contents.events, {comment.id for comment in comments})
    try:
        await shared.store.index.prepare()
        indexed = await shared.store.index.counts(record.id)
    except StoreError:
        indexed = (0, 0)
    expected = await asyncio.to_thread(expected_counts, contents.events, comments)
    return _Findings(contents, path.exists(), missing, indexed, expected)


def _report(record: TaskRecord, found: _Findings) -> list[Check]:
    fix = FIX.format(record.id)
    checks = []
    contents = found.contents
    entries = f"{len(contents.events):,} entries"
    if not found.exists:
        state = "problem" if record.turns else "note"
        hint = "The comments are kept in the database and can be searched." if record.turns else ""
        checks.append(Check("transcript", state, "there is no file", hint))  # type: ignore[arg-type]
    elif not found.damaged:
        checks.append(Check("transcript", "ok", entries))
    else:
        checks.append(Check("transcript", "problem", f"{entries}, {len(contents.problems)} problems", fix))
    lines = [Check(f"line {problem.line}", "note", problem.reason) for problem in contents.problems[:SHOWN]]
    if len(contents.problems) > SHOWN:
        lines.append(Check("more lines", "note", f"{len(contents.problems) - SHOWN:,} more like these"))
    checks += lines
    if found.missing:
        checks.append(Check("comments", "problem", f"{len(found.missing)} stand only in the transcript", fix))
    else:
        checks.append(Check("comments", "ok", f"{found.expected[0]:,}"))
    if found.indexed == found.expected:
        checks.append(Check("search index", "ok", "in step"))
    else:
        indexed, expected = sum(found.indexed), sum(found.expected)
        hint = "The next search or --fix brings it in step."
        checks.append(Check("search index", "note", f"holds {indexed:,} of {expected:,} entries", hint))
    return checks


def _missing_comments(events: Sequence[Event], there: set[int]) -> list[CommentRecord]:
    """Comments that the transcript tells of and the database does not have."""
    missing: dict[int, CommentRecord] = {}
    view = fold(())
    for event in events:
        number = getattr(event, "comment", 0)
        turn = view.turn
        if number and number not in there:
            match event:
                case TurnStarted():
                    found = CommentRecord(number, "user", "request", event.text, event.time)
                case CommentAdded():
                    found = CommentRecord(number, event.author, event.kind, event.text, event.time)
                case QuestionAsked():
                    found = CommentRecord(number, "agent", "ask", event.question, event.time)
                case QuestionAnswered():
                    found = CommentRecord(number, "user", "comment", event.text, event.time)
                case TurnCompleted() if turn is not None:
                    found = CommentRecord(number, "agent", "result", closing_prose(turn), event.time)
                case _:
                    continue
            missing[number] = found
        apply(view, event)
    return list(missing.values())


def _rewrite(path: Path) -> tuple[Path, int]:
    """Write the readable lines anew and keep the original as it is. Returns where it is, and the lines taken out."""
    try:
        raw = path.read_bytes()
        kept, dropped = [], 0
        for number, line in enumerate(raw.split(b"\n"), start=1):
            clean = line.replace(b"\0", b"").strip()
            if not clean:
                continue
            read = read_lines(clean + b"\n", number - 1)
            if read.events or read.unknown:
                kept.append(clean + b"\n")
            else:
                dropped += 1
        backup = _free_name(path)
        write_private(backup, raw)
        write_private(path, b"".join(kept))
    except OSError as error:
        raise KeenError(
            f"{path} can't be repaired: {error.strerror or error}. It was left as it is.",
            "Make room on the disk, or make the folder writable.",
        ) from error
    return backup, dropped


def _free_name(path: Path) -> Path:
    backup = path.with_name(f"{path.name}.bak")
    number = 2
    while backup.exists():
        backup = path.with_name(f"{path.name}.bak{number}")
        number += 1
    return backup
