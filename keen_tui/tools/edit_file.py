"""The tool that changes a part of a file and leaves every other byte alone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from keen_tui.domain.exchange import ToolSpec
from keen_tui.security.bounded import bounded_path
from keen_tui.tools import schema
from keen_tui.tools.base import Access, Arguments, Outcome, ToolContext, ToolError
from keen_tui.tools.diff import Change, compare
from keen_tui.tools.edit_match import find_matches, refuse_none, refuse_several
from keen_tui.tools.file_writing import changed_sentence, replace_content
from keen_tui.tools.memory_writes import refuse_secrets
from keen_tui.tools.places import locate, name_for_model, path_target
from keen_tui.tools.stoppable import Stop, in_thread
from keen_tui.tools.text_files import TextFile, read_text_file

_DESCRIPTION = """\
Replaces an exact piece of text in an existing file. old_string must stand in the file exactly once,
spaces and line breaks included; take in lines around it to make it unique, or set replace_all to change
every place. Give the text itself, without the line numbers that read_file shows. Everything outside the
change stays as it is, byte for byte. Refused when the file changed on disk since it was read."""


@dataclass(frozen=True, slots=True)
class _Plan:
    before: bytes
    after: bytes
    change: Change
    places: int


class EditFile:
    """`edit_file`: exact `old_string` to `new_string`, unique unless `replace_all`."""

    read_only = False
    spec = ToolSpec(
        "edit_file",
        _DESCRIPTION,
        schema.parameters(
            required=["path", "old_string", "new_string"],
            path=schema.text("The file, relative to the workspace or absolute."),
            old_string=schema.text("The text to replace, exactly as it stands in the file."),
            new_string=schema.text("The text to put in its place. Empty to remove it."),
            replace_all=schema.flag("Change every place where old_string stands. Default false."),
        ),
    )

    def target(self, arguments: Arguments, workspace: Path) -> str | None:
        return path_target(arguments, workspace)

    def access(self, arguments: Arguments, context: ToolContext) -> Access:
        return Access("write", paths=(locate(arguments.get("path"), context.workspace),))

    async def preview(self, arguments: Arguments, context: ToolContext) -> str:
        path = locate(arguments.get("path"), context.workspace)
        plan = await in_thread(lambda stop: _plan(path, arguments, context))
        refuse_secrets(path, plan.after, context)
        return plan.change.hunks

    async def run(self, arguments: Arguments, context: ToolContext) -> Outcome:
        path = locate(arguments.get("path"), context.workspace)

        def work(stop: Stop) -> Outcome:
            plan = _plan(path, arguments, context)
            replace_content(path, plan.after, plan.before, context, stop)
            name = name_for_model(path, context.workspace)
            places = "one place" if plan.places == 1 else f"{plan.places:,} places"
            change = plan.change
            return Outcome(
                f"Changed {name} in {places}: +{change.added:,} −{change.removed:,} lines.",
                size=len(plan.after),
                file_changed=bounded_path(str(path), context.workspace),
                diff=change.hunks,
                added=change.added,
                removed=change.removed,
            )

        return await in_thread(work)


def _plan(path: Path, arguments: Arguments, context: ToolContext) -> _Plan:
    old, new = str(arguments.get("old_string", "")), str(arguments.get("new_string", ""))
    if not old:
        raise ToolError("old_string is empty. Name the text to replace, or use write_file for a whole file.")
    if old == new:
        raise ToolError("old_string and new_string are the same, so there is nothing to change.")
    file = read_text_file(path, context.workspace)
    name = name_for_model(path, context.workspace)
    if not context.stamps.is_current(path, file.content):
        raise ToolError(changed_sentence(name))
    match = find_matches(file, old, new)
    if not match.offsets:
        raise refuse_none(file, old, name)
    if len(match.offsets) > 1 and not arguments.get("replace_all"):
        raise refuse_several(file, match, name)
    after = match.apply(file.content)
    if after == file.content:
        raise ToolError(f"{name} holds this text already, so there is nothing to change.")
    changed = TextFile(after, file.codec, file.mark, file.label)
    return _Plan(file.content, after, compare(file.text, changed.text), len(match.offsets))
