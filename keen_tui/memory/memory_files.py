"""The two MEMORY.md files: what of them is loaded, and what is not."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from keen_tui.domain.memory_template import MemoryScope as Scope
from keen_tui.memory.capped_text import whole_lines
from keen_tui.memory.plain_file import NotPlainError, PlainFile, leads_outside, read_start, shown_path

CAPS: dict[Scope, int] = {"global": 8 * 1024, "project": 16 * 1024}
"""Bytes that are loaded at most."""
SHOWN_LIMIT = 1024 * 1024
"""Bytes of a file that are read at most, so that the pane can show what is not loaded."""


@dataclass(frozen=True, slots=True)
class MemoryFile:
    """A memory file as it is on the disk.

    `text` is the whole text (at most SHOWN_LIMIT bytes of it), `loaded_bytes` of its UTF-8 form are loaded.
    `cut_line` is the number, from 1, of the first line that is not loaded whole; None when all is.
    `problem` is a sentence when something is wrong; `text` is empty when nothing could be read. A file
    that holds a secret is not loaded at all, and `text` shows it redacted.
    """

    scope: Scope
    path: Path
    exists: bool = False
    size: int = 0
    cap: int = 0
    text: str = ""
    loaded_bytes: int = 0
    cut_line: int | None = None
    problem: str = ""
    changed: datetime | None = None

    @property
    def loaded_text(self) -> str:
        """What goes into the prompt, without the note."""
        return self.text.encode()[: self.loaded_bytes].decode()


def project_memory(workspace: Path) -> Path:
    return workspace / ".keen" / "MEMORY.md"


def load_memory(global_path: Path, workspace: Path) -> tuple[MemoryFile, MemoryFile]:
    """The global and the project file. Never raises for what is on the disk: see `problem`.

    A project file that leads out of the workspace by a symlink is not read: a cloned repository must
    not be able to put the user's other files into a prompt.
    """
    own = load_memory_file("global", global_path)
    path = project_memory(workspace)
    if leads_outside(path, workspace):
        problem = "It leads out of the workspace by a symlink, so it is not loaded."
        return own, MemoryFile("project", path, exists=True, cap=CAPS["project"], problem=problem)
    return own, load_memory_file("project", path)


def load_memory_file(scope: Scope, path: Path) -> MemoryFile:
    """One file, cut at the scope's cap. Never raises for what is on the disk."""
    cap = CAPS[scope]
    try:
        file = read_start(path, SHOWN_LIMIT)
    except (FileNotFoundError, NotADirectoryError):
        return MemoryFile(scope, path, cap=cap)
    except NotPlainError as error:
        return MemoryFile(scope, path, exists=True, cap=cap, problem=f"There is a {error} in its place.")
    except OSError as error:
        problem = f"It can't be read: {error.strerror or error}."
        return MemoryFile(scope, path, exists=True, cap=cap, problem=problem)
    return _measured(scope, path, file)


def _measured(scope: Scope, path: Path, file: PlainFile) -> MemoryFile:
    problem = ""
    raw = file.start.removeprefix(b"\xef\xbb\xbf")
    longer = file.size > SHOWN_LIMIT
    if longer:
        raw = whole_lines(raw, SHOWN_LIMIT - 4)
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        problem = f"It is not UTF-8 (line {line}): what can't be read is shown as \ufffd."
        text = raw.decode("utf-8", "replace")
    if found := secrets_in(text):
        problem = f"It holds a secret ({found}), so nothing of it is loaded until that is removed."
        return _with_secret(scope, path, file, text, problem)
    encoded = text.encode()
    loaded = whole_lines(encoded, CAPS[scope])
    cut = len(loaded) < len(encoded) or longer
    return MemoryFile(
        scope=scope,
        path=path,
        exists=True,
        size=file.size,
        cap=CAPS[scope],
        text=text,
        loaded_bytes=len(loaded),
        cut_line=loaded.count(b"\n") + 1 if cut else None,
        problem=problem,
        changed=file.changed,
    )


def secrets_in(text: str) -> str:
    """Where secret values stand in the text and of which kind they are; empty when it is clean."""
    from keen_tui.security.secrets import find_secrets, places_of  # the first paint does without

    return places_of(find_secrets(text))


def _with_secret(scope: Scope, path: Path, file: PlainFile, text: str, problem: str) -> MemoryFile:
    from keen_tui.security.secrets import redact

    return MemoryFile(
        scope=scope,
        path=path,
        exists=True,
        size=file.size,
        cap=CAPS[scope],
        text=redact(text),
        cut_line=1,
        problem=problem,
        changed=file.changed,
    )


def rendered(file: MemoryFile) -> str:
    """The file for the prompt, with a note on what is missing; empty when there is nothing to load."""
    text = file.loaded_text.strip()
    if not text:
        return ""
    if file.cut_line is None:
        return text
    missing = max(file.size, len(file.text.encode())) - file.loaded_bytes
    return (
        f"{text}\n\n[The file is longer than its limit of {file.cap:,} bytes: about {missing:,} bytes, "
        f"from line {file.cut_line} on, are not shown. The whole file is {shown_path(file.path)}]"
    )
