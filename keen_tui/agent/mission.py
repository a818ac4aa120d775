"""The tool with which the agent keeps the Mission Brief."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from keen_tui.agent.brief_update import OPERATIONS, BriefUpdate
from keen_tui.domain.brief import FIELD_LIMIT, MODEL_FIELDS, TITLES
from keen_tui.domain.exchange import ToolSpec
from keen_tui.tools import schema
from keen_tui.tools.base import Access, Arguments, Outcome, ToolContext

_MEANINGS = {
    "goal": "What the task is to achieve, in a sentence or two.",
    "user_constraints": "What the user demands or forbids, word for word, one line each.",
    "decisions": "What was decided and why, one line each.",
    "done": "What is finished, one line each, newest last.",
    "open": "What is left to do, one line each.",
    "current_focus": "What is being worked on at this moment.",
    "touched_files": "Notes on the files that matter. Keen adds changed files by itself.",
    "risks": "What may go wrong or is not checked yet.",
    "clarifications": "Questions that were asked, with their answers.",
}

UpdateBrief = Callable[[BriefUpdate], Awaitable[tuple[dict[str, str], str]]]
_DESCRIPTION = f"""\
Update the Mission Brief, the ledger of this task that stays pinned when older messages are gone. A field \
you leave out stays; a field you send is replaced whole (at most {FIELD_LIMIT:,} characters), an empty string \
clears it. Use `lines` to add, replace or remove single lines of a list without sending it again. Cite where \
a constraint or decision comes from, for example "Source: comment:17". Keep it short and true: update it when \
the goal, a constraint, a decision or the state of the work changes."""


def _parameters() -> dict[str, Any]:
    line = schema.parameters(
        required=["field", "operation"],
        field={"type": "string", "enum": list(MODEL_FIELDS), "description": "The field that the line is in."},
        operation={
            "type": "string",
            "enum": list(OPERATIONS),
            "description": "append adds `text`, replace_line puts `text` for `line`, remove_line takes `line` out.",
        },
        line=schema.text("The line as it stands, or words that only it holds; not for append."),
        text=schema.text("The new line; not for remove_line."),
    )
    fields: dict[str, Any] = {name: schema.text(_MEANINGS[name]) for name in MODEL_FIELDS}
    fields["lines"] = {"type": "array", "items": line, "description": "Changes of single lines, in order."}
    return schema.parameters(**fields)


class MissionUpdate:
    """Whole fields and single lines: a missing field stays, an empty text clears its field."""

    read_only = False

    def __init__(self, update: UpdateBrief) -> None:
        self._update = update
        self.spec = ToolSpec("MissionUpdate", _DESCRIPTION, _parameters())

    def target(self, arguments: Arguments, workspace: Path) -> str | None:
        return None

    def access(self, arguments: Arguments, context: ToolContext) -> Access:
        return Access()

    async def preview(self, arguments: Arguments, context: ToolContext) -> str:
        return ""

    async def run(self, arguments: Arguments, context: ToolContext) -> Outcome:
        changes, notes = await self._update(BriefUpdate.of(arguments))
        lines = [f"{name}: {len(text):,} of {FIELD_LIMIT:,} characters" for name, text in changes.items()]
        shown = "\n".join(f"{TITLES[name]}: {text}" for name, text in changes.items())
        text = "\n".join(["Brief updated.", *lines, *([notes] if notes else [])])
        return Outcome(text, shown=shown, size=len(shown.encode("utf-8", "replace")))
