"""Short, clean, secret-free forms of paths, patterns, commands and URLs: all that TurnMemory may keep.

The rules are those of "Bounds and redaction" in the design of TurnMemory: one line, no control
characters, at most 256 UTF-8 bytes, secrets redacted, nothing of a path outside the workspace but
its last component, nothing of a URL but scheme, host, port and path.
"""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import urlsplit

from keen_tui.security.secrets import redact
from keen_tui.security.untrusted import without_controls

LIMIT = 256
"""UTF-8 bytes of a kept string, the `...` of a cut one included."""
_WINDOW = 65_536


def bounded(text: str, limit: int = LIMIT) -> str:
    """The text on one line, redacted, in at most `limit` UTF-8 bytes; a cut one ends in `...`."""
    line = " ".join(without_controls(text).split())
    if len(line) > _WINDOW:
        # A secret that the window cuts in two would not be recognised: its half goes as well.
        line = line[:_WINDOW].rpartition(" ")[0] or line[:limit]
        return _cut(redact(line) + "...", limit)
    return _cut(redact(line), limit)


def bounded_command(command: str) -> str:
    """A shell command, bounded."""
    return bounded(command)


def bounded_path(path: str | Path, workspace: Path | None) -> str:
    """A path relative to the workspace, symlinks resolved, bounded.

    The workspace is `.`; a path outside it keeps its last component behind `…/`. Without a workspace
    the path stays as it is, bounded. Never raises: what the system can't resolve is taken literally.
    """
    text = str(path)
    if workspace is None or not text.strip():
        return bounded(text)
    root = os.path.realpath(workspace)
    full = os.path.join(root, os.path.expanduser(text))  # noqa: PTH118,PTH111 - text, not a Path
    try:
        real = os.path.realpath(full)
    except (OSError, ValueError):
        real = os.path.normpath(full)
    if real == root:
        return "."
    if real.startswith(root.rstrip("/") + "/"):
        return bounded(real[len(root.rstrip("/")) + 1 :])
    name = text.rstrip("/").rpartition("/")[2]
    if name in ("", ".", "..", "~"):
        name = real.rpartition("/")[2]
    return bounded(f"…/{name}")


def bounded_url(url: str) -> str:
    """Scheme, host, port and path of a URL, bounded; an empty string when it names no host."""
    try:
        parts = urlsplit(" ".join(without_controls(url).split()))
        host, port = parts.hostname, parts.port
    except ValueError:
        return ""
    if not host or not parts.scheme:
        return ""
    place = f"[{host}]" if ":" in host else host
    if port is not None:
        place = f"{place}:{port}"
    return bounded(f"{parts.scheme}://{place}{parts.path}")


def _cut(text: str, limit: int) -> str:
    data = text.encode("utf-8", "replace")
    if len(data) <= limit:
        return text
    return data[: max(limit - 3, 0)].decode("utf-8", "ignore") + "..."[:limit]
