"""The lines of a file from its end, so that a long file need not be read whole."""

from __future__ import annotations

import os
from collections.abc import Iterator

BLOCK = 64 * 1024
"""Bytes read at once."""


def lines_backward(file: int, size: int, block: int = BLOCK) -> Iterator[bytes]:
    """The lines in the first `size` bytes of a descriptor, last one first, without their newlines.

    What stands behind the last newline is a line too, even an empty one. Raises OSError.
    """
    rest: list[bytes] = []
    while size > 0:
        start = max(0, size - block)
        content = os.pread(file, size - start, start)
        size = start
        head, newline, tail = content.partition(b"\n")
        if not newline:
            rest.append(content)
            continue
        *lines, last = tail.split(b"\n")
        yield last + b"".join(reversed(rest))
        yield from reversed(lines)
        rest = [head]
    yield b"".join(reversed(rest))
