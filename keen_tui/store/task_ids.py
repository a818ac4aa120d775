"""Ids of tasks: short, sortable by the time they were made, safe in paths and URLs."""

from __future__ import annotations

import secrets

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
"""Base 32 without letters that look like digits; in the order of their character codes."""
EPOCH = 1_735_689_600
"""2025-01-01, in seconds of Unix time."""
TICKS = 256
"""Steps in a second."""


def new_task_id(time: float) -> str:
    """Eight characters of time (Unix seconds) and three by chance."""
    ticks = max(0, int((time - EPOCH) * TICKS)) % 32**8
    return _digits(ticks, 8) + _digits(secrets.randbelow(32**3), 3)


def _digits(number: int, width: int) -> str:
    text = ""
    for _ in range(width):
        number, digit = divmod(number, 32)
        text = ALPHABET[digit] + text
    return text
