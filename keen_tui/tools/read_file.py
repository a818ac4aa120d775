"""The tool that shows a text file with line numbers."""

from __future__ import annotations

from pathlib import Path

from keen_tui.domain.exchange import ToolSpec
from keen_tui.tools import schema
from keen_tui.tools.base import Access, Arguments, Outcome, ToolContext
from keen_tui.tools.places import locate, name_for_model, path_target
from keen_tui.tools.stoppable import Stop, in_thread
from keen_tui.tools.text_files import TextFile, read_text_file, uses_crlf

MOST_LINES = 1000
MOST_LINE_CHARACTERS = 2000
MOST_CHARACTERS = 120_000

_DESCRIPTION = """\
Shows a text file of the workspace (or any other, by absolute path) with line numbers.
Each line comes as its number, a tab, and the text; the number and the tab are not part of the file.
At most 1,000 lines come at once; the last line of the answer says how many there are and which offset
to go on with. Lines over 2,000 characters are cut and marked. Read a file before you change it.
For folders use glob; to find something inside files use grep."""


class ReadFile:
    """`read_file`: line numbers, any common encoding, binary files refused with their type."""

    read_only = True
    spec = ToolSpec(
        "read_file",
        _DESCRIPTION,
        schema.parameters(
            required=["path"],
            path=schema.text("The file, relative to the workspace or absolute."),
            offset=schema.whole_number("The first line to show, counted from 1. Default 1.", 1),
            limit=schema.whole_number("How many lines to show, at most 1,000. Default 1,000.", 1),
        ),
    )

    def target(self, arguments: Arguments, workspace: Path) -> str | None:
        return path_target(arguments, workspace)

    def access(self, arguments: Arguments, context: ToolContext) -> Access:
        return Access("read", paths=(locate(arguments.get("path"), context.workspace),))

    async def preview(self, arguments: Arguments, context: ToolContext) -> str:
        return ""

    async def run(self, arguments: Arguments, context: ToolContext) -> Outcome:
        path = locate(arguments.get("path"), context.workspace)
        first = max(1, int(arguments.get("offset") or 1))
        most = min(MOST_LINES, max(1, int(arguments.get("limit") or MOST_LINES)))

        def work(stop: Stop) -> Outcome:
            file = read_text_file(path, context.workspace)
            context.stamps.remember(path, file.content)
            text = numbered(file, name_for_model(path, context.workspace), first, most)
            return Outcome(text, kind="file", size=len(file.content))

        return await in_thread(work)


def numbered(file: TextFile, name: str, first: int, most: int) -> str:
    """Lines `first` to `first + most - 1` with their numbers, and a closing line in brackets."""
    text = file.text
    if not text:
        return f"[{name} is empty{_traits(file, text)}]"
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    if first > len(lines):
        return f"[{name} ends with line {len(lines):,}{_traits(file, text)}; offset {first} is behind its end]"
    shown: list[str] = []
    characters = 0
    for number, line in enumerate(lines[first - 1 : first - 1 + most], start=first):
        shown.append(f"{number:>6}\t{_cut(line.removesuffix(chr(13)))}")
        characters += len(shown[-1]) + 1
        if characters > MOST_CHARACTERS:
            break
    last = first + len(shown) - 1
    return "\n".join([*shown, _closing(file, text, first, last, len(lines))])


def _cut(line: str) -> str:
    if len(line) <= MOST_LINE_CHARACTERS:
        return line
    return f"{line[:MOST_LINE_CHARACTERS]}… [{len(line) - MOST_LINE_CHARACTERS:,} more characters in this line]"


def _closing(file: TextFile, text: str, first: int, last: int, total: int) -> str:
    traits = _traits(file, text)
    if first == 1 and last == total:
        return f"[end of file, {total:,} {'line' if total == 1 else 'lines'}{traits}]"
    if last == total:
        return f"[lines {first:,} to {last:,}, the end of the file{traits}]"
    return f"[lines {first:,} to {last:,} of {total:,}{traits}; go on with offset={last + 1}]"


def _traits(file: TextFile, text: str) -> str:
    """What must be known to write it back: encoding, line endings, a missing final newline."""
    traits = [file.label] if file.label else []
    if uses_crlf(text):
        traits.append("CRLF line endings")
    elif "\r\n" in text:
        traits.append("mixed line endings")
    if text and not text.endswith("\n"):
        traits.append("no newline at the end")
    return "".join(f"; {trait}" for trait in traits)
