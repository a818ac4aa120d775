"""Whole turns against servers that refuse what the providers refuse, over HTTP and without the worker."""

from collections.abc import AsyncIterator

import aiohttp
import pytest

from keen_tui.domain.errors import GatewayError
from keen_tui.domain.exchange import HistoryTurn, Reply
from keen_tui.domain.turn_memory import Activity
from keen_tui.translate.base import Decoder
from keen_tui.translate.registry import translator_for
from tests.emulator import Call, Emulator, Fault, Say
from tests.emulator.client import Client
from tests.emulator.replies import EmulatedWire
from tests.translate.conversations import STREAM_TURN, answered, conversation, profile

SERVED: tuple[EmulatedWire, ...] = ("anthropic", "openai_responses", "openai_chat", "gemini", "ollama")
STEP = Say("I look.", thinking="Both matter.", calls=(Call("read_file", {"path": "a"}), Call("grep", {})))
TROUBLED = (
    STREAM_TURN,
    HistoryTurn("failed", "  ", ""),
    HistoryTurn("é/tools only", "go", " \n", (Activity(text_offset=2, tool="bash", status="error"),)),
    HistoryTurn("gone", "go", "Ok.", (Activity(text_offset=0, tool="old_tool", status="success"),)),
)


@pytest.fixture
async def server() -> AsyncIterator[Emulator]:
    async with Emulator() as running:
        yield running


@pytest.fixture
async def client(server: Emulator) -> AsyncIterator[Client]:
    async with aiohttp.ClientSession() as session:
        yield Client(server, session)


class Turn:
    """A turn that is run by hand: one reply at a time, each call answered."""

    def __init__(self, server: Emulator, client: Client, wire: EmulatedWire) -> None:
        self.server, self.client, self.wire = server, client, wire
        self.translator = translator_for(wire)
        self.exchange: tuple = ()
        self.taken: set[str] = set()

    async def stream(self) -> Decoder:
        start = conversation(*TROUBLED, context="Mode: ask.", exchange=self.exchange)
        model = profile(self.wire, thinking="low", replay="bounded")
        body = {**self.translator.body(start, model)}
        if "model" in body:
            body["model"] = "emulated-large"
        answer = await self.client.send(self.wire, body)
        assert answer.status == 200, self.server.refusals
        decoder = self.translator.decoder(self.taken)
        for payload in answer.events:
            decoder.feed(payload)
        return decoder

    async def step(self, note: str = "") -> Reply:
        reply = (await self.stream()).finish()
        self.taken |= {call.id for call in reply.calls}
        self.exchange += (*reply.messages, *self.translator.results(answered(reply), note))
        return reply


@pytest.mark.parametrize("wire", SERVED)
async def test_a_turn_with_thinking_parallel_calls_and_an_interjection_is_accepted(server, client, wire):
    turn = Turn(server, client, wire)
    server.script(STEP, STEP, STEP, Say("Done."))
    for note in ("", "Be quick.", ""):
        reply = await turn.step(note)
        assert [call.name for call in reply.calls] == ["read_file", "grep"]
    assert len(turn.taken) == 6
    assert (await turn.step()).text == "Done."


@pytest.mark.parametrize("wire", SERVED)
@pytest.mark.parametrize(
    "kind",
    ["broken_arguments", "empty_arguments", "unknown_tool", "repeated_ids", "same_index", "repeated_name"],
)
async def test_replies_with_troublesome_contents_can_be_answered(server, client, wire, kind):
    turn = Turn(server, client, wire)
    server.script(Fault(kind), Fault(kind), Say("Done."))
    for _ in range(2):
        reply = await turn.step()
        assert len({call.id for call in reply.calls}) == len(reply.calls)
        if kind in ("repeated_ids", "same_index", "repeated_name"):
            assert len(reply.calls) == 2
            assert all(call.arguments for call in reply.calls)
        if kind == "broken_arguments":
            assert reply.calls[0].arguments is None
    assert (await turn.step()).text == "Done."


@pytest.mark.parametrize("wire", SERVED)
async def test_an_answer_that_is_cut_at_the_limit_says_so(server, client, wire):
    server.script(Fault("length"))
    assert (await Turn(server, client, wire).step()).stop == "length"


@pytest.mark.parametrize("wire", SERVED)
@pytest.mark.parametrize(
    ("kind", "failure"),
    [("no_terminal", "connection_lost"), ("error_event", "overloaded"), ("empty_body", "connection_lost")],
)
async def test_streams_that_end_badly_are_noticed(server, client, wire, kind, failure):
    server.script(Fault(kind))
    with pytest.raises(GatewayError) as caught:
        (await Turn(server, client, wire).stream()).finish()
    assert caught.value.kind == failure
