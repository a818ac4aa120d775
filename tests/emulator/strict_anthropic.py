"""What the Anthropic Messages API refuses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.emulator.identity import Issued, is_sealed
from tests.emulator.refusals import Refusal
from tests.emulator.strict_shapes import (
    as_list,
    as_object,
    check_keys,
    check_number,
    check_parameters,
    check_pattern,
    check_unique,
    words,
)

_TOP = words(
    "system tools tool_choice stream temperature top_p top_k stop_sequences metadata thinking "
    "service_tier output_config cache_control container context_management"
)
_THOUGHTS = ("thinking", "redacted_thinking")
_BLOCKS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "text": (("text",), ("citations",)),
    "image": (("source",), ()),
    "tool_use": (("id", "name", "input"), ("caller",)),
    "tool_result": (("tool_use_id",), ("content", "is_error")),
    "thinking": (("thinking", "signature"), ()),
    "redacted_thinking": (("data",), ()),
}
_BY_ROLE = {
    "user": ("text", "image", "tool_result"),
    "assistant": ("text", "tool_use", "thinking", "redacted_thinking"),
}
_ID = "[a-zA-Z0-9_-]+"
_NAME = "[a-zA-Z0-9_-]{1,128}"
Blocks = Sequence[Mapping[str, Any]]


def check(body: Mapping[str, Any], model: str, issued: Issued) -> None:
    """Raises Refusal. Rules: the Messages API reference, its tool use and extended thinking guides."""
    check_keys(body, "", _TOP, ("model", "max_tokens", "messages"))
    check_number(body["max_tokens"], "max_tokens", 1)
    if body.get("stream") is not True:
        raise Refusal("stream: this server answers streaming requests only")
    _check_system(body.get("system", []))
    _check_tools(body)
    messages = [
        _message(message, f"messages.{position}")
        for position, message in enumerate(as_list(body["messages"], "messages"))
    ]
    turns = _merged(messages)
    if turns[0][0] != "user":
        raise Refusal('messages: first message must use the "user" role')
    if turns[-1][0] != "user":
        raise Refusal(
            "This model does not support assistant message prefill. The conversation must end with a user message."
        )
    _check_pairs(turns)
    if "tools" not in body and any(block["type"].startswith("tool_") for _, blocks in turns for block in blocks):
        raise Refusal("Requests which include `tool_use` or `tool_result` blocks must define tools")
    _check_breakpoints(body)
    _check_thinking(body, turns, issued)


def _check_system(system: Any) -> None:
    if isinstance(system, str):
        return
    for position, block in enumerate(as_list(system, "system", empty=True)):
        where = f"system.{position}"
        check_keys(as_object(block, where), where, ("cache_control",), ("type", "text"))
        _check_text(block["text"], "system")


def _check_tools(body: Mapping[str, Any]) -> None:
    tools = as_list(body.get("tools", []), "tools", empty=True)
    for position, tool in enumerate(tools):
        where = f"tools.{position}.custom"
        check_keys(
            as_object(tool, where),
            where,
            ("description", "cache_control", "type", "strict"),
            ("name", "input_schema"),
        )
        check_pattern(tool["name"], f"{where}.name", _NAME)
        check_parameters(tool["input_schema"], f"{where}.input_schema")
    check_unique((tool["name"] for tool in tools), "tools: Tool names")
    if "tool_choice" in body and not tools:
        raise Refusal("tool_choice: may only be specified while providing tools")


def _message(message: Any, where: str) -> tuple[str, Blocks]:
    check_keys(as_object(message, where), where, (), ("role", "content"))
    role, content = str(message["role"]), message["content"]
    if role not in _BY_ROLE:
        raise Refusal(f'messages: Unexpected role {role!r}. Allowed roles are "user" or "assistant"')
    if not content:
        raise Refusal(f"{where}: all messages must have non-empty content")
    if isinstance(content, str):
        _check_text(content, "messages")
        return role, [{"type": "text", "text": content}]
    for position, block in enumerate(as_list(content, f"{where}.content")):
        _check_block(block, role, f"{where}.content.{position}")
    return role, content


def _check_block(block: Any, role: str, where: str) -> None:
    kind = str(as_object(block, where).get("type"))
    if kind not in _BY_ROLE[role]:
        raise Refusal(f"{where}: `{kind}` blocks can not stand in `{role}` messages")
    required, allowed = _BLOCKS[kind]
    extra = () if kind in _THOUGHTS else ("cache_control",)
    check_keys(block, where, (*allowed, *extra, "type"), required)
    match kind:
        case "text":
            _check_text(block["text"], "messages")
        case "tool_use":
            check_pattern(block["id"], f"{where}.tool_use.id", _ID)
            check_pattern(block["name"], f"{where}.tool_use.name", _NAME)
            as_object(block["input"], f"{where}.tool_use.input")
        case "tool_result":
            check_pattern(block["tool_use_id"], f"{where}.tool_result.tool_use_id", _ID)
            _check_result(block.get("content", ""), f"{where}.tool_result.content")
        case "thinking":
            if not is_sealed("anthropic", block["signature"], str(block["thinking"])):
                raise Refusal(f"{where}: Invalid `signature` in `thinking` block")
        case "redacted_thinking":
            if not is_sealed("anthropic-redacted", block["data"], ""):
                raise Refusal(f"{where}: Invalid `data` in `redacted_thinking` block")


def _check_result(content: Any, where: str) -> None:
    if isinstance(content, str):
        return
    for position, block in enumerate(as_list(content, where, empty=True)):
        if as_object(block, f"{where}.{position}").get("type") == "text":
            _check_text(block.get("text"), "messages")


def _check_text(text: Any, where: str) -> None:
    if not isinstance(text, str) or not text:
        raise Refusal(f"{where}: text content blocks must be non-empty")
    if not text.strip():
        raise Refusal(f"{where}: text content blocks must contain non-whitespace text")


def _merged(messages: Sequence[tuple[str, Blocks]]) -> list[tuple[str, list[Mapping[str, Any]]]]:
    """Neighbours of one role are one turn for the API."""
    turns: list[tuple[str, list[Mapping[str, Any]]]] = []
    for role, blocks in messages:
        if turns and turns[-1][0] == role:
            turns[-1][1].extend(blocks)
        else:
            turns.append((role, list(blocks)))
    return turns


def _ids(blocks: Blocks, kind: str, key: str) -> list[str]:
    return [str(block[key]) for block in blocks if block["type"] == kind]


def _check_pairs(turns: Sequence[tuple[str, Blocks]]) -> None:
    """Every call has its result at the beginning of the next user message, and nothing else has one."""
    check_unique((name for _, blocks in turns for name in _ids(blocks, "tool_use", "id")), "`tool_use` ids")
    calls: list[str] = []
    for position, (role, blocks) in enumerate(turns):
        where = f"messages.{position}"
        if role == "assistant":
            calls = _ids(blocks, "tool_use", "id")
            continue
        results = _ids(blocks, "tool_result", "tool_use_id")
        if strangers := [name for name in results if name not in calls]:
            raise Refusal(
                f"{where}: unexpected `tool_use_id` found in `tool_result` blocks: {', '.join(strangers)}. "
                "Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
            )
        check_unique(results, f"{where}: each tool_use must have a single result; ids")
        leading = _ids(blocks[: len(results)], "tool_result", "tool_use_id")
        if missing := [name for name in calls if name not in leading]:
            raise Refusal(
                f"{where}: `tool_use` ids were found without `tool_result` blocks immediately after: "
                f"{', '.join(missing)}. Each `tool_use` block must have a corresponding `tool_result` block "
                "in the next message, in front of other content."
            )
        calls = []


def _check_breakpoints(body: Mapping[str, Any]) -> None:
    """At most four `cache_control` marks in the whole request."""
    blocks = [block for message in body["messages"] for block in message["content"]]
    system = body.get("system", [])
    marked = [*blocks, *(system if isinstance(system, list) else []), *body.get("tools", [])]
    count = sum(1 for block in marked if isinstance(block, dict) and "cache_control" in block)
    if count > 4:
        raise Refusal(f"A maximum of 4 blocks with cache_control may be provided. Found {count}.")


def _check_thinking(body: Mapping[str, Any], turns: Sequence[tuple[str, Blocks]], issued: Issued) -> None:
    thinking = as_object(body.get("thinking", {"type": "disabled"}), "thinking")
    if thinking.get("type") not in ("enabled", "adaptive"):
        return
    if thinking["type"] == "enabled":
        check_number(thinking.get("budget_tokens"), "thinking.enabled.budget_tokens", 1024)
        if body["max_tokens"] <= thinking["budget_tokens"]:
            raise Refusal("`max_tokens` must be greater than `thinking.budget_tokens`.")
    if body.get("temperature", 1) != 1:
        raise Refusal("`temperature` may only be set to 1 when thinking is enabled.")
    if as_object(body.get("tool_choice", {}), "tool_choice").get("type") in ("any", "tool"):
        raise Refusal("Thinking may not be enabled when tool_choice forces tool use.")
    running = _running(turns)
    for position in running:
        _check_thoughts(turns[position][1], position, position == running[0], issued)


def _running(turns: Sequence[tuple[str, Blocks]]) -> list[int]:
    """Places of the assistant messages of the tool loop that the last message continues.

    The user's own words inside the loop open a turn of their own.
    """
    places: list[int] = []
    position = len(turns) - 1
    while position > 0 and _ids(turns[position][1], "tool_result", "tool_use_id"):
        places.insert(0, position - 1)
        position -= 2
        if any(block["type"] == "text" for block in turns[position][1]):
            break
    return places


def _check_thoughts(blocks: Blocks, position: int, first: bool, issued: Issued) -> None:
    """The message gives back the thinking that came with its calls; the loop starts with some."""
    where = f"messages.{position}.content.0"
    calls = _ids(blocks, "tool_use", "id")
    known = [issued.thinking[name] for name in calls if name in issued.thinking]
    given = tuple(dict(block) for block in blocks if block["type"] in _THOUGHTS)
    if known and given != known[0]:
        if given:
            raise Refusal(
                f"{where}: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot "
                "be modified. These blocks must remain as they were in the original response."
            )
        raise Refusal(_expected(where, blocks))
    if given and blocks[0]["type"] not in _THOUGHTS:
        raise Refusal(_expected(where, blocks))
    if first and not known and not given:
        raise Refusal(_expected(where, blocks))


def _expected(where: str, blocks: Blocks) -> str:
    return (
        f"{where}.type: Expected `thinking` or `redacted_thinking`, but found `{blocks[0]['type']}`. When "
        "`thinking` is enabled, a final `assistant` message must start with a thinking block (preceding the "
        "lastmost set of `tool_use` and `tool_result` blocks)."
    )
