"""Reading TOML files that anybody may have written."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from keen_tui.config.problems import ConfigError

SIZE_LIMIT = 1024 * 1024
"""Bytes in a configuration file."""


def read_toml(path: Path) -> dict[str, Any]:
    """The file's table; an empty one when there is no file.

    Raises ConfigError, which names the file and the line, for anything else.
    """
    try:
        if not path.exists():
            return {}
        if not path.is_file():
            raise _broken(path, "it is not a regular file")
        if path.stat().st_size > SIZE_LIMIT:
            raise _broken(path, f"it is larger than {SIZE_LIMIT:,} bytes")
        raw = path.read_bytes()
    except OSError as error:
        raise _broken(path, error.strerror or str(error)) from error
    try:
        return tomllib.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise _broken(path, "it is not UTF-8", line) from error
    except tomllib.TOMLDecodeError as error:
        reason, line = _place(str(error), raw)
        raise _broken(path, reason, line) from error
    except RecursionError as error:
        raise _broken(path, "it is nested too deeply") from error


def _place(message: str, raw: bytes) -> tuple[str, int]:
    found = re.search(r" \(at line (\d+), column \d+\)$", message)
    if found:
        return message[: found.start()], int(found[1])
    return message.removesuffix(" (at end of document)"), raw.rstrip(b"\n").count(b"\n") + 1


def _broken(path: Path, reason: str, line: int = 0) -> ConfigError:
    where = f"{path}, line {line}" if line else str(path)
    return ConfigError(
        f"{where}: the file can't be read as TOML: {reason}. It was left as it is.",
        f"Correct {path}, or move it away, then start again.",
    )
