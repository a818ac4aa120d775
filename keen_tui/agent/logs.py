"""The log file: everything that would otherwise be written over the screen, without secrets."""

from __future__ import annotations

import logging
import logging.handlers
import os
from pathlib import Path

LOG_SIZE = 2_000_000
"""Bytes of one log file; two older ones are kept."""


class _Redacted(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        from keen_tui.security.secrets import redact  # most starts log nothing

        return redact(super().format(record))


class _QuietFile(logging.handlers.RotatingFileHandler):
    """A log that can't be written is given up: its trouble must not go over the screen."""

    def handleError(self, record: logging.LogRecord) -> None:
        return None


def log_to_file(folder: Path) -> None:
    """Send all logging and warnings of this process to `keen.log`, and nothing to the terminal.

    A log that can't be written loses what it should have kept, and nothing else.
    """
    handler = _file(folder / "keen.log")
    handler.setFormatter(_Redacted("%(asctime)s %(levelname)s %(name)s %(message)s"))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.INFO)
    logging.getLogger("httpx").setLevel(logging.WARNING)
    logging.captureWarnings(True)


def _file(path: Path) -> logging.Handler:
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600))
        return _QuietFile(path, maxBytes=LOG_SIZE, backupCount=2, encoding="utf-8")
    except OSError:
        return logging.NullHandler()
