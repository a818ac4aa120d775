"""Translators, the real worker and litellm against strict providers: a tool loop with trouble in it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from keen_tui.domain.exchange import (
    Conversation,
    HistoryTurn,
    ModelProfile,
    NativeMessage,
    PromptPart,
    Reply,
    Thinking,
    ToolResult,
    ToolSpec,
    Wire,
)
from keen_tui.domain.turn_memory import Activity
from keen_tui.gateway.calls import ModelCall
from keen_tui.gateway.client import WorkerGateway
from keen_tui.translate.registry import translator_for
from tests.emulator import Call, Emulator, Fault, Say
from tests.emulator import Reply as Scripted

MODELS: dict[Wire, tuple[str, str]] = {
    "anthropic": ("anthropic", "claude-sonnet-4-5"),
    "openai_responses": ("openai", "gpt-5.1"),
    "openai_chat": ("openai", "deepseek-emulated"),
    "gemini": ("gemini", "gemini-3-pro-preview"),
    "ollama": ("ollama", "qwen3"),
    "litellm": ("openai", "deepseek-emulated"),
}
PARAMETERS = {"type": "object", "properties": {"path": {"type": "string"}}, "additionalProperties": False}
TOOLS = [ToolSpec(name, name, PARAMETERS) for name in ("read_file", "glob", "bash")]
PAST = (
    HistoryTurn(
        "turn_1",
        "What is here?",
        "Look here. Then there.",
        (
            Activity(text_offset=10, tool="read_file", status="success", target="a.py"),
            Activity(text_offset=10, tool="bash", status="success", exit_code=1),
            Activity(text_offset=22, tool="glob", status="error"),
        ),
    ),
    HistoryTurn("turn_2", "And?", ""),
    HistoryTurn("turn_3", "Well?", "  ", (Activity(text_offset=0, tool="bash", status="success"),)),
)
TROUBLE: tuple[Scripted, ...] = (
    Say("I look.", thinking="Both.", redacted=True, calls=(Call("read_file", {"path": "a"}), Call("glob"))),
    Say(thinking="Once more.", calls=(Call("bash"),)),
    Say("No thought.", calls=(Call("bash"),)),
    *map(Fault, ("broken_arguments", "empty_arguments", "unknown_tool", "repeated_ids", "same_index")),
    *map(Fault, ("repeated_name", "split_utf8")),
)

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def gateway(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[WorkerGateway]:
    folder: Path = tmp_path_factory.mktemp("worker")
    running = WorkerGateway(log_file=folder / "worker.log")
    yield running
    await running.close()


@pytest.mark.parametrize("thinking", ["off", "high"])
@pytest.mark.parametrize("wire", MODELS)
async def test_every_request_of_a_troubled_turn_is_accepted(
    gateway: WorkerGateway, wire: Wire, thinking: Thinking
) -> None:
    translator = translator_for(wire)
    exchange: list[NativeMessage] = []
    async with Emulator(*TROUBLE) as emulator:
        for step in range(len(TROUBLE)):
            reply = await _ask(gateway, emulator, wire, thinking, exchange)
            results = [
                ToolResult(call.id, call.name, call.problem or "output", bool(call.problem)) for call in reply.calls
            ]
            exchange.extend(reply.messages)
            if results:
                exchange.extend(translator.results(results, "Be quick." if step == 1 else ""))
        assert emulator.refusals == [] and emulator.unused == 0
    assert reply.stop == "end" and "你好" in reply.text
    assert reply.usage and reply.usage.input_tokens > 0


async def _ask(
    gateway: WorkerGateway, emulator: Emulator, wire: Wire, thinking: Thinking, exchange: list[NativeMessage]
) -> Reply:
    provider, model = MODELS[wire]
    profile = ModelProfile(name=model, wire=wire, thinking=thinking, max_output_tokens=16_000)
    system = [PromptPart("base prompt", "Be brief.")]
    conversation = Conversation(system, TOOLS, PAST, "Do it.", "<keen-context>x</keen-context>", exchange)
    translator = translator_for(wire)
    call = ModelCall(wire, provider, model, translator.body(conversation, profile), emulator.base(wire), "a-key")
    decoder = translator.decoder()
    async for payload in gateway.stream(call):
        decoder.feed(payload)
    return decoder.finish()
