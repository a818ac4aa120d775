"""A screen in memory for what a program writes to a terminal."""

from __future__ import annotations

import codecs
import re

import pyte

# What moves no cursor and draws nothing, and what pyte would take for text.
_SILENT = re.compile(
    r"\x1b[P_^X][^\x1b]*\x1b\\"  # device control and other strings
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"  # titles, clipboard, links
    r"|\x1b\[[<>=][\d;:]*[A-Za-z]"  # keyboard protocols
    r"|\x1b\[\?[\d;]*(?:u|\$p)"  # questions
    r"|\x1b\[\?(?:2026|2004|2048|1004|100[0-36]|101[56]|25)[hl]"
)
_UNFINISHED = re.compile(r"\x1b(?:[P_^X\]][^\x07\x1b]*\x1b?|\[[\d;:<=>?$ ]*)?$")
_OTHER_SCREEN = re.compile(r"\x1b\[\?1049[hl]")


class EmulatedScreen:
    """Feed it bytes; read rows of text."""

    def __init__(self, columns: int, rows: int) -> None:
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.Stream(self.screen)
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._carried = ""
        self._texts = [""] * rows

    def feed(self, data: bytes) -> None:
        text = self._carried + self._decode(data)
        rest = _UNFINISHED.search(text)
        self._carried = text[rest.start() :] if rest else ""
        text = _SILENT.sub("", text[: rest.start()] if rest else text)
        self._stream.feed(_OTHER_SCREEN.sub("\x1b[2J\x1b[H", text))

    def rows(self) -> list[str]:
        """The text of every row; only rows that were written to are read again."""
        for y in self.screen.dirty.intersection(range(len(self._texts))):
            line = self.screen.buffer[y]
            self._texts[y] = "".join([line[x].data for x in range(self.screen.columns)])
        self.screen.dirty.clear()
        return self._texts

    @property
    def text(self) -> str:
        return "\n".join(self.rows())

    def resize(self, columns: int, rows: int) -> None:
        self.screen.resize(rows, columns)
        self._texts = [""] * rows
        self.screen.dirty.update(range(rows))
