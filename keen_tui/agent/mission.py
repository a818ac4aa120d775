"""The tool with which the agent keeps the Mission Brief."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from keen_tui.domain.brief import FIELD_LIMIT, MODEL_FIELDS, TITLES, too_long
from keen_tui.domain.exchange import ToolSpec
from keen_tui.tools.base import Access, Arguments, Outcome, ToolContext, ToolError

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

SaveBrief = Callable[[Mapping[str, str]], Awaitable[None]]


class MissionUpdate:
    """Whole fields only: a missing field stays, an empty text clears its field."""

    read_only = False

    def __init__(self, save: SaveBrief) -> None:
        self._save = save
        self.spec = ToolSpec(
            name="MissionUpdate",
            description=(
                "Update the Mission Brief, the ledger of this task that stays pinned when older messages are "
                "gone. Fields you leave out stay as they are; an empty string clears a field; a field you send "
                f"replaces the whole field (at most {FIELD_LIMIT:,} characters). Keep it short and true: update "
                "it when the goal, a constraint, a decision or the state of the work changes."
            ),
            parameters={
                "type": "object",
                "properties": {name: {"type": "string", "description": _MEANINGS[name]} for name in MODEL_FIELDS},
                "additionalProperties": False,
            },
        )

    def target(self, arguments: Arguments, workspace: Path) -> str | None:
        return None

    def access(self, arguments: Arguments, context: ToolContext) -> Access:
        return Access()

    async def preview(self, arguments: Arguments, context: ToolContext) -> str:
        return ""

    async def run(self, arguments: Arguments, context: ToolContext) -> Outcome:
        changes: dict[str, Any] = {name: arguments[name] for name in MODEL_FIELDS if name in arguments}
        if not changes:
            raise ToolError(f"Name at least one field: {', '.join(MODEL_FIELDS)}.")
        if problem := too_long(changes):
            raise ToolError(problem)
        await self._save(changes)
        lines = [f"{name}: {len(text):,} characters" for name, text in changes.items()]
        shown = "\n".join(f"{TITLES[name]}: {text}" for name, text in changes.items())
        return Outcome("Brief updated.\n" + "\n".join(lines), shown=shown, size=len(shown.encode()))
