"""The clipboard: the terminal's when remote, the system's when local, and honest words about it."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from base64 import b64encode
from collections.abc import Mapping
from typing import Any

from textual.app import App

OSC_LIMIT = 75_000
"""Bytes of text that go through a terminal's OSC 52; more is cut or ignored by many."""
TOOLS = (
    ("pbcopy",),
    ("wl-copy",),
    ("xclip", "-selection", "clipboard"),
    ("xsel", "--clipboard", "--input"),
)
NEEDS = {"wl-copy": "WAYLAND_DISPLAY", "xclip": "DISPLAY", "xsel": "DISPLAY"}
TIMEOUT = 2.0


def is_remote(environ: Mapping[str, str]) -> bool:
    """Whether the terminal is on another machine."""
    return any(environ.get(name) for name in ("SSH_CONNECTION", "SSH_TTY", "SSH_CLIENT"))


def osc52(text: str, environ: Mapping[str, str]) -> str:
    """The sequence that hands text to the terminal, wrapped for tmux and screen."""
    sequence = f"\x1b]52;c;{b64encode(text.encode('utf-8', 'replace')).decode('ascii')}\x07"
    if environ.get("TMUX"):
        return "\x1bPtmux;" + sequence.replace("\x1b", "\x1b\x1b") + "\x1b\\"
    if environ.get("TERM", "").startswith("screen"):
        return f"\x1bP{sequence}\x1b\\"
    return sequence


async def copy_text(app: App[Any], text: str, environ: Mapping[str, str] | None = None) -> str:
    """Copy, and say what is known to have happened."""
    environ = os.environ if environ is None else environ
    size = f"{len(text):,} characters"
    if not is_remote(environ):
        for command in TOOLS:
            needed = NEEDS.get(command[0])
            if (needed is None or environ.get(needed)) and shutil.which(command[0]) and await _run(command, text):
                return f"{size} copied."
    if len(text.encode("utf-8", "replace")) > OSC_LIMIT:
        return f"{size} are too much for a terminal's clipboard: /copy file NAME writes the answer to a file."
    driver = app._driver  # the only way to the terminal beside the compositor
    if driver is not None:
        driver.write(osc52(text, environ))
    return f"{size} sent to the terminal."


async def _run(command: tuple[str, ...], text: str) -> bool:
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        await asyncio.wait_for(process.communicate(text.encode("utf-8", "replace")), TIMEOUT)
    except (TimeoutError, BrokenPipeError, ConnectionResetError):
        if process.returncode is None:
            process.kill()
        return False
    return process.returncode == 0


def code_blocks(markdown: str) -> list[str]:
    """The contents of the fenced code blocks."""
    found = re.findall(r"^( {0,3})(`{3,}|~{3,})[^\n]*\n(.*?)(?:^ {0,3}\2[`~]*[ \t]*$|\Z)", markdown, re.M | re.S)
    return [body.rstrip("\n") for _, _, body in found]
