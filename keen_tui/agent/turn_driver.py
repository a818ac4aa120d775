"""Drives one turn from its first event to its last, whatever happens in between."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import cast
from uuid import uuid4

from keen_tui.agent.brief_keeper import BriefKeeper
from keen_tui.agent.history import history_of
from keen_tui.agent.journal import Journal
from keen_tui.agent.model_trouble import EmptyCalls
from keen_tui.agent.pending import KeptExchanges, settled
from keen_tui.agent.prompt import context_block
from keen_tui.agent.shared import Shared
from keen_tui.agent.task_record import TaskKeeper
from keen_tui.agent.turn_loop import run_turn
from keen_tui.agent.turn_setup import TaskTools, TurnHooks, load_preamble, turn_services
from keen_tui.agent.turn_state import RunningTurn, TurnStopped
from keen_tui.domain.errors import KeenError
from keen_tui.domain.events import Event, Notice, TurnCompleted, TurnEnd, TurnFailed, TurnIncomplete, TurnStarted
from keen_tui.gateway.resolve import ResolvedModel
from keen_tui.tools.command_output import purge_outputs
from keen_tui.translate.registry import translator_for

log = logging.getLogger(__name__)

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

    def _save(self, running: RunningTurn, end: TurnEnd, model: ResolvedModel) -> None:
        """Tell of calls that finished while the work was ended, and keep the exchange where it is needed."""
        for call_id, finished in running.finished.items():
            segment = self._journal.view.tools.get(call_id)
            if segment is not None and segment.finish is None:
                self._journal.publish(finished)
        if notice := self._empty_calls.seen(running.empty_calls, model):
            self._journal.publish(notice)
        if isinstance(end, TurnCompleted):
            self.kept.completed(running.id, running.exchange, model)
        elif isinstance(end, TurnIncomplete):
            translator = translator_for(model.wire)
            exchange = settled(running.exchange, running.open_calls, running.answered, translator)
            self.kept.incomplete(running.id, exchange, model)

    async def _start(self, text: str, model: ResolvedModel) -> RunningTurn:
        view, mode = self._journal.view, self._hooks.mode()
        number = view.turn_count + 1
        started = TurnStarted(number=number, text=text, model=model.name, wire=model.wire, mode=mode)
        kept = await self._keeper.keep(started)
        running = RunningTurn(
            id=f"t{number}_{uuid4().hex[:6]}",
            user_text=text,
            context=context_block(self._brief.agent_sees_all(), mode),
            system=(),
            history=await asyncio.to_thread(history_of, view.turns, self.kept.of(model)),
            cache_key=self._keeper.task,
        )
        self._journal.publish(kept, turn=running.id)
        await self._keeper.update(turns=number)
        return running

    async def _run(self, running: RunningTurn, model: ResolvedModel) -> TurnEnd:
        """The work. Only a fault of Keen itself gets into the log."""
        try:
            preamble = await asyncio.to_thread(load_preamble, self._shared)
            running.system = preamble.parts
            self._warn(preamble.warnings)
            services = turn_services(self._shared, model, self._tools, self._hooks)
            async with aclosing(cast(AsyncGenerator[Event, None], run_turn(running, services))) as events:
                async for event in events:
                    self._journal.publish(await self._keeper.keep(event))
            return TurnCompleted(refused=running.refused)
        except TurnStopped as stop:
            return _broken(running, stop.reason, stop.message, stop.hint)
        except KeenError as error:
            return _broken(running, getattr(error, "kind", "error"), error.message, error.hint)
        except Exception as error:
            log.exception("a turn failed")
            message = f"A fault in Keen ended this turn ({type(error).__name__}). What was done is kept."
            return _broken(running, "fault", message, f"The log is in {self._shared.home.log_dir}.")

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
                end = await self._keeper.result(end, turn.prose)
            await self._brief.note_touched_files(turn.segments)
        self._journal.publish(end)
        await asyncio.to_thread(purge_outputs, self._tools.context.task_dir)
        return end


def _broken(running: RunningTurn, reason: str, message: str, hint: str) -> TurnIncomplete | TurnFailed:
    kind = TurnIncomplete if running.tools_ran else TurnFailed
    return kind(reason=reason, message=message, hint=hint)
