"""A memory file in the hands of a person: opened to be changed, and written only when that is safe."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from dataclasses import dataclass, replace
from pathlib import Path

from keen_tui.config.private_files import make_private_folder
from keen_tui.domain.errors import KeenError
from keen_tui.domain.memory_template import MemoryScope, first_text
from keen_tui.memory.memory_files import SHOWN_LIMIT, project_memory, secrets_in
from keen_tui.memory.plain_file import NotPlainError, leads_outside, read_start, shown_path

_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class MemoryDraft:
    """A file as it was opened. `content` are its bytes, None when it is not there; `text` is to be changed."""

    scope: MemoryScope
    path: Path
    text: str
    content: bytes | None


def open_draft(scope: MemoryScope, global_path: Path, workspace: Path) -> MemoryDraft:
    """The file to change; the template when it is not there. Raises KeenError for what is no text file."""
    path = global_path if scope == "global" else project_memory(workspace)
    name = shown_path(path)
    if scope == "project" and leads_outside(path, workspace):
        raise KeenError(f"{name} leads out of the workspace by a symlink, so it is left alone.", "Mend the link first.")
    content = _read(path)
    if content is None:
        return MemoryDraft(scope, path, first_text(scope, ""), None)
    if len(content) > SHOWN_LIMIT:
        raise KeenError(f"{name} is longer than {SHOWN_LIMIT:,} bytes.", "Shorten it with a program of your own.")
    try:
        text = content.removeprefix(_MARK).decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise KeenError(f"{name} is not UTF-8 (line {line}).", "Convert it with a program of your own first.") from None
    return MemoryDraft(scope, path, text.replace("\r\n", "\n"), content)


def save_draft(draft: MemoryDraft, text: str) -> MemoryDraft:
    """Write the file in one step; returns it as it is then.

    Raises KeenError, and the file stays as it is, when the text holds a secret, when the file changed on
    disk since it was opened, or when it can't be written.
    """
    name = shown_path(draft.path)
    if found := secrets_in(text):
        raise KeenError(
            f"Not saved: the text holds a secret ({found}).", "Memory is sent to the model: take the value out."
        )
    content = _bytes_of(draft, text)
    try:
        target = draft.path.resolve()
        _make_folder(draft, target.parent)
        temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
        try:
            _write(temporary, content, _mode(target))
            if _read(target) != draft.content:
                raise KeenError(
                    f"Not saved: {name} changed on disk since it was opened here.",
                    "Copy what you wrote, leave with Esc, open the file again and put it in.",
                )
            temporary.replace(target)
        finally:
            with contextlib.suppress(OSError):
                temporary.unlink()
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise KeenError(f"Not saved: {name} can't be written ({reason}).", "The text stays in the editor.") from error
    return replace(draft, text=text, content=content)


def _bytes_of(draft: MemoryDraft, text: str) -> bytes:
    """The text with the line endings and the mark that the file had."""
    before = draft.content or b""
    if b"\r\n" in before:
        text = text.replace("\r\n", "\n").replace("\n", "\r\n")
    encoded = text.encode("utf-8", "replace")
    return _MARK + encoded if before.startswith(_MARK) else encoded


def _read(path: Path) -> bytes | None:
    try:
        return read_start(path, SHOWN_LIMIT + 1).start
    except (FileNotFoundError, NotADirectoryError):
        return None
    except NotPlainError as error:
        raise KeenError(f"There is a {error} in the place of {shown_path(path)}.", "Move it away first.") from None
    except OSError as error:
        raise KeenError(f"{shown_path(path)} can't be read: {error.strerror or error}.", "Mend its rights.") from error


def _make_folder(draft: MemoryDraft, folder: Path) -> None:
    if draft.scope == "global":
        make_private_folder(folder)
    else:
        folder.mkdir(exist_ok=True)


def _mode(path: Path) -> int | None:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return None


def _write(path: Path, content: bytes, mode: int | None) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    with os.fdopen(descriptor, "wb") as file:
        if mode is not None:
            os.fchmod(descriptor, mode)
        file.write(content)
        file.flush()
        os.fsync(descriptor)
