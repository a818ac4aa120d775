"""What Gemini's generateContent refuses."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

from tests.emulator.google_case import camel
from tests.emulator.identity import Issued, is_sealed
from tests.emulator.refusals import Refusal
from tests.emulator.stream_gemini import signed
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

PLACEHOLDER = "skip_thought_signature_validator"
_PLACEHOLDERS = (PLACEHOLDER, base64.b64encode(PLACEHOLDER.encode()).decode())
_TOP = words("model tools toolConfig safetySettings systemInstruction generationConfig cachedContent")
_GENERATION = words(
    "stopSequences responseMimeType responseSchema candidateCount maxOutputTokens temperature topP topK "
    "seed presencePenalty frequencyPenalty thinkingConfig"
)
_DATA = ("text", "functionCall", "functionResponse", "inlineData", "fileData")
_NAME = "[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}"
_OPENAPI = words(
    "type format title description nullable enum items maxItems minItems properties required "
    "minProperties maxProperties minimum maximum minLength maxLength pattern example anyOf "
    "propertyOrdering default"
)
Content = Mapping[str, Any]


def check(body: Mapping[str, Any], model: str, issued: Issued) -> None:
    """Raises Refusal. Rules: the Gemini API reference, function calling and thought signature guides."""
    body = camel(body)
    check_keys(body, "", _TOP, ("contents",))
    generation = as_object(body.get("generationConfig", {}), "generation_config")
    check_keys(generation, "generation_config", _GENERATION)
    if "maxOutputTokens" in generation:
        check_number(generation["maxOutputTokens"], "generation_config.max_output_tokens", 1)
    thinking = as_object(generation.get("thinkingConfig", {}), "generation_config.thinking_config")
    allowed = ("includeThoughts", "thinkingBudget", "thinkingLevel")
    check_keys(thinking, "generation_config.thinking_config", allowed)
    if "thinkingBudget" in thinking and "thinkingLevel" in thinking:
        raise Refusal("You can only set only one of thinking budget and thinking level.")
    _check_tools(as_list(body.get("tools", []), "tools", empty=True))
    if "systemInstruction" in body:
        system = as_object(body["systemInstruction"], "system_instruction")
        for part in as_list(system.get("parts"), "system_instruction.parts"):
            as_text(as_object(part, "system_instruction.parts").get("text"), "system_instruction.parts")
    contents = as_list(body["contents"], "contents")
    for position, content in enumerate(contents):
        _check_content(content, f"contents[{position}]")
    _check_order(contents)
    _check_signatures(contents)


def _check_tools(tools: Sequence[Any]) -> None:
    names: list[str] = []
    for position, tool in enumerate(tools):
        declared = as_object(tool, f"tools[{position}]").get("functionDeclarations", [])
        for index, function in enumerate(as_list(declared, "function_declarations", empty=True)):
            where = f"tools[{position}].function_declarations[{index}]"
            known = ("parameters", "parametersJsonSchema", "response", "behavior")
            check_keys(as_object(function, where), where, known, ("name", "description"))
            names.append(check_pattern(function["name"], f"{where}.name", _NAME))
            if "parameters" in function and "parametersJsonSchema" in function:
                raise Refusal(f"{where}: only one of parameters and parameters_json_schema may be set")
            if "parameters" in function:
                _check_openapi(function["parameters"], f"{where}.parameters")
            if "parametersJsonSchema" in function:
                check_parameters(function["parametersJsonSchema"], f"{where}.parameters_json_schema")
    check_unique(names, "Duplicate function declaration: names")


def _check_openapi(schema: Any, where: str) -> None:
    """`parameters` takes a part of OpenAPI only: no additionalProperties, no $ref."""
    for name in as_object(schema, where):
        if name not in _OPENAPI:
            raise Refusal(f"Invalid JSON payload received. Unknown name \"{name}\" at '{where}': Cannot find field.")
    for name, inner in as_object(schema.get("properties", {}), where).items():
        _check_openapi(inner, f"{where}.properties[{name}]")
    if "items" in schema:
        _check_openapi(schema["items"], f"{where}.items")


def _check_content(content: Any, where: str) -> None:
    check_keys(as_object(content, where), where, (), ("role", "parts"))
    if content["role"] not in ("user", "model"):
        raise Refusal("Please use a valid role: user, model.")
    for position, part in enumerate(as_list(content["parts"], f"{where}.parts")):
        _check_part(part, content["role"], f"{where}.parts[{position}]")
    if _parts(content, "functionResponse") and _parts(content, "text"):
        raise Refusal(f"{where}: function responses can not share a content with text.")


def _check_part(part: Any, role: str, where: str) -> None:
    check_keys(as_object(part, where), where, (*_DATA, "thought", "thoughtSignature"))
    data = [name for name in _DATA if name in part]
    if len(data) != 1:
        raise Refusal(f"{where}.data: exactly one field of data must be set, found {len(data)}.")
    if data == ["text"]:
        as_text(part["text"], f"{where}.text", empty="thoughtSignature" in part)
    elif data == ["functionCall"]:
        call = as_object(part["functionCall"], f"{where}.function_call")
        check_keys(call, f"{where}.function_call", ("args", "id"), ("name",))
        check_pattern(call["name"], f"{where}.function_call.name", _NAME)
        as_object(call.get("args", {}), f"{where}.function_call.args")
        if role != "model":
            raise Refusal(f"{where}: a function call must come from the role model.")
    elif data == ["functionResponse"]:
        response = as_object(part["functionResponse"], f"{where}.function_response")
        check_keys(response, f"{where}.function_response", ("id",), ("name", "response"))
        as_object(response["response"], f"{where}.function_response.response")
        if role != "user":
            raise Refusal(f"{where}: a function response must come from the role user.")
    if "thoughtSignature" in part:
        _check_signature(part, where)


def _check_signature(part: Mapping[str, Any], where: str) -> None:
    signature = part["thoughtSignature"]
    content = signed(part["functionCall"]) if "functionCall" in part else ""
    if signature not in _PLACEHOLDERS and not is_sealed("gemini", signature, content):
        raise Refusal(f"{where}: Thought signature is not valid.")


def _parts(content: Content, name: str) -> list[Any]:
    return [part[name] for part in content["parts"] if name in part]


def _check_order(contents: Sequence[Content]) -> None:
    """Roles take turns; the responses come right behind their calls, as many and by the same names."""
    if contents[0]["role"] != "user":
        raise Refusal("Please ensure that multiturn requests start with a user turn.")
    if contents[-1]["role"] != "user":
        raise Refusal("Please ensure that multiturn requests end with a user turn or a function response.")
    before: Content = {"role": "", "parts": []}
    for position, content in enumerate(contents):
        calls, responses = _parts(before, "functionCall"), _parts(content, "functionResponse")
        if before["role"] == content["role"] and not (_parts(before, "functionResponse") and _parts(content, "text")):
            raise Refusal("Please ensure that multiturn requests alternate between user and model.")
        if responses and not calls:
            raise Refusal("Please ensure that function response turn comes immediately after a function call turn.")
        if len(calls) != len(responses):
            raise Refusal(
                "Please ensure that the number of function response parts is equal to the number of "
                f"function call parts of the function call turn. (contents[{position}]: {len(calls)} calls, "
                f"{len(responses)} responses)"
            )
        _check_matching(calls, responses, position)
        before = content


def _check_matching(calls: Sequence[Content], responses: Sequence[Content], position: int) -> None:
    if sorted(_key(call) for call in calls) != sorted(_key(response) for response in responses):
        raise Refusal(f"contents[{position}]: the names or ids of the function responses differ from the calls.")


def _key(part: Content) -> tuple[str, str]:
    return str(part["name"]), str(part.get("id", ""))


def _check_signatures(contents: Sequence[Content]) -> None:
    """In the current turn, the first call of each step carries its signature or the placeholder."""
    starts = [
        place
        for place, content in enumerate(contents)
        if content["role"] == "user" and not _parts(content, "functionResponse")
    ]
    for position in range(starts[-1], len(contents)):
        calls = [part for part in contents[position]["parts"] if "functionCall" in part]
        if calls and "thoughtSignature" not in calls[0]:
            name = calls[0]["functionCall"]["name"]
            raise Refusal(
                f"Function call is missing a thought_signature in functionCall parts. Function call "
                f"`default_api:{name}`, position {position + 1}."
            )
