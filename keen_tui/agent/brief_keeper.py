"""Changes of the Mission Brief: by the agent, by the person, and by Keen itself."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Mapping

from keen_tui.agent.brief_update import BriefUpdate, check_refs
from keen_tui.agent.journal import Journal
from keen_tui.agent.task_record import TaskKeeper
from keen_tui.domain.brief import FIELD_LIMIT, MODEL_FIELDS, Brief, too_long
from keen_tui.domain.brief_history import BriefStep, Way, brief_at, changes_between, redo_of, undo_of
from keen_tui.domain.brief_lines import bare
from keen_tui.domain.events import Author, BriefChanged
from keen_tui.domain.segments import Segment, ToolSegment
from keen_tui.security.secrets import redact
from keen_tui.tools.base import ToolError

_LEFT_OUT = re.compile(r"- \((\d+) older files left out\)")


class BriefKeeper:
    """Every change is a revision in the database and an event in the journal.

    `movement` says which movement runs. Changes happen one after the other, each against the brief as
    the one before left it.
    """

    def __init__(self, journal: Journal, keeper: TaskKeeper, movement: Callable[[], str] = lambda: "work") -> None:
        self._journal = journal
        self._keeper = keeper
        self._movement = movement
        self._writing = asyncio.Lock()
        self._unseen: dict[str, None] = {}

    # The agent

    def agent_sees_all(self) -> Brief:
        """The brief as it is rendered for the agent, which knows the person's edits from here on."""
        self._unseen.clear()
        return self._journal.view.brief

    def news(self) -> str:
        """What the person changed since the agent last saw it, in words for the agent; empty when nothing."""
        names, self._unseen = list(self._unseen), {}
        if not names:
            return ""
        fields = "\n".join(f"### {name}\n{self._current(name) or '(empty)'}" for name in names)
        return f"The user has just edited the Mission Brief. It reads:\n{fields}"

    async def update(self, update: BriefUpdate) -> tuple[dict[str, str], str]:
        """A change by the agent. Returns the whole new texts by field, and notes for it.

        Raises ToolError, with nothing changed, for a text that is too long, a line or a ref that is not
        there, and for a whole field that the person edited since the agent last saw it.
        """
        async with self._writing:
            view = self._journal.view
            self._protect_the_users_hand(update)
            asked = update.applied(view.brief)
            texts = {name: redact(text) for name, text in asked.items()}
            if problem := too_long(texts):
                raise ToolError(f"Nothing was changed: {problem}")
            check_refs(view, texts)
            notes = ["A secret value was replaced by [redacted]."] if texts != asked else []
            if "touched_files" in texts:
                texts["touched_files"] = self._with_known_files(texts["touched_files"])
            for name in texts:
                if name in self._unseen:
                    del self._unseen[name]
                    notes.append(f"The user had edited {name} as well; it reads:\n{texts[name] or '(empty)'}")
            movement = self._movement()
            marked = (
                {"last_updated_by_movement": movement} if self._current("last_updated_by_movement") != movement else {}
            )
            await self._write({**texts, **marked}, "agent")
            return texts, "\n".join(notes)

    def _protect_the_users_hand(self, update: BriefUpdate) -> None:
        edited = [name for name, text in update.whole.items() if name in self._unseen and text != self._current(name)]
        if not edited:
            return
        for name in edited:
            del self._unseen[name]
        fields = "\n".join(f"### {name}\n{self._current(name) or '(empty)'}" for name in edited)
        raise ToolError(
            "Nothing was changed: the user edited this since you last saw it. Merge your text with theirs and "
            f"send it again; their words win. It reads:\n{fields}"
        )

    def _with_known_files(self, text: str) -> str:
        """The files that Keen noted stay, whatever the agent writes."""
        lost = [
            line
            for line in self._current("touched_files").splitlines()
            if (path := bare(line)) in self._journal.view.changed_files and not _names(text, path)
        ]
        merged = "\n".join([*lost, *text.splitlines()])
        return merged if len(merged) <= FIELD_LIMIT else text

    # The person

    async def edit(self, changes: Mapping[str, str], base: Mapping[str, str] | None = None) -> str:
        """A change by the person's hand. Returns what is wrong with it, or an empty string.

        `base` are the texts that the person saw: a field that reads otherwise meanwhile is not replaced.
        """
        unknown = [name for name in changes if name not in MODEL_FIELDS]
        if unknown:
            return f"The brief has no field {unknown[0]}. The fields are: {', '.join(MODEL_FIELDS)}."
        changes = {name: redact(text) for name, text in changes.items()}
        if problem := too_long(changes):
            return problem
        async with self._writing:
            for name, text in (base or {}).items():
                if name in changes and self._current(name) not in (text, changes[name]):
                    return f"{name} was changed meanwhile. Nothing was saved; look at both versions, then save again."
            await self._write(changes, "user")
        return ""

    async def undo(self) -> str:
        """Take back the last change that holds. Returns what is wrong, or an empty string."""
        async with self._writing:
            step = undo_of(self._journal.view.brief_history)
            if step is None:
                return "There is nothing to undo."
            return await self._turn_back(step, "undo", step.after, step.before)

    async def redo(self) -> str:
        """Bring back what was undone last. Returns what is wrong, or an empty string."""
        async with self._writing:
            step = redo_of(self._journal.view.brief_history)
            if step is None:
                return "There is nothing to redo."
            return await self._turn_back(step, "redo", step.before, step.after)

    async def _turn_back(self, step: BriefStep, way: Way, stands: Mapping[str, str], wanted: Mapping[str, str]) -> str:
        changed = [name for name, text in stands.items() if self._current(name) != text]
        if changed:
            return f"{changed[0]} was changed since, so this is not {way}ne. /brief history restores any revision."
        await self._write(wanted, "user", way, step.revision)
        return ""

    async def restore(self, revision: int) -> str:
        """Have the brief as it was after a revision. Returns what is wrong, or an empty string."""
        async with self._writing:
            wanted = brief_at(self._journal.view.brief_history, revision)
            if wanted is None:
                return f"The brief has no revision {revision}."
            changes = changes_between(self._journal.view.brief, wanted)
            if changes:
                await self._write(changes, "user", "restore", revision)
        return ""

    # Keen

    async def bring_in(self, brief: Brief) -> None:
        """Take over a brief that another program left, unknown keys and all."""
        async with self._writing:
            await self._write(dict(brief.values), "system")

    async def note_touched_files(self, segments: Iterable[Segment]) -> None:
        """Files that tools changed stand in the brief, whatever the model remembers."""
        finishes = [segment.finish for segment in segments if isinstance(segment, ToolSegment)]
        changed = dict.fromkeys(finish.file_changed for finish in finishes if finish and finish.file_changed)
        async with self._writing:
            text = self._current("touched_files")
            fresh = [path for path in changed if not _names(text, path)]
            if fresh:
                await self._write({"touched_files": _with_files(text, fresh)}, "system")

    def _current(self, name: str) -> str:
        return self._journal.view.brief.get(name)

    async def _write(self, changes: Mapping[str, str], author: Author, way: Way = "edit", of: int = 0) -> None:
        before = {name: self._current(name) for name in changes}
        if before == changes:
            return
        movement = self._movement()
        number = await self._keeper.brief_revision(author, before, dict(changes), movement)
        revision = number or self._journal.view.brief_revision + 1
        self._journal.publish(
            BriefChanged(author=author, revision=revision, changes=dict(changes), movement=movement, way=way, of=of)
        )
        if author == "user":
            self._unseen |= dict.fromkeys(name for name in changes if name in MODEL_FIELDS)


def _names(text: str, path: str) -> bool:
    """Whether a line of the text is about a path, with or without a note behind it."""
    lines = (bare(line).strip("`") for line in text.splitlines())
    return any(line == path or line.startswith((f"{path} ", f"{path}:", f"{path},", f"{path}`")) for line in lines)


def _with_files(text: str, paths: list[str]) -> str:
    """The text with more files; when it is full, the oldest lines give way to their number."""
    lines = [*text.splitlines(), *(f"- {path}" for path in paths)]
    left_out = 0
    if lines and (found := _LEFT_OUT.fullmatch(lines[0])):
        left_out = int(found[1])
        del lines[0]
    while lines and len(_listed(lines, left_out)) > FIELD_LIMIT:
        left_out += 1
        del lines[0]
    return _listed(lines, left_out)


def _listed(lines: list[str], left_out: int) -> str:
    return "\n".join([*([f"- ({left_out} older files left out)"] if left_out else []), *lines])
