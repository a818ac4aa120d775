"""What the dashboard needs from outside: the open task, the list of tasks, models and keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from keen_tui.domain.events import Answer, Event, Mode
from keen_tui.domain.views import TaskView

if TYPE_CHECKING:
    from keen_tui.config.paths import KeenHome
    from keen_tui.config.settings import Settings

ChoiceGroup = Literal["demo", "key found", "local", "catalogue"]


class ModelChoice(Protocol):
    """One model of the picker. `usable` is False when a key is missing; `detail` then says which."""

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def detail(self) -> str: ...
    @property
    def group(self) -> ChoiceGroup: ...
    @property
    def usable(self) -> bool: ...


class MemoryFile(Protocol):
    """One memory file. Sizes are in bytes; `cut_line` is the first line that is not loaded, None when all are."""

    @property
    def scope(self) -> str: ...
    @property
    def path(self) -> Path: ...
    @property
    def exists(self) -> bool: ...
    @property
    def size(self) -> int: ...
    @property
    def cap(self) -> int: ...
    @property
    def text(self) -> str: ...
    @property
    def cut_line(self) -> int | None: ...
    @property
    def problem(self) -> str: ...


class RequestPart(Protocol):
    """One part of the next request."""

    @property
    def name(self) -> str: ...
    @property
    def tokens(self) -> int: ...
    @property
    def estimated(self) -> bool: ...
    @property
    def note(self) -> str: ...
    @property
    def text(self) -> str: ...


class TaskRecord(Protocol):
    """A task in the list of tasks."""

    @property
    def id(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def model(self) -> str: ...
    @property
    def turns(self) -> int: ...
    @property
    def updated(self) -> datetime: ...


class TaskSession(Protocol):
    """The open task. Every command is safe at any time."""

    @property
    def view(self) -> TaskView: ...
    @property
    def record(self) -> TaskRecord: ...
    @property
    def workspace(self) -> Path: ...
    @property
    def problems(self) -> Sequence[str]: ...

    def subscribe(self, listener: Callable[[Event], None]) -> Callable[[], None]: ...
    def send(self, text: str) -> None: ...
    def steer(self, text: str) -> None: ...
    def interrupt(self) -> bool: ...
    def answer_approval(self, request_id: str, answer: Answer, reason: str = "") -> None: ...
    def answer_question(self, request_id: str, text: str) -> None: ...
    async def edit_brief(self, changes: Mapping[str, str]) -> str: ...
    def set_mode(self, mode: Mode) -> None: ...
    async def switch_model(self, name: str) -> None: ...
    async def rename(self, title: str) -> None: ...
    async def note(self, text: str) -> None: ...
    def remove_queued(self, prompt_id: str) -> str | None: ...
    def next_request(self) -> Sequence[RequestPart]: ...
    def native_body(self, wire: Any = None) -> Mapping[str, Any]: ...
    async def idle(self) -> None: ...
    async def close(self) -> None: ...


class Services(Protocol):
    """Everything else the dashboard asks for. Errors are KeenErrors with a sentence for the person."""

    @property
    def home(self) -> KeenHome: ...
    @property
    def workspace(self) -> Path: ...
    @property
    def settings(self) -> Settings: ...
    @property
    def notices(self) -> tuple[str, ...]: ...

    async def open_task(self, task_id: str | None, *, read_only: bool = False) -> TaskSession:
        """The task with this id or unique prefix, or the newest one of the workspace."""

    async def new_task(self, model: str) -> TaskSession:
        """An empty task."""

    async def tasks(self) -> Sequence[TaskRecord]:
        """The tasks of this workspace, newest first."""

    async def model_choices(self) -> Sequence[ModelChoice]:
        """The demo model, models with a key, local servers, then the catalogue."""

    async def add_key(self, provider: str, key: str) -> str:
        """Keeps a key and says where."""

    async def choose_model(self, name: str, remember: bool = True) -> None:
        """Makes a model the default. Raises KeenError for a name nobody knows."""

    async def prompt_history(self) -> Sequence[str]:
        """Prompts sent in this workspace, oldest first."""

    async def remember_prompt(self, text: str) -> None:
        """Adds a prompt to the history of the workspace."""

    async def memory_files(self) -> Sequence[MemoryFile]:
        """The global and the project memory file, read from disk."""

    async def close(self) -> None:
        """Ends what runs and closes every task."""

    def start_gateway(self) -> None:
        """Begins to load what is slow to load. Called right after the first paint; returns at once."""
