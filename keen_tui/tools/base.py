"""What a tool is: its specification, what it wants to touch, and how it runs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from keen_tui.domain.events import Status
from keen_tui.domain.exchange import ToolSpec
from keen_tui.domain.memory_template import MemoryScope
from keen_tui.tools.file_stamps import FileStamps

Arguments = Mapping[str, Any]
OutputKind = Literal["file", "output", "matches", "page", "answer", "message"]


@dataclass(frozen=True, slots=True)
class Access:
    """What a call wants to touch, for the approvals.

    kind "none": nothing that needs a question. "read"/"write": `paths` (absolute, symlinks resolved).
    "command": `command`, run in the workspace. "fetch": `url`.
    """

    kind: Literal["none", "read", "write", "command", "fetch"] = "none"
    paths: tuple[Path, ...] = ()
    command: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a call gave. `text` goes to the model; `shown` to the screen (the same when empty).

    `size` is the full size in bytes of what was produced, before any cut. `diff` is a unified diff
    without file headers (hunks only) of a change that was made.
    """

    text: str
    status: Status = "success"
    kind: OutputKind = "message"
    size: int = 0
    shown: str = ""
    file_changed: str | None = None
    failed_command: str | None = None
    exit_code: int | None = None
    diff: str = ""
    added: int = 0
    removed: int = 0
    told: str = ""
    """A sentence for the person, beside the result."""
    warning: bool = False
    """Whether `told` is a warning."""


class ToolError(Exception):
    """A call that could not be done. The message is for the model: what is wrong and what to try."""


Ask = Callable[[str, tuple[str, ...]], Awaitable[str]]


async def nobody_to_ask(question: str, choices: tuple[str, ...]) -> str:
    """The `ask` of a run without a screen."""
    raise ToolError("Nobody can be asked in this run. Decide yourself and say what you assumed.")


@dataclass(frozen=True, slots=True)
class ToolContext:
    """Everything a tool may use. `task_dir` is the task's own folder under KEEN_HOME.

    `emit` takes pieces of output while the tool runs. `stamps` remembers the files that were read.
    `memory_files` are the user's memory files, there or not.
    """

    workspace: Path
    task_dir: Path
    stamps: FileStamps
    emit: Callable[[str], None] = lambda text: None
    ask: Ask = nobody_to_ask
    bash_timeout: float = 300.0
    allow_private_addresses: bool = False
    extra_environment: Mapping[str, str] = field(default_factory=dict)
    memory_files: Mapping[MemoryScope, Path] = field(default_factory=dict)


class Tool(Protocol):
    """One tool. `read_only` calls may run in parallel with each other."""

    spec: ToolSpec
    read_only: bool

    def target(self, arguments: Arguments, workspace: Path) -> str | None:
        """What the call is about, bounded and redacted for TurnMemory and the card."""

    def access(self, arguments: Arguments, context: ToolContext) -> Access:
        """What the call would touch. Raises ToolError when that can't even be named."""

    async def preview(self, arguments: Arguments, context: ToolContext) -> str:
        """What the person sees before allowing it: a unified diff or the command; may raise ToolError."""

    async def run(self, arguments: Arguments, context: ToolContext) -> Outcome:
        """Do it. Raises ToolError; cancellation stops everything that was started."""
