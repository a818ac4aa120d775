"""What Ollama's /api/chat refuses, and what its chat templates would garble without a word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.emulator.identity import Issued
from tests.emulator.refusals import Refusal
from tests.emulator.strict_shapes import (
    as_list,
    as_object,
    as_text,
    check_keys,
    check_parameters,
    check_pattern,
    words,
)

_TOP = words("stream format options tools think keep_alive template truncate shift logprobs top_logprobs")
_ROLES: Mapping[str, tuple[str, ...]] = {
    "system": (),
    "user": ("images",),
    "assistant": ("tool_calls", "thinking"),
    "tool": ("tool_name", "tool_call_id"),
}
Message = Mapping[str, Any]


def check(body: Mapping[str, Any], model: str, issued: Issued) -> None:
    """Raises Refusal. Rules: Ollama's API reference."""
    check_keys(body, "", _TOP, ("model", "messages"))
    as_text(body["model"], "model")
    if body.get("stream", True) is not True:
        raise Refusal("this server answers streaming requests only")
    as_object(body.get("options", {}), "options")
    for position, tool in enumerate(as_list(body.get("tools", []), "tools", empty=True)):
        where = f"tools[{position}]"
        check_keys(as_object(tool, where), where, (), ("type", "function"))
        function = as_object(tool["function"], f"{where}.function")
        check_keys(function, f"{where}.function", ("description", "parameters"), ("name",))
        check_pattern(function["name"], f"{where}.function.name", "[a-zA-Z0-9_-]{1,64}")
        check_parameters(function.get("parameters"), f"{where}.function.parameters")
    messages = as_list(body["messages"], "messages")
    for position, message in enumerate(messages):
        _check_message(message, f"messages[{position}]")
    _check_pairs(messages)
    if messages[-1]["role"] not in ("user", "tool"):
        raise Refusal("the last message must come from the user or a tool")


def _check_message(message: Any, where: str) -> None:
    role = str(as_object(message, where).get("role"))
    if role not in _ROLES:
        raise Refusal(f"invalid role {role!r}, must be one of {list(_ROLES)}")
    check_keys(message, where, ("role", "content", *_ROLES[role]))
    calls = as_list(message["tool_calls"], f"{where}.tool_calls") if "tool_calls" in message else []
    content = as_text(message.get("content", ""), f"{where}.content", empty=True)
    if role != "tool" and not calls and not content.strip():
        raise Refusal(f"{where}: a message without calls needs content")
    for call in calls:
        function = as_object(as_object(call, where).get("function"), f"{where}.tool_calls.function")
        check_keys(function, f"{where}.tool_calls.function", ("index",), ("name", "arguments"))
        if not isinstance(function["arguments"], dict):
            raise Refusal(
                "json: cannot unmarshal string into Go struct field "
                "ChatRequest.messages.tool_calls.function.arguments of type api.ToolCallFunctionArguments"
            )
    if role == "tool" and not (message.get("tool_name") or message.get("tool_call_id")):
        raise Refusal(f"{where}: a tool's message must say which tool it is of (tool_name)")


def _check_pairs(messages: Sequence[Message]) -> None:
    """Results stand right behind their calls, in the same order: there are no ids to tell them apart."""
    expected: list[str] = []
    for position, message in enumerate(messages):
        if message["role"] == "tool":
            if not expected:
                raise Refusal(f"messages[{position}]: a tool's message without a call in front of it")
            name = expected.pop(0)
            if message.get("tool_name", name) != name:
                raise Refusal(f"messages[{position}]: the result is of {message['tool_name']}, not of {name}")
            continue
        if expected:
            raise Refusal(f"messages[{position}]: calls without results: {', '.join(expected)}")
        expected = [call["function"]["name"] for call in message.get("tool_calls", [])]
    if expected:
        raise Refusal(f"messages: calls without results: {', '.join(expected)}")
