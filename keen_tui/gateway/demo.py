"""The built-in demo model: offline, deterministic, behind the same interface as every other model.

It speaks `openai_chat`. It reads the request, calls the tools that the request offers, reads their
results in the next request, and answers from them.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from keen_tui.gateway.calls import Gateway, ModelCall

if TYPE_CHECKING:
    from keen_tui.gateway.demo_request import DemoRequest
    from keen_tui.gateway.demo_step import Step

_FRAGMENT = re.compile(r"\s*\S{1,12}\s*|\s+")
_ARGUMENT_FRAGMENT = 24
_BYTES_A_TOKEN = 4


class DemoGateway(Gateway):
    """`delay` is the pause in seconds before each fragment; 0 streams without a pause."""

    def __init__(self, delay: float = 0.02) -> None:
        self._delay = delay

    async def stream(self, call: ModelCall) -> AsyncIterator[Mapping[str, Any]]:
        """Chat completion chunks, the last of them with the usage. Ends at once when cancelled."""
        from keen_tui.gateway.demo_plan import next_step  # a start with another model does without
        from keen_tui.gateway.demo_request import read_request

        request = read_request(call.body)
        for chunk in _chunks(request, next_step(request), call.model):
            if self._delay > 0:
                await asyncio.sleep(self._delay)
            yield chunk

    async def count(self, model: str, texts: Sequence[str]) -> list[int]:
        """An estimate: four bytes a token."""
        return [_tokens(text) for text in texts]

    async def start(self) -> None:
        """Nothing is slow to load."""

    async def close(self) -> None:
        """Nothing was started."""


def _tokens(text: str) -> int:
    return -(-len(text.encode("utf-8", "replace")) // _BYTES_A_TOKEN)


def _chunks(request: DemoRequest, step: Step, model: str) -> Iterator[dict[str, Any]]:
    written = 0
    yield _chunk(model, {"role": "assistant", "content": ""})
    for piece in _FRAGMENT.findall(step.reasoning):
        yield _chunk(model, {"reasoning_content": piece})
    for piece in _FRAGMENT.findall(step.text):
        yield _chunk(model, {"content": piece})
    number = request.calls_before + len(request.calls)
    for index, made in enumerate(step.calls):
        arguments = json.dumps(dict(made.arguments), ensure_ascii=False)
        written += len(arguments)
        first = {"name": made.tool, "arguments": ""}
        head = {"index": index, "id": f"demo{number + index + 1:05d}", "type": "function", "function": first}
        yield _chunk(model, {"tool_calls": [head]})
        for start in range(0, len(arguments), _ARGUMENT_FRAGMENT):
            fragment = {"arguments": arguments[start : start + _ARGUMENT_FRAGMENT]}
            yield _chunk(model, {"tool_calls": [{"index": index, "function": fragment}]})
    yield _chunk(model, {}, "tool_calls" if step.calls else "stop")
    read = -(-request.size // _BYTES_A_TOKEN)
    said = _tokens(step.text) + _tokens(step.reasoning) + -(-written // _BYTES_A_TOKEN)
    usage = {"prompt_tokens": read, "completion_tokens": said, "total_tokens": read + said}
    yield {**_chunk(model, {}), "choices": [], "usage": usage}


def _chunk(model: str, delta: Mapping[str, Any], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": dict(delta), "finish_reason": finish}
    return {"id": "demo", "object": "chat.completion.chunk", "created": 0, "model": model, "choices": [choice]}
