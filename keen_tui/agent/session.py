"""A task that is open: takes the person's commands, runs its turns, and tells what happens."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

from keen_tui.agent.boundary import Boundary
from keen_tui.agent.brief_intake import oversize_problems, take_in
from keen_tui.agent.brief_keeper import BriefKeeper
from keen_tui.agent.course import Course
from keen_tui.agent.history import history_of
from keen_tui.agent.journal import Journal, Listener
from keen_tui.agent.pending import ToolHistory
from keen_tui.agent.person import Nobody, PersonAtScreen
from keen_tui.agent.pieces import load_pieces
from keen_tui.agent.prompt import context_block, recall_guidance
from keen_tui.agent.recall import MOST_HITS, Found
from keen_tui.agent.reminders import Reminders
from keen_tui.agent.replayed import replayed_turn, turn_tokens
from keen_tui.agent.request_parts import RequestPart, request_parts
from keen_tui.agent.shared import Shared
from keen_tui.agent.shell_line import ShellLine
from keen_tui.agent.spending import SpendingLimit
from keen_tui.agent.task_record import TaskKeeper
from keen_tui.agent.turn_driver import TurnDriver
from keen_tui.agent.turn_setup import TaskTools, TurnHooks, load_preamble
from keen_tui.config.settings import Settings
from keen_tui.domain.brief_history import BriefStep
from keen_tui.domain.constraints import ReadOnlyPath, read_only_paths
from keen_tui.domain.errors import KeenError
from keen_tui.domain.events import (
    Answer,
    CommentAdded,
    Event,
    Mode,
    ModeChanged,
    ModelChanged,
    Notice,
    PromptQueued,
    PromptUnqueued,
    ShellRan,
    TitleChanged,
    TurnCompleted,
    TurnFailed,
    TurnIncomplete,
)
from keen_tui.domain.exchange import Conversation, ToolSpec, Wire
from keen_tui.domain.pieces import Piece
from keen_tui.domain.replayed_turn import ReplayedTurn
from keen_tui.domain.segments import ToolSegment
from keen_tui.domain.views import LEFT_OPEN, TaskView, TurnView
from keen_tui.gateway.resolve import ResolvedModel
from keen_tui.security.secrets import redact
from keen_tui.store.records import TaskRecord
from keen_tui.store.task_lock import TaskLock
from keen_tui.translate.registry import translator_for

TITLE_LENGTH = 60
READ_ONLY = "This task is open to be read only."


class TaskSession:
    """The only writer of its task. Everything it does goes through the journal as events.

    With `lock` None the task is open to be read only. `person` answers what the agent asks.
    """

    def __init__(
        self,
        shared: Shared,
        record: TaskRecord,
        journal: Journal,
        model: ResolvedModel,
        *,
        lock: TaskLock | None,
        person: PersonAtScreen | Nobody,
        problems: tuple[str, ...] = (),
    ) -> None:
        self.record = record
        self._shared = shared
        self._journal = journal
        self._model = model
        self._lock = lock
        self._person = person
        self._keeper = TaskKeeper(shared.store, record.id)
        self._brief = BriefKeeper(journal, self._keeper, lambda: self.course.name)
        self._tools = TaskTools.of(shared, record.id, self._brief.update)
        self.recall = self._tools.recall
        journal.subscribe(self.recall.follow)
        found = load_pieces(shared.home.pieces_dir, shared.workspace, [spec.name for spec in self._tools.toolbox.specs])
        self.course = Course(journal, found.pieces)
        self._reminders = Reminders(journal, enabled=shared.settings.limits.brief_reminders)
        self.problems = (*problems, *filter(None, [self._tools.rules.problem, self.course.problem]), *found.problems)
        self._steered: list[str] = []
        self._shell = ShellLine()
        self.running = False
        self._turn: asyncio.Task[None] | None = None
        spending = SpendingLimit(journal, person, shared.settings.limits.task_cost)
        hooks = TurnHooks(
            person=person,
            mode=self._mode,
            interjection=self._interjection,
            may_spend=spending.may_spend,
            brief_news=self._brief.news,
            pinned=self._pinned,
            course=self.course,
            reminders=self._reminders,
        )
        self._driver = TurnDriver(shared, journal, self._keeper, self._brief, self._tools, hooks)

    # What it shows

    @property
    def view(self) -> TaskView:
        return self._journal.view

    @property
    def workspace(self) -> Path:
        return self._shared.workspace

    @property
    def settings(self) -> Settings:
        return self._shared.settings

    @property
    def read_only(self) -> bool:
        return self._lock is None

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` with each event, after the view changed. Returns how to stop it."""
        return self._journal.subscribe(listener)

    def publish(self, event: Event) -> Event:
        return self._journal.publish(event)

    def next_request(self, draft: str = "") -> list[RequestPart]:
        """The next request, part by part."""
        request = self._conversation(draft)
        history = turn_tokens(request.history, request.tools, self._model.profile)
        return request_parts(request, draft, load_preamble(self._shared).notes, history)

    def replayed(self, turn: TurnView) -> ReplayedTurn:
        """A past turn as the next request carries it."""
        exchange = self._driver.kept.of(self._model).get(turn.id)
        return replayed_turn(turn, exchange, self._offered, self._model.profile)

    @property
    def _offered(self) -> tuple[ToolSpec, ...]:
        return self.course.toolbox(self._tools.toolbox, Boundary(self._reminders)).specs

    def native_body(self, wire: Wire | None = None, draft: str = "") -> dict[str, Any]:
        """The next request in the provider's own shape; `wire` shows it in another wire format."""
        translator = translator_for(wire or self._model.wire)
        return translator.body(self._conversation(draft, wire), self._model.profile)

    @property
    def last_body(self) -> dict[str, Any]:
        return self._driver.last_body

    def _conversation(self, draft: str, wire: Wire | None = None) -> Conversation:
        return Conversation(
            system=load_preamble(self._shared).parts,
            tools=self._offered,
            history=history_of(self.view.turns, self._driver.kept.of(self._model, wire)),
            user_text=draft,
            context=context_block(self.view.brief, self._mode(), (*recall_guidance(self.view), *self.course.words())),
            cache_key=self.record.id,
        )

    # Prompts and turns

    def send(self, text: str) -> None:
        """Start a turn with this prompt, or queue it while one runs."""
        if not text.strip() or self._refuse_to_write():
            return
        if self.running:
            self._queue(text)
        else:
            self._begin(text)

    def steer(self, text: str) -> None:
        """Hand words to the agent at its next tool boundary; start a turn when none runs.

        Until then they stand in the queue, so that nothing ends them but the person.
        """
        if self.running:
            self._steered.append(self._queue(text))
        else:
            self.send(text)

    def send_queued(self) -> bool:
        """Send the oldest queued prompt when no turn runs. False when there is none."""
        if self.running or not self.view.queue or self._refuse_to_write():
            return False
        self.send(self._take_queued())
        return True

    def remove_queued(self, prompt_id: str) -> str | None:
        """Take a prompt out of the queue and return its text."""
        text = self.view.queue.get(prompt_id)
        if text is not None:
            self.publish(PromptUnqueued(prompt_id=prompt_id))
        return text

    def interrupt(self) -> bool:
        """End the running turn. What its completed tools did is kept. False when none runs."""
        if self.running:
            self._driver.interrupt()
        return self.running

    def answer_approval(self, request_id: str, answer: Answer, reason: str = "") -> None:
        if isinstance(self._person, PersonAtScreen):
            self._person.give_approval(request_id, answer, reason)

    def answer_question(self, request_id: str, text: str) -> None:
        if isinstance(self._person, PersonAtScreen):
            self._person.give_answer(request_id, text)

    def _begin(self, text: str) -> None:
        self.running = True
        self._turn = asyncio.create_task(self._run_turn(text, self._turn))

    async def _run_turn(self, text: str, before: asyncio.Task[None] | None) -> None:
        """A turn, behind the bookkeeping of the one before; when it completes, the next queued prompt."""
        if before is not None:
            await asyncio.wait([before])
        if not self.view.title:
            await self.rename(text)
        end = await self._driver.run(text, self._model)
        self.running = False
        self._steered.clear()
        if isinstance(end, TurnCompleted) and self._person.present and self.view.queue and not self.running:
            self._begin(self._take_queued())

    def _queue(self, text: str) -> str:
        prompt_id = uuid4().hex[:8]
        self.publish(PromptQueued(prompt_id=prompt_id, text=text))
        return prompt_id

    def _take_queued(self) -> str:
        return self.remove_queued(next(iter(self.view.queue))) or ""

    def close_turn_left_open(self) -> None:
        """End a turn that a dead process left open, so that the task can go on."""
        turn = self.view.turn
        if turn is not None:
            ran = any(isinstance(segment, ToolSegment) and segment.finish for segment in turn.segments)
            kind = TurnIncomplete if ran else TurnFailed
            self.publish(kind(reason="stopped", message=LEFT_OPEN, hint="Send a prompt to go on from here."))

    # Everything else a person can do

    def set_mode(self, mode: Mode) -> None:
        """Holds from the next call on, in a running turn too."""
        if mode != self.view.mode and not self._refuse_to_write():
            self.publish(ModeChanged(mode=mode))

    async def switch_model(self, name: str) -> None:
        """Use another model from the next turn on. Raises KeenError for one that nobody knows."""
        model = self._shared.resolve(name)
        if self._refuse_to_write():
            return
        self._model = model
        self.publish(ModelChanged(model=model.name, wire=model.wire, context_window=model.profile.context_window))
        await self._keeper.update(model=model.name)

    def set_tool_history(self, history: ToolHistory) -> None:
        """`full` keeps the results of coming turns for the model, in memory, until Keen ends or `none` is set."""
        self._driver.kept.set_tool_history(history)

    async def rename(self, title: str) -> None:
        if title.strip() and not self._refuse_to_write():
            self.publish(TitleChanged(title=_title(title)))
            await self._keeper.update(title=self.view.title)

    async def note(self, text: str) -> None:
        """Add a comment without a turn."""
        if text.strip() and not self._refuse_to_write():
            event = CommentAdded(comment=0, author="user", kind="comment", text=text)
            self.publish(await self._keeper.keep(event))

    async def edit_brief(self, changes: Mapping[str, str], base: Mapping[str, str] | None = None) -> str:
        """Change whole fields by the person's hand. Returns what is wrong, or an empty string.

        `base` are the texts that the person saw; a field that reads otherwise meanwhile is not replaced.
        """
        return READ_ONLY if self._refuse_to_write() else await self._brief.edit(changes, base)

    async def undo_brief(self) -> str:
        """Take back the brief's last change. Returns what is wrong, or an empty string."""
        return READ_ONLY if self._refuse_to_write() else await self._brief.undo()

    async def redo_brief(self) -> str:
        """Bring back what was undone last. Returns what is wrong, or an empty string."""
        return READ_ONLY if self._refuse_to_write() else await self._brief.redo()

    async def restore_brief(self, revision: int) -> str:
        """Have the brief as it was after a revision. Returns what is wrong, or an empty string."""
        return READ_ONLY if self._refuse_to_write() else await self._brief.restore(revision)

    def choose_piece(self, name: str) -> str:
        """Work by another piece from the next turn on. Returns what is wrong, or an empty string."""
        if self._refuse_to_write():
            return READ_ONLY
        if self.running:
            return "A turn is running. Choose the piece when it has ended, or stop it with Esc."
        return self.course.choose(name)

    @property
    def pieces(self) -> Sequence[Piece]:
        """The pieces that this task can work by."""
        return tuple(self.course.pieces.values())

    async def take_in_brief(self) -> None:
        """Take over a brief that another program left in the task's folder, while the task has none."""
        problems = oversize_problems(self.view.brief)
        if self._lock is not None and not self.view.brief_history:
            problems += await take_in(self._brief, self._shared.home.task_dir(self.record.id))
        self.problems = (*self.problems, *problems)

    def brief_history(self) -> Sequence[BriefStep]:
        """Every revision of the brief, the oldest first."""
        return self.view.brief_history

    async def keep_draft(self, text: str) -> None:
        """Keep what is in the prompt, so that the task has it again when it is opened."""
        if not self.read_only:
            await self._keeper.update(draft=text)

    async def shell(self, line: str, emit: Callable[[str], None] = lambda text: None) -> ShellRan | None:
        """Run a shell line of the person in the workspace, beside any turn. The model does not see it.

        `emit` gets the output as it comes. Ends with `stop_shell`. None when nothing may be run here.
        """
        if self._shell.running:
            raise KeenError("Another shell line is running.", "Esc stops it.")
        if self._refuse_to_write():
            return None
        ran = await self._shell.run(line, self.workspace, emit)
        self.publish(ran)
        return ran

    def stop_shell(self) -> bool:
        """End the shell line of the person. False when none runs."""
        return self._shell.stop()

    async def find(self, words: str, limit: int = MOST_HITS) -> Found:
        """What was said in this task on these words, the best hits first. Raises QueryProblem, StoreError."""
        return await self.recall.find(words, limit=limit)

    async def idle(self) -> None:
        """Wait until no turn runs."""
        while self._turn is not None and not self._turn.done():
            await asyncio.wait([self._turn])

    async def close(self) -> None:
        """End the running turn, write everything, and free the task."""
        await self._shell.close()
        if self.interrupt():
            await self.idle()
        self._journal.close()
        await self.recall.close()
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _mode(self) -> Mode:
        return cast(Mode, self.view.mode)

    def _pinned(self) -> tuple[ReadOnlyPath, ...]:
        return read_only_paths(self.view.brief.get("user_constraints"))

    def _interjection(self) -> CommentAdded | None:
        """The words handed over since the last tool boundary, taken out of the queue."""
        texts = [text for prompt_id in self._steered if (text := self.remove_queued(prompt_id))]
        self._steered.clear()
        if not texts:
            return None
        return CommentAdded(comment=0, author="user", kind="interjection", text="\n\n".join(texts))

    def _refuse_to_write(self) -> bool:
        if self._lock is None:
            self.publish(
                Notice(
                    level="warning",
                    text="This task is open in another Keen, so it can only be read here.",
                    hint="Close it there, or start a new task with /new.",
                )
            )
        return self._lock is None


def _title(text: str) -> str:
    """The first line that says something, on one line, without secrets: half of one would not be recognised."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    return redact(" ".join(first.split()))[:TITLE_LENGTH]
