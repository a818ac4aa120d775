"""The prompts that were sent before, walked with Up and Down."""

from __future__ import annotations

from collections.abc import Sequence


class PromptHistory:
    """Oldest first. The draft is kept while older prompts are looked at."""

    def __init__(self) -> None:
        self._entries: list[str] = []
        self._at = 0
        self._draft = ""

    def load(self, entries: Sequence[str]) -> None:
        """Put entries from earlier sessions before those of this one."""
        self._entries = [*entries, *self._entries]
        self._at = len(self._entries)

    def add(self, text: str) -> None:
        """A prompt was sent, or a draft was cleared and should come back with Up."""
        if text.strip() and (not self._entries or self._entries[-1] != text):
            self._entries.append(text)
        self._at = len(self._entries)
        self._draft = ""

    def back(self, current: str) -> str | None:
        """The prompt before, or None at the oldest one."""
        if self._at == 0:
            return None
        if self._at == len(self._entries):
            self._draft = current
        self._at -= 1
        return self._entries[self._at]

    def forward(self) -> str | None:
        """The prompt after, the draft behind the newest one, or None there."""
        if self._at >= len(self._entries):
            return None
        self._at += 1
        return self._draft if self._at == len(self._entries) else self._entries[self._at]
