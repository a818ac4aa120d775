"""Every fault does what its name says, in every wire format it applies to."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import aiohttp
import pytest

from tests.emulator import FAULT_KINDS, Emulator, Fault, Say
from tests.emulator.bodies import accepted
from tests.emulator.client import WIRES, Client, address, headers
from tests.emulator.replies import REPLY_FAULTS, STATUS_FAULTS, STREAM_FAULTS, EmulatedWire

TERMINALS = {
    "anthropic": "message_stop",
    "openai_responses": "response.completed",
    "openai_chat": "[DONE]",
    "gemini": '"finishReason":"STOP"',
    "ollama": '"done":true',
}


def test_every_fault_has_one_family() -> None:
    assert len(set(FAULT_KINDS)) == len(FAULT_KINDS) == len(STATUS_FAULTS) + len(REPLY_FAULTS) + len(STREAM_FAULTS)
    with pytest.raises(ValueError, match="No fault is called 'flood'"):
        Fault("flood")


@pytest.mark.parametrize("kind", STATUS_FAULTS)
@pytest.mark.parametrize("wire", WIRES)
async def test_a_status_fault_answers_in_the_provider_s_shape(
    emulator: Emulator, client: Client, wire: EmulatedWire, kind: str
) -> None:
    emulator.script(Fault(kind, retry_after=2))
    answer = await client.send(wire, accepted(wire))
    assert answer.status == STATUS_FAULTS[kind]
    assert answer.error
    assert answer.headers["retry-after"] == "2"
    if wire == "gemini":
        assert json.loads(answer.raw)["error"]["details"][0]["retryDelay"] == "2s"
    assert (await client.send(wire, accepted(wire))).status == 200


@pytest.mark.parametrize("kind", ["disconnect", "disconnect_in_text", "disconnect_in_call"])
@pytest.mark.parametrize("wire", WIRES)
async def test_a_disconnect_breaks_the_stream(
    emulator: Emulator, client: Client, wire: EmulatedWire, kind: str
) -> None:
    emulator.script(Fault(kind))
    with pytest.raises(aiohttp.ClientError):
        await client.send(wire, accepted(wire))
    assert not emulator.requests[0].answered.is_set()
    assert (await client.send(wire, accepted(wire))).status == 200


@pytest.mark.parametrize("kind", ["stall", "silence"])
async def test_a_stalled_stream_lasts_until_the_client_leaves(emulator: Emulator, client: Client, kind: str) -> None:
    emulator.script(Fault(kind, after=1))
    sending = asyncio.create_task(client.send("anthropic", accepted("anthropic")))
    request = await emulator.next_request()
    done, _ = await asyncio.wait({sending}, timeout=0.05)
    assert not done
    sending.cancel()
    async with asyncio.timeout(5):
        await request.disconnected.wait()


async def test_a_stall_lets_the_text_before_it_through(emulator: Emulator, client: Client) -> None:
    emulator.script(Fault("stall", Say("abcdef", chunk=2), after=2))
    url = address(emulator, "ollama")
    async with client.session.post(url, json=accepted("ollama"), headers=headers("ollama")) as response:
        lines = [json.loads(await response.content.readline()) for _ in range(2)]
        assert [line["message"]["content"] for line in lines] == ["ab", "cd"]


@pytest.mark.parametrize("wire", WIRES)
async def test_an_error_event_and_a_missing_end_leave_no_terminal_event(
    emulator: Emulator, client: Client, wire: EmulatedWire
) -> None:
    emulator.script(Fault("error_event", message="It broke."), Fault("no_terminal"))
    broken = (await client.send(wire, accepted(wire))).raw.decode()
    assert "It broke." in broken and TERMINALS[wire] not in broken
    cut = (await client.send(wire, accepted(wire))).raw.decode()
    assert "error" not in cut.replace('"error":null', "") and TERMINALS[wire] not in cut


@pytest.mark.parametrize("kind", ["drip", "split_utf8"])
@pytest.mark.parametrize("wire", WIRES)
async def test_a_stream_in_small_pieces_is_whole(
    emulator: Emulator, client: Client, wire: EmulatedWire, kind: str
) -> None:
    said = Say("Grüße, 你好", chunk=3)
    emulator.script(said, Fault(kind, said))
    plain = await client.send(wire, accepted(wire))
    url, body = address(emulator, wire), accepted(wire)
    async with client.session.post(url, json=body, headers=headers(wire)) as response:
        chunks = [chunk async for chunk in response.content.iter_any()]
    assert TERMINALS[wire] in b"".join(chunks).decode() and TERMINALS[wire] in plain.raw.decode()
    if kind == "split_utf8":
        assert any(_breaks_a_character(chunk) for chunk in chunks)


def _breaks_a_character(chunk: bytes) -> bool:
    try:
        chunk.decode()
    except UnicodeDecodeError:
        return True
    return False


async def test_answers_that_are_no_stream(emulator: Emulator, client: Client) -> None:
    emulator.script(Fault("empty_body"), Fault("html"), Fault("not_json"))
    empty, page, garbled = [await client.send("openai_chat", accepted("openai_chat")) for _ in range(3)]
    assert (empty.status, empty.raw) == (200, b"")
    assert page.headers["content-type"].startswith("text/html") and page.raw.startswith(b"<!doctype")
    assert b'data: {"half": \n' in garbled.raw and garbled.raw.endswith(b"[DONE]\n\n")


def _arguments(events: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Index and argument text of every chat call fragment."""
    for event in events:
        for choice in event["choices"]:
            for call in choice["delta"].get("tool_calls", []):
                yield f"{call['index']} {call.get('id', '')}", call["function"]["arguments"]


async def test_calls_with_troublesome_contents(emulator: Emulator, client: Client) -> None:
    kinds = ("broken_arguments", "empty_arguments", "unknown_tool", "repeated_ids", "same_index", "repeated_name")
    emulator.script(*map(Fault, kinds))
    answers = [await client.send("openai_chat", accepted("openai_chat")) for _ in kinds]
    texts = ["".join(text for _, text in _arguments(answer.events)) for answer in answers]
    assert texts[0] == '{"path": "app.py' and texts[1] == "{}"
    assert b"open_the_pod_bay_doors" in answers[2].raw
    assert answers[3].raw.count(b'"id":"call_repeated_1"') == 2
    assert {head.split()[0] for head, _ in _arguments(answers[4].events)} == {"0"}
    assert answers[5].raw.count(b'"name":"read_file"') > 2


async def test_ten_megabytes_of_text(emulator: Emulator, client: Client) -> None:
    emulator.script(Fault("huge_text"))
    assert len((await client.send("ollama", accepted("ollama"))).raw) > 10_000_000


async def test_an_answer_that_is_cut_or_refused_says_so(emulator: Emulator, client: Client) -> None:
    reasons = {"length": ("max_tokens", "MAX_TOKENS"), "refused": ("refusal", "SAFETY")}
    for kind, (anthropic, gemini) in reasons.items():
        emulator.script(Fault(kind), Fault(kind))
        assert anthropic in (await client.send("anthropic", accepted("anthropic"))).raw.decode()
        assert gemini in (await client.send("gemini", accepted("gemini"))).raw.decode()
