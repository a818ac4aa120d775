"""The tool that finds files by name."""

from __future__ import annotations

import os
from pathlib import Path

from keen_tui.domain.exchange import ToolSpec
from keen_tui.tools import schema
from keen_tui.tools.base import Access, Arguments, Outcome, ToolContext, ToolError
from keen_tui.tools.glob_pattern import compile_glob
from keen_tui.tools.ignore_rules import walk_files
from keen_tui.tools.places import folder_argument, kind_of, missing_sentence, name_for_model, search_target
from keen_tui.tools.stoppable import Stop, in_thread

MOST_FILES = 1000
SECONDS = 30.0

_DESCRIPTION = """\
Finds files by name and gives their paths, one a line, in path order, at most 1,000.
Knows *, ?, [a-z], {a,b} and ** (any number of folders). A pattern without a slash matches names at any
depth; one with a slash is matched against the path from the folder that is searched. Files that
.gitignore excludes and .git are left out; other hidden files are found. Links to folders are not followed."""


class Glob:
    """`glob`: paths relative to the workspace, ignore rules of git."""

    read_only = True
    spec = ToolSpec(
        "glob",
        _DESCRIPTION,
        schema.parameters(
            required=["pattern"],
            pattern=schema.text('For example "*.py", "src/**/*.{ts,tsx}" or "*".'),
            path=schema.text("The folder to search. Default: the workspace."),
        ),
    )

    def target(self, arguments: Arguments, workspace: Path) -> str | None:
        return search_target(arguments, workspace)

    def access(self, arguments: Arguments, context: ToolContext) -> Access:
        return Access("read", paths=(folder_argument(arguments, context.workspace),))

    async def preview(self, arguments: Arguments, context: ToolContext) -> str:
        return ""

    async def run(self, arguments: Arguments, context: ToolContext) -> Outcome:
        folder = folder_argument(arguments, context.workspace)
        pattern = str(arguments.get("pattern", ""))
        return await in_thread(lambda stop: _find(folder, pattern, context.workspace, stop), SECONDS)


def _find(folder: Path, pattern: str, workspace: Path, stop: Stop) -> Outcome:
    glob = compile_glob(_relative_pattern(pattern, folder))
    kind = kind_of(folder)
    if kind == "missing":
        raise ToolError(missing_sentence(folder, workspace))
    if kind != "folder":
        raise ToolError(f"{name_for_model(folder, workspace)} is a file. Give a folder, or use read_file.")
    root = os.path.realpath(workspace)
    skip = len(str(folder).rstrip("/")) + 1
    found: list[str] = []
    more = False
    for path in walk_files(folder, workspace, stop):
        if glob.matches(path[skip:]):
            if len(found) == MOST_FILES:
                more = True
                break
            found.append(name_for_model(Path(path), Path(root)))
    return _outcome(found, more, stop.late)


def _relative_pattern(pattern: str, folder: Path) -> str:
    """An absolute pattern below the folder that is searched counts from that folder."""
    prefix = f"{str(folder).rstrip('/')}/"
    return pattern[len(prefix) :] if pattern.startswith(prefix) else pattern


def _outcome(found: list[str], more: bool, late: bool) -> Outcome:
    if not found:
        note = f"No file found in {SECONDS:.0f} seconds; search a smaller folder." if late else "No file matches."
        return Outcome(f"[{note}]", kind="matches")
    note = f"{len(found):,} {'file' if len(found) == 1 else 'files'}"
    if more:
        note = f"the first {MOST_FILES:,} files; there are more: use a narrower pattern or a path"
    elif late:
        note += f" found in {SECONDS:.0f} seconds, then the search was ended: search a smaller folder"
    text = "\n".join([*found, f"[{note}]"])
    return Outcome(text, kind="matches", size=len(text.encode()))
