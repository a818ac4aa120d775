"""Text files as they are on disk: the bytes, how they are encoded, and safe ways to read them."""

from __future__ import annotations

import codecs
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from keen_tui.tools.base import ToolError
from keen_tui.tools.file_kinds import binary_kind
from keen_tui.tools.places import missing_sentence, name_for_model

MAX_FILE_BYTES = 25 * 1024 * 1024
_MARKS: tuple[tuple[bytes, str, str], ...] = (
    (codecs.BOM_UTF32_LE, "utf-32-le", "UTF-32 LE"),
    (codecs.BOM_UTF32_BE, "utf-32-be", "UTF-32 BE"),
    (codecs.BOM_UTF8, "utf-8", "UTF-8 with a byte order mark"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16 LE"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16 BE"),
)


class NotText(Exception):
    """The content is binary; the message is its type."""


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file's bytes and how to read them.

    `codec` is a Python codec name; `mark` the byte order mark that `content` begins with, or b"".
    `label` names the encoding for people, "" for plain UTF-8. `unit` is the size of a code unit.
    """

    content: bytes
    codec: str
    mark: bytes
    label: str

    @property
    def text(self) -> str:
        """Without the byte order mark. Bytes that the encoding does not know read as U+FFFD."""
        return self.content[len(self.mark) :].decode(self.codec, "replace")

    @property
    def unit(self) -> int:
        return {"utf-16": 2, "utf-32": 4}.get(self.codec[:6], 1)

    def encode(self, text: str) -> bytes:
        """`text` in this file's encoding, without a mark. Raises ToolError for what it can't hold."""
        try:
            return text.encode(self.codec)
        except UnicodeEncodeError as error:
            line = text.count("\n", 0, error.start) + 1
            character = ascii(text[error.start])[1:-1]
            raise ToolError(
                f"The file is {self.label or 'UTF-8'}, which can't hold the character {character} in line "
                f"{line} of the text. Use other characters, or convert the file first (iconv through bash)."
            ) from error


def understand(content: bytes) -> TextFile:
    """Find out the encoding of `content`. Raises NotText for binary content."""
    for mark, codec, label in _MARKS:
        if content.startswith(mark):
            return _marked(content, mark, codec, label)
    if kind := binary_kind(content):
        raise NotText(kind)
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return _not_utf8(content)
    return TextFile(content, "utf-8", b"", "")


def _marked(content: bytes, mark: bytes, codec: str, label: str) -> TextFile:
    try:
        text = content[len(mark) :].decode(codec)
    except UnicodeDecodeError:
        if codec == "utf-8":
            return TextFile(content, codec, mark, f"{label} and some invalid bytes")
        raise NotText(f"binary data that begins like {label}") from None
    if "\x00" in text:
        raise NotText("binary data" if codec != "utf-8" else "binary data behind a UTF-8 mark")
    return TextFile(content, codec, mark, label)


def _not_utf8(content: bytes) -> TextFile:
    """Mostly UTF-8 with some broken bytes, else Windows-1252, else Latin-1 (which holds any byte)."""
    lenient = content.decode("utf-8", "surrogateescape")
    broken = sum(1 for character in lenient if "\udc80" <= character <= "\udcff")
    good = sum(1 for character in lenient if character > "\x7f") - broken
    if good > broken:
        return TextFile(content, "utf-8", b"", f"UTF-8 with {broken:,} invalid bytes")
    try:
        content.decode("cp1252")
    except UnicodeDecodeError:
        return TextFile(content, "latin-1", b"", "not UTF-8, read as Latin-1")
    return TextFile(content, "cp1252", b"", "not UTF-8, read as Windows-1252")


def uses_crlf(content: str) -> bool:
    """Whether every line of `content` ends in CRLF (and there is one)."""
    ends = content.count("\n")
    return ends > 0 and content.count("\r\n") == ends


def read_bytes(path: Path, workspace: Path) -> bytes:
    """The bytes of a regular file of at most 25 MB. Never blocks on a pipe or device."""
    name = name_for_model(path, workspace)
    try:
        _refuse_other_kinds(path.stat(), name)
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            _refuse_other_kinds(os.fstat(descriptor), name)
            content = file.read(MAX_FILE_BYTES + 1)
    except FileNotFoundError:
        raise ToolError(missing_sentence(path, workspace)) from None
    except OSError as error:
        raise ToolError(f"{name} can't be read: {error.strerror or error}.") from error
    if len(content) > MAX_FILE_BYTES:
        raise ToolError(_too_large(name, len(content)))
    return content


def read_text_file(path: Path, workspace: Path) -> TextFile:
    """As `read_bytes`, with the encoding found out. Binary files are refused with their type."""
    content = read_bytes(path, workspace)
    try:
        return understand(content)
    except NotText as found:
        name = name_for_model(path, workspace)
        raise ToolError(
            f"{name} is no text but {found} ({len(content):,} bytes). Look at it through bash, "
            "with a program made for its type."
        ) from None


def _refuse_other_kinds(status: os.stat_result, name: str) -> None:
    mode = status.st_mode
    if stat.S_ISDIR(mode):
        raise ToolError(f'{name} is a folder. List it with glob, for example pattern "*" and path "{name}".')
    if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode):
        raise ToolError(f"{name} is a {'pipe' if stat.S_ISFIFO(mode) else 'socket'}, not a file.")
    if not stat.S_ISREG(mode):
        raise ToolError(f"{name} is a device, not a file.")
    if status.st_size > MAX_FILE_BYTES:
        raise ToolError(_too_large(name, status.st_size))


def _too_large(name: str, size: int) -> str:
    return (
        f"{name} has {size / 1_048_576:,.1f} MB; at most 25 MB are read. "
        "Search it with grep, or cut a part out of it through bash (head, tail, sed -n)."
    )
