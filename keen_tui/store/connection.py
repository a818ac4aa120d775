"""The open database file: made private, brought to the current schema, one writer at a time."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sqlite3
import stat
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from threading import Thread
from typing import Any, Self

import aiosqlite

from keen_tui.config.private_files import FILE_MODE, make_private_folder
from keen_tui.store.failures import database_error, newer_database
from keen_tui.store.migrations import MIGRATIONS, VERSION
from keen_tui.store.records import Row

BUSY_TIMEOUT = 5.0
"""Seconds to wait for another process's write."""


class Connection:
    """Reads and transactions that raise StoreError instead of SQLite's errors."""

    def __init__(self, path: Path, connection: aiosqlite.Connection) -> None:
        self._path = path
        self._connection = connection
        self._writing = asyncio.Lock()

    @classmethod
    async def open(cls, path: Path, busy_timeout: float = BUSY_TIMEOUT) -> Self:
        """Open or make the file. Raises StoreError; a file that can't be used is left as it is."""
        try:
            _make_private(path)
            raw = aiosqlite.connect(path, timeout=busy_timeout, isolation_level=None)
            _let_the_process_end(raw)
            await raw
        except (OSError, sqlite3.Error) as error:
            raise database_error(error, path) from error
        connection = cls(path, raw)
        try:
            await connection._prepare()
        except BaseException:
            await raw.close()
            raise
        return connection

    async def _prepare(self) -> None:
        version = await self._version()
        if version > VERSION:
            raise newer_database(self._path, version, VERSION)
        with self._reporting():
            for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "foreign_keys = ON"):
                await self._connection.execute_fetchall(f"PRAGMA {pragma}")
        if version < VERSION:
            await self._migrate()

    async def _version(self) -> int:
        ((version,),) = await self.read("PRAGMA user_version")
        return int(version)

    async def _migrate(self) -> None:
        """All missing steps in one transaction; another process may have been faster."""
        async with self.transaction():
            version = await self._version()
            if version > VERSION:
                raise newer_database(self._path, version, VERSION)
            for step in MIGRATIONS[version:]:
                for statement in step:
                    await self.write(statement)
            await self.write(f"PRAGMA user_version = {VERSION}")

    @contextlib.contextmanager
    def _reporting(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise database_error(error, self._path) from error

    @contextlib.asynccontextmanager
    async def transaction(self) -> AsyncIterator[None]:
        """All `write` calls inside happen together or not at all."""
        async with self._writing:
            try:
                with self._reporting():
                    await self._connection.execute("BEGIN IMMEDIATE")
                    yield
                    await self._connection.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    await asyncio.shield(self._connection.rollback())
                raise

    async def write(self, statement: str, values: Sequence[Any] = ()) -> int:
        """Run one statement inside a transaction; the number of rows it changed."""
        with self._reporting():
            cursor = await self._connection.execute(statement, values)
            return cursor.rowcount

    async def write_many(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run one statement for many rows inside a transaction."""
        with self._reporting():
            await self._connection.executemany(statement, rows)

    async def read(self, statement: str, values: Sequence[Any] = ()) -> list[Row]:
        with self._reporting():
            return list(await self._connection.execute_fetchall(statement, values))

    async def close(self) -> None:
        """Wait for a running write and close. A second call does nothing."""
        async with self._writing:
            with contextlib.suppress(sqlite3.Error, ValueError):
                await self._connection.close()


def _make_private(path: Path) -> None:
    """Create the file with its final mode before SQLite sees it; its side files take the same mode."""
    make_private_folder(path.parent)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, FILE_MODE))
    if stat.S_IMODE(path.stat().st_mode) != FILE_MODE and path.stat().st_uid == os.geteuid():
        path.chmod(FILE_MODE)


def _let_the_process_end(raw: aiosqlite.Connection) -> None:
    """A crash that skips `close` must not leave the process waiting for the connection's thread."""
    thread = raw if isinstance(raw, Thread) else getattr(raw, "_thread", None)
    if isinstance(thread, Thread):
        thread.daemon = True
