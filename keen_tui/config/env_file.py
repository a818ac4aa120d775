"""The user's own `.env` file: `KEY=value` lines with optional `export`, quotes and comments."""

from __future__ import annotations

import re
from pathlib import Path

from keen_tui.domain.errors import KeenError

_LINE = re.compile(r"\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_.]*)\s*=[ \t]*(.*?)\s*\Z")
_DOUBLE = re.compile(r'"((?:[^"\\]|\\.)*)"\s*(?:#.*)?\Z')
_SINGLE = re.compile(r"'([^']*)'\s*(?:#.*)?\Z")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


def read_env_file(path: Path) -> dict[str, str]:
    """Names to values; empty when there is no file. Raises KeenError when it can't be read."""
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise KeenError(
            f"{path} can't be read: {error.strerror or error}. No key was taken from it.",
            "Make it a readable file of KEY=value lines, or remove it.",
        ) from error
    return parse_env(raw.decode("utf-8-sig", "replace"))


def parse_env(text: str) -> dict[str, str]:
    """Later lines win; a line that is no assignment is skipped.

    Double quotes know the escapes of a shell and nothing is expanded; single quotes are literal;
    without quotes a `#` behind a blank begins a comment.
    """
    values = {}
    for line in re.split(r"\r\n|\n|\r", text):
        if found := _LINE.match(line):
            values[found[1]] = _value(found[2])
    return values


def _value(text: str) -> str:
    if quoted := _DOUBLE.match(text):
        return re.sub(r"\\(.)", lambda escape: _ESCAPES.get(escape[1], escape[1]), quoted[1])
    if quoted := _SINGLE.match(text):
        return quoted[1]
    return re.split(r"(?:^|\s)#", text, maxsplit=1)[0].strip()
