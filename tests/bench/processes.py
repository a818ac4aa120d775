"""CPU time and memory of a process and its descendants, from /proc."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_TICK = os.sysconf("SC_CLK_TCK")


def _fields(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()


def family(root: int) -> list[int]:
    """The process and its living descendants."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError, IndexError):
                children.setdefault(int(_fields(int(entry.name))[1]), []).append(int(entry.name))
    return list(_below(root, children))


def _below(pid: int, children: dict[int, list[int]]) -> Iterator[int]:
    yield pid
    for child in children.get(pid, ()):
        yield from _below(child, children)


def cpu_seconds(root: int, alone: bool = False) -> float:
    """User and system seconds of the family, or of the process alone, and of children that ended."""
    total = 0
    for pid in [root] if alone else family(root):
        with suppress(OSError, IndexError):
            fields = _fields(pid)
            total += sum(int(field) for field in (fields[11:13] if alone else fields[11:15]))
    return total / _TICK


def proportional_mib(pid: int) -> float:
    """Proportional set size of one process in MiB."""
    with suppress(OSError):
        found = re.search(r"^Pss:\s+(\d+)", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.MULTILINE)
        if found:
            return int(found[1]) / 1024
    return 0.0
