"""Keeps in the database what belongs to a task beside its transcript: comments, usage, brief revisions."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from keen_tui.domain.errors import KeenError
from keen_tui.domain.events import (
    Author,
    CommentAdded,
    Event,
    QuestionAnswered,
    QuestionAsked,
    TurnCompleted,
    TurnStarted,
    UsageReported,
)
from keen_tui.domain.segments import QuestionSegment, TextSegment, ToolSegment
from keen_tui.domain.views import TurnView
from keen_tui.store.database import Store

log = logging.getLogger(__name__)


def closing_prose(turn: TurnView) -> str:
    """What the agent said behind its last tool call; all that it said when it fell silent there."""
    closing: list[str] = []
    for segment in reversed(turn.segments):
        if isinstance(segment, TextSegment):
            closing.append(segment.text)
        elif isinstance(segment, ToolSegment | QuestionSegment):
            break
    text = "".join(reversed(closing))
    return text if text.strip() else turn.prose


@dataclass(slots=True)
class TaskKeeper:
    """A database that refuses to write never ends a turn: the transcript has it all, and the log says so."""

    store: Store
    task: str

    async def keep(self, event: Event) -> Event:
        """Write the rows that belong to an event; returns it with its comment's number."""
        try:
            return await self._keep(event)
        except KeenError as error:
            log.warning("not written to the database: %s", error.message)
            return event

    async def _keep(self, event: Event) -> Event:
        comment = 0
        match event:
            case TurnStarted():
                comment = await self.store.add_comment(self.task, "user", "request", event.text, event.time)
            case CommentAdded():
                comment = await self.store.add_comment(self.task, event.author, event.kind, event.text, event.time)
            case QuestionAsked():
                comment = await self.store.add_comment(self.task, "agent", "ask", event.question, event.time)
            case QuestionAnswered():
                comment = await self.store.add_comment(self.task, "user", "comment", event.text, event.time)
            case UsageReported():
                await self.store.add_usage(
                    self.task,
                    model=event.model,
                    input_tokens=event.input_tokens,
                    output_tokens=event.output_tokens,
                    cached_tokens=event.cached_tokens,
                    cost=event.cost,
                    turn=event.turn,
                )
        return event.model_copy(update={"comment": comment}) if comment else event

    async def result(self, end: TurnCompleted, prose: str) -> TurnCompleted:
        """Keep the closing prose of a turn as the agent's result."""
        if not prose.strip():
            return end
        try:
            comment = await self.store.add_comment(self.task, "agent", "result", prose, end.time)
        except KeenError as error:
            log.warning("not written to the database: %s", error.message)
            return end
        return end.model_copy(update={"comment": comment})

    async def brief_revision(
        self, author: Author, before: Mapping[str, str], after: Mapping[str, str], movement: str = ""
    ) -> int:
        """Keep a revision and return its number, 0 when it could not be written."""
        try:
            return await self.store.add_brief_revision(self.task, author, tuple(after), before, after, movement)
        except KeenError as error:
            log.warning("not written to the database: %s", error.message)
            return 0

    async def update(self, **fields: Any) -> None:
        try:
            await self.store.update_task(self.task, **fields)
        except KeenError as error:
            log.warning("not written to the database: %s", error.message)
