"""Folding: texts made equal where a reader takes them for equal, whatever their case and accents."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache

_UNSPACED = (
    (0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x2E80, 0x2FDF), (0x3005, 0x3007), (0x3040, 0x30FF),
    (0x31F0, 0x31FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0xF900, 0xFAFF), (0x20000, 0x3FFFF),
)  # fmt: skip
"""Scripts that are written without spaces, or whose words carry their particles."""

_CONTROLS = dict.fromkeys((*range(32), 127), " ")


def fold(text: str) -> str:
    """Lower case, no accents, compatibility forms resolved, control characters as spaces."""
    if text.isascii():
        return text.translate(_CONTROLS).lower()
    return "".join(map(_folded, text))


def word_form(text: str) -> str:
    """The folded text with each character of an unspaced script, and each symbol, as a word of its own.

    A tokenizer that knows only letters so finds two Chinese characters in a sentence, and an emoji.
    """
    if text.isascii():
        return text.translate(_CONTROLS).lower()
    return "".join(map(_word, text))


def flat(text: str) -> str:
    """The folded text on one line, with single spaces."""
    return " ".join(fold(text).split())


def is_word_character(char: str) -> bool:
    """Whether a tokenizer of words takes this (folded) character for a part of a word."""
    category = unicodedata.category(char)
    return char == "_" or category[0] in "LN" or category in ("Co", "So")


def places(text: str, needle: str, limit: int = 50) -> list[tuple[int, int]]:
    """Where a folded needle stands in a text: start and end in the text itself, at most `limit`."""
    if not needle:
        return []
    if text.isascii():
        return _found(fold(text), needle, range(len(text) + 1), limit)
    pieces = [_folded(char) for char in text]
    origin = [index for index, piece in enumerate(pieces) for _ in piece]
    return _found("".join(pieces), needle, [*origin, len(text)], limit)


def _found(folded: str, needle: str, origin: Sequence[int], limit: int) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    at = folded.find(needle)
    while at >= 0 and len(found) < limit:
        end = at + len(needle)
        found.append((origin[at], origin[end - 1] + 1))
        at = folded.find(needle, end)
    return found


@lru_cache(maxsize=8192)
def _folded(char: str) -> str:
    if unicodedata.category(char) in ("Cc", "Cs"):
        return " "
    parts = unicodedata.normalize("NFKD", char).casefold()
    return unicodedata.normalize("NFC", "".join(part for part in parts if not 0x300 <= ord(part) <= 0x36F))


@lru_cache(maxsize=8192)
def _word(char: str) -> str:
    folded = _folded(char)
    if unicodedata.category(char) == "So" and not folded.isalnum():
        return f" symbol{ord(char):x} "
    if any(first <= ord(char) <= last for first, last in _UNSPACED):
        return f" {folded} "
    return folded
