"""What OpenAI Chat Completions and the servers that copy it refuse.

Where they differ the stricter one is followed: a client can't know which one it talks to.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from tests.emulator.identity import Issued
from tests.emulator.refusals import Refusal
from tests.emulator.stream_chat import is_openai_model
from tests.emulator.strict_shapes import (
    as_list,
    as_object,
    as_text,
    check_keys,
    check_number,
    check_parameters,
    check_pattern,
    check_unique,
    words,
)

_TOP = words(
    "stream stream_options max_tokens max_completion_tokens temperature top_p n stop presence_penalty "
    "frequency_penalty seed tools tool_choice parallel_tool_calls response_format reasoning_effort user "
    "service_tier store metadata verbosity prompt_cache_key safety_identifier logprobs top_logprobs"
)
_COMPATIBLE = ("thinking", "reasoning", "chat_template_kwargs", "cache_prompt", "usage", "enable_thinking")
_ROLES: Mapping[str, tuple[str, ...]] = {
    "system": ("content", "name"),
    "developer": ("content", "name"),
    "user": ("content", "name"),
    "assistant": ("content", "name", "tool_calls", "refusal", "reasoning_content"),
    "tool": ("content", "tool_call_id", "name"),
}
_NAME = "[a-zA-Z0-9_-]{1,64}"
_ID = "[a-zA-Z0-9_-]{1,40}"
Message = Mapping[str, Any]


def check(body: Mapping[str, Any], model: str, issued: Issued) -> None:
    """Raises Refusal. Rules: the Chat Completions reference, and what DeepSeek, Mistral and vLLM add."""
    openai = is_openai_model(model)
    check_keys(body, "", _TOP if openai else _TOP.union(_COMPATIBLE), ("model", "messages"))
    if body.get("stream") is not True:
        raise Refusal("This server answers streaming requests only.", param="stream")
    for name in ("max_tokens", "max_completion_tokens"):
        if name in body:
            check_number(body[name], name, 1)
    if "max_tokens" in body and openai:
        raise Refusal(
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
            "'max_completion_tokens' instead.",
            param="max_tokens",
            code="unsupported_parameter",
        )
    _check_tools(body)
    messages = as_list(body["messages"], "messages")
    for position, message in enumerate(messages):
        _check_message(message, f"messages.[{position}]", openai)
    _check_pairs(messages)
    if messages[-1]["role"] not in ("user", "tool"):
        raise Refusal("Expected last role User or Tool for serving.", param="messages")
    if not openai:
        _check_reasoning(messages, issued)


def _check_tools(body: Mapping[str, Any]) -> None:
    if "tools" not in body:
        if "tool_choice" in body or "parallel_tool_calls" in body:
            raise Refusal("'tool_choice' is only allowed when 'tools' are specified.", param="tool_choice")
        return
    tools = as_list(body["tools"], "tools")
    for position, tool in enumerate(tools):
        where = f"tools[{position}]"
        check_keys(as_object(tool, where), where, (), ("type", "function"))
        if tool["type"] != "function":
            raise Refusal(f"Invalid value: {tool['type']!r}. Supported values are: 'function'.", param=where)
        function = as_object(tool["function"], f"{where}.function")
        check_keys(function, f"{where}.function", ("description", "parameters", "strict"), ("name",))
        check_pattern(function["name"], f"{where}.function.name", _NAME)
        if "parameters" in function:
            check_parameters(function["parameters"], f"{where}.function.parameters")
    check_unique((tool["function"]["name"] for tool in tools), "Tool names")


def _check_message(message: Any, where: str, openai: bool) -> None:
    role = str(as_object(message, where).get("role"))
    if role not in _ROLES:
        raise Refusal(f"Invalid value: {role!r}. Supported values are: {', '.join(_ROLES)}.", param=where)
    allowed = [name for name in _ROLES[role] if not (openai and name == "reasoning_content")]
    check_keys(message, where, ("role", *allowed))
    if role == "assistant":
        _check_assistant(message, where, openai)
        return
    if role == "tool":
        check_pattern(message.get("tool_call_id"), f"{where}.tool_call_id", _ID)
    _check_content(message.get("content"), f"{where}.content", empty=role == "tool")


def _check_content(content: Any, where: str, *, empty: bool = False) -> None:
    if content is None:
        raise Refusal("Invalid value for 'content': expected a string, got null.", param=where)
    if isinstance(content, str):
        if not empty and not content.strip():
            raise Refusal("Message content must not be blank.", param=where)
        return
    for position, part in enumerate(as_list(content, where)):
        place = f"{where}.[{position}]"
        kind = as_object(part, place).get("type")
        if kind not in ("text", "image_url"):
            raise Refusal(f"Invalid value: {kind!r}. Supported values are: 'text', 'image_url'.", param=place)
        if kind == "text":
            as_text(part.get("text"), f"{place}.text")


def _check_assistant(message: Message, where: str, openai: bool) -> None:
    if "tool_calls" not in message:
        _check_content(message.get("content"), f"{where}.content")
        return
    if isinstance(content := message.get("content"), list):
        _check_content(content, f"{where}.content")
    elif content is not None:
        as_text(content, f"{where}.content", empty=True)
    for position, call in enumerate(as_list(message["tool_calls"], f"{where}.tool_calls")):
        place = f"{where}.tool_calls.[{position}]"
        check_keys(as_object(call, place), place, (), ("id", "type", "function"))
        check_pattern(call["id"], f"{place}.id", _ID)
        function = as_object(call["function"], f"{place}.function")
        check_keys(function, f"{place}.function", (), ("name", "arguments"))
        check_pattern(function["name"], f"{place}.function.name", _NAME)
        arguments = as_text(function["arguments"], f"{place}.function.arguments", empty=openai)
        if not openai and not _is_json_object(arguments):
            raise Refusal("Tool call arguments must be a JSON object.", param=f"{place}.function.arguments")


def _is_json_object(text: str) -> bool:
    """Servers that fill a chat template from past calls parse their arguments."""
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def _check_pairs(messages: Sequence[Message]) -> None:
    check_unique((call["id"] for message in messages for call in message.get("tool_calls", [])), "'tool_calls' ids")
    open_calls: list[str] = []
    for position, message in enumerate(messages):
        if message["role"] != "tool":
            _check_answered(open_calls, position)
            open_calls = [call["id"] for call in message.get("tool_calls", [])]
        elif message["tool_call_id"] in open_calls:
            open_calls.remove(message["tool_call_id"])
        else:
            raise Refusal(
                f"Invalid parameter: messages with role 'tool' must be a response to a preceding "
                f"message with 'tool_calls' ({message['tool_call_id']}).",
                param=f"messages.[{position}].role",
            )
    _check_answered(open_calls, len(messages))


def _check_answered(open_calls: Sequence[str], position: int) -> None:
    if open_calls:
        raise Refusal(
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
            "'tool_call_id'. The following tool_call_ids did not have response messages: "
            f"{', '.join(open_calls)}",
            param=f"messages.[{position}].role",
        )


def _check_reasoning(messages: Sequence[Message], issued: Issued) -> None:
    """Inside the running turn, reasoning goes back with the calls it led to (DeepSeek, Kimi)."""
    start = max((place for place, message in enumerate(messages) if message["role"] == "user"), default=0)
    for position, message in enumerate(messages[start:], start):
        for call in message.get("tool_calls", []):
            expected = issued.reasoning.get(call["id"])
            if expected is not None and message.get("reasoning_content") != expected:
                raise Refusal(
                    f"Missing or changed `reasoning_content` field in the assistant message at {position}.",
                    param="messages",
                )
