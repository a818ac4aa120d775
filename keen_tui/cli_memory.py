"""The commands keen memory and keen scrub."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from keen_tui.config.paths import KeenHome
from keen_tui.config.workspace import find_workspace
from keen_tui.domain.errors import KeenError
from keen_tui.security.untrusted import visible


def memory_command(parser: argparse.ArgumentParser, arguments: list[str]) -> int:
    """Print where the memory files are, or what they hold. Nothing is made or changed."""
    from keen_tui.memory.memory_files import load_memory
    from keen_tui.memory.report import memory_contents, memory_listing

    parser.add_argument("what", nargs="?", choices=("show",), help="show prints what the files hold")
    options = parser.parse_args(arguments)
    home, workspace = KeenHome.from_environment(os.environ), find_workspace(_here())
    report = memory_contents if options.what else memory_listing
    print(visible(report(load_memory(home.global_memory, workspace), workspace, Path.home())))
    return 0


def _here() -> Path:
    try:
        return Path.cwd()
    except OSError as error:
        raise KeenError("The current folder is gone or can't be read.", "Go to another folder.") from error
