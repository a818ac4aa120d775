"""Changes of the Mission Brief: by the agent, by the person, and by Keen itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from keen_tui.agent.journal import Journal
from keen_tui.agent.task_record import TaskKeeper
from keen_tui.domain.brief import MODEL_FIELDS, too_long
from keen_tui.domain.events import Author, BriefChanged
from keen_tui.domain.views import Segment, ToolSegment


class BriefKeeper:
    """Every change is a revision in the database and an event in the journal."""

    def __init__(self, journal: Journal, keeper: TaskKeeper) -> None:
        self._journal = journal
        self._keeper = keeper

    async def save(self, changes: Mapping[str, str], author: Author) -> None:
        before = {name: self._journal.view.brief.get(name) for name in changes}
        revision = await self._keeper.brief_revision(author, before, dict(changes))
        self._journal.publish(BriefChanged(author=author, revision=revision, changes=dict(changes)))

    async def save_agents(self, changes: Mapping[str, str]) -> None:
        await self.save(changes, "agent")

    async def edit(self, changes: Mapping[str, str]) -> str:
        """A change by the person's hand. Returns what is wrong with it, or an empty string."""
        unknown = [name for name in changes if name not in MODEL_FIELDS]
        if unknown:
            return f"The brief has no field {unknown[0]}. The fields are: {', '.join(MODEL_FIELDS)}."
        problem = too_long(changes)
        if not problem:
            await self.save(changes, "user")
        return problem

    async def note_touched_files(self, segments: Iterable[Segment]) -> None:
        """Files that tools changed stand in the brief, whatever the model remembers."""
        finishes = [segment.finish for segment in segments if isinstance(segment, ToolSegment)]
        changed = dict.fromkeys(finish.file_changed for finish in finishes if finish and finish.file_changed)
        text = self._journal.view.brief.get("touched_files")
        known = {line.strip().removeprefix("- ").split("  ")[0] for line in text.splitlines()}
        fresh = [f"- {path}" for path in changed if path not in known]
        merged = {"touched_files": "\n".join([text, *fresh] if text else fresh)}
        if fresh and not too_long(merged):
            await self.save(merged, "system")
