"""The person's own editor for a text."""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from textual.app import App, SuspendNotSupported

from keen_tui.domain.errors import KeenError


def editor_command(environ: Mapping[str, str]) -> list[str]:
    """`VISUAL`, else `EDITOR`. Raises KeenError when neither names one."""
    for name in ("VISUAL", "EDITOR"):
        try:
            if words := shlex.split(environ.get(name, "")):
                return words
        except ValueError as error:
            raise KeenError(f"{name} can't be read: {error}.", "Set it to a command, such as vim.") from None
    raise KeenError("No editor is set.", "Set VISUAL or EDITOR to one, such as vim.")


async def edit_text(app: App[Any], text: str, environ: Mapping[str, str] | None = None) -> str:
    """The text after the editor was left; the agent goes on meanwhile. The file is private and deleted."""
    command = editor_command(os.environ if environ is None else environ)
    descriptor, name = tempfile.mkstemp(prefix="keen-", suffix=".md")
    path = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
        with _leaving_ctrl_c_alone(), app.suspend(), app.batch_update():
            process = await asyncio.create_subprocess_exec(*command, name)
            code = await process.wait()
        if code != 0:
            raise KeenError(f"{command[0]} ended with {code}; the text stays as it was.")
        return path.read_text(encoding="utf-8", errors="replace")
    except SuspendNotSupported:
        raise KeenError("This terminal can't be handed to an editor.", "Edit in the prompt itself.") from None
    except OSError as error:
        raise KeenError(f"{command[0]} can't be started: {error}.", "Set VISUAL or EDITOR to another.") from None
    finally:
        path.unlink(missing_ok=True)


@contextmanager
def _leaving_ctrl_c_alone() -> Iterator[None]:
    """In the editor Ctrl+C and Ctrl+\\ are the editor's, though the terminal sends them to Keen as well.

    They are caught and not ignored, because the editor would inherit that.
    """
    before = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGINT, signal.SIGQUIT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
