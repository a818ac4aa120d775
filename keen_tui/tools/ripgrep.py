"""How a search is put to ripgrep, and to the script that stands in for it."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from keen_tui.tools import line_search
from keen_tui.tools.matches import Query
from keen_tui.tools.places import kind_of

_SPECIAL_IN_GLOB = frozenset('\\:{}[]!"\n')


def ripgrep_command(program: str, query: Query, start: Path, root: Path, rules_above: bool) -> list[str]:
    """The arguments for a search below `start`: ignore rules of git only, hidden files too, path order.

    To be run in `root`, the workspace. Rules of folders above the workspace do not count, those
    between it and `start` only with `rules_above`.
    """
    command = [
        program,
        "--no-config",
        "--color=never",
        "--no-messages",
        "--no-require-git",
        "--no-ignore-global",
        "--no-ignore-dot",
        "--hidden",
        "--sort=path",
        "--null",
        "--glob=!.git",
    ]
    if query.files_only:
        command.append("--files-with-matches")
    else:
        command += ["--no-heading", "--with-filename", "--line-number"]
        command += ["--max-columns=2000", "--max-columns-preview"]
        if query.context:
            command.append(f"--context={query.context}")
    if query.ignore_case:
        command.append("--ignore-case")
    if name := _name_glob(query.glob):
        command += [f"--type-add=wanted:{name}", "--type=wanted"]
    inside = start.is_relative_to(root)
    place = os.path.relpath(start, root) if inside else str(start)
    return [*command, *_rules_above(start, root, rules_above), f"--regexp={query.pattern}", "--", place]


def script_command(query: Query) -> list[str]:
    """The arguments for `line_search.py`, which gets the names of the files on its standard input."""
    options = {
        "pattern": query.pattern,
        "ignore_case": query.ignore_case,
        "context": query.context,
        "files_only": query.files_only,
    }
    return [sys.executable, "-I", str(Path(line_search.__file__)), json.dumps(options)]


def _rules_above(start: Path, root: Path, wanted: bool) -> list[str]:
    """ripgrep itself stops looking for rules above a git root, but nowhere else."""
    if wanted and kind_of(root / ".git") != "missing":
        return []
    rules = root / ".gitignore"
    if wanted and start != root and kind_of(rules) == "file":
        return ["--no-ignore-parent", f"--ignore-file={rules}"]
    return ["--no-ignore-parent"]


def _name_glob(glob: str) -> str:
    """A glob for the file name alone that lets at least the wanted files through; "" for none.

    ripgrep's own --glob would bring ignored files back, its types do not.
    """
    name = glob.rsplit("/", 1)[-1]
    if not name or "**" in name or _SPECIAL_IN_GLOB & set(glob):
        return ""
    return name
