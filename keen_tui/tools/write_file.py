"""The tool that writes a whole file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from keen_tui.domain.exchange import ToolSpec
from keen_tui.domain.memory_template import created_sentence, first_text
from keen_tui.security.bounded import bounded_path
from keen_tui.tools import schema
from keen_tui.tools.base import Access, Arguments, Outcome, ToolContext, ToolError
from keen_tui.tools.diff import Change, compare
from keen_tui.tools.file_writing import changed_sentence, replace_content
from keen_tui.tools.memory_writes import memory_scope, refuse_secrets
from keen_tui.tools.places import kind_of, locate, name_for_model, path_target
from keen_tui.tools.stoppable import Stop, in_thread
from keen_tui.tools.text_files import NotText, TextFile, read_bytes, understand, uses_crlf

_DESCRIPTION = """\
Writes a whole text file, new or existing; missing folders are made. What the file held before is gone,
so use edit_file to change a part of it. An existing file must have been read with read_file in this task
and must not have changed since. Its encoding, byte order mark and mode stay; a file with CRLF line
endings keeps them."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """What would be written. `before` is None for a file that does not exist."""

    before: bytes | None
    after: bytes
    change: Change
    note: str = ""


class WriteFile:
    """`write_file`: the whole content at once, never over somebody else's change."""

    read_only = False
    spec = ToolSpec(
        "write_file",
        _DESCRIPTION,
        schema.parameters(
            required=["path", "content"],
            path=schema.text("The file, relative to the workspace or absolute."),
            content=schema.text("The whole text of the file, with its final newline."),
        ),
    )

    def target(self, arguments: Arguments, workspace: Path) -> str | None:
        return path_target(arguments, workspace)

    def access(self, arguments: Arguments, context: ToolContext) -> Access:
        return Access("write", paths=(locate(arguments.get("path"), context.workspace),))

    async def preview(self, arguments: Arguments, context: ToolContext) -> str:
        path = locate(arguments.get("path"), context.workspace)
        plan = await in_thread(lambda stop: _plan(path, str(arguments.get("content", "")), context))
        refuse_secrets(path, plan.after, context)
        return plan.change.hunks

    async def run(self, arguments: Arguments, context: ToolContext) -> Outcome:
        path = locate(arguments.get("path"), context.workspace)

        def work(stop: Stop) -> Outcome:
            plan = _plan(path, str(arguments.get("content", "")), context)
            name = name_for_model(path, context.workspace)
            if plan.before == plan.after:
                context.stamps.remember(path, plan.after)
                return Outcome(f"{name} holds exactly this already; nothing was written.")
            replace_content(path, plan.after, plan.before, context, stop)
            return _outcome(path, name, plan, context)

        return await in_thread(work)


def _outcome(path: Path, name: str, plan: _Plan, context: ToolContext) -> Outcome:
    done = "Created" if plan.before is None else "Wrote"
    change = plan.change
    scope = memory_scope(path, context) if plan.before is None else None
    told = created_sentence(scope) if scope else ""
    text = f"{done} {name}: {len(plan.after):,} bytes, +{change.added:,} −{change.removed:,} lines.{plan.note}"
    if told:
        text += f" The file began with its template. The user was told: {told}"
    return Outcome(
        text,
        size=len(plan.after),
        file_changed=bounded_path(str(path), context.workspace),
        diff=change.hunks,
        added=change.added,
        removed=change.removed,
        told=told,
    )


def _plan(path: Path, content: str, context: ToolContext) -> _Plan:
    before = _content_before(path, context.workspace)
    if before is None:
        scope = memory_scope(path, context)
        content = first_text(scope, content) if scope else content
        after = TextFile(b"", "utf-8", b"", "").encode(content)
        return _Plan(None, after, compare("", content))
    file = _readable(before)
    if file is None:
        raise _binary_refusal(path, before, context)
    note = ""
    if uses_crlf(file.text) and "\n" in content and "\r\n" not in content:
        content = content.replace("\n", "\r\n")
        note = " The file has CRLF line endings, so the text was written with them."
    content = content.removeprefix("\ufeff") if file.mark else content
    if file.label:
        note += f" Encoding kept: {file.label}."
    after = file.mark + file.encode(content)
    if after != before:
        _refuse_unknown(path, before, context)
    return _Plan(before, after, compare(file.text, content), note)


def _content_before(path: Path, workspace: Path) -> bytes | None:
    if kind_of(path) == "missing":
        return None
    return read_bytes(path, workspace)


def _readable(content: bytes) -> TextFile | None:
    try:
        return understand(content)
    except NotText:
        return None


def _binary_refusal(path: Path, before: bytes, context: ToolContext) -> ToolError:
    name = name_for_model(path, context.workspace)
    return ToolError(
        f"{name} exists and is no text ({len(before):,} bytes), so it was not overwritten. "
        "If the user wants it replaced, remove it through bash first."
    )


def _refuse_unknown(path: Path, before: bytes, context: ToolContext) -> None:
    name = name_for_model(path, context.workspace)
    if before and not context.stamps.knows(path):
        raise ToolError(
            f"{name} exists and was not read in this task, so nothing was written. "
            "Read it first with read_file, or change a part of it with edit_file."
        )
    if not context.stamps.is_current(path, before):
        raise ToolError(changed_sentence(name))
