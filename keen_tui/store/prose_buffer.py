"""Joins the fragments of streamed prose into the entries that the transcript keeps."""

from __future__ import annotations

import re

from keen_tui.domain.events import AssistantText

SIZE_LIMIT = 4 * 1024
"""UTF-8 bytes after which text is given out even inside a paragraph."""

_FENCE = re.compile(r"\s*(`{3,}(?=[^`]*\Z)|~{3,})(.*)\Z", re.DOTALL)


class ProseBuffer:
    """What comes out, joined, is exactly what went in.

    Text leaves at a blank line outside a code fence, or when there is too much of it. An event that
    comes out carries the time and the turn of its first fragment.
    """

    def __init__(self) -> None:
        self._first: AssistantText | None = None
        self._text = ""
        self._size = 0
        self._scanned = 0
        self._fence = ""

    def add(self, event: AssistantText) -> AssistantText | None:
        """Take a fragment; an event to store when something became complete."""
        if self._first is not None and (event.task, event.turn) != (self._first.task, self._first.turn):
            earlier = self.take()
            self._hold(event)
            return earlier
        self._hold(event)
        return self._complete() if "\n" in event.text or self._size > SIZE_LIMIT else None

    def take(self) -> AssistantText | None:
        """All that is left, and a fresh start: call it before any other event is stored."""
        rest = self._cut(len(self._text)) if self._text else None
        self._fence = ""
        return rest

    def _hold(self, event: AssistantText) -> None:
        if self._first is None:
            self._first = event
        self._text += event.text
        self._size += len(event.text.encode("utf-8", "replace"))

    def _complete(self) -> AssistantText | None:
        boundary = self._last_boundary()
        if boundary and self._text[:boundary].strip():
            return self._cut(boundary)
        if self._size > SIZE_LIMIT:
            return self._cut(self._text.rfind("\n") + 1 or len(self._text))
        return None

    def _last_boundary(self) -> int:
        """Read the lines that have ended since the last look; where the last blank one ends, or 0."""
        boundary = 0
        while (end := self._text.find("\n", self._scanned) + 1) > 0:
            line = self._text[self._scanned : end]
            self._scanned = end
            fence = _FENCE.match(line.rstrip())
            if self._fence:
                if fence and fence[1].startswith(self._fence) and not fence[2]:
                    self._fence = ""
            elif fence:
                self._fence = fence[1]
            elif not line.strip():
                boundary = end
        return boundary

    def _cut(self, end: int) -> AssistantText | None:
        first, text = self._first, self._text[:end]
        assert first is not None
        self._text = self._text[end:]
        self._scanned = max(0, self._scanned - end)
        self._size = len(self._text.encode("utf-8", "replace"))
        self._first = first if self._text else None
        return first.model_copy(update={"text": text})
