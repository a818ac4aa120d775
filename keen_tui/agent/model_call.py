"""One model call: stream the reply, and send it again, visibly, where that can help."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from typing import Any, cast

from keen_tui.agent.model_trouble import cut_prompt
from keen_tui.agent.turn_state import RunningTurn, TurnServices
from keen_tui.domain.errors import GatewayError
from keen_tui.domain.events import (
    AssistantText,
    Event,
    ModelCalled,
    Reasoning,
    ReasoningEnded,
    RetryScheduled,
    TextRewound,
    UsageReported,
)
from keen_tui.domain.exchange import ReasoningDelta, Reply, StreamItem, TextDelta
from keen_tui.translate.base import Decoder

LONGEST_WAIT = 300.0
"""Seconds. A provider that wants a longer wait ends the turn instead."""


async def call_model(turn: RunningTurn, services: TurnServices, iteration: int) -> AsyncIterator[Event | Reply]:
    """Events as they come and, last, the reply. Raises GatewayError when no retry is left."""
    limit = services.limits.retries
    for attempt in range(1, limit + 2):
        yield ModelCalled(iteration=iteration)
        reading = _Reading()
        try:
            async with aclosing(_stream(turn, services, reading)) as events:
                async for event in events:
                    yield event
            assert reading.reply is not None
            yield reading.reply
            return
        except GatewayError as error:
            delay = _delay(error, attempt)
            if not error.retriable or attempt > limit or delay > LONGEST_WAIT:
                raise
            if reading.began:
                yield TextRewound(characters=reading.characters)
            yield RetryScheduled(attempt=attempt, limit=limit, delay=delay, reason=error.message)
            await services.sleep(delay)


class _Reading:
    """What one stream has given so far."""

    def __init__(self) -> None:
        self.began = False
        self.characters = 0
        self.reply: Reply | None = None
        self.reasoning_size = 0
        self.reasoning_start = 0.0

    def events(self, item: StreamItem) -> list[Event]:
        match item:
            case ReasoningDelta(text=text) if text:
                self.began = True
                text = whole(text)
                if not self.reasoning_size:
                    self.reasoning_start = time.monotonic()
                self.reasoning_size += len(text.encode())
                return [Reasoning(text=text)]
            case TextDelta(text=text) if text:
                self.began = True
                text = whole(text)
                self.characters += len(text)
                return [*self.end_reasoning(), AssistantText(text=text)]
            case _:
                return self.end_reasoning()

    def end_reasoning(self) -> list[Event]:
        if not self.reasoning_size:
            return []
        size, self.reasoning_size = self.reasoning_size, 0
        return [ReasoningEnded(size=size, seconds=round(time.monotonic() - self.reasoning_start, 1))]


async def _stream(turn: RunningTurn, services: TurnServices, reading: _Reading) -> AsyncGenerator[Event, None]:
    translator = services.translator
    conversation = turn.conversation(services.toolbox)
    body = await asyncio.to_thread(translator.body, conversation, services.profile)
    decoder = translator.decoder(frozenset(turn.call_ids))
    call = await services.model_call(body)
    payloads = cast(AsyncGenerator[Mapping[str, Any], None], services.gateway.stream(call))
    async with aclosing(payloads):
        async for payload in payloads:
            for item in decoder.feed(payload):
                for event in reading.events(item):
                    yield event
    reading.reply = reply = _finished(decoder)
    for event in reading.end_reasoning():
        yield event
    if usage := reply.usage:
        yield UsageReported(
            model=services.profile.name,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cached_tokens=usage.cached_tokens,
            cost=services.cost(usage),
        )
        cut = None if turn.cut_told else cut_prompt(services.profile, body, usage)
        if cut is not None:
            turn.cut_told = True
            yield cut


def _finished(decoder: Decoder) -> Reply:
    reply = decoder.finish()
    if reply.stop == "refused":
        raise GatewayError("content_filter", "The model refused to answer this request.")
    if not reply.calls and not reply.text.strip() and reply.stop not in ("paused", "length"):
        raise GatewayError("connection_lost", "The model sent an empty answer.")
    return reply


def _delay(error: GatewayError, attempt: int) -> float:
    """Seconds to wait: what the provider asks for, else 1, 2, 4, 8, … up to 30."""
    if error.retry_after is not None:
        return max(0.0, error.retry_after)
    return float(min(30, 2 ** (attempt - 1)))


def whole(text: str) -> str:
    """Text that can be written as UTF-8: half a surrogate pair becomes a question mark."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text
