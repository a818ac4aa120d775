"""What holds for the user's memory files beside what holds for every file: a template, and no secrets."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from keen_tui.domain.memory_template import MemoryScope
from keen_tui.security.secrets import find_secrets, places_of
from keen_tui.tools.base import ToolContext, ToolError
from keen_tui.tools.file_stamps import digest
from keen_tui.tools.places import name_for_model

_READ = 1024 * 1024
"""Bytes of a memory file that are looked at after a command; more is never loaded."""


def memory_scope(path: Path, context: ToolContext) -> MemoryScope | None:
    """Which memory file stands at `path` (symlinks resolved); None for any other file. Hard links count."""
    for scope, memory in context.memory_files.items():
        if path == Path(os.path.realpath(memory)) or _same(path, memory):
            return scope
    return None


def refuse_secrets(path: Path, content: bytes, context: ToolContext) -> None:
    """Raises ToolError when `content` would bring a secret into a memory file; line and kind are named."""
    if memory_scope(path, context) is None:
        return
    if found := find_secrets(content.decode("utf-8", "replace")):
        raise ToolError(
            f"{name_for_model(path, context.workspace)} was not written: the text holds a secret "
            f"({places_of(found)}). Secrets never go to a memory file. Leave the value out; say where it is kept "
            "instead, such as the name of an environment variable."
        )


def memory_states(context: ToolContext) -> Mapping[MemoryScope, bytes]:
    """A digest of each memory file that can be read, to see later which ones changed."""
    states: dict[MemoryScope, bytes] = {}
    for scope, path in context.memory_files.items():
        content = _content(path)
        if content is not None:
            states[scope] = digest(content)
    return states


def secrets_brought_in(before: Mapping[MemoryScope, bytes], context: ToolContext) -> list[str]:
    """A sentence for each memory file that changed since `before` and holds a secret."""
    sentences = []
    for scope, path in context.memory_files.items():
        content = _content(path)
        if content is None or before.get(scope) == digest(content):
            continue
        if found := find_secrets(content.decode("utf-8", "replace")):
            name = name_for_model(path, context.workspace)
            sentences.append(
                f"{name} holds a secret since this command ({places_of(found)}). "
                "Nothing of the file is loaded until that is removed."
            )
    return sentences


def _same(path: Path, memory: Path) -> bool:
    try:
        return path.samefile(memory)
    except (OSError, ValueError):
        return False


def _content(path: Path) -> bytes | None:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            return file.read(_READ)
    except OSError:
        return None
