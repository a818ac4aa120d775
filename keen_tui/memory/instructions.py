"""The project's own instructions to agents: AGENTS.md, else CLAUDE.md, else GEMINI.md."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from keen_tui.memory.capped_text import whole_lines
from keen_tui.memory.plain_file import leads_outside, read_start, shown_path

NAMES = ("AGENTS.md", "CLAUDE.md", "GEMINI.md")
TOTAL_CAP = 32 * 1024
"""Bytes of all files together. The file nearest to the current directory is kept first."""


@dataclass(frozen=True, slots=True)
class Instructions:
    """`files` are those in `text`, the outermost first. `dropped_bytes` did not fit."""

    files: tuple[Path, ...] = ()
    text: str = ""
    dropped_bytes: int = 0


def load_instructions(workspace: Path, cwd: Path) -> Instructions:
    """The instruction file of each folder from the workspace's root down to `cwd`.

    A folder's file is the first of NAMES that is there and not blank. What can't be read, is no file or
    leads out of the workspace is passed over. Never raises for what is on the disk.
    """
    found = [entry for folder in _folders(workspace, cwd) if (entry := _first_file(folder, workspace))]
    room = TOTAL_CAP
    parts: list[str] = []
    files: list[Path] = []
    dropped = 0
    for path, raw, size in reversed(found):
        kept = whole_lines(raw, room) if room else b""
        dropped += size - len(kept)
        room -= len(kept)
        if kept:
            files.insert(0, path)
            parts.insert(0, _part(path, kept, size))
        else:
            parts.insert(0, f"[{shown_path(path)} ({size:,} bytes) is not shown: the instructions are too long.]")
    return Instructions(tuple(files), "\n\n".join(parts), dropped)


def _folders(workspace: Path, cwd: Path) -> list[Path]:
    root, here = workspace.resolve(), cwd.resolve()
    if not here.is_relative_to(root):
        return [root]
    inner = [folder for folder in (here, *here.parents) if folder.is_relative_to(root)]
    return inner[::-1]


def _first_file(folder: Path, workspace: Path) -> tuple[Path, bytes, int] | None:
    """Path, UTF-8 content (at most TOTAL_CAP and a little) and whole size of a folder's file."""
    for name in NAMES:
        path = folder / name
        if leads_outside(path, workspace):
            continue
        try:
            file = read_start(path, TOTAL_CAP + 4)
        except OSError:
            continue
        text = file.start.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").strip()
        if text:
            encoded = text.encode()
            return path, encoded, file.size if file.size > len(file.start) else len(encoded)
    return None


def _part(path: Path, kept: bytes, size: int) -> str:
    name = shown_path(path)
    text = f"From {name}:\n\n{kept.decode('utf-8', 'replace').strip()}"
    if len(kept) < size:
        text += f"\n\n[{size - len(kept):,} more bytes of this file are not shown. Read {name} for the rest.]"
    return text
