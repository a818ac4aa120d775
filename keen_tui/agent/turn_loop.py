"""The loop of one turn: ask the model, run the tools it calls, feed the results back, until it is done."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import cast

from keen_tui.agent.model_call import call_model
from keen_tui.agent.repeats import LIMIT
from keen_tui.agent.tool_runner import run_calls
from keen_tui.agent.turn_state import RunningTurn, TurnServices, TurnStopped
from keen_tui.domain.errors import GatewayError
from keen_tui.domain.events import CommentAdded, Event, Notice
from keen_tui.domain.exchange import Reply, ToolCall, ToolResult

_REPEATED = "\n(This is the same call with the same result as before. Change your approach.)"


async def run_turn(turn: RunningTurn, services: TurnServices) -> AsyncIterator[Event]:
    """Every event of one movement, in a plain conversation of the whole turn, in order.

    Raises GatewayError when the model can't be reached and TurnStopped at a limit; once the agent has
    ended and was only reminded of the brief, neither undoes that. Cancelling the task that iterates it
    closes the connection and ends the tools that run.
    """
    try:
        async with aclosing(cast(AsyncGenerator[Event, None], _run(turn, services))) as events:
            async for event in events:
                yield event
    except (GatewayError, TurnStopped):
        if turn.closed_at is None:
            raise


async def _run(turn: RunningTurn, services: TurnServices) -> AsyncIterator[Event]:
    for iteration in range(turn.iterations + 1, services.limits.iterations + 1):
        turn.iterations = iteration
        if not await services.may_spend():
            raise TurnStopped(
                "cost",
                "The turn stopped at the cost limit.",
                "Raise [limits] task_cost, or send a prompt to go on.",
            )
        reply: Reply | None = None
        async with aclosing(cast(AsyncGenerator[Event | Reply, None], call_model(turn, services, iteration))) as items:
            async for item in items:
                if isinstance(item, Reply):
                    reply = item
                else:
                    yield item
        assert reply is not None
        turn.exchange.extend(reply.messages)
        turn.open_calls = reply.calls
        if reply.stop == "length" and not reply.calls:
            yield Notice(
                level="warning",
                text="The answer stops here: it reached the model's limit for one answer.",
                hint="Ask it to go on, or raise max_output_tokens for this model.",
            )
        if not reply.calls and reply.stop != "paused" and not _reminded(turn, services, reply):
            return
        if reply.calls:
            async with aclosing(
                cast(AsyncGenerator[Event | list[ToolResult], None], run_calls(reply.calls, turn, services))
            ) as events:
                async for event in events:
                    if isinstance(event, list):
                        results = event
                    else:
                        yield event
            results = _mark_repeats(reply.calls, results, turn)
            note = services.interjection()
            if note is not None:
                yield note
            turn.exchange.extend(services.translator.results(results, _aside(note, services)))
            turn.open_calls = ()
            if services.boundary.ending is not None:
                return
    raise TurnStopped(
        "iterations",
        f"The turn stopped after {services.limits.iterations} model calls.",
        "Send a prompt to go on, or raise [limits] iterations.",
    )


def _reminded(turn: RunningTurn, services: TurnServices, reply: Reply) -> bool:
    """Whether the agent goes on because it was reminded of a stale brief; that happens once at most."""
    if reply.stop != "end" or turn.iterations >= services.limits.iterations:
        return False
    reminder = services.boundary.reminders.reminder()
    if reminder:
        turn.closed_at = len(turn.exchange)
        turn.exchange.extend(services.translator.results((), reminder))
    return bool(reminder)


def _aside(note: CommentAdded | None, services: TurnServices) -> str:
    """What goes along with results: the person's words, and what they changed in the brief."""
    return "\n\n".join(filter(None, [services.brief_news(), note.text if note else ""]))


def _mark_repeats(calls: tuple[ToolCall, ...], results: list[ToolResult], turn: RunningTurn) -> list[ToolResult]:
    """Tell the model about a repeated call; stop at the third useless one."""
    marked = []
    for call, result in zip(calls, results, strict=True):
        times = turn.repeats.count(call, result.text)
        if times >= LIMIT:
            raise TurnStopped(
                "repeats",
                f"The agent made the same {call.name} call {LIMIT} times with the same result, so the turn stopped.",
                "Send a prompt that points it another way.",
            )
        text = result.text + _REPEATED if times > 1 else result.text
        marked.append(ToolResult(result.call_id, result.name, text, result.is_error))
    return marked
