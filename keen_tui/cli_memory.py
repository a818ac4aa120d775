"""The commands keen memory and keen scrub."""

from __future__ import annotations

import argparse
import os
import sys
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


def scrub_command(parser: argparse.ArgumentParser, arguments: list[str]) -> int:
    """Remove a leaked value from all that Keen keeps and say where it was. 1 when something is left."""
    from keen_tui.store.scrub import scrub

    parser.add_argument("value", help="the whole secret; - reads it from standard input, and your shell keeps nothing")
    options = parser.parse_args(arguments)
    value = sys.stdin.readline().rstrip("\r\n") if options.value == "-" else options.value
    done = scrub(KeenHome.from_environment(os.environ), value)
    if done.total:
        print(f"Removed {_times(done.total)}:")
    else:
        print("Nothing that Keen keeps holds this value.")
    in_tasks = f" ({len(done.tasks)} task{'s' if len(done.tasks) != 1 else ''})"
    for name, count, more in (
        ("transcripts", done.transcripts, in_tasks),
        ("database", done.database, ""),
        ("logs", done.logs, ""),
        ("other files", done.other, ""),
    ):
        if count:
            print(f"  {name:<12} {count:>6,}{more}")
    for task, holder in done.skipped.items():
        print(f"Skipped task {task}: it is open in {holder}. Close it there and scrub again.")
    for path in done.keys:
        print(visible(f"{path} holds the value too. It is a place for keys, so it was left alone."))
    for problem in done.problems:
        print(visible(problem))
    if done.total:
        print("Whoever saw it may have it: withdraw it where it was issued.")
    return 1 if done.skipped or done.problems else 0


def _times(count: int) -> str:
    return "1 occurrence" if count == 1 else f"{count:,} occurrences"
