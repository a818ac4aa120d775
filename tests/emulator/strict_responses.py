"""What the OpenAI Responses API refuses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.emulator.identity import Issued, is_sealed
from tests.emulator.refusals import Refusal
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
    "stream stream_options store instructions max_output_tokens include tools tool_choice "
    "parallel_tool_calls reasoning temperature top_p text truncation metadata user service_tier "
    "prompt_cache_key prompt_cache_retention safety_identifier max_tool_calls background"
)
_INCLUDES = (
    "reasoning.encrypted_content",
    "message.input_image.image_url",
    "message.output_text.logprobs",
    "file_search_call.results",
    "web_search_call.action.sources",
    "code_interpreter_call.outputs",
)
_ITEMS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "message": (("role", "content"), ("id", "status", "phase")),
    "function_call": (("call_id", "name", "arguments"), ("id", "status")),
    "function_call_output": (("call_id", "output"), ("id", "status")),
    "reasoning": (("id", "summary"), ("encrypted_content", "content", "status")),
}
_ID_STARTS = {"message": "msg", "function_call": "fc", "reasoning": "rs", "function_call_output": "fc"}
_NAME = "[a-zA-Z0-9_-]{1,64}"
Item = Mapping[str, Any]


def check(body: Mapping[str, Any], model: str, issued: Issued) -> None:
    """Raises Refusal. Rules: the Responses reference, and its guide to reasoning items."""
    check_keys(body, "", _TOP, ("model", "input"))
    if body.get("stream") is not True:
        raise Refusal("This server answers streaming requests only.", param="stream")
    if "max_output_tokens" in body:
        check_number(body["max_output_tokens"], "max_output_tokens", 16)
    if body.get("instructions") is not None:
        as_text(body["instructions"], "instructions", empty=True)
    for name in as_list(body.get("include", []), "include", empty=True):
        if name not in _INCLUDES:
            raise Refusal(f"Invalid value: {name!r}. Supported values are: {_INCLUDES}.", param="include")
    check_keys(as_object(body.get("reasoning", {}), "reasoning"), "reasoning", ("effort", "summary"))
    _check_tools(as_list(body.get("tools", []), "tools", empty=True))
    if isinstance(body["input"], str):
        as_text(body["input"], "input")
        return
    items = as_list(body["input"], "input")
    for position, item in enumerate(items):
        _check_item(item, f"input[{position}]")
    check_unique((str(item["id"]) for item in items if "id" in item), "Duplicate item: input ids")
    _check_pairs(items)
    _check_reasoning(items, issued)


def _check_tools(tools: Sequence[Any]) -> None:
    for position, tool in enumerate(tools):
        where = f"tools[{position}]"
        check_keys(as_object(tool, where), where, ("description", "strict"), ("type", "name", "parameters"))
        if tool["type"] != "function":
            raise Refusal(f"Invalid value: {tool['type']!r}. Supported here: 'function'.", param=where)
        check_pattern(tool["name"], f"{where}.name", _NAME)
        check_parameters(tool["parameters"], f"{where}.parameters")
        if tool.get("strict") is True:
            _check_strict(tool["parameters"], tool["name"])
    check_unique((tool["name"] for tool in tools), "Tool names")


def _check_strict(schema: Mapping[str, Any], name: str) -> None:
    """A strict function closes its object and requires every property."""
    if schema.get("additionalProperties") is not False:
        raise Refusal(f"Invalid schema for function '{name}': 'additionalProperties' must be false.")
    if set(schema.get("required", [])) != set(schema.get("properties", {})):
        raise Refusal(f"Invalid schema for function '{name}': 'required' must name every property.")


def _check_item(item: Any, where: str) -> None:
    kind = _kind(as_object(item, where))
    if kind not in _ITEMS:
        raise Refusal(f"Invalid value: {kind!r}. Supported values are: {', '.join(_ITEMS)}.", param=where)
    required, allowed = _ITEMS[kind]
    check_keys(item, where, ("type", *allowed), required)
    if "id" in item and not str(item["id"]).startswith(_ID_STARTS[kind]):
        raise Refusal(
            f"Invalid '{where}.id': {item['id']!r}. Expected an ID that begins with '{_ID_STARTS[kind]}'.",
            param=f"{where}.id",
        )
    match kind:
        case "message":
            _check_message(item, where)
        case "function_call":
            as_text(item["call_id"], f"{where}.call_id")
            check_pattern(item["name"], f"{where}.name", _NAME)
            as_text(item["arguments"], f"{where}.arguments", empty=True)
        case "function_call_output":
            if not isinstance(item["output"], str):
                _check_parts(item["output"], f"{where}.output", ("input_text", "input_image"))
        case "reasoning":
            _check_parts(item["summary"], f"{where}.summary", ("summary_text",), empty=True)
    if "call_id" in item:
        check_pattern(item["call_id"], f"{where}.call_id", r"[\x21-\x7e]{1,64}")


def _kind(item: Item) -> str:
    return str(item.get("type", "message"))


def _check_message(item: Item, where: str) -> None:
    role = item["role"]
    if role not in ("user", "assistant", "system", "developer"):
        raise Refusal(f"Invalid value: {role!r}. Supported values are: 'user', 'assistant'.", param=where)
    if isinstance(item["content"], str):
        as_text(item["content"], f"{where}.content")
        return
    kinds = ("output_text", "refusal") if role == "assistant" else ("input_text", "input_image")
    _check_parts(item["content"], f"{where}.content", kinds)


def _check_parts(parts: Any, where: str, kinds: Sequence[str], *, empty: bool = False) -> None:
    for position, part in enumerate(as_list(parts, where, empty=empty)):
        place = f"{where}[{position}]"
        kind = str(as_object(part, place).get("type"))
        if kind not in kinds:
            names = " and ".join(repr(name) for name in kinds)
            raise Refusal(f"Invalid value: {kind!r}. Supported values are: {names}.", param=place)
        if kind.endswith("_text"):
            as_text(part.get("text"), f"{place}.text")


def _check_pairs(items: Sequence[Item]) -> None:
    """Calls and outputs match by call_id, and no message stands between a call and its output."""
    check_unique((item["call_id"] for item in items if _kind(item) == "function_call"), "call_ids")
    open_calls: list[str] = []
    for position, item in enumerate(items):
        match _kind(item):
            case "function_call":
                open_calls.append(item["call_id"])
            case "function_call_output" if item["call_id"] in open_calls:
                open_calls.remove(item["call_id"])
            case "function_call_output":
                raise Refusal(
                    f"No tool call found for function call output with call_id {item['call_id']}.",
                    param="input",
                )
            case "message" if open_calls:
                raise Refusal(
                    f"No tool output found for function call {open_calls[0]} before input[{position}].",
                    param="input",
                )
    if open_calls:
        raise Refusal(f"No tool output found for function call {open_calls[0]}.", param="input")


def _check_reasoning(items: Sequence[Item], issued: Issued) -> None:
    """A reasoning item and the item made from it go back together, and only sealed."""
    for position, item in enumerate(items):
        name = str(item.get("id", ""))
        if _kind(item) == "reasoning":
            _check_sealed(item)
            following = items[position + 1] if position + 1 < len(items) else {"type": "nothing"}
            made = _kind(following) == "function_call" or following.get("role") == "assistant"
            expected = issued.follows.get(name)
            if not made or (expected and following.get("id", expected) != expected):
                raise Refusal(
                    f"Item '{name}' of type 'reasoning' was provided without its required following item.",
                    param="input",
                )
        elif (needed := issued.needs.get(name)) and (not position or items[position - 1].get("id") != needed):
            raise Refusal(
                f"Item '{name}' of type '{_kind(item)}' was provided without its required 'reasoning' "
                f"item: '{needed}'.",
                param="input",
            )


def _check_sealed(item: Item) -> None:
    name = item["id"]
    if not item.get("encrypted_content"):
        raise Refusal(
            f"Item with id '{name}' not found. Items are not persisted when `store` is set to false.",
            404,
            param="input",
        )
    if not is_sealed("responses", item["encrypted_content"], ""):
        raise Refusal(
            f"The encrypted content for item {name} could not be verified.",
            param="input",
            code="invalid_encrypted_content",
        )
