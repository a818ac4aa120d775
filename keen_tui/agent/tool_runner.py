"""Runs the calls of one reply: checks, permission, the tools themselves, and their results in order."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal
from uuid import uuid4

from keen_tui.agent.rules import Rule
from keen_tui.agent.turn_state import RunningTurn, TurnServices
from keen_tui.domain.errors import KeenError
from keen_tui.domain.events import (
    ApprovalAnswered,
    ApprovalRequested,
    Event,
    Notice,
    QuestionAsked,
    Refusal,
    ToolFinished,
    ToolOutput,
    ToolStarted,
)
from keen_tui.domain.exchange import ToolCall, ToolResult
from keen_tui.security.bounded import bounded
from keen_tui.tools.arguments import check_arguments
from keen_tui.tools.base import Access, Ask, Outcome, Tool, ToolContext, ToolError, nobody_to_ask


@dataclass(slots=True)
class _Job:
    """One call on its way. `result` is set when it is done, run or refused; the turn then knows it too."""

    call: ToolCall
    tool: Tool | None
    turn: RunningTurn
    target: str | None = None
    result: ToolResult | None = None
    started: float = field(default_factory=time.monotonic)

    @property
    def parallel(self) -> bool:
        return self.tool is not None and self.tool.read_only


async def run_calls(
    calls: Sequence[ToolCall], turn: RunningTurn, services: TurnServices
) -> AsyncIterator[Event | list[ToolResult]]:
    """Events as they happen and, last, the results in the order of the calls.

    Read-only calls that stand together run side by side; all else runs one at a time, in order.
    """
    jobs = [_Job(call, services.toolbox.get(call.name), turn) for call in calls]
    for group in _groups(jobs):
        for job in group:
            turn.call_ids.add(job.call.id)
            async for event in _prepare(job, turn, services):
                yield event
        running = [job for job in group if job.result is None]
        if running:
            async for event in _run_together(running, turn, services):
                yield event
    yield [job.result for job in jobs if job.result is not None]


def _groups(jobs: list[_Job]) -> list[list[_Job]]:
    groups: list[list[_Job]] = []
    for job in jobs:
        if groups and job.parallel and groups[-1][-1].parallel:
            groups[-1].append(job)
        else:
            groups.append([job])
    return groups


async def _prepare(job: _Job, turn: RunningTurn, services: TurnServices) -> AsyncIterator[Event]:
    """Announce the call, check it, and get the permission it needs; a refusal sets its result."""
    call, tool, context = job.call, job.tool, services.tool_context
    if tool is not None and call.arguments is not None:
        try:
            job.target = tool.target(call.arguments, context.workspace)
        except (KeenError, ToolError, TypeError, ValueError, KeyError, AttributeError):
            job.target = None
    yield ToolStarted(call_id=call.id, tool=bounded(call.name), target=job.target, arguments=call.arguments or {})
    if tool is None:
        names = ", ".join(spec.name for spec in services.toolbox.specs)
        yield _refuse(job, "unknown", f"There is no tool {call.name!r}. The tools are: {names}.")
        return
    problem = call.problem if call.arguments is None else check_arguments(tool.spec, call.arguments)
    if problem or call.arguments is None:
        turn.empty_calls += call.arguments == {}
        yield _refuse(job, "input", problem or "The arguments are not a JSON object.")
        return
    try:
        access = tool.access(call.arguments, context)
    except (ToolError, KeenError) as error:
        yield _finish(job, Outcome(str(error), status="error", shown=str(error)))
        return
    async for event in _permit(job, tool, access, turn, services):
        yield event


async def _permit(
    job: _Job, tool: Tool, access: Access, turn: RunningTurn, services: TurnServices
) -> AsyncIterator[Event]:
    call, mode = job.call, services.mode()
    dirty = mode == "yolo" and access.kind == "command" and await services.tree_is_dirty()
    decision = services.approvals.decide(access, mode, tree_is_dirty=dirty)
    if decision.verdict == "allow":
        return
    if decision.verdict == "deny":
        yield _refuse(job, "denied", decision.reasons[0])
        return
    assert call.arguments is not None
    try:
        detail = await tool.preview(call.arguments, services.tool_context)
    except (ToolError, KeenError) as error:
        yield _finish(job, Outcome(str(error), status="error", shown=str(error)))
        return
    if not services.person.present:
        turn.refused += 1
        text = f"Refused {call.name} {job.target or ''}".rstrip() + ": nobody can be asked in this run."
        yield Notice(level="warning", text=text, hint="Allow it with --mode, or with a project rule.")
        yield _refuse(job, "denied", "Refused: this call needs the user's permission and nobody can be asked.")
        return
    request = ApprovalRequested(
        request_id=uuid4().hex[:12],
        call_id=call.id,
        tool=call.name,
        question=_question(call.name, access, job.target),
        kind=_DETAIL_KINDS.get(access.kind, "command"),
        reasons=tuple(bounded(reason) for reason in decision.reasons),
        rule=bounded(decision.rule_words),
        detail=detail,
    )
    yield request
    answer = await services.person.approve(request)
    yield answer
    async for event in _obey(job, answer, services, decision.rules):
        yield event


async def _obey(
    job: _Job, answer: ApprovalAnswered, services: TurnServices, rules: tuple[Rule, ...]
) -> AsyncIterator[Event]:
    if answer.answer == "no":
        reason = f" The user says: {answer.reason}" if answer.reason else ""
        yield _refuse(job, "denied", f"The user refused this call.{reason}")
    elif answer.answer == "session":
        services.approvals.rules.allow_for_session(rules)
    elif answer.answer == "project":
        try:
            services.approvals.rules.allow_for_project(rules)
        except KeenError as error:
            yield Notice(level="warning", text=error.message, hint=error.hint)
    job.started = time.monotonic()


_DETAIL_KINDS: dict[str, Literal["command", "diff", "path", "url"]] = {
    "command": "command",
    "write": "diff",
    "read": "path",
    "fetch": "url",
}


def _question(name: str, access: Access, target: str | None) -> str:
    match access.kind:
        case "command":
            return "Run this command?"
        case "write":
            return f"{'Edit' if name == 'edit_file' else 'Write'} {target or 'this file'}?"
        case "fetch":
            return f"Fetch {target or 'this page'}?"
        case _:
            return f"Read {target or 'this'}?"


async def _run_together(jobs: list[_Job], turn: RunningTurn, services: TurnServices) -> AsyncIterator[Event]:
    """Run permitted calls side by side; cancelling this ends them all."""
    events: asyncio.Queue[Event | None] = asyncio.Queue()

    async def run_one(job: _Job) -> None:
        outcome = await _run(job, services, events)
        turn.tools_ran += 1
        if outcome.file_changed:
            turn.repeats.file_changed()
        events.put_nowait(_finish(job, outcome))
        if outcome.told:
            events.put_nowait(Notice(level="warning" if outcome.warning else "info", text=outcome.told))

    async def run_all() -> None:
        try:
            async with asyncio.TaskGroup() as group:
                for job in jobs:
                    group.create_task(run_one(job))
        finally:
            events.put_nowait(None)

    runner = asyncio.create_task(run_all())
    try:
        while (event := await events.get()) is not None:
            yield event
    finally:
        runner.cancel()
        await asyncio.gather(runner, return_exceptions=True)
    runner.result()


async def _run(job: _Job, services: TurnServices, events: asyncio.Queue[Event | None]) -> Outcome:
    call, tool = job.call, job.tool
    assert tool is not None and call.arguments is not None
    context: ToolContext = replace(
        services.tool_context,
        emit=lambda text: events.put_nowait(ToolOutput(call_id=call.id, text=text)),
        ask=_asker(call.id, services, events),
    )
    try:
        return await tool.run(call.arguments, context)
    except (ToolError, KeenError) as error:
        return Outcome(str(error), status="error")
    except OSError as error:
        return Outcome(f"{call.name} failed: {error.strerror or error}", status="error")


def _asker(call_id: str, services: TurnServices, events: asyncio.Queue[Event | None]) -> Ask:
    async def ask(question: str, choices: tuple[str, ...]) -> str:
        request = QuestionAsked(request_id=uuid4().hex[:12], call_id=call_id, question=question, choices=choices)
        events.put_nowait(request)
        answer = await services.person.answer(request)
        events.put_nowait(answer)
        return answer.text

    return ask if services.person.present else nobody_to_ask


def _refuse(job: _Job, refusal: Refusal, text: str) -> ToolFinished:
    return _finish(job, Outcome(text, status="error"), refusal)


def _finish(job: _Job, outcome: Outcome, refused: Refusal | None = None) -> ToolFinished:
    call = job.call
    job.result = ToolResult(call.id, call.name, outcome.text, is_error=outcome.status == "error")
    finished = ToolFinished(
        call_id=call.id,
        tool=bounded(call.name),
        status=outcome.status,
        target=job.target,
        seconds=round(time.monotonic() - job.started, 2),
        refused=refused,
        file_changed=outcome.file_changed,
        failed_command=outcome.failed_command,
        exit_code=outcome.exit_code,
        added=outcome.added,
        removed=outcome.removed,
        output_kind=outcome.kind,
        output_size=outcome.size or len(outcome.text.encode("utf-8", "replace")),
        output=outcome.shown or outcome.text,
        diff=outcome.diff,
    )
    job.turn.answered[call.id], job.turn.finished[call.id] = job.result, finished
    return finished
