"""A task session and services that do what a test scripts, with the real fold."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from keen_tui.agent.doctor import Check
from keen_tui.agent.model_choices import ModelChoice
from keen_tui.agent.recall import Found
from keen_tui.agent.replayed import replayed_turn
from keen_tui.config.paths import KeenHome
from keen_tui.config.settings import Settings
from keen_tui.domain.brief_history import brief_at, changes_between, redo_of, undo_of
from keen_tui.domain.entries import Hit
from keen_tui.domain.errors import KeenError
from keen_tui.domain.events import (
    ApprovalAnswered,
    BriefChanged,
    CommentAdded,
    Event,
    ModeChanged,
    ModelChanged,
    MovementStarted,
    PromptQueued,
    PromptUnqueued,
    QuestionAnswered,
    ShellRan,
    TitleChanged,
    TurnIncomplete,
    TurnStarted,
)
from keen_tui.domain.exchange import ModelProfile, Replay
from keen_tui.domain.pieces import Piece
from keen_tui.domain.replayed_turn import ReplayedTurn
from keen_tui.domain.views import TaskView, TurnView, apply
from keen_tui.memory.memory_files import MemoryFile
from keen_tui.tools.registry import standard_tools


@dataclass(frozen=True)
class Record:
    id: str = "t-1"
    title: str = ""
    model: str = "demo"
    turns: int = 0
    draft: str = ""
    updated: datetime = datetime(2026, 3, 4, 9, 12, tzinfo=UTC)


@dataclass(frozen=True)
class Part:
    name: str
    tokens: int
    estimated: bool = False
    note: str = ""
    text: str = ""


class FakeSession:
    """Commands become events through the real fold; nothing answers by itself."""

    def __init__(self, workspace: Path, model: str = "demo", task_id: str = "t-1", draft: str = "") -> None:
        self.view = TaskView()
        self.record = Record(id=task_id, model=model, draft=draft)
        self.workspace = workspace
        self.problems: list[str] = []
        self.sent: list[str] = []
        self.steered: list[str] = []
        self.answers: list[tuple[str, str, str]] = []
        self.interrupts = 0
        self.closed = False
        self.brief_problem = ""
        self.parts = [Part("tools", 3102), Part("base prompt", 1204), Part("your message", 61, estimated=True)]
        self.replay: Replay = "empty"
        self.drafts: list[str] = []
        self.hits: tuple[Hit, ...] = ()
        self.shell_lines: list[str] = []
        self.shell_output = "one\ntwo\n"
        self.shell_waits = False
        self.shell_runs: asyncio.Event | None = None
        self._listeners: list[Callable[[Event], None]] = []
        self._seq = 0
        self.emit(ModelChanged(model=model, wire="openai_chat", context_window=200_000))

    def emit(self, *events: Event) -> None:
        for event in events:
            self._seq += 1
            event = event.model_copy(update={"seq": self._seq, "turn": self._turn(event)})
            apply(self.view, event)
            for listener in list(self._listeners):
                listener(event)

    def _turn(self, event: Event) -> str:
        if isinstance(event, TurnStarted):
            return f"turn-{event.number}"
        return self.view.turn.id if self.view.turn else ""

    def subscribe(self, listener: Callable[[Event], None]) -> Callable[[], None]:
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def start_turn(self, text: str = "Fix it") -> None:
        self.emit(TurnStarted(number=self.view.turn_count + 1, text=text, comment=self.view.turn_count + 1))

    def send(self, text: str) -> None:
        if self.view.turn is not None:
            self.emit(PromptQueued(prompt_id=f"q{self._seq}", text=text))
            return
        self.sent.append(text)
        self.start_turn(text)

    def steer(self, text: str) -> None:
        self.steered.append(text)
        self.emit(CommentAdded(comment=9, author="user", kind="interjection", text=text))

    async def find(self, words: str) -> Found:
        return Found(tuple(hit for hit in self.hits if words in hit.excerpt))

    def interrupt(self) -> bool:
        if self.view.turn is None:
            return False
        self.interrupts += 1
        self.emit(TurnIncomplete(reason="interrupted", message="You stopped the turn."))
        return True

    def answer_approval(self, request_id: str, answer: str, reason: str = "") -> None:
        self.answers.append((request_id, answer, reason))
        self.emit(ApprovalAnswered(request_id=request_id, answer=answer, reason=reason))

    def answer_question(self, request_id: str, text: str) -> None:
        self.answers.append((request_id, text, ""))
        self.emit(QuestionAnswered(request_id=request_id, text=text))

    async def edit_brief(self, changes: Mapping[str, str], base: Mapping[str, str] | None = None) -> str:
        if not self.brief_problem:
            self._change_brief(changes)
        return self.brief_problem

    def _change_brief(self, changes: Mapping[str, str], way: Any = "edit", of: int = 0) -> None:
        revision = self.view.brief_revision + 1
        self.emit(BriefChanged(author="user", revision=revision, changes=changes, movement="work", way=way, of=of))

    @property
    def pieces(self) -> tuple[Piece, ...]:
        two = [{"name": "plan"}, {"name": "build"}]
        return (
            Piece.model_validate({"name": "work", "movements": [{"name": "work"}]}),
            Piece.model_validate({"name": "two-steps", "description": "Think, then do", "movements": two}),
        )

    def choose_piece(self, name: str) -> str:
        piece = next((piece for piece in self.pieces if piece.name == name), None)
        if piece is None:
            return f"There is no piece {name}."
        first = piece.movements[0].name
        self.emit(MovementStarted(piece=name, movement=first, movements=len(piece.movements)))
        return ""

    async def undo_brief(self) -> str:
        step = undo_of(self.view.brief_history)
        if step is None:
            return "There is nothing to undo."
        self._change_brief(step.before, "undo", step.revision)
        return ""

    async def redo_brief(self) -> str:
        step = redo_of(self.view.brief_history)
        if step is None:
            return "There is nothing to redo."
        self._change_brief(step.after, "redo", step.revision)
        return ""

    async def restore_brief(self, revision: int) -> str:
        wanted = brief_at(self.view.brief_history, revision)
        assert wanted is not None
        self._change_brief(changes_between(self.view.brief, wanted), "restore", revision)
        return ""

    def set_mode(self, mode: str) -> None:
        self.emit(ModeChanged(mode=mode))

    def set_tool_history(self, history: str) -> None:
        self.tool_history = history

    async def switch_model(self, name: str) -> None:
        self.emit(ModelChanged(model=name))

    async def rename(self, title: str) -> None:
        self.emit(TitleChanged(title=title))

    async def note(self, text: str) -> None:
        self.emit(CommentAdded(comment=8, author="user", kind="comment", text=text))

    def remove_queued(self, prompt_id: str) -> str | None:
        text = self.view.queue.get(prompt_id)
        self.emit(PromptUnqueued(prompt_id=prompt_id))
        return text

    def next_request(self) -> list[Part]:
        return self.parts

    def replayed(self, turn: TurnView) -> ReplayedTurn:
        return replayed_turn(turn, None, standard_tools().specs, ModelProfile("m", "anthropic", replay=self.replay))

    last_body: Mapping[str, Any] = MappingProxyType({"model": "m", "messages": []})

    def native_body(self, wire: Any = None) -> dict[str, Any]:
        return {"model": self.view.model, "messages": [{"role": "user", "content": "hello"}], "wire": wire}

    async def keep_draft(self, text: str) -> None:
        self.drafts.append(text)

    async def shell(self, line: str, emit: Callable[[str], None] = lambda text: None) -> ShellRan:
        self.shell_lines.append(line)
        self.shell_runs = asyncio.Event()
        emit(self.shell_output)
        if self.shell_waits:
            await self.shell_runs.wait()
        code = None if self.shell_waits else 0
        size = len(self.shell_output)
        self.emit(ShellRan(text=line, exit_code=code, output=self.shell_output, output_size=size))
        self.shell_runs = None
        return ShellRan(text=line, exit_code=code, output=self.shell_output, output_size=size)

    def stop_shell(self) -> bool:
        if self.shell_runs is None:
            return False
        self.shell_runs.set()
        return True

    async def idle(self) -> None:
        return None

    async def close(self) -> None:
        self.closed = True


CHOICES = (
    ModelChoice("demo", "demo", "offline, built in", "demo", True),
    ModelChoice("anthropic/claude-sonnet-5-5", "claude-sonnet-5-5", "ANTHROPIC_API_KEY", "key found", True),
    ModelChoice("ollama/qwen3", "qwen3", "Ollama, 127.0.0.1:11434", "local", True),
    ModelChoice("openai/gpt-5.6", "openai/gpt-5.6", "needs OPENAI_API_KEY", "catalogue", False),
)


@dataclass
class FakeServices:
    home: KeenHome
    workspace: Path
    settings: Settings = field(default_factory=lambda: Settings(model="demo"))
    notices: tuple[str, ...] = ()
    records: tuple[Record, ...] = ()
    history: list[str] = field(default_factory=list)
    files: tuple[MemoryFile, ...] = ()
    keys: dict[str, str] = field(default_factory=dict)
    chosen: list[str] = field(default_factory=list)
    opened: list[FakeSession] = field(default_factory=list)
    gateway_started: int = 0
    problem: str = ""
    draft: str = ""
    said: dict[str, str] = field(default_factory=dict)
    dirty: bool = False

    @property
    def session(self) -> FakeSession:
        return self.opened[-1]

    async def open_task(self, task_id: str | None, *, read_only: bool = False) -> FakeSession:
        if self.problem:
            raise KeenError(self.problem, "Try another.")
        self.opened.append(FakeSession(self.workspace, task_id=task_id or "newest", draft=self.draft))
        return self.session

    async def new_task(self, model: str) -> FakeSession:
        if self.problem:
            raise KeenError(self.problem, "Try another.")
        self.opened.append(FakeSession(self.workspace, model, f"t-{len(self.opened) + 1}"))
        return self.session

    async def tree_is_dirty(self) -> bool:
        return self.dirty

    async def checks(self) -> list[Check]:
        return [Check("keen", "ok", "0.1"), Check("keys", "problem", "none found", "Add one with /model.")]

    async def find_tasks(self, words: str) -> dict[str, str]:
        return {task: text for task, text in self.said.items() if words in text}

    async def tasks(self) -> tuple[Record, ...]:
        return self.records

    async def model_choices(self) -> tuple[ModelChoice, ...]:
        return CHOICES

    async def add_key(self, provider: str, key: str) -> str:
        self.keys[provider] = key
        return "the keyring"

    async def choose_model(self, name: str, remember: bool = True) -> None:
        self.chosen.append(name)

    async def prompt_history(self) -> list[str]:
        return self.history

    async def remember_prompt(self, text: str) -> None:
        self.history.append(text)

    async def memory_files(self) -> tuple[MemoryFile, ...]:
        return self.files

    async def close(self) -> None:
        for session in self.opened:
            await session.close()

    def start_gateway(self) -> None:
        self.gateway_started += 1
