"""Removes a value that leaked from everything that Keen keeps: transcripts, database, logs, memory."""

from __future__ import annotations

import contextlib
import json
import mmap
import os
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from keen_tui.config.paths import KeenHome
from keen_tui.domain.errors import KeenError
from keen_tui.store.failures import StoreError
from keen_tui.store.task_lock import TaskLock, TaskLocked

SHORTEST = 8
"""Characters of the shortest value: a shorter one stands in too many ordinary words."""
MARK = "[redacted]"
BUSY_SECONDS = 5.0


@dataclass(slots=True)
class Scrubbed:
    """What was done. Counts are occurrences.

    `skipped` are tasks that are open elsewhere, `keys` files for keys that hold the value and were left
    alone, `problems` sentences about what could not be cleaned.
    """

    transcripts: int = 0
    database: int = 0
    logs: int = 0
    other: int = 0
    tasks: set[str] = field(default_factory=set)
    skipped: dict[str, str] = field(default_factory=dict)
    keys: list[Path] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def total(self) -> int:
        return self.transcripts + self.database + self.logs + self.other


def scrub(home: KeenHome, value: str) -> Scrubbed:
    """Replace a value everywhere under KEEN_HOME, in every form in which it is written there.

    Files are changed in place and keep their length, so a Keen that runs goes on writing to them, and
    nothing of the value stays on the disk. Files that are meant for keys are left alone. Raises KeenError
    for a value that is too short.
    """
    if len(value.strip()) < SHORTEST:
        raise KeenError(
            f"The value is shorter than {SHORTEST} characters, so it would be found in ordinary words. "
            "Nothing was changed.",
            "Give the whole secret.",
        )
    done = Scrubbed()
    forms = _forms(value)
    with contextlib.ExitStack() as held:
        _hold_tasks(home, done, held)
        for path in _files(home, done):
            _clean_file(home, path, [form.encode("utf-8", "replace") for form in forms], done)
        if home.database.exists():
            _clean_database(home.database, forms, done)
    return done


def _forms(value: str) -> list[str]:
    """The value plain, inside JSON, and inside a URL; the longest first."""
    inside_json = (json.dumps(value, ensure_ascii=ascii_only)[1:-1] for ascii_only in (True, False))
    return sorted({value, *inside_json, quote(value, safe="")}, key=len, reverse=True)


def _hold_tasks(home: KeenHome, done: Scrubbed, held: contextlib.ExitStack) -> None:
    """Lock every task for as long as this takes; those that are open elsewhere are skipped."""
    folders = sorted(home.tasks_dir.iterdir()) if home.tasks_dir.is_dir() else []
    for folder in folders:
        if not folder.is_dir() or folder.is_symlink():
            continue
        try:
            held.enter_context(TaskLock.acquire(folder))
        except TaskLocked as error:
            done.skipped[folder.name] = f"process {error.pid}" if error.pid else "another process"
        except StoreError as error:
            done.problems.append(error.message)


def _files(home: KeenHome, done: Scrubbed) -> Iterator[Path]:
    for folder, names, files in os.walk(home.root):
        here = Path(folder)
        if here == home.tasks_dir:
            names[:] = [name for name in names if name not in done.skipped]
        for name in files:
            path = here / name
            if not name.startswith(home.database.name) and path.is_file() and not path.is_symlink():
                yield path


def _clean_file(home: KeenHome, path: Path, forms: Sequence[bytes], done: Scrubbed) -> None:
    for_keys = path in (home.config_file, home.env_file, home.credentials_file)
    try:
        count = _overwrite(path, forms, only_look=for_keys)
    except OSError as error:
        done.problems.append(f"{path} can't be cleaned: {error.strerror or error}.")
        return
    if not count:
        return
    if for_keys:
        done.keys.append(path)
    elif path.is_relative_to(home.tasks_dir):
        done.transcripts += count
        done.tasks.add(path.relative_to(home.tasks_dir).parts[0])
    elif path.is_relative_to(home.log_dir):
        done.logs += count
    else:
        done.other += count


def _overwrite(path: Path, forms: Sequence[bytes], only_look: bool) -> int:
    """Write the mark over each occurrence, in its length; returns how many there were."""
    descriptor = os.open(path, (os.O_RDONLY if only_look else os.O_RDWR) | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    count = 0
    try:
        if not os.fstat(descriptor).st_size:
            return 0
        access = mmap.ACCESS_READ if only_look else mmap.ACCESS_WRITE
        with mmap.mmap(descriptor, 0, access=access) as content:
            for form in forms:
                at = content.find(form)
                while at >= 0:
                    count += 1
                    if not only_look:
                        content[at : at + len(form)] = MARK.encode().ljust(len(form), b"*")[: len(form)]
                    at = content.find(form, at + len(form))
            if count and not only_look:
                content.flush()
    finally:
        os.close(descriptor)
    return count


def _clean_database(path: Path, forms: Sequence[str], done: Scrubbed) -> None:
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
    try:
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("BEGIN IMMEDIATE")
        for table, columns in _text_columns(connection):
            condition, values = _not_skipped(table, columns, done)
            for column in columns:
                done.database += _replace(connection, table, column, forms, condition, values)
        connection.execute("COMMIT")
        _rebuild_indexes(connection)
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except sqlite3.Error as error:
        done.problems.append(f"The database could not be cleaned whole ({error}). Close every Keen and scrub again.")
        return
    finally:
        connection.close()
    _look_again(path, forms, done)


def _text_columns(connection: sqlite3.Connection) -> list[tuple[str, list[str]]]:
    """The ordinary tables with their columns of text."""
    virtual = {name for name, _ in _indexes(connection)}
    tables = []
    for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        if name.startswith("sqlite_") or name in virtual or any(name.startswith(f"{index}_") for index in virtual):
            continue
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({name})") if row[2] == "TEXT"]
        tables.append((name, columns))
    return tables


def _not_skipped(table: str, columns: Sequence[str], done: Scrubbed) -> tuple[str, list[str]]:
    key = "task_id" if "task_id" in columns else "id" if table == "tasks" else ""
    if not key or not done.skipped:
        return "1", []
    return f"{key} NOT IN ({', '.join('?' * len(done.skipped))})", list(done.skipped)


def _replace(
    connection: sqlite3.Connection, table: str, column: str, forms: Sequence[str], condition: str, values: list[str]
) -> int:
    count = 0
    for form in forms:
        where = f"instr({column}, ?) AND {condition}"
        ((found,),) = connection.execute(
            f"SELECT COALESCE(SUM((length({column}) - length(replace({column}, ?, ''))) / ?), 0) "
            f"FROM {table} WHERE {where}",
            (form, len(form), form, *values),
        ).fetchall()
        if found:
            connection.execute(
                f"UPDATE {table} SET {column} = replace({column}, ?, ?) WHERE {where}", (form, MARK, form, *values)
            )
            count += int(found)
    return count


def _indexes(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    """The search indexes: name and definition."""
    rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL TABLE%'")
    return [(name, sql) for name, sql in rows.fetchall()]


def _rebuild_indexes(connection: sqlite3.Connection) -> None:
    """Make the indexes anew from what the tables hold; an index without text of its own is emptied."""
    for name, sql in _indexes(connection):
        if "fts5" not in sql.lower():
            continue
        try:
            connection.execute(f"INSERT INTO {name}({name}) VALUES ('rebuild')")
        except sqlite3.Error:
            connection.execute(f"INSERT INTO {name}({name}) VALUES ('delete-all')")


def _look_again(path: Path, forms: Sequence[str], done: Scrubbed) -> None:
    """The raw bytes, too, must be clean, unless a task that was skipped holds the value."""
    left = 0
    for file in path.parent.glob(f"{path.name}*"):
        with contextlib.suppress(OSError):
            left += _overwrite(file, [form.encode("utf-8", "replace") for form in forms], only_look=True)
    if left and not done.skipped:
        done.problems.append("The database still holds the value somewhere. Close every Keen and scrub again.")
