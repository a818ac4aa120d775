"""How a movement ends: the tools that hand over or complete, and the stale check in front of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from keen_tui.agent.reminders import Reminders
from keen_tui.domain.exchange import ToolSpec
from keen_tui.domain.pieces import COMPLETE, Movement
from keen_tui.tools import schema
from keen_tui.tools.base import Access, Arguments, Outcome, ToolContext, ToolError

HANDOFF_LIMIT = 8_000
"""Characters in a handoff or a result."""


@dataclass(frozen=True, slots=True)
class Ending:
    """`to` is the next movement, empty when the piece is complete; `text` is the handoff or the result."""

    to: str
    text: str


class Boundary:
    """The end of one movement. `ending` is set when the agent has handed over or completed."""

    def __init__(self, reminders: Reminders) -> None:
        self.reminders = reminders
        self.ending: Ending | None = None

    def ask(self, ending: Ending) -> str:
        """Let the movement end so. The first time a stale brief is answered with a reminder instead."""
        if reminder := self.reminders.reminder():
            return reminder
        self.ending = ending
        return ""


class _Terminal:
    """What both tools share."""

    read_only = False
    spec: ToolSpec

    def __init__(self, boundary: Boundary) -> None:
        self._boundary = boundary

    def target(self, arguments: Arguments, workspace: Path) -> str | None:
        return None

    def access(self, arguments: Arguments, context: ToolContext) -> Access:
        return Access()

    async def preview(self, arguments: Arguments, context: ToolContext) -> str:
        return ""

    def _end(self, to: str, text: str, done: str) -> Outcome:
        words = text.strip()
        if not words:
            raise ToolError("The text is empty. Say what the next reader has to know.")
        if len(words) > HANDOFF_LIMIT:
            raise ToolError(f"The text holds {len(words):,} characters; at most {HANDOFF_LIMIT:,} are allowed.")
        return Outcome(self._boundary.ask(Ending(to, words)) or done)


class Transition(_Terminal):
    """`transition`: hands over to another movement of the piece."""

    def __init__(self, movement: Movement, boundary: Boundary) -> None:
        super().__init__(boundary)
        ways = "; ".join(f"{exit.to}: {exit.when}" for exit in movement.exits if exit.to != COMPLETE)
        self.spec = ToolSpec(
            "transition",
            f"Ends the movement {movement.name} and hands over to another one, which starts afresh: it sees the "
            f"Mission Brief and your handoff, not this conversation. {ways}.",
            schema.parameters(
                required=["to", "handoff"],
                to={"type": "string", "enum": list(movement.leads_to), "description": "The movement that follows."},
                handoff=schema.text("All that it has to know: what was found or done, where, and what to do next."),
            ),
        )

    def target(self, arguments: Arguments, workspace: Path) -> str | None:
        return str(arguments.get("to") or "")[:40] or None

    async def run(self, arguments: Arguments, context: ToolContext) -> Outcome:
        to = str(arguments["to"])
        return self._end(to, str(arguments["handoff"]), f"The movement {to} begins.")


class Complete(_Terminal):
    """`complete`: ends the piece."""

    def __init__(self, movement: Movement, boundary: Boundary) -> None:
        super().__init__(boundary)
        when = next((exit.when for exit in movement.exits if exit.to == COMPLETE), "the work is done")
        self.spec = ToolSpec(
            "complete",
            f"Ends the piece when {when}. The result is shown to the user.",
            schema.parameters(required=["result"], result=schema.text("What was done, for the user, in Markdown.")),
        )

    async def run(self, arguments: Arguments, context: ToolContext) -> Outcome:
        return self._end("", str(arguments["result"]), "The piece is complete.")
