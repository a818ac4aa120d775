"""Opens real tasks for tests: a real store, real tools, and a gateway of the test's choice."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from keen_tui.agent.person import Nobody, PersonAtScreen
from keen_tui.agent.session import TaskSession
from keen_tui.agent.workbench import Workbench
from keen_tui.config.paths import KeenHome
from keen_tui.config.settings import ModelSettings, ProviderSettings, Settings
from keen_tui.domain.events import Answer, ApprovalRequested, Event
from keen_tui.gateway.calls import Gateway

E = TypeVar("E", bound=Any)

WIRES = ("anthropic", "openai_responses", "openai_chat", "gemini", "ollama")
MODELS = {
    "anthropic": "anthropic/claude-emulated",
    "openai_responses": "openai/emulated-reasoner",
    "openai_chat": "openai/emulated-chat",
    "gemini": "gemini/gemini-emulated",
    "ollama": "ollama/emulated",
    "litellm": "openai/emulated-plain",
}


def emulated(base: Callable[[str], str], wire: str, **more: Any) -> Settings:
    """Settings that reach the emulator in one wire format, with quick retries and no reminders of the brief."""
    model = MODELS[wire]
    provider = model.split("/", 1)[0]
    fields: dict[str, Any] = {
        "model": model,
        "providers": {provider: ProviderSettings(base_url=base(wire), api_key_env="EMULATOR_KEY")},
        "models": {model: ModelSettings.model_validate({"wire": wire, "context_window": 200_000})},
    }
    limits = {"limits": {"brief_reminders": False}}
    return Settings.model_validate(fields | limits | more)


def workbench(
    folder: Path, gateway: Gateway, settings: Settings, person: PersonAtScreen | Nobody | None = None
) -> Workbench:
    """A workbench over `folder/home` and `folder/project`, both made when missing."""
    project = folder / "project"
    project.mkdir(parents=True, exist_ok=True)
    return Workbench(
        home=KeenHome(folder / "home"),
        workspace=project,
        cwd=project,
        settings=settings,
        environ={"EMULATOR_KEY": "good-key-0123456789", "PATH": "/usr/bin:/bin"},
        gateway=gateway,
        person=person or PersonAtScreen(),
    )


@dataclass
class Watch:
    """Records the events of a session and waits for them."""

    session: TaskSession
    events: list[Event] = field(default_factory=list)
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.session.subscribe(self._seen)

    def _seen(self, event: Event) -> None:
        self.events.append(event)
        self._changed.set()

    def all(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, kind)]

    async def first(self, kind: type[E], after: int = 0, timeout: float = 30.0) -> E:
        """The first event of a kind at or behind position `after`, waited for."""
        async with asyncio.timeout(timeout):
            while True:
                for event in self.events[after:]:
                    if isinstance(event, kind):
                        return event
                self._changed.clear()
                await self._changed.wait()

    def answer_all(self, answer: Answer = "once", reason: str = "") -> None:
        """Answer every approval at once."""

        def reply(event: Event) -> None:
            if isinstance(event, ApprovalRequested):
                self.session.answer_approval(event.request_id, answer, reason)

        self.session.subscribe(reply)


@asynccontextmanager
async def opened(bench: Workbench) -> AsyncIterator[tuple[TaskSession, Watch]]:
    """A new task on the workbench's model; everything but the gateway is closed at the end."""
    session = await bench.new_task(bench.settings.model or "demo")
    try:
        yield session, Watch(session)
    finally:
        await session.close()
        await (await bench.shared()).store.close()


async def turn(session: TaskSession, text: str) -> None:
    """One whole turn."""
    session.send(text)
    async with asyncio.timeout(60):
        await session.idle()
