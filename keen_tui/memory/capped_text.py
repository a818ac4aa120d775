"""Text cut to a number of bytes at the end of a line."""

from __future__ import annotations


def whole_lines(raw: bytes, limit: int) -> bytes:
    """The lines from the start that fit into `limit` bytes.

    A first line that alone is too long is cut between two characters.
    """
    if len(raw) <= limit:
        return raw
    end = raw.rfind(b"\n", 0, limit) + 1
    if end:
        return raw[:end]
    end = limit
    while end > 0 and raw[end] & 0xC0 == 0x80:
        end -= 1
    return raw[:end]
