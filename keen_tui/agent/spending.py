"""The cost limit of a task: at the cap, the person decides whether it goes on."""

from __future__ import annotations

from uuid import uuid4

from keen_tui.agent.journal import Journal
from keen_tui.agent.turn_state import Person
from keen_tui.domain.events import QuestionAsked

GO_ON, STOP = "go on", "stop"


class SpendingLimit:
    """`step` in USD: the first cap, and how much further each "go on" reaches. 0 means no limit."""

    def __init__(self, journal: Journal, person: Person, step: float) -> None:
        self._journal = journal
        self._person = person
        self._step = step
        self._cap = step

    async def may_spend(self) -> bool:
        """Whether the next model call may be made. Without a person the cap is final."""
        cost = self._journal.view.cost or 0.0
        if not self._step or cost < self._cap:
            return True
        if not self._person.present:
            return False
        request = QuestionAsked(
            request_id=uuid4().hex[:12],
            call_id="",
            question=f"This task has cost ${cost:.2f}; the limit is ${self._cap:.2f}. Go on?",
            choices=(GO_ON, STOP),
        )
        self._journal.publish(request)
        answer = await self._person.answer(request)
        self._journal.publish(answer)
        if answer.text.strip().lower() not in (GO_ON, "1", "y", "yes"):
            return False
        self._cap = cost + self._step
        return True
