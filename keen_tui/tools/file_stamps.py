"""Which version of each file was last read here, so that a write never runs over somebody's change."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path


def digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=16).digest()


@dataclass(slots=True)
class FileStamps:
    """Digests of the contents last read or written, by absolute path."""

    _seen: dict[Path, bytes] = field(default_factory=dict)

    def remember(self, path: Path, content: bytes) -> None:
        self._seen[path] = digest(content)

    def knows(self, path: Path) -> bool:
        return path in self._seen

    def is_current(self, path: Path, content: bytes) -> bool:
        """Whether `content`, just read from disk, is what was last seen. True for a path never seen."""
        seen = self._seen.get(path)
        return seen is None or seen == digest(content)
