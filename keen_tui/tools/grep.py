"""The tool that finds text inside files."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

from keen_tui.domain.exchange import ToolSpec
from keen_tui.tools import schema
from keen_tui.tools.base import Access, Arguments, Outcome, ToolContext, ToolError
from keen_tui.tools.glob_pattern import GlobPattern, compile_glob
from keen_tui.tools.ignore_rules import has_rules_above, walk_files
from keen_tui.tools.matches import SECONDS, Query
from keen_tui.tools.places import folder_argument, kind_of, missing_sentence, search_target
from keen_tui.tools.ripgrep import ripgrep_command, script_command
from keen_tui.tools.search_process import Search, run_search
from keen_tui.tools.stoppable import Stop, in_thread

_DESCRIPTION = """\
Searches the contents of files with a regular expression, line by line, and gives path:line:text for each
match (path-line-text for lines of context), at most 1,000, in path order. Files that .gitignore excludes,
.git and binary files are left out. Put a backslash before special characters that are meant literally."""


class Grep:
    """`grep`: ripgrep where it is installed, else Python's `re`, with the same ignore rules."""

    read_only = True
    spec = ToolSpec(
        "grep",
        _DESCRIPTION,
        schema.parameters(
            required=["pattern"],
            pattern=schema.text('A regular expression, for example "def \\w+_total" or "TODO\\(".'),
            path=schema.text("A folder or one file to search. Default: the workspace."),
            glob=schema.text('Only files whose path matches, for example "*.py" or "src/**/*.ts".'),
            ignore_case=schema.flag("Capitals and small letters are the same. Default false."),
            context=schema.whole_number("Lines to show before and after each match. Default 0.", 0, 20),
            files_only=schema.flag("Give only the paths of files with a match. Default false."),
        ),
    )

    def __init__(self, ripgrep_program: str | None = None) -> None:
        """`ripgrep_program` is the path of rg; None looks for it on PATH, "" goes without."""
        self._program = ripgrep_program

    def target(self, arguments: Arguments, workspace: Path) -> str | None:
        return search_target(arguments, workspace)

    def access(self, arguments: Arguments, context: ToolContext) -> Access:
        return Access("read", paths=(folder_argument(arguments, context.workspace),))

    async def preview(self, arguments: Arguments, context: ToolContext) -> str:
        return ""

    async def run(self, arguments: Arguments, context: ToolContext) -> Outcome:
        start = folder_argument(arguments, context.workspace)
        query = _query(arguments)
        kind = kind_of(start)
        if kind == "missing":
            raise ToolError(missing_sentence(start, context.workspace))
        if kind == "other":
            raise ToolError("The path is neither a folder nor a regular file.")
        if kind == "file":
            query = replace(query, glob="")
        search = await self._search(query, start, Path(os.path.realpath(context.workspace)))
        found = await run_search(search)
        text = found.text("file" if query.files_only else "match")
        return Outcome(text, kind="matches", size=found.characters)

    async def _search(self, query: Query, start: Path, root: Path) -> Search:
        glob = compile_glob(query.glob) if query.glob else None
        program = shutil.which("rg") if self._program is None else self._program
        if program:
            above = await in_thread(lambda stop: has_rules_above(start, root))
            return Search(ripgrep_command(program, query, start, root, above), query, start, root, glob)
        names = await in_thread(lambda stop: _file_names(start, root, glob, stop), SECONDS)
        return Search(script_command(query), query, start, root, given=names or b"\0")


def _file_names(start: Path, root: Path, glob: GlobPattern | None, stop: Stop) -> bytes:
    """The files to search, each name ended by a NUL; links are left out, as ripgrep does."""
    if kind_of(start) == "file":
        return os.fsencode(start)
    skip = len(str(start).rstrip("/")) + 1
    names = [
        os.fsencode(name)
        for name in walk_files(start, root, stop)
        if (glob is None or glob.matches(name[skip:])) and not Path(name).is_symlink()
    ]
    return b"\0".join(names)


def _query(arguments: Arguments) -> Query:
    pattern = str(arguments.get("pattern", ""))
    if not pattern:
        raise ToolError("The pattern is empty.")
    if "\n" in pattern or "\0" in pattern:
        raise ToolError("The search goes line by line, so the pattern can't hold a line break or a NUL.")
    return Query(
        pattern,
        glob=str(arguments.get("glob") or ""),
        ignore_case=bool(arguments.get("ignore_case")),
        context=int(arguments.get("context") or 0),
        files_only=bool(arguments.get("files_only")),
    )
