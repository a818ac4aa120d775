"""What one run of Keen works with: settings, the store, the way to the models, and the tasks it opens."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from keen_tui.agent.person import Nobody, PersonAtScreen
from keen_tui.config.load import save_setting
from keen_tui.config.paths import KeenHome
from keen_tui.config.settings import Settings
from keen_tui.domain.errors import KeenError
from keen_tui.domain.events import ModeChanged, ModelChanged
from keen_tui.domain.views import TaskView, close_open_turn, fold
from keen_tui.gateway.calls import Gateway

if TYPE_CHECKING:
    from keen_tui.agent.doctor import Check
    from keen_tui.agent.model_choices import ModelChoice
    from keen_tui.agent.session import TaskSession
    from keen_tui.agent.shared import Shared, Sleep
    from keen_tui.memory.memory_files import MemoryFile
    from keen_tui.store.records import TaskRecord
    from keen_tui.store.transcript import TranscriptContents

DEMO = "demo"
ENGINE = "keen_tui.agent.session"
"""Imported beside the event loop when the first task is opened: the screen does not wait for it."""


@dataclass(slots=True)
class Workbench:
    """Opens nothing until it is asked to: the first paint comes first. Close it at the end."""

    home: KeenHome
    workspace: Path
    cwd: Path
    settings: Settings
    environ: Mapping[str, str]
    gateway: Gateway
    notices: tuple[str, ...] = ()
    person: PersonAtScreen | Nobody = field(default_factory=PersonAtScreen)
    sleep: Sleep = asyncio.sleep
    _shared: Shared | None = None
    _sessions: list[TaskSession] = field(default_factory=list)
    _warm_up: asyncio.Future[None] | None = None
    _opening: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def shared(self) -> Shared:
        """The store and the catalogue, opened once. Raises StoreError."""
        async with self._opening:
            if self._shared is None:
                await asyncio.to_thread(import_module, ENGINE)
                from keen_tui.agent.shared import Shared
                from keen_tui.gateway.catalogue import Catalogue
                from keen_tui.store.database import Store

                self.home.ensure()
                store = await Store.open(self.home.database)
                catalogue = await asyncio.to_thread(Catalogue.load)
                self._shared = Shared(
                    home=self.home,
                    workspace=self.workspace,
                    cwd=self.cwd,
                    settings=self.settings,
                    environ=self.environ,
                    store=store,
                    gateway=self.gateway,
                    catalogue=catalogue,
                    sleep=self.sleep,
                )
            return self._shared

    def start_gateway(self) -> None:
        """Begin to load what is slow to load."""
        self._warm_up = asyncio.ensure_future(self.gateway.start())

    async def new_task(self, model: str) -> TaskSession:
        """An empty task. Raises KeenError for a model that nobody knows."""
        shared = await self.shared()
        from keen_tui.store.transcript import TranscriptContents

        resolved = shared.resolve(model)
        record = await shared.store.create_task(self.workspace, resolved.name, self.settings.mode)
        return await self._open(record, TranscriptContents(), read_only=False, model=resolved.name)

    async def open_task(
        self, task_id: str | None = None, *, read_only: bool = False, model: str | None = None
    ) -> TaskSession:
        """The task with this id or unique prefix, or the newest one of the workspace.

        Raises TaskLocked when another process has it open, KeenError when there is none.
        """
        shared = await self.shared()
        from keen_tui.store.transcript import Transcript

        record = await self.find_task(task_id)
        contents = await asyncio.to_thread(Transcript.read, shared.home.transcript(record.id))
        return await self._open(record, contents, read_only=read_only, model=model or record.model)

    async def find_task(self, task_id: str | None) -> TaskRecord:
        """Raises KeenError when there is no such task."""
        store = (await self.shared()).store
        record = await store.newest_task(self.workspace) if task_id is None else await store.task(task_id)
        if record is None:
            what = f"There is no task {task_id}." if task_id else "There is no task in this folder yet."
            raise KeenError(what, "`keen tasks --all` lists all tasks; `keen` starts a new one.")
        return record

    async def model_choices(self) -> list[ModelChoice]:
        shared = await self.shared()
        from keen_tui.agent.model_choices import model_choices

        return await model_choices(shared)

    async def memory_files(self) -> tuple[MemoryFile, ...]:
        """The global and the project memory file, read from disk."""
        from keen_tui.memory.memory_files import load_memory

        return await asyncio.to_thread(load_memory, self.home.global_memory, self.workspace)

    async def tree_is_dirty(self) -> bool:
        """Whether git knows of uncommitted changes in the workspace."""
        from keen_tui.agent.turn_setup import tree_is_dirty

        return await tree_is_dirty(await self.shared())

    async def checks(self) -> list[Check]:
        """The report of `keen doctor`."""
        from keen_tui.agent.doctor import check_all

        return await check_all(self.home, self.settings, self.environ, self.gateway)

    async def tasks(self) -> list[TaskRecord]:
        return await (await self.shared()).store.tasks(self.workspace)

    async def find_tasks(self, words: str) -> dict[str, str]:
        """The tasks of this workspace in which words were said: the best excerpt of each, by id."""
        shared = await self.shared()
        from keen_tui.agent.task_search import find_in_tasks
        from keen_tui.store.search_query import QueryProblem

        try:
            found = await find_in_tasks(shared, words, self.workspace)
        except QueryProblem:
            return {}
        return {task.record.id: task.hits[0].excerpt if task.hits else "" for task in found}

    async def _open(
        self, record: TaskRecord, contents: TranscriptContents, *, read_only: bool, model: str
    ) -> TaskSession:
        shared = await self.shared()
        from keen_tui.agent.journal import Journal
        from keen_tui.agent.session import TaskSession
        from keen_tui.store.task_lock import TaskLock
        from keen_tui.store.transcript import Transcript

        lock = None if read_only else TaskLock.acquire(shared.home.task_dir(record.id))
        view = await asyncio.to_thread(fold, contents.events)
        problems = [
            f"line {problem.line} of the transcript was skipped: {problem.reason}" for problem in contents.problems
        ]
        if record.turns and not contents.events:
            problems.append("The transcript of this task is not there; its comments are kept and can be searched.")
        try:
            resolved = shared.resolve(model)
        except KeenError as error:
            problems.append(f"{error.message} The demo model stands in. {error.hint}")
            resolved = shared.resolve(DEMO)
        journal = Journal(record.id, view, None if read_only else Transcript(shared.home.transcript(record.id)))
        session = TaskSession(
            shared, record, journal, resolved, lock=lock, person=self.person, problems=tuple(problems)
        )
        if read_only:
            close_open_turn(view)
        else:
            self._bring_up_to_date(
                session,
                view,
                ModelChanged(model=resolved.name, wire=resolved.wire, context_window=resolved.profile.context_window),
            )
        await session.take_in_brief()
        self._sessions.append(session)
        return session

    def _bring_up_to_date(self, session: TaskSession, view: TaskView, model: ModelChanged) -> None:
        """Close a turn that a crash left open, and say which model and mode hold."""
        session.close_turn_left_open()
        if (view.model, view.wire, view.context_window) != (model.model, model.wire, model.context_window):
            session.publish(model)
        if view.turn_count == 0 and view.mode != self.settings.mode:
            session.publish(ModeChanged(mode=self.settings.mode))

    async def choose_model(self, name: str, remember: bool = True) -> None:
        """Make a model the default. Raises KeenError for a name that nobody knows."""
        resolved = (await self.shared()).resolve(name)
        self.settings = self.settings.model_copy(update={"model": resolved.name})
        if remember:
            save_setting(self.home, "model", resolved.name)

    async def add_key(self, provider: str, key: str) -> str:
        """Keep a key and say where it is kept."""
        from keen_tui.config.credentials import KEY_VARIABLES, save_key

        if provider not in KEY_VARIABLES:
            raise KeenError(f"{provider} is not a provider that Keen knows.", f"Known: {', '.join(KEY_VARIABLES)}.")
        return await asyncio.to_thread(save_key, self.home, provider, key)

    async def prompt_history(self) -> list[str]:
        return list(reversed(await (await self.shared()).store.prompt_history(self.workspace)))

    async def remember_prompt(self, text: str) -> None:
        await (await self.shared()).store.add_prompt_history(self.workspace, text)

    async def close(self) -> None:
        """Close every task, the way to the models and the store."""
        for session in self._sessions:
            await session.close()
        await self.gateway.close()
        if self._shared is not None:
            await self._shared.store.close()
