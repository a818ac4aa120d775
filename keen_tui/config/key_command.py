"""A provider's key from a command of the user, such as a password store."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Mapping

from keen_tui.domain.errors import KeenError

TIMEOUT = 30.0
"""Seconds a command may take."""
OUTPUT_LIMIT = 64 * 1024
_CHUNK = 8192
_PIPE_SECONDS = 2.0
_HINT = "Run the api_key_command in a shell to see what it does, then correct it in config.toml."


async def run_key_command(command: str, provider: str, environ: Mapping[str, str], timeout: float = TIMEOUT) -> str:
    """The first line that a shell command prints.

    The command has no terminal and no input. Raises KeenError when it fails, prints nothing or takes
    longer than `timeout` seconds; neither its text nor its output is in the error.
    """
    try:
        process = await asyncio.create_subprocess_exec(
            "/bin/sh",
            "-c",
            command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=dict(environ),
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise _failed(provider, "could not be started") from error
    try:
        async with asyncio.timeout(timeout):
            output = await _first_bytes(process)
            code = await process.wait()
    except TimeoutError as error:
        raise _failed(provider, f"did not end within {timeout:g} seconds and was stopped") from error
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await _see_it_gone(process)
    if code:
        raise _failed(provider, f"ended with exit code {code}")
    lines = output.decode("utf-8", "replace").split("\n")
    key = next((line.strip() for line in lines if line.strip()), "")
    if not key:
        raise _failed(provider, "printed nothing")
    if not key.isprintable():
        raise _failed(provider, "printed something that is no key")
    return key


async def _see_it_gone(process: asyncio.subprocess.Process) -> None:
    """Wait for a killed command, but not for a child of it that left its group and holds its pipe.

    `wait` also waits for the end of the pipe, and asyncio stops reading a full one, so the rest is read.
    """
    assert process.stdout is not None
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_PIPE_SECONDS):
            while await process.stdout.read(_CHUNK):
                pass
            await process.wait()


async def _first_bytes(process: asyncio.subprocess.Process) -> bytes:
    """The beginning of the output; the rest is read and dropped, so that the command can end."""
    assert process.stdout is not None
    kept = bytearray()
    while chunk := await process.stdout.read(_CHUNK):
        if len(kept) < OUTPUT_LIMIT:
            kept += chunk
    return bytes(kept)


def _failed(provider: str, what: str) -> KeenError:
    return KeenError(f"The api_key_command of the provider {provider} {what}. No request was sent.", _HINT)
