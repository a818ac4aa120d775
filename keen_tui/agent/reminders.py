"""The stale check: reminds the agent, once in a movement, of a brief that its work has left behind."""

from __future__ import annotations

from keen_tui.agent.journal import Journal
from keen_tui.domain.brief_staleness import PROGRESS_FIELDS, Staleness
from keen_tui.domain.events import BriefChanged, Event, MovementStarted, Notice

IGNORED_LIMIT = 2
"""After so many reminders in a row that changed nothing, none follows until the brief is updated."""
_FILES_NAMED = 5


class Reminders:
    """Counts what a movement did since the brief was updated. Never in the way: a movement gets one at most."""

    def __init__(self, journal: Journal, enabled: bool = True) -> None:
        self._journal = journal
        self._enabled = enabled
        self._since = Staleness()
        self._reminded = False
        self._ignored = 0
        journal.subscribe(self._see)

    def _see(self, event: Event) -> None:
        self._since.see(event)
        if isinstance(event, MovementStarted):
            self.start_movement()
        if isinstance(event, BriefChanged) and event.author == "agent":
            self._ignored = 0

    def start_movement(self) -> None:
        """A movement, or in a plain conversation a turn, begins."""
        self._since.start_movement()
        self._reminded = False

    def end_movement(self) -> None:
        """The boundary was passed: a reminder that changed nothing counts as ignored."""
        if self._reminded and not self._since.updated:
            self._ignored += 1
        self._reminded = False

    def reminder(self) -> str:
        """What the agent is told at this boundary; empty when nothing is to be said.

        Says it to the person as well, as a notice.
        """
        backed_off = self._reminded or self._ignored >= IGNORED_LIMIT
        if not self._enabled or backed_off or not self._since.stale:
            return ""
        self._reminded = True
        self._since.updated = False
        stale = self._since.summary()
        self._journal.publish(
            Notice(text=f"The agent was reminded of the brief: {stale} since its last update.", hint="F4 shows it.")
        )
        return self._words(stale)

    def _words(self, stale: str) -> str:
        files = list(self._since.files)
        named = f" ({', '.join(files[:_FILES_NAMED])}{', …' if len(files) > _FILES_NAMED else ''})" if files else ""
        return (
            f"[Reminder from Keen, not from the user] The Mission Brief is stale: {stale}{named} since its last "
            f"update, and {', '.join(PROGRESS_FIELDS)} are untouched. If that matters for later turns, bring them up "
            "to date with MissionUpdate; then end as before. Your answer has been shown: do not repeat it."
        )
