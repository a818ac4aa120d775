"""Inside a running turn the providers want back exactly what they gave: reasoning, signatures, ids."""

from __future__ import annotations

import copy
import json
import re
from typing import Any

import pytest

from tests.emulator import Call, Emulator, Say
from tests.emulator.bodies import accepted
from tests.emulator.client import Client
from tests.emulator.replies import EmulatedWire

STEP = Say("I look.", thinking="Both files matter.", calls=(Call("read_file", {"path": "a"}), Call("grep")))
Body = dict[str, Any]


async def _first_step(emulator: Emulator, client: Client, wire: EmulatedWire) -> tuple[Body, list[Body]]:
    """The body whose reply asks for tools, and that reply's events."""
    emulator.script(STEP)
    body = accepted(wire)
    if wire == "anthropic":
        body["thinking"] = {"type": "enabled", "budget_tokens": 2048}
    answer = await client.send(wire, body)
    assert answer.status == 200, answer.raw
    return body, answer.events


async def _anthropic(emulator: Emulator, client: Client) -> Body:
    body, events = await _first_step(emulator, client, "anthropic")
    blocks: list[Body] = []
    for event in events:
        if event["type"] == "content_block_start":
            blocks.append(dict(event["content_block"]))
        elif event["type"] == "content_block_delta":
            delta = {name: value for name, value in event["delta"].items() if name != "type"}
            for name, value in delta.items():
                if name in blocks[-1]:
                    blocks[-1][name] += value
    ids = [block["id"] for block in blocks if block["type"] == "tool_use"]
    results = [{"type": "tool_result", "tool_use_id": name, "content": "ok"} for name in ids]
    body["messages"] += [{"role": "assistant", "content": blocks}, {"role": "user", "content": results}]
    return body


async def test_anthropic_takes_its_own_thinking_back_unchanged(emulator: Emulator, client: Client) -> None:
    body = await _anthropic(emulator, client)
    assert (await client.send("anthropic", body)).status == 200, emulator.refusals
    body["messages"][-1]["content"].append({"type": "text", "text": "And be quick."})
    assert (await client.send("anthropic", body)).status == 200, emulator.refusals

    without = copy.deepcopy(body)
    del without["messages"][-2]["content"][0]
    assert "Expected `thinking`" in (await client.send("anthropic", without)).error

    changed = copy.deepcopy(body)
    changed["messages"][-2]["content"][0]["thinking"] += "!"
    assert "Invalid `signature`" in (await client.send("anthropic", changed)).error

    synthetic = copy.deepcopy(body)
    del synthetic["messages"][3:]
    assert "Expected `thinking`" in (await client.send("anthropic", synthetic)).error


async def test_anthropic_wants_no_thinking_back_once_the_turn_is_over(emulator: Emulator, client: Client) -> None:
    body = await _anthropic(emulator, client)
    del body["messages"][-2]["content"][0]
    body["messages"] += [
        {"role": "assistant", "content": "They are fine."},
        {"role": "user", "content": "Thanks."},
    ]
    assert (await client.send("anthropic", body)).status == 200, emulator.refusals


async def _responses(emulator: Emulator, client: Client) -> Body:
    body, events = await _first_step(emulator, client, "openai_responses")
    items = events[-1]["response"]["output"]
    calls = [item["call_id"] for item in items if item["type"] == "function_call"]
    outputs = [{"type": "function_call_output", "call_id": name, "output": "ok"} for name in calls]
    body["input"] += [*items, *outputs]
    return body


async def test_responses_reasoning_goes_back_with_the_item_it_led_to(emulator: Emulator, client: Client) -> None:
    body = await _responses(emulator, client)
    assert (await client.send("openai_responses", body)).status == 200, emulator.refusals
    start = next(place for place, item in enumerate(body["input"]) if item["type"] == "reasoning")

    without = copy.deepcopy(body)
    del without["input"][start]
    assert "without its required 'reasoning' item" in (await client.send("openai_responses", without)).error

    alone = copy.deepcopy(body)
    del alone["input"][start + 1]
    assert "without its required following item" in (await client.send("openai_responses", alone)).error


async def test_deepseek_s_reasoning_goes_back_with_the_calls(emulator: Emulator, client: Client) -> None:
    body, events = await _first_step(emulator, client, "openai_chat")
    deltas = [choice["delta"] for event in events for choice in event["choices"]]
    calls: list[Body] = []
    for fragment in [call for delta in deltas for call in delta.get("tool_calls", [])]:
        if "id" in fragment:
            calls.append({name: fragment[name] for name in ("id", "type", "function")})
        else:
            calls[fragment["index"]]["function"]["arguments"] += fragment["function"]["arguments"]
    message = {"role": "assistant", "content": STEP.text, "tool_calls": calls}
    results = [{"role": "tool", "tool_call_id": call["id"], "content": "ok"} for call in calls]
    body["messages"] += [message, *results]
    assert "`reasoning_content`" in (await client.send("openai_chat", body)).error
    message["reasoning_content"] = STEP.thinking
    assert (await client.send("openai_chat", body)).status == 200, emulator.refusals


async def _gemini(emulator: Emulator, client: Client) -> Body:
    body, events = await _first_step(emulator, client, "gemini")
    parts = [part for event in events for part in event["candidates"][0]["content"]["parts"]]
    parts = [part for part in parts if part.get("text") != ""]
    names = [part["functionCall"]["name"] for part in parts if "functionCall" in part]
    responses = [{"functionResponse": {"name": name, "response": {"output": "ok"}}} for name in names]
    body["contents"] += [{"role": "model", "parts": parts}, {"role": "user", "parts": responses}]
    return body


async def test_gemini_wants_the_signature_of_each_step(emulator: Emulator, client: Client) -> None:
    body = await _gemini(emulator, client)
    assert (await client.send("gemini", body)).status == 200, emulator.refusals
    call = next(part for part in body["contents"][-2]["parts"] if "functionCall" in part)

    signature = call.pop("thoughtSignature")
    assert "missing a thought_signature" in (await client.send("gemini", body)).error
    call["thoughtSignature"] = "skip_thought_signature_validator"
    assert (await client.send("gemini", body)).status == 200
    call["thoughtSignature"] = signature
    call["functionCall"]["args"] = {"path": "b"}
    assert "not valid" in (await client.send("gemini", body)).error


async def test_gemini_takes_snake_case_as_well(emulator: Emulator, client: Client) -> None:
    body = await _gemini(emulator, client)
    text = json.dumps(body)
    for name in ("functionCall", "functionResponse", "thoughtSignature", "systemInstruction", "maxOutputTokens"):
        snake_name = re.sub("([A-Z])", r"_\1", name).lower()
        text = text.replace(f'"{name}"', f'"{snake_name}"')
    snake = json.loads(text)
    assert "function_response" in snake["contents"][-1]["parts"][0]
    assert (await client.send("gemini", snake)).status == 200, emulator.refusals
    del snake["contents"][-1]["parts"][0]
    assert (await client.send("gemini", snake)).status == 400


async def test_gemini_takes_the_user_s_next_words_behind_the_responses(emulator: Emulator, client: Client) -> None:
    body = await _gemini(emulator, client)
    body["contents"].append({"role": "user", "parts": [{"text": "Go on."}]})
    assert (await client.send("gemini", body)).status == 200, emulator.refusals


@pytest.mark.parametrize("wire", ["anthropic", "gemini"])
async def test_redacted_and_trailing_signatures_come_only_where_they_belong(
    emulator: Emulator, client: Client, wire: EmulatedWire
) -> None:
    emulator.script(Say("Yes.", thinking="Hm.", redacted=True))
    raw = (await client.send(wire, accepted(wire))).raw.decode()
    assert ("redacted_thinking" in raw) == (wire == "anthropic")
    assert ("thoughtSignature" in raw) == (wire == "gemini")
