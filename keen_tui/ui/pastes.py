"""Huge pastes: a chip stands for them in the prompt, and they are sent whole."""

from __future__ import annotations

FOLD_LINES = 20
FOLD_CHARACTERS = 2_000


class Pastes:
    """What the chips of one draft stand for."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def fold(self, text: str) -> str:
        """The text itself when it is small, else a chip that stands for it."""
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        lines = text.count("\n") + (not text.endswith("\n"))
        if lines <= FOLD_LINES and len(text) <= FOLD_CHARACTERS:
            return text
        size = f"{lines:,} lines" if lines > 1 else f"{len(text):,} characters"
        chip = f"[pasted {size}]"
        number = 2
        while self._texts.get(chip, text) != text:
            chip = f"[pasted {size}, {number}]"
            number += 1
        self._texts[chip] = text
        return chip

    def expand(self, draft: str) -> str:
        """The draft with each chip replaced by what it stands for."""
        parts: list[str] = []
        rest = draft
        while True:
            found = [(at, chip) for chip in self._texts if (at := rest.find(chip)) >= 0]
            if not found:
                return "".join([*parts, rest])
            at, chip = min(found)
            parts += (rest[:at], self._texts[chip])
            rest = rest[at + len(chip) :]

    def chip_before(self, text: str) -> str:
        """The chip at the end of a text, or an empty text."""
        return next((chip for chip in self._texts if text.endswith(chip)), "")

    def clear(self) -> None:
        self._texts.clear()
