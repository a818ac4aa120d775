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


def log_to_file(folder: Path) -> None:
    """Send all logging and warnings of this process to `keen.log`, and nothing to the terminal."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = folder / "keen.log"
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600))
    handler = logging.handlers.RotatingFileHandler(path, maxBytes=LOG_SIZE, backupCount=2, encoding="utf-8")
    handler.setFormatter(_Redacted("%(asctime)s %(levelname)s %(name)s %(message)s"))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.INFO)
    logging.getLogger("httpx").setLevel(logging.WARNING)
    logging.captureWarnings(True)
