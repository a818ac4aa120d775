"""The programs that are measured: Keen in its shapes, and the floor."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from tests.bench.terminal import Terminal

ROOT = Path(__file__).resolve().parents[2]
MODEL = "openai/bench"


@dataclass(frozen=True)
class Program:
    """`keys` are typed once it is up: they choose a layout."""

    name: str
    argv: tuple[str, ...]
    folder: Path
    keys: bytes = b""
    environ: dict[str, str] = field(default_factory=dict)

    @property
    def is_keen(self) -> bool:
        return self.name.startswith("keen")

    def start(self) -> Terminal:
        project = self.folder / "project"
        if not project.exists():
            project.mkdir(parents=True)
            subprocess.run(["git", "init", "-q", str(project)], check=False)
        environ = {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            "HOME": str(self.folder),
            "PYTHONPATH": str(ROOT),
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "LANG": "C.UTF-8",
            **self.environ,
        }
        return Terminal(self.argv, environ, project)


def floor(folder: Path, port: int) -> Program:
    """The floor program."""
    return Program(
        "floor", (sys.executable, "-m", "tests.bench.floor", f"http://127.0.0.1:{port}/v1"), folder / "floor"
    )


def keen(folder: Path, port: int, name: str = "keen", *arguments: str, keys: bytes = b"") -> Program:
    """Keen on the model server, with a home of its own."""
    home = folder / "keen" / "home"
    home.mkdir(parents=True, exist_ok=True)
    (home / "config.toml").write_text(
        f'model = "{MODEL}"\n[providers.openai]\nbase_url = "http://127.0.0.1:{port}/v1"\napi_key_env = "BENCH_KEY"\n'
        f'[models."{MODEL}"]\nwire = "openai_chat"\ncontext_window = 1000000\n'
    )
    argv = (sys.executable, "-m", "keen_tui.cli", *arguments)
    return Program(name, argv, folder / "keen", keys, {"KEEN_HOME": str(home), "BENCH_KEY": "sk-bench"})
