"""What happened in a task since its brief was last brought up to date."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from keen_tui.domain.events import BriefChanged, Event, ToolFinished

PROGRESS_FIELDS = ("done", "open", "current_focus", "decisions")
"""The fields that work makes stale."""
NOT_WORK = frozenset(
    {
        "MissionUpdate", "SearchTaskConversation", "ReadTaskConversation", "ask_user", "transition", "complete",
    }
)  # fmt: skip
"""Tools that change nothing a brief would say."""


@dataclass(slots=True)
class Staleness:
    """Grows with the events of a task; an update by the agent or the person empties it."""

    tools: int = 0
    files: dict[str, None] = field(default_factory=dict)
    since: datetime | None = None
    updated: bool = False
    """Whether the agent or the person changed the brief since the last `start_movement`."""

    def start_movement(self) -> None:
        """Count anew from here."""
        self.tools, self.since, self.updated = 0, None, False
        self.files.clear()

    def see(self, event: Event) -> None:
        """Count a tool that ran, or start anew after an update of the brief."""
        if isinstance(event, BriefChanged):
            if event.author != "system":
                self.start_movement()
                self.updated = True
        elif isinstance(event, ToolFinished) and event.refused is None and event.tool not in NOT_WORK:
            self.tools += 1
            self.since = self.since or event.time
            if event.file_changed:
                self.files[event.file_changed] = None

    @property
    def stale(self) -> bool:
        return self.tools > 0

    def summary(self) -> str:
        """`3 tools, 1 file`; empty when nothing is stale."""
        if not self.tools:
            return ""
        tools = f"{self.tools} tool{'s' if self.tools != 1 else ''}"
        files = f", {len(self.files)} file{'s' if len(self.files) != 1 else ''}" if self.files else ""
        return tools + files
