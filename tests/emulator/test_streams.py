"""What the emulator streams is what each provider streams."""

from __future__ import annotations

import asyncio

import pytest

from tests.emulator import Call, Emulator, Say
from tests.emulator.bodies import accepted
from tests.emulator.client import WIRES, Client, address, headers
from tests.emulator.replies import EmulatedWire

SAID = Say(
    "Two files — wörld, 你好.",
    thinking="Which ones?",
    calls=(Call("read_file", {"path": "a.py"}), Call("grep", {"path": "ü"})),
    chunk=5,
)


@pytest.mark.parametrize("wire", WIRES)
async def test_a_plain_history_with_tools_is_accepted(emulator: Emulator, client: Client, wire: EmulatedWire) -> None:
    answer = await client.send(wire, accepted(wire))
    assert (answer.status, emulator.refusals) == (200, [])
    assert "Done." in answer.raw.decode()
    assert emulator.requests[0].wire == wire and emulator.requests[0].answered.is_set()


async def test_anthropic_blocks_open_grow_and_close_in_order(emulator: Emulator, client: Client) -> None:
    emulator.script(SAID)
    events = (await client.send("anthropic", accepted("anthropic"))).events
    kinds = [event["type"] for event in events]
    assert kinds[0] == "message_start" and kinds[-2:] == ["message_delta", "message_stop"]
    blocks = [event["content_block"] for event in events if event["type"] == "content_block_start"]
    assert [block["type"] for block in blocks] == ["thinking", "text", "tool_use", "tool_use"]
    assert [event["index"] for event in events if event["type"] == "content_block_stop"] == [0, 1, 2, 3]
    deltas = [event for event in events if event["type"] == "content_block_delta"]
    assert "".join(event["delta"].get("text", "") for event in deltas) == SAID.text
    second = "".join(event["delta"].get("partial_json", "") for event in deltas if event["index"] == 3)
    assert second == '{"path":"ü"}'
    assert any(event["delta"]["type"] == "signature_delta" for event in deltas)
    assert events[-2]["delta"]["stop_reason"] == "tool_use"


async def test_responses_items_are_announced_and_repeated_whole(emulator: Emulator, client: Client) -> None:
    emulator.script(SAID)
    events = (await client.send("openai_responses", accepted("openai_responses"))).events
    assert [event["sequence_number"] for event in events] == list(range(len(events)))
    assert events[-1]["type"] == "response.completed"
    done = [event["item"] for event in events if event["type"] == "response.output_item.done"]
    assert done == events[-1]["response"]["output"]
    assert [item["type"] for item in done] == ["reasoning", "message", "function_call", "function_call"]
    assert done[0]["encrypted_content"]
    text = "".join(event["delta"] for event in events if event["type"] == "response.output_text.delta")
    assert text == SAID.text == done[1]["content"][0]["text"]


async def test_chat_chunks_carry_reasoning_text_calls_and_usage(emulator: Emulator, client: Client) -> None:
    emulator.script(SAID)
    answer = await client.send("openai_chat", accepted("openai_chat"))
    assert answer.raw.endswith(b"data: [DONE]\n\n")
    *chunks, usage = answer.events
    assert usage["choices"] == [] and usage["usage"]["total_tokens"] > 0
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks]
    assert "".join(delta.get("content") or "" for delta in deltas) == SAID.text
    assert "".join(delta.get("reasoning_content", "") for delta in deltas) == SAID.thinking
    calls = [call for delta in deltas for call in delta.get("tool_calls", [])]
    assert [call["function"]["name"] for call in calls if "id" in call] == ["read_file", "grep"]
    assert chunks[-1]["choices"][0]["finish_reason"] == "tool_calls"


async def test_gemini_signs_the_first_call_only(emulator: Emulator, client: Client) -> None:
    emulator.script(SAID)
    events = (await client.send("gemini", accepted("gemini"))).events
    parts = [part for event in events for part in event["candidates"][0]["content"]["parts"]]
    calls = [part for part in parts if "functionCall" in part]
    assert ["thoughtSignature" in part for part in calls] == [True, False]
    assert [part["functionCall"]["args"] for part in calls] == [{"path": "a.py"}, {"path": "ü"}]
    assert "".join(part["text"] for part in parts if "text" in part and "thought" not in part) == SAID.text
    assert events[-1]["candidates"][0]["finishReason"] == "STOP"


async def test_ollama_sends_one_object_a_line_and_a_last_one_that_is_done(emulator: Emulator, client: Client) -> None:
    emulator.script(SAID)
    events = (await client.send("ollama", accepted("ollama"))).events
    assert [event["done"] for event in events] == [False] * (len(events) - 1) + [True]
    assert "".join(event["message"]["content"] for event in events) == SAID.text
    calls = [call for event in events for call in event["message"].get("tool_calls", [])]
    assert [call["function"]["arguments"] for call in calls] == [{"path": "a.py"}, {"path": "ü"}]


@pytest.mark.parametrize("wire", WIRES)
async def test_escape_characters_and_lone_surrogates_travel_as_json(
    emulator: Emulator, client: Client, wire: EmulatedWire
) -> None:
    emulator.script(Say("\x1b[31m\u202e\ud83d", chunk=100))
    answer = await client.send(wire, accepted(wire))
    assert b"\x1b" not in answer.raw and answer.events


async def test_the_beginning_that_was_sent_before_counts_as_cached(emulator: Emulator, client: Client) -> None:
    body = accepted("openai_chat")
    body["messages"][0]["content"] = "Be brief. " * 200
    first = (await client.send("openai_chat", body)).events[-1]["usage"]
    body["messages"][-1]["content"] = "Something else?"
    second = (await client.send("openai_chat", body)).events[-1]["usage"]
    assert first["prompt_tokens_details"]["cached_tokens"] == 0
    assert 500 < second["prompt_tokens_details"]["cached_tokens"] < second["prompt_tokens"]


async def test_a_held_reply_waits_and_tells_so(emulator: Emulator, client: Client) -> None:
    gate = asyncio.Event()
    emulator.script(Say("one two three", chunk=4, hold=gate))
    sending = asyncio.create_task(client.send("ollama", accepted("ollama")))
    request = await emulator.next_request()
    async with asyncio.timeout(5):
        await request.held.wait()
        assert not request.answered.is_set()
        gate.set()
        await sending
    assert request.answered.is_set()


async def test_a_client_that_leaves_is_noticed_at_once(emulator: Emulator, client: Client) -> None:
    emulator.script(Say("one two three", chunk=4, hold=asyncio.Event()))
    url = address(emulator, "openai_chat")
    async with client.session.post(url, json=accepted("openai_chat"), headers=headers("openai_chat")) as response:
        assert await response.content.readany()
        request = await emulator.next_request()
        response.close()
    async with asyncio.timeout(5):
        await request.disconnected.wait()
    assert not request.answered.is_set()


async def test_a_reply_may_depend_on_the_request(emulator: Emulator, client: Client) -> None:
    emulator.script(lambda request: Say(f"{request.model} was asked"))
    answer = await client.send("gemini", accepted("gemini"), model="emulated-small")
    assert "emulated-small was asked" in "".join(
        part["text"] for event in answer.events for part in event["candidates"][0]["content"]["parts"]
    )


async def test_the_model_lists_are_there(emulator: Emulator, client: Client) -> None:
    for path, key in (("/v1/models", "data"), ("/v1beta/models", "models"), ("/api/tags", "models")):
        async with client.session.get(emulator.url + path) as response:
            assert len((await response.json())[key]) == 2
