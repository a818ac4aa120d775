"""The emulator refuses what the providers refuse, in a past turn and in the body around it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.emulator import BAD_KEY, FORBIDDEN_KEY, NO_SUCH_MODEL, Emulator
from tests.emulator.bodies import accepted
from tests.emulator.client import WIRES, Client, address, headers
from tests.emulator.replies import EmulatedWire

Body = dict[str, Any]
Spoil = Callable[[Body], object]


def _set(*path: Any) -> Spoil:
    """Put the last item of `path` where the others lead."""

    def spoil(body: Body) -> None:
        *way, key, value = path
        place: Any = body
        for step in way:
            place = place[step]
        place[key] = value

    return spoil


def _drop(*path: Any) -> Spoil:
    def spoil(body: Body) -> None:
        place: Any = body
        for step in path[:-1]:
            place = place[step]
        del place[path[-1]]

    return spoil


def _insert(*path: Any) -> Spoil:
    """Insert the last item at the index before it in the list where the others lead."""

    def spoil(body: Body) -> None:
        *way, index, value = path
        place: Any = body
        for step in way:
            place = place[step]
        place.insert(index, value)

    return spoil


USER = {"role": "user", "content": "Wait."}
ANTHROPIC: dict[str, tuple[Spoil, str]] = {
    "results gone": (_drop("messages", 2), "without `tool_result` blocks immediately after"),
    "one result gone": (_drop("messages", 2, "content", 1), "without `tool_result` blocks immediately after"),
    "call gone": (_drop("messages", 1, "content", 2), "unexpected `tool_use_id`"),
    "text in front of the results": (
        _insert("messages", 2, "content", 0, {"type": "text", "text": "Here:"}),
        "in front of other content",
    ),
    "a result twice": (
        _insert("messages", 2, "content", 0, {"type": "tool_result", "tool_use_id": "toolu_past_0"}),
        "single result",
    ),
    "an id twice": (_set("messages", 1, "content", 2, "id", "toolu_past_0"), "must be unique"),
    "a bad id": (_set("messages", 1, "content", 1, "id", "toolu.past:0"), "does not match the pattern"),
    "a bad name": (_set("messages", 1, "content", 1, "name", "read file"), "does not match the pattern"),
    "input that is text": (_set("messages", 1, "content", 1, "input", "{}"), "should be an object"),
    "empty text": (_set("messages", 1, "content", 0, "text", ""), "must be non-empty"),
    "blank text": (_set("messages", 1, "content", 0, "text", " \n"), "non-whitespace"),
    "blank system": (_set("system", 0, "text", ""), "must be non-empty"),
    "empty content": (_set("messages", 3, "content", []), "non-empty content"),
    "no tools": (_drop("tools"), "must define tools"),
    "assistant first": (_drop("messages", 0), 'first message must use the "user" role'),
    "assistant last": (_drop("messages", 4), "must end with a user message"),
    "a system message": (_insert("messages", 0, {"role": "system", "content": "x"}), "Unexpected role"),
    "no max_tokens": (_drop("max_tokens"), "Missing required parameter"),
    "an unknown key": (_set("messages", 1, "name", "me"), "Extra inputs are not permitted"),
    "a tool twice": (_set("tools", 1, "name", "read_file"), "must be unique"),
    "a budget as large as the answer": (
        _set("thinking", {"type": "enabled", "budget_tokens": 4096}),
        "must be greater than",
    ),
    "a small budget": (_set("thinking", {"type": "enabled", "budget_tokens": 10}), "minimum value 1024"),
    "a signature of nobody": (
        _insert("messages", 1, "content", 0, {"type": "thinking", "thinking": "x", "signature": "QUJD"}),
        "Invalid `signature`",
    ),
    "five cache marks": (
        lambda body: (
            [block.update(cache_control={"type": "ephemeral"}) for block in body["messages"][1]["content"]]
            + [tool.update(cache_control={"type": "ephemeral"}) for tool in body["tools"]]
        ),
        "maximum of 4 blocks",
    ),
}
RESPONSES: dict[str, tuple[Spoil, str]] = {
    "an output gone": (_drop("input", 4), "No tool output found for function call call_past_0"),
    "a call gone": (_drop("input", 3), "No tool call found for function call output with call_id call_past_1"),
    "an output too late": (_insert("input", 4, dict(USER)), "No tool output found"),
    "an id twice": (_set("input", 3, "call_id", "call_past_0"), "must be unique"),
    "a long id": (_set("input", 2, "call_id", "c" * 65), "does not match the pattern"),
    "a bad name": (_set("input", 2, "name", "read.file"), "does not match the pattern"),
    "arguments that are no text": (_set("input", 2, "arguments", {}), "expected a string"),
    "no arguments": (_drop("input", 2, "arguments"), "Missing required parameter: 'input[2].arguments'"),
    "an input part of the assistant": (
        _set("input", 1, "content", 0, "type", "input_text"),
        "Supported values are: 'output_text' and 'refusal'",
    ),
    "an id of another kind": (_set("input", 2, "id", "call_1"), "Expected an ID that begins with 'fc'"),
    "reasoning of nobody": (
        _insert("input", 1, {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "QUJD"}),
        "could not be verified",
    ),
    "reasoning that was not stored": (
        _insert("input", 1, {"type": "reasoning", "id": "rs_1", "summary": []}),
        "not persisted",
    ),
    "chat's messages": (_set("messages", []), "unknown parameter"),
    "few tokens": (_set("max_output_tokens", 1), "minimum value 16"),
    "a strict tool that is open": (_set("tools", 0, "strict", True), "'required' must name every property"),
    "empty text": (_set("input", 1, "content", 0, "text", ""), "empty string"),
    "no input": (_set("input", []), "too short"),
}
CHAT: dict[str, tuple[Spoil, str]] = {
    "a result gone": (_drop("messages", 3), "did not have response messages: call_past_0"),
    "a result without a call": (_drop("messages", 2), "must be a response to a preceding message"),
    "a message in between": (_insert("messages", 4, dict(USER)), "did not have response messages: call_past_1"),
    "an id twice": (_set("messages", 2, "tool_calls", 1, "id", "call_past_0"), "must be unique"),
    "a long id": (_set("messages", 2, "tool_calls", 0, "id", "c" * 41), "does not match the pattern"),
    "arguments that are no text": (
        _set("messages", 2, "tool_calls", 0, "function", "arguments", {}),
        "expected a string",
    ),
    "arguments that are no JSON": (
        _set("messages", 2, "tool_calls", 0, "function", "arguments", '{"path'),
        "must be a JSON object",
    ),
    "null without calls": (_set("messages", 5, "content", None), "expected a string, got null"),
    "blank without calls": (_set("messages", 5, "content", " "), "must not be blank"),
    "no calls in the list": (_set("messages", 2, "tool_calls", []), "too short"),
    "no tools in the list": (_set("tools", []), "[] is too short - 'tools'"),
    "a choice without tools": (
        lambda body: (body.pop("tools"), body.update(tool_choice="auto")),
        "only allowed when 'tools' are specified",
    ),
    "max_tokens for OpenAI's own": (
        lambda body: body.update(model="gpt-5.1", max_tokens=5),
        "'max_tokens' is not supported with this model",
    ),
    "reasoning for OpenAI's own": (
        lambda body: (body.update(model="gpt-5.1"), body["messages"][2].update(reasoning_content="x")),
        "Extra inputs",
    ),
    "the assistant last": (_drop("messages", 6), "Expected last role"),
}
GEMINI: dict[str, tuple[Spoil, str]] = {
    "a response gone": (_drop("contents", 2, "parts", 1), "number of function response parts is equal"),
    "a response of another name": (
        _set("contents", 2, "parts", 0, "functionResponse", "name", "bash"),
        "names or ids",
    ),
    "responses without calls": (
        _set("contents", 1, "parts", [{"text": "I look."}]),
        "immediately after a function call turn",
    ),
    "text beside the responses": (
        _insert("contents", 2, "parts", 2, {"text": "And?"}),
        "can not share a content with text",
    ),
    "the model first": (_drop("contents", 0), "start with a user turn"),
    "the model last": (_drop("contents", 4), "end with a user turn"),
    "two users in a row": (
        _insert("contents", 0, {"role": "user", "parts": [{"text": "Hello."}]}),
        "alternate between user and model",
    ),
    "no parts": (_set("contents", 3, "parts", []), "too short"),
    "two models in a row": (
        _insert("contents", 3, {"role": "model", "parts": [{"text": "Well."}]}),
        "alternate between user and model",
    ),
    "empty text": (_set("contents", 3, "parts", 0, "text", ""), "empty string"),
    "args that are text": (_set("contents", 1, "parts", 1, "functionCall", "args", "{}"), "should be an object"),
    "a signature of nobody": (_set("contents", 1, "parts", 1, "thoughtSignature", "QUJD"), "not valid"),
    "two kinds in a part": (_set("contents", 1, "parts", 1, "text", "x"), "exactly one field"),
    "JSON schema as OpenAPI": (
        lambda body: [
            function.update(parameters=function.pop("parametersJsonSchema"))
            for function in body["tools"][0]["functionDeclarations"]
        ],
        'Unknown name "additionalProperties"',
    ),
    "an unknown key": (_set("messages", []), "unknown parameter"),
}
OLLAMA: dict[str, tuple[Spoil, str]] = {
    "a result gone": (_drop("messages", 4), "calls without results: grep"),
    "results in another order": (
        lambda body: body["messages"].__setitem__(slice(3, 5), [body["messages"][4], body["messages"][3]]),
        "not of read_file",
    ),
    "a result without a call": (_drop("messages", 2), "without a call"),
    "arguments as text": (
        _set("messages", 2, "tool_calls", 0, "function", "arguments", "{}"),
        "cannot unmarshal string",
    ),
    "a nameless result": (_drop("messages", 3, "tool_name"), "must say which tool"),
    "a blank message": (_set("messages", 5, "content", ""), "needs content"),
}
CASES: dict[EmulatedWire, dict[str, tuple[Spoil, str]]] = {
    "anthropic": ANTHROPIC,
    "openai_responses": RESPONSES,
    "openai_chat": CHAT,
    "gemini": GEMINI,
    "ollama": OLLAMA,
}


@pytest.mark.parametrize(("wire", "case"), [(wire, case) for wire, cases in CASES.items() for case in cases])
async def test_a_spoiled_request_is_refused_with_its_reason(
    emulator: Emulator, client: Client, wire: EmulatedWire, case: str
) -> None:
    spoil, reason = CASES[wire][case]
    body = accepted(wire)
    spoil(body)
    answer = await client.send(wire, body)
    assert 400 <= answer.status < 405, answer.raw[:300]
    assert reason in answer.error
    assert emulator.refusals == [answer.error] and not emulator.accepted


@pytest.mark.parametrize("wire", WIRES)
async def test_a_tool_whose_schema_is_no_object_is_refused(
    emulator: Emulator, client: Client, wire: EmulatedWire
) -> None:
    for broken in ({"type": "string"}, {"type": "object", "properties": {"a": {"type": "text"}}}):
        body = accepted(wire)
        tool = body["tools"][0]
        tool = tool["functionDeclarations"][0] if wire == "gemini" else tool.get("function", tool)
        key = next(name for name in ("input_schema", "parametersJsonSchema", "parameters") if name in tool)
        tool[key] = broken
        assert "Invalid schema" in (await client.send(wire, body)).error


@pytest.mark.parametrize("wire", WIRES)
async def test_keys_and_models_are_checked(emulator: Emulator, client: Client, wire: EmulatedWire) -> None:
    body = accepted(wire)
    assert (await client.send(wire, body, key=BAD_KEY)).status == 401
    assert (await client.send(wire, body, key=FORBIDDEN_KEY)).status == 403
    if wire != "gemini":
        body["model"] = NO_SUCH_MODEL
    assert (await client.send(wire, body, model=NO_SUCH_MODEL)).status == 404
    assert [request.status for request in emulator.requests] == [401, 403, 404]


@pytest.mark.parametrize("wire", [wire for wire in WIRES if wire != "ollama"])
async def test_a_missing_key_is_refused(emulator: Emulator, client: Client, wire: EmulatedWire) -> None:
    marks = {name: value for name, value in headers(wire).items() if name == "anthropic-version"}
    async with client.session.post(address(emulator, wire), json=accepted(wire), headers=marks) as response:
        assert response.status == 401


@pytest.mark.parametrize("wire", WIRES)
async def test_a_request_beyond_the_window_is_refused_in_the_provider_s_words(
    emulator: Emulator, client: Client, wire: EmulatedWire
) -> None:
    emulator.context_tokens = 100
    answer = await client.send(wire, accepted(wire))
    assert answer.status == 400
    assert any(word in answer.error for word in ("too long", "context", "exceeds"))


async def test_a_request_beyond_the_size_limit_is_refused(emulator: Emulator, client: Client) -> None:
    emulator.max_bytes = 1000
    assert (await client.send("anthropic", accepted("anthropic"))).status == 413


async def test_what_is_no_json_is_refused(emulator: Emulator, client: Client) -> None:
    url = address(emulator, "openai_chat")
    async with client.session.post(url, data=b"{half", headers=headers("openai_chat")) as response:
        assert response.status == 400
    assert emulator.requests[0].raw == b"{half"


async def test_a_lenient_emulator_takes_any_object(client: Client) -> None:
    async with Emulator(strict=False) as lenient:
        answer = await Client(lenient, client.session).send("anthropic", {"model": "x"})
    assert answer.status == 200
