"""Where Keen keeps its own files."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from keen_tui.config.private_files import make_private_folder
from keen_tui.domain.errors import KeenError


@dataclass(frozen=True, slots=True)
class KeenHome:
    """The folder of all that Keen keeps: `~/.keen`, or what KEEN_HOME names. `root` is absolute."""

    root: Path

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> KeenHome:
        """KEEN_HOME (with `~`), else `.keen` in the user's home folder."""
        home = Path(environ.get("HOME") or Path("~").expanduser())
        named = environ.get("KEEN_HOME", "").strip()
        if not named:
            return cls((home / ".keen").absolute())
        if named == "~" or named.startswith("~/"):
            return cls((home / named[2:]).absolute())
        return cls(Path(named).absolute())

    @property
    def config_file(self) -> Path:
        return self.root / "config.toml"

    @property
    def database(self) -> Path:
        return self.root / "keen.db"

    @property
    def env_file(self) -> Path:
        return self.root / ".env"

    @property
    def credentials_file(self) -> Path:
        return self.root / "credentials.toml"

    @property
    def layout_file(self) -> Path:
        return self.root / "layout.json"

    @property
    def log_dir(self) -> Path:
        return self.root / "log"

    @property
    def themes_dir(self) -> Path:
        return self.root / "themes"

    @property
    def pieces_dir(self) -> Path:
        return self.root / "pieces"

    @property
    def tasks_dir(self) -> Path:
        return self.root / "tasks"

    @property
    def workspaces_dir(self) -> Path:
        return self.root / "workspaces"

    @property
    def global_memory(self) -> Path:
        return self.root / "memory" / "global" / "MEMORY.md"

    def task_dir(self, task_id: str) -> Path:
        """The folder of one task. Raises ValueError for an id that is no plain name."""
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]*", task_id):
            raise ValueError(f"not a task id: {task_id!r}")
        return self.tasks_dir / task_id

    def transcript(self, task_id: str) -> Path:
        return self.task_dir(task_id) / "logs" / "transcript.jsonl"

    def permissions_file(self, workspace: Path) -> Path:
        """What the user allowed for a workspace; the folder's name is stable for one resolved path."""
        path = workspace.resolve()
        digest = hashlib.sha256(os.fsencode(path)).hexdigest()[:16]
        name = re.sub(r"[^A-Za-z0-9]+", "-", path.name).strip("-")[:32]
        return self.workspaces_dir / (f"{name}-{digest}" if name else digest) / "permissions.toml"

    def ensure(self) -> None:
        """Create the folders, for the user alone (0700). Raises KeenError when that can't be done."""
        folders = [
            self.root,
            self.log_dir,
            self.tasks_dir,
            self.workspaces_dir,
            self.themes_dir,
            self.pieces_dir,
            self.root / "memory",
            self.global_memory.parent,
        ]
        for folder in folders:
            try:
                make_private_folder(folder)
            except OSError as error:
                reason = error.strerror or str(error)
                raise KeenError(
                    f"Keen can't use the folder {folder}: {reason}. Nothing was changed.",
                    "Make the folder writable for you, or set KEEN_HOME to a folder that is.",
                ) from error
