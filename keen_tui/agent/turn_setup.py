"""Gathers what a turn needs before it starts: the prompt, the model, the key, the tools, the guards."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from keen_tui.agent.approvals import Approvals
from keen_tui.agent.boundary import Boundary
from keen_tui.agent.course import Course
from keen_tui.agent.mission import MissionUpdate, UpdateBrief
from keen_tui.agent.prompt import base_prompt
from keen_tui.agent.recall import TaskRecall
from keen_tui.agent.recall_tools import ReadTaskConversation, SearchTaskConversation
from keen_tui.agent.reminders import Reminders
from keen_tui.agent.rules import Rules
from keen_tui.agent.shared import Shared
from keen_tui.agent.turn_state import Limits, Person, TurnServices
from keen_tui.config.credentials import KEY_VARIABLES, find_key
from keen_tui.config.settings import ProviderSettings
from keen_tui.domain.constraints import ReadOnlyPath
from keen_tui.domain.errors import GatewayError
from keen_tui.domain.events import CommentAdded, Mode
from keen_tui.domain.exchange import PromptPart
from keen_tui.gateway.calls import ModelCall, Timeouts
from keen_tui.gateway.catalogue import call_cost
from keen_tui.gateway.resolve import ResolvedModel
from keen_tui.memory.instructions import load_instructions
from keen_tui.memory.memory_files import MemoryFile, load_memory, project_memory, rendered
from keen_tui.tools.base import ToolContext
from keen_tui.tools.command_output import output_folder
from keen_tui.tools.file_stamps import FileStamps
from keen_tui.tools.registry import ToolBox, standard_tools
from keen_tui.translate.registry import translator_for


@dataclass(frozen=True, slots=True)
class Preamble:
    """The parts of the prompt in front of the history. `notes` say what was cut, by part name.

    `warnings` are sentences about memory files that are not loaded because of what they hold.
    """

    parts: tuple[PromptPart, ...]
    notes: Mapping[str, str]
    warnings: tuple[str, ...] = ()


def load_preamble(shared: Shared) -> Preamble:
    """Read instructions and memory files from disk. Missing and empty files are skipped."""
    memory = load_memory(shared.home.global_memory, shared.workspace)
    paths = {file.scope: file.path for file in memory}
    parts = [base_prompt(shared.workspace, paths["global"], paths["project"])]
    notes: dict[str, str] = {}
    instructions = load_instructions(shared.workspace, shared.cwd)
    if instructions.text.strip():
        name = instructions.files[-1].name
        parts.append(PromptPart(name, instructions.text))
        if instructions.dropped_bytes:
            notes[name] = f"{instructions.dropped_bytes:,} bytes not loaded"
    for file in memory:
        if text := rendered(file):
            name = f"{file.scope} memory"
            parts.append(PromptPart(name, text))
            if note := _cut_note(file):
                notes[name] = note
    warnings = tuple(f"{file.path}: {file.problem}" for file in memory if file.problem and not file.loaded_bytes)
    return Preamble(tuple(parts), notes, warnings)


def _cut_note(file: MemoryFile) -> str:
    if file.problem:
        return file.problem
    return f"cut from line {file.cut_line} on ({file.cap // 1024} KiB cap)" if file.cut_line else ""


@dataclass(frozen=True, slots=True)
class TaskTools:
    """What the tools of one task share while it is open."""

    toolbox: ToolBox
    context: ToolContext
    rules: Rules
    recall: TaskRecall

    @classmethod
    def of(cls, shared: Shared, task: str, update_brief: UpdateBrief) -> TaskTools:
        task_dir = shared.home.task_dir(task)
        context = ToolContext(
            workspace=shared.workspace,
            task_dir=task_dir,
            stamps=FileStamps(),
            bash_timeout=shared.settings.limits.bash_timeout,
            allow_private_addresses=shared.settings.network.allow_private_addresses,
            memory_files={"global": shared.home.global_memory, "project": project_memory(shared.workspace)},
        )
        rules = Rules.load(shared.home.permissions_file(shared.workspace), shared.workspace)
        recall = TaskRecall(shared.store, task, shared.home.transcript(task))
        toolbox = standard_tools()
        for tool in (MissionUpdate(update_brief), SearchTaskConversation(recall), ReadTaskConversation(recall)):
            toolbox = toolbox.with_tool(tool)
        return cls(toolbox, context, rules, recall)


@dataclass(frozen=True, slots=True)
class TurnHooks:
    """What a turn asks of its task while it runs."""

    person: Person
    mode: Callable[[], Mode]
    interjection: Callable[[], CommentAdded | None]
    may_spend: Callable[[], Awaitable[bool]]
    brief_news: Callable[[], str]
    pinned: Callable[[], Sequence[ReadOnlyPath]]
    course: Course
    reminders: Reminders


def turn_services(
    shared: Shared, model: ResolvedModel, tools: TaskTools, hooks: TurnHooks, boundary: Boundary
) -> TurnServices:
    workspace, settings = shared.workspace, shared.settings

    async def model_call(body: dict[str, Any]) -> ModelCall:
        return await make_call(shared, model, body)

    return TurnServices(
        profile=model.profile,
        translator=translator_for(model.wire),
        gateway=shared.gateway,
        model_call=model_call,
        cost=lambda usage: call_cost(model.info, usage),
        toolbox=hooks.course.toolbox(tools.toolbox, boundary),
        tool_context=tools.context,
        approvals=Approvals(
            workspace,
            tools.rules,
            protected=(workspace / ".git", workspace / ".keen" / "config.toml", shared.home.root),
            readable=(output_folder(tools.context.task_dir),),
            pinned=hooks.pinned,
        ),
        person=hooks.person,
        mode=hooks.mode,
        interjection=hooks.interjection,
        may_spend=hooks.may_spend,
        brief_news=hooks.brief_news,
        boundary=boundary,
        tree_is_dirty=lambda: tree_is_dirty(shared),
        limits=Limits(settings.limits.iterations, settings.network.retries),
        sleep=shared.sleep,
    )


async def make_call(shared: Shared, model: ResolvedModel, body: Mapping[str, Any]) -> ModelCall:
    """The call for a body. Raises GatewayError("authentication") when a key is needed and none is found."""
    network = shared.settings.network
    provider = shared.settings.providers.get(model.provider, ProviderSettings())
    key = await find_key(provider, model.provider, shared.home, shared.environ)
    variables = KEY_VARIABLES.get(model.provider, ())
    if key is None and variables and model.base_url is None:
        raise GatewayError(
            "authentication",
            f"No key for {model.provider} was found.",
            hint=f"Add one with /model, or set {provider.api_key_env or variables[0]} and start Keen again.",
        )
    return ModelCall(
        wire=model.wire,
        provider=model.provider,
        model=model.model,
        body=body,
        base_url=model.base_url,
        api_key=key,
        headers=dict(provider.headers),
        timeouts=Timeouts(network.connect_timeout, network.first_byte_timeout, network.stall_timeout),
    )


async def tree_is_dirty(shared: Shared) -> bool:
    """Whether git knows of uncommitted changes. True when git can't say."""
    try:
        process = await asyncio.create_subprocess_exec(
            "git", "-C", str(shared.workspace), "status", "--porcelain",
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        output, _ = await process.communicate()
    except OSError:
        return True
    return process.returncode != 0 or bool(output.strip())
