"""Runs a search program and takes in its results while bounds, time and cancellation are kept."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from keen_tui.security.untrusted import visible
from keen_tui.tools.base import ToolError
from keen_tui.tools.glob_pattern import GlobPattern
from keen_tui.tools.matches import SECONDS, Matches, Query
from keen_tui.tools.places import name_for_model

_MOST_ERROR_BYTES = 20_000
_MOST_ERROR_CHARACTERS = 600
_CHUNK = 65_536


@dataclass(frozen=True, slots=True)
class Search:
    """One search: the program with its arguments, and what its standard input is to hold.

    `root` is the workspace with links resolved; results are named relative to it. Results whose path
    below `start` does not match `glob` are dropped.
    """

    command: Sequence[str]
    query: Query
    start: Path
    root: Path
    glob: GlobPattern | None = None
    given: bytes = b""


async def run_search(search: Search) -> Matches:
    """The matches, up to the caps and for at most 30 seconds. Raises ToolError for a broken expression.

    The program is ended when enough was found, when the time is up, and on cancellation.
    """
    process = await _start(search)
    found = Matches()
    errors = asyncio.create_task(_read_errors(process))
    giving = asyncio.create_task(_give(process, search.given))
    try:
        async with asyncio.timeout(SECONDS):
            await _collect(process, search, found)
            if not found.full:
                await _check_exit(process, errors, found)
    except TimeoutError:
        found.late = True
    finally:
        errors.cancel()
        giving.cancel()
        await _end(process)
    return found


async def _end(process: asyncio.subprocess.Process) -> None:
    """Kill the program and see it gone.

    `wait` also waits for the end of the pipes, and asyncio stops reading a full one: what is left in it
    is read first, or the wait would never end.
    """
    with contextlib.suppress(ProcessLookupError):
        process.kill()
    assert process.stdout is not None
    while await process.stdout.read(_CHUNK):
        pass
    await process.wait()


async def _start(search: Search) -> asyncio.subprocess.Process:
    try:
        return await asyncio.create_subprocess_exec(
            *search.command,
            cwd=search.root,
            stdin=asyncio.subprocess.PIPE if search.given else asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ToolError(f"The search could not be started: {reason}.") from error


async def _give(process: asyncio.subprocess.Process, given: bytes) -> None:
    if process.stdin is not None:
        with contextlib.suppress(ConnectionError):
            process.stdin.write(given)
            await process.stdin.drain()
        process.stdin.close()


async def _collect(process: asyncio.subprocess.Process, search: Search, found: Matches) -> None:
    async for piece in _pieces(process, b"\0" if search.query.files_only else b"\n"):
        if piece == "--":
            found.add_gap()
            continue
        path, zero, rest = piece.partition("\0")
        if not (zero or search.query.files_only) or not _wanted(path, search):
            continue
        name = name_for_model(search.root / path, search.root)
        if not (found.add(name) if search.query.files_only else found.add_line(name, rest)):
            return


def _wanted(path: str, search: Search) -> bool:
    return search.glob is None or search.glob.matches(os.path.relpath(search.root / path, search.start))


async def _pieces(process: asyncio.subprocess.Process, separator: bytes) -> AsyncIterator[str]:
    assert process.stdout is not None
    rest = b""
    while chunk := await process.stdout.read(_CHUNK):
        *pieces, rest = (rest + chunk).split(separator)
        for piece in pieces:
            yield os.fsdecode(piece)
    if rest:
        yield os.fsdecode(rest)


async def _read_errors(process: asyncio.subprocess.Process) -> bytes:
    assert process.stderr is not None
    kept = b""
    while chunk := await process.stderr.read(_CHUNK):
        kept = (kept + chunk)[:_MOST_ERROR_BYTES]
    return kept


async def _check_exit(process: asyncio.subprocess.Process, errors: asyncio.Task[bytes], found: Matches) -> None:
    code = await process.wait()
    said = visible((await errors).decode("utf-8", "replace").strip())[:_MOST_ERROR_CHARACTERS]
    if code >= 2 and said and not found.count:
        raise ToolError(
            f"The pattern can't be searched for. {said}\n"
            "Put a backslash before characters that are meant as they are, such as ( [ { * + ?."
        )
