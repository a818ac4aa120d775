"""The audit log of a task: numbered events, one JSON object a line, only ever appended to."""

from __future__ import annotations

import contextlib
import io
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from keen_tui.config.private_files import FILE_MODE, make_private_folder
from keen_tui.domain.events import Event, parse
from keen_tui.store.backward_lines import lines_backward
from keen_tui.store.failures import StoreError
from keen_tui.store.kept_form import KeptForm


@dataclass(frozen=True, slots=True)
class TranscriptProblem:
    """A line that gave no event, or not a whole one; lines count from 1."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class TranscriptContents:
    """What could be read, in order. `unknown` counts entries of types that this Keen does not know."""

    events: list[Event] = field(default_factory=list)
    problems: list[TranscriptProblem] = field(default_factory=list)
    last_seq: int = 0
    unknown: int = 0


class Transcript:
    """Appends to one file. There must be one writer: hold the task's lock."""

    def __init__(self, path: Path) -> None:
        """Nothing is opened before the first `append`."""
        self.path = path
        self._file: int | None = None
        self._seq = 0
        self._size = 0
        self._kept = KeptForm()

    def append(self, event: Event) -> Event:
        """Number the event, write its line without secrets, and return the event, whole, with its `seq`.

        When this returns the line is with the operating system, so a killed process loses nothing. An
        event that is not `stored` comes back unchanged. Raises StoreError when the line can't be
        written; what was written before stays whole, and the number is used for the next one.
        """
        if not event.stored:
            return event
        try:
            file = self._open() if self._file is None else self._file
            numbered = event.model_copy(update={"seq": self._seq + 1})
            self._write(file, _line(self._kept.of(numbered)))
        except OSError as error:
            raise _not_written(self.path, error) from error
        self._seq += 1
        return numbered

    @property
    def next_seq(self) -> int:
        """The number that the next stored event gets. Raises StoreError when the file can't be opened."""
        if self._file is None:
            try:
                self._open()
            except OSError as error:
                raise _not_written(self.path, error) from error
        return self._seq + 1

    def flush(self) -> None:
        """Have the file on the disk, not only with the operating system."""
        if self._file is not None:
            try:
                os.fsync(self._file)
            except OSError as error:
                raise _not_written(self.path, error) from error

    def close(self) -> None:
        """A later `append` opens the file again."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _open(self) -> int:
        """Open for appending, go on numbering, and end a torn last line so that the next one is whole."""
        make_private_folder(self.path.parent)
        file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, FILE_MODE)
        try:
            self._size = os.fstat(file).st_size
            self._seq = _last_number(file, self._size)
            if self._size and os.pread(file, 1, self._size - 1) != b"\n":
                self._write(file, b"\n")
        except BaseException:
            os.close(file)
            raise
        self._file = file
        return file

    def _write(self, file: int, line: bytes) -> None:
        """All of the line or, when the disk is full in the middle of it, nothing."""
        rest = memoryview(line)
        try:
            while rest:
                rest = rest[os.write(file, rest) :]
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(file, self._size)
            raise
        self._size += len(line)

    @staticmethod
    def read(path: Path) -> TranscriptContents:
        """Everything readable; a missing file is an empty transcript. Bad lines are reported, not fatal.

        Raises StoreError when the file itself can't be read.
        """
        try:
            with path.open("rb") as file:
                return _read_all(file, 0)
        except FileNotFoundError:
            return TranscriptContents()
        except OSError as error:
            raise StoreError(
                f"The transcript {path} can't be read: {error.strerror or error}. It was left as it is.",
                "Make the file readable for you, or open another task.",
            ) from error


def read_lines(part: bytes, lines_before: int) -> TranscriptContents:
    """What a part of a transcript holds; it begins behind that many lines."""
    return _read_all(io.BytesIO(part), lines_before)


def _read_all(lines: Iterable[bytes], lines_before: int) -> TranscriptContents:
    contents = TranscriptContents()
    last_seq = unknown = 0
    for number, raw in enumerate(lines, start=lines_before + 1):
        entry = _read_line(number, raw)
        contents.problems.extend(entry.problems)
        last_seq = max(last_seq, entry.seq)
        unknown += entry.unknown
        if entry.event is not None:
            contents.events.append(entry.event)
    return TranscriptContents(contents.events, contents.problems, last_seq, unknown)


@dataclass(slots=True)
class _Entry:
    event: Event | None = None
    seq: int = 0
    unknown: int = 0
    problems: list[TranscriptProblem] = field(default_factory=list)


def _read_line(number: int, raw: bytes) -> _Entry:
    entry = _Entry()
    text = raw.replace(b"\0", b"").strip()
    if b"\0" in raw:
        entry.problems.append(TranscriptProblem(number, "NUL bytes, as after a power failure"))
    if not text:
        return entry
    data = _object(text)
    if data is None:
        torn = "" if raw.endswith(b"\n") else ", the last line is torn"
        entry.problems.append(TranscriptProblem(number, f"not a JSON object{torn}"))
        return entry
    entry.seq = _seq_of(data)
    try:
        entry.event = parse(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        if first["type"] in ("union_tag_invalid", "union_tag_not_found"):
            entry.unknown = 1
            kind = str(data.get("type"))[:40]
            reason = f"an entry of the unknown type {kind!r}, perhaps of a newer Keen; it stays in the file"
        else:
            place = ".".join(str(part) for part in first["loc"])[:80]
            reason = f"not a valid event: {place}: {first['msg'][:120]}"
        entry.problems.append(TranscriptProblem(number, reason))
    return entry


def _object(text: bytes) -> dict[str, Any] | None:
    try:
        data = json.loads(text.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def _seq_of(data: dict[str, Any]) -> int:
    seq = data.get("seq")
    return seq if isinstance(seq, int) and not isinstance(seq, bool) and 0 < seq < 2**53 else 0


def _last_number(file: int, size: int) -> int:
    """The number to go on from: that of the last readable line, plus one for each unreadable one behind it.

    Reads backward, so the length of the transcript does not matter.
    """
    unreadable = 0
    for raw in lines_backward(file, size):
        text = raw.replace(b"\0", b"").strip()
        if not text:
            continue
        data = _object(text)
        if data is not None and (seq := _seq_of(data)):
            return seq + unreadable
        unreadable += 1
    return unreadable


def _line(form: dict[str, Any]) -> bytes:
    """The line of a kept form. Lone surrogates, which UTF-8 can't carry, become question marks."""
    return json.dumps(form, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n"


def _not_written(path: Path, error: OSError) -> StoreError:
    return StoreError(
        f"The transcript {path} can't be written: {error.strerror or error}. "
        "What it held before is kept; the last step was not recorded.",
        "Make room on the disk or make the folder writable, then send the prompt again.",
    )
