"""What a request says, whatever its wire format: the user's last words and the results since then."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.emulator.google_case import camel
from tests.emulator.replies import Recorded

_CONTEXT = re.compile(r"<keen-context>.*?</keen-context>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Reading:
    """`results` are the texts of all tool results behind the user's last words, in order."""

    user_text: str
    results: tuple[str, ...]
    tools: frozenset[str]


@dataclass(slots=True)
class _Entry:
    role: str
    texts: list[str] = field(default_factory=list)
    results: list[str] = field(default_factory=list)


def read(request: Recorded) -> Reading:
    """Reads a request that was accepted; anything else may raise."""
    user_text = ""
    results: list[str] = []
    for entry in _entries(request):
        if entry.role == "user" and not entry.results:
            user_text, results = _CONTEXT.sub("", "\n".join(entry.texts)).strip(), []
        results.extend(entry.results)
    return Reading(user_text, tuple(results), frozenset(_tool_names(request)))


def _entries(request: Recorded) -> Iterator[_Entry]:
    body = camel(request.body) if request.wire == "gemini" else request.body
    if request.wire == "gemini":
        for content in body["contents"]:
            parts = content["parts"]
            responses = [part["functionResponse"] for part in parts if "functionResponse" in part]
            texts = [part["text"] for part in parts if part.get("text")]
            yield _Entry(content["role"], texts, [_plain(response["response"]) for response in responses])
    elif request.wire == "openai_responses":
        items = body["input"]
        for item in [{"role": "user", "content": items}] if isinstance(items, str) else items:
            if item.get("type") == "function_call_output":
                yield _Entry("tool", results=[_plain(item["output"])])
            else:
                yield _Entry(item.get("role", "assistant"), _texts(item.get("content")))
    else:
        for message in body["messages"]:
            content = message.get("content")
            if message["role"] == "tool":
                yield _Entry("tool", results=[_plain(content)])
            else:
                yield _Entry(message["role"], _texts(content), _tool_results(content))


def _tool_results(content: Any) -> list[str]:
    blocks = content if isinstance(content, list) else []
    return [_plain(block.get("content", "")) for block in blocks if block.get("type") == "tool_result"]


def _texts(content: Any) -> list[str]:
    if isinstance(content, str):
        return [content]
    return [part["text"] for part in content or () if part.get("type", "").endswith("text")]


def _plain(content: Any) -> str:
    """A result as text. Gemini wraps it in an object; its longest string is the output."""
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        strings = [value for value in content.values() if isinstance(value, str)]
        return max(strings, key=len, default=json.dumps(content))
    return "\n".join(_texts(content))


def _tool_names(request: Recorded) -> Iterator[str]:
    for tool in request.body.get("tools") or ():
        if request.wire == "gemini":
            yield from (function["name"] for function in camel(tool)["functionDeclarations"])
        else:
            yield tool["name"] if "name" in tool else tool["function"]["name"]
