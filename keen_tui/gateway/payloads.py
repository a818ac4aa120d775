"""From the bytes of a stream to its payloads: server-sent events and lines of JSON.

A payload is one JSON text as bytes on one line. It is not parsed here.
"""

from __future__ import annotations

from typing import Protocol

from keen_tui.domain.exchange import Wire

_LAST_EVENTS = frozenset({b"message_stop", b"response.completed", b"response.incomplete", b"response.failed"})
_KEPT_NOISE = 2_000
"""Bytes kept of an answer that is no stream, to say what it was."""


class PayloadReader(Protocol):
    """Reads one stream. `ended` is set when the format itself says that nothing more comes."""

    ended: bool
    count: int
    noise: bytes

    def feed(self, data: bytes) -> list[bytes]:
        """The payloads that are complete with these bytes; they may be cut anywhere."""

    def close(self) -> list[bytes]:
        """What is left when the stream ends without a last line end."""


def payload_reader(wire: Wire) -> PayloadReader:
    """A reader for one new stream of a native wire format."""
    return LineReader() if wire == "ollama" else EventReader()


class _Lines:
    """Bytes into lines without their ends. A line that grows over many reads is joined once."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def feed(self, data: bytes) -> list[bytes]:
        first, *others = data.split(b"\n")
        self._parts.append(first)
        if not others:
            return []
        lines = [b"".join(self._parts), *others]
        self._parts = [lines.pop()]
        return [line.removesuffix(b"\r") for line in lines]

    def close(self) -> bytes:
        line = b"".join(self._parts)
        self._parts = []
        return line.removesuffix(b"\r")


class EventReader:
    """Server-sent events, by the rules of the HTML standard; `[DONE]` ends the stream and is dropped."""

    def __init__(self) -> None:
        self.ended = False
        self.count = 0
        self.noise = b""
        self._lines = _Lines()
        self._data: list[bytes] = []
        self._name = b""

    def feed(self, data: bytes) -> list[bytes]:
        return self._read(self._lines.feed(data))

    def close(self) -> list[bytes]:
        return self._read([self._lines.close(), b""])

    def _read(self, lines: list[bytes]) -> list[bytes]:
        found: list[bytes] = []
        for line in lines:
            if self.ended:
                break
            if not line:
                self._end_event(found)
            elif line.startswith(b"data:"):
                self._data.append(line[6:] if line.startswith(b"data: ") else line[5:])
            elif line.startswith(b"event:"):
                self._name = line[6:].strip()
            elif not line.startswith((b":", b"id:", b"retry:")) and len(self.noise) < _KEPT_NOISE:
                self.noise += line[:_KEPT_NOISE] + b"\n"
        self.count += len(found)
        return found

    def _end_event(self, found: list[bytes]) -> None:
        data = b" ".join(self._data).strip()
        name, self._name = self._name, b""
        self._data = []
        if data == b"[DONE]":
            self.ended = True
            return
        if data:
            # A newline between the parts of JSON is only space, and a payload is one line.
            found.append(data)
        self.ended = name in _LAST_EVENTS


class LineReader:
    """One JSON text a line, as Ollama sends them."""

    def __init__(self) -> None:
        self.ended = False
        self.count = 0
        self.noise = b""
        self._lines = _Lines()

    def feed(self, data: bytes) -> list[bytes]:
        return self._read(self._lines.feed(data))

    def close(self) -> list[bytes]:
        return self._read([self._lines.close()])

    def _read(self, lines: list[bytes]) -> list[bytes]:
        found = []
        for line in lines:
            line = line.strip()
            if line.startswith(b"{"):
                found.append(line)
            elif line and len(self.noise) < _KEPT_NOISE:
                self.noise += line[:_KEPT_NOISE] + b"\n"
        self.count += len(found)
        return found
