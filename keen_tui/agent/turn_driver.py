"""Drives one turn from its first event to its last, whatever happens in between."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace
from typing import Any, cast
from uuid import uuid4

from keen_tui.agent.boundary import Boundary, Ending
from keen_tui.agent.brief_keeper import BriefKeeper
from keen_tui.agent.course import handed_over
from keen_tui.agent.history import history_of
from keen_tui.agent.journal import Journal
from keen_tui.agent.model_trouble import EmptyCalls
from keen_tui.agent.pending import KeptExchanges, settled
from keen_tui.agent.prompt import context_block, recall_guidance
from keen_tui.agent.repeats import Repeats
from keen_tui.agent.shared import Shared
from keen_tui.agent.task_record import TaskKeeper, closing_prose
from keen_tui.agent.turn_loop import run_turn
from keen_tui.agent.turn_setup import TaskTools, TurnHooks, load_preamble, turn_services
from keen_tui.agent.turn_state import RunningTurn, TurnStopped
from keen_tui.domain.errors import KeenError
from keen_tui.domain.events import (
    AssistantText,
    CommentAdded,
    Event,
    Notice,
    TurnCompleted,
    TurnEnd,
    TurnFailed,
    TurnIncomplete,
    TurnStarted,
)
from keen_tui.domain.pieces import Movement
from keen_tui.domain.views import TurnView
from keen_tui.gateway.calls import ModelCall
from keen_tui.gateway.resolve import ResolvedModel
from keen_tui.tools.command_output import purge_outputs
from keen_tui.translate.registry import translator_for

log = logging.getLogger(__name__)

ModelCallOf = Callable[[dict[str, Any]], Awaitable[ModelCall]]

MOVEMENTS = 24
"""Movements in one turn."""
_COMPACTED = "Another model can't read the results of the last turns. It is told what ran, without what it returned."
_STOPPED = ("interrupted", "You stopped this turn.", "Send a prompt to go on.")


class TurnDriver:
    """Runs turns one after the other. Only the work of a turn is ever cancelled, never its bookkeeping."""

    def __init__(
        self,
        shared: Shared,
        journal: Journal,
        keeper: TaskKeeper,
        brief: BriefKeeper,
        tools: TaskTools,
        hooks: TurnHooks,
    ) -> None:
        self._shared = shared
        self._journal = journal
        self._keeper = keeper
        self._brief = brief
        self._tools = tools
        self._hooks = hooks
        self.kept = KeptExchanges()
        self._empty_calls = EmptyCalls()
        self.last_body: dict[str, Any] = {}
        """The body of the last request, in memory only."""
        self._work: asyncio.Task[TurnEnd] | None = None
        self._interrupted = False
        self._warned: tuple[str, ...] = ()

    def interrupt(self) -> None:
        """End the work of the running turn; what its completed tools did is kept."""
        self._interrupted = True
        if self._work is not None:
            self._work.cancel()

    async def run(self, text: str, model: ResolvedModel) -> TurnEnd:
        """One turn. Returns its last event, which is already in the journal."""
        self._interrupted = False
        if self.kept.leave(model):
            self._journal.publish(Notice(text=_COMPACTED))
        running = await self._start(text, model)
        self._work = asyncio.create_task(self._run(running, model))
        if self._interrupted:
            self._work.cancel()
        await asyncio.wait([self._work])
        end = _broken(running, *_STOPPED) if self._work.cancelled() else self._work.result()
        self._work = None
        self._save(running, end, model)
        return await self._finish(end)

    def _remembering(self, model_call: ModelCallOf) -> ModelCallOf:
        async def call(body: dict[str, Any]) -> ModelCall:
            self.last_body = body
            return await model_call(body)

        return call

    def _save(self, running: RunningTurn, end: TurnEnd, model: ResolvedModel) -> None:
        """Tell of calls that finished while the work was ended, and keep the exchange where it is needed."""
        for call_id, finished in running.finished.items():
            segment = self._journal.view.tools.get(call_id)
            if segment is not None and segment.finish is None:
                self._journal.publish(finished)
        if notice := self._empty_calls.seen(running.empty_calls, model):
            self._journal.publish(notice)
        if running.movements > 1:
            self.kept.clear()
        elif isinstance(end, TurnCompleted):
            self.kept.completed(running.id, running.lasting, model)
        elif isinstance(end, TurnIncomplete):
            translator = translator_for(model.wire)
            calls = running.open_calls if running.closed_at is None else ()
            exchange = settled(running.lasting, calls, running.answered, translator)
            self.kept.incomplete(running.id, exchange, model)

    async def _start(self, text: str, model: ResolvedModel) -> RunningTurn:
        view, mode = self._journal.view, self._hooks.mode()
        number = view.turn_count + 1
        if not self._hooks.course.piece.has_phases:
            self._hooks.reminders.start_movement()
        started = TurnStarted(number=number, text=text, model=model.name, wire=model.wire, mode=mode)
        kept = await self._keeper.keep(started)
        running = RunningTurn(
            id=f"t{number}_{uuid4().hex[:6]}",
            user_text=text,
            request=text,
            context=self._context(),
            system=(),
            history=await asyncio.to_thread(history_of, view.turns, self.kept.of(model)),
            cache_key=self._keeper.task,
        )
        self._journal.publish(kept, turn=running.id)
        await self._keeper.update(turns=number)
        return running

    def _context(self) -> str:
        course, view = self._hooks.course, self._journal.view
        words = (*recall_guidance(view), *course.words())
        return context_block(self._brief.agent_sees_all(), self._hooks.mode(), words)

    async def _run(self, running: RunningTurn, model: ResolvedModel) -> TurnEnd:
        """The work. Only a fault of Keen itself gets into the log."""
        try:
            preamble = await asyncio.to_thread(load_preamble, self._shared)
            running.system = preamble.parts
            self._warn(preamble.warnings)
            while (ending := await self._run_movement(running, model)) is not None and ending.to:
                await self._hand_over(running, ending)
            return TurnCompleted(refused=running.refused)
        except TurnStopped as stop:
            return _broken(running, stop.reason, stop.message, stop.hint)
        except KeenError as error:
            return _broken(running, getattr(error, "kind", "error"), error.message, error.hint)
        except Exception as error:
            log.exception("a turn failed")
            message = f"A fault in Keen ended this turn ({type(error).__name__}). What was done is kept."
            return _broken(running, "fault", message, f"The log is in {self._shared.home.log_dir}.")

    async def _run_movement(self, running: RunningTurn, model: ResolvedModel) -> Ending | None:
        """One movement to its end; None when the agent ended the turn without leaving it."""
        course, reminders = self._hooks.course, self._hooks.reminders
        boundary = Boundary(reminders)
        own = self._model_of(course.movement, model)
        services = turn_services(self._shared, own, self._tools, self._hooks, boundary)
        services = replace(services, model_call=self._remembering(services.model_call))
        async with aclosing(cast(AsyncGenerator[Event, None], run_turn(running, services))) as events:
            async for event in events:
                self._journal.publish(await self._keeper.keep(event))
        ending = boundary.ending
        if ending is not None or not course.piece.has_phases:
            reminders.end_movement()
        if ending is not None and not ending.to:
            self._journal.publish(AssistantText(text=f"{_gap(self._journal.view.turn)}{ending.text}"))
            course.start_again()
        return ending

    async def _hand_over(self, running: RunningTurn, ending: Ending) -> None:
        """Enter the next movement: it sees past turns, the brief and the handoff, nothing of this exchange."""
        if running.movements >= MOVEMENTS:
            raise TurnStopped(
                "movements",
                f"The turn stopped after {MOVEMENTS} movements.",
                "Send a prompt to go on, or choose another piece with /piece.",
            )
        course = self._hooks.course
        came_from = course.name
        handoff = CommentAdded(comment=0, author="agent", kind="handoff", text=ending.text)
        self._journal.publish(await self._keeper.keep(handoff))
        course.go_to(ending.to)
        view = self._journal.view
        running.movements += 1
        running.user_text = handed_over(ending.text, came_from, running.request)
        running.context = self._context()
        running.history = await asyncio.to_thread(history_of, view.turns)
        running.exchange, running.open_calls, running.closed_at = [], (), None
        running.repeats = Repeats()

    def _model_of(self, movement: Movement, model: ResolvedModel) -> ResolvedModel:
        """The movement's own model, or the task's when it has none or nobody knows it."""
        if movement.model is None:
            return model
        try:
            return self._shared.resolve(movement.model)
        except KeenError as error:
            text = f"The movement {movement.name} asks for {movement.model}: {error.message} {model.name} stands in."
            self._journal.publish(Notice(level="warning", text=text, hint=error.hint))
            return model

    def _warn(self, warnings: tuple[str, ...]) -> None:
        """Tell once what is wrong with a memory file."""
        for warning in warnings:
            if warning not in self._warned:
                self._journal.publish(Notice(level="warning", text=warning, hint="The Memory pane (F5) shows it."))
        self._warned = warnings

    async def _finish(self, end: TurnEnd) -> TurnEnd:
        turn = self._journal.view.turn
        if turn is not None:
            if isinstance(end, TurnCompleted):
                end = await self._keeper.result(end, closing_prose(turn))
            await self._brief.note_touched_files(turn.segments)
        self._journal.publish(end)
        await asyncio.to_thread(purge_outputs, self._tools.context.task_dir)
        return end


def _gap(turn: TurnView | None) -> str:
    """A blank line between what the agent said and its result."""
    return "\n\n" if turn is not None and turn.prose.strip() else ""


def _broken(running: RunningTurn, reason: str, message: str, hint: str) -> TurnIncomplete | TurnFailed:
    kind = TurnIncomplete if running.tools_ran else TurnFailed
    return kind(reason=reason, message=message, hint=hint)
