"""The search for machines without ripgrep: a script for a process of its own.

A regular expression can run for hours and would hold the whole interpreter, so it runs where it can be
ended. Takes the expression and the options as JSON in its only argument and file names, each ended by a
NUL, on standard input. Writes what ripgrep writes with --null. Imports nothing but the standard library,
so that it starts at once.
"""

from __future__ import annotations

import codecs
import json
import os
import re
import stat
import sys
from collections.abc import Iterator, Sequence
from typing import BinaryIO

_MOST_BYTES = 25 * 1024 * 1024
_MOST_LINE_SEARCHED = 100_000
_MOST_LINE_SHOWN = 2000
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    (codecs.BOM_UTF8, "utf-8"),
)


def main(options_text: str, names: BinaryIO, out: BinaryIO) -> int:
    """0 when the search ran, 2 (with a sentence on standard error) when the expression is broken."""
    options = json.loads(options_text)
    try:
        expression = re.compile(options["pattern"], re.IGNORECASE if options["ignore_case"] else 0)
    except (re.error, OverflowError, RecursionError) as error:
        sys.stderr.write(f"regular expression: {error}\n")
        return 2
    between = False
    for name in names.read().split(b"\0"):
        lines = _lines_of(name) if name else None
        if lines is None:
            continue
        hits = [index for index, line in enumerate(lines) if expression.search(line[:_MOST_LINE_SEARCHED])]
        if not hits:
            continue
        if options["files_only"]:
            out.write(name + b"\0")
        else:
            for piece in _blocks(name, lines, hits, options["context"], between):
                out.write(piece)
        between = True
        out.flush()
    return 0


def _lines_of(name: bytes) -> list[str] | None:
    """The lines of a text file, None for one that is binary, too large, special or unreadable."""
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > _MOST_BYTES:
            return None
        content = file.read(_MOST_BYTES)
    text = _decode(content)
    if not text or "\0" in text:
        return None
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def _decode(content: bytes) -> str:
    for mark, codec in _MARKS:
        if content.startswith(mark):
            return content[len(mark) :].decode(codec, "replace")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")


def _blocks(name: bytes, lines: Sequence[str], hits: Sequence[int], context: int, between: bool) -> Iterator[bytes]:
    chosen = set(hits)
    behind = 0
    for hit in hits:
        first = max(behind, hit - context)
        if context and (between if behind == 0 else first > behind):
            yield b"--\n"
        for index in range(first, min(len(lines), hit + context + 1)):
            mark = b":" if index in chosen else b"-"
            shown = lines[index][:_MOST_LINE_SHOWN].encode("utf-8", "replace")
            yield name + b"\0" + str(index + 1).encode() + mark + shown + b"\n"
        behind = max(behind, hit + context + 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.stdin.buffer, sys.stdout.buffer))
