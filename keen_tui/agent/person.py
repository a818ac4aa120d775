"""Who answers when the agent asks: the person at the screen, or nobody."""

from __future__ import annotations

import asyncio

from keen_tui.domain.events import (
    Answer,
    ApprovalAnswered,
    ApprovalRequested,
    QuestionAnswered,
    QuestionAsked,
)


class PersonAtScreen:
    """Waits for answers by request id; an answer may come before the wait begins."""

    present = True

    def __init__(self) -> None:
        self._answers: dict[str, asyncio.Future[ApprovalAnswered | QuestionAnswered]] = {}

    async def approve(self, request: ApprovalRequested) -> ApprovalAnswered:
        answer = await self._wait(request.request_id)
        assert isinstance(answer, ApprovalAnswered)
        return answer

    async def answer(self, request: QuestionAsked) -> QuestionAnswered:
        answer = await self._wait(request.request_id)
        assert isinstance(answer, QuestionAnswered)
        return answer

    def give_approval(self, request_id: str, answer: Answer, reason: str = "") -> None:
        self._give(request_id, ApprovalAnswered(request_id=request_id, answer=answer, reason=reason))

    def give_answer(self, request_id: str, text: str) -> None:
        self._give(request_id, QuestionAnswered(request_id=request_id, text=text))

    async def _wait(self, request_id: str) -> ApprovalAnswered | QuestionAnswered:
        try:
            return await self._future(request_id)
        finally:
            self._answers.pop(request_id, None)

    def _give(self, request_id: str, answer: ApprovalAnswered | QuestionAnswered) -> None:
        future = self._future(request_id)
        if not future.done():
            future.set_result(answer)

    def _future(self, request_id: str) -> asyncio.Future[ApprovalAnswered | QuestionAnswered]:
        if request_id not in self._answers:
            self._answers[request_id] = asyncio.get_running_loop().create_future()
        return self._answers[request_id]


class Nobody:
    """A run without a screen. What would ask is refused before it gets here."""

    present = False

    async def approve(self, request: ApprovalRequested) -> ApprovalAnswered:
        return ApprovalAnswered(request_id=request.request_id, answer="no")

    async def answer(self, request: QuestionAsked) -> QuestionAnswered:
        return QuestionAnswered(request_id=request.request_id, text="")
