"""The rows of the store, as frozen values."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from keen_tui.domain.events import Author

Row = Sequence[Any]


@dataclass(frozen=True, slots=True)
class TaskRecord:
    """A task as lists show it. Times are in UTC. `replay` is empty where the model's setting applies."""

    id: str
    workspace: Path
    title: str
    model: str
    mode: str
    replay: str
    draft: str
    turns: int
    created: datetime
    updated: datetime


@dataclass(frozen=True, slots=True)
class CommentRecord:
    """One entry of the conversation; `id` counts from 1 inside its task."""

    id: int
    author: Author
    kind: str
    text: str
    time: datetime


@dataclass(frozen=True, slots=True)
class BriefRevision:
    """One change of the brief: the named fields had `before` and have `after`."""

    revision: int
    author: str
    movement: str
    fields: tuple[str, ...]
    before: Mapping[str, str]
    after: Mapping[str, str]
    time: datetime


@dataclass(frozen=True, slots=True)
class UsageTotals:
    """Sums over model calls. `cost` is in USD, None when no call's price is known."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost: float | None = None


def task_record(row: Row) -> TaskRecord:
    """From the columns in the order of the fields."""
    return TaskRecord(
        id=row[0],
        workspace=Path(os.fsdecode(row[1])),
        title=row[2],
        model=row[3],
        mode=row[4],
        replay=row[5],
        draft=row[6],
        turns=row[7],
        created=_moment(row[8]),
        updated=_moment(row[9]),
    )


def comment_record(row: Row) -> CommentRecord:
    """From the columns in the order of the fields."""
    return CommentRecord(id=row[0], author=row[1], kind=row[2], text=row[3], time=_moment(row[4]))


def brief_revision(row: Row) -> BriefRevision:
    """From the columns in the order of the fields; `fields`, `before` and `after` are JSON."""
    return BriefRevision(
        revision=row[0],
        author=row[1],
        movement=row[2],
        fields=tuple(json.loads(row[3])),
        before=json.loads(row[4]),
        after=json.loads(row[5]),
        time=_moment(row[6]),
    )


def path_value(path: Path) -> str | bytes:
    """A path as text, or as bytes where its name is not UTF-8."""
    raw = os.fsencode(path)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
