"""The ready-made models behave as their names say."""

from __future__ import annotations

import pytest

from tests.emulator import Emulator, Fault, Recorded, Say
from tests.emulator.bodies import accepted
from tests.emulator.client import WIRES, Client
from tests.emulator.reading import read
from tests.emulator.replies import EmulatedWire
from tests.emulator.scenarios import Faults, long_answer, scenario


def _request(text: str, *results: str, tools: str = "glob read_file edit_file bash MissionUpdate") -> Recorded:
    """A chat request whose current turn has these results."""
    messages = [{"role": "user", "content": text}]
    messages += [{"role": "tool", "content": result} for result in results]
    functions = [{"type": "function", "function": {"name": name}} for name in tools.split()]
    body = {"messages": messages, "tools": functions}
    return Recorded("openai_chat", "/", {}, repr(body).encode(), body)


@pytest.mark.parametrize("wire", WIRES)
async def test_a_request_reads_the_same_in_every_wire_format(
    emulator: Emulator, client: Client, wire: EmulatedWire
) -> None:
    body = accepted(wire)
    await client.send(wire, body)
    last = {"openai_responses": "input", "gemini": "contents"}.get(wire, "messages")
    del body[last][-2:]
    await client.send(wire, body)
    answered, running = map(read, emulator.accepted)
    assert answered.user_text == "And the host?" and answered.results == ()
    assert running.user_text == "Where is the port set?" and len(running.results) == 2
    assert answered.tools == {"read_file", "grep"}


def test_echo_repeats_the_user_s_words_without_the_context_block() -> None:
    said = scenario("echo")(_request("Hello\nthere\n\n<keen-context>\nMode: ask\n</keen-context>"))
    assert isinstance(said, Say) and "> Hello\n> there\n\nThat" in said.text


def test_work_reads_edits_runs_and_answers() -> None:
    model = scenario("work")
    results: list[str] = []
    seen: list[list[str]] = []
    outputs = {"glob": "notes.py", "read_file": "     1\timport os\n     2\tos\n", "edit_file": "ok", "bash": "fine"}
    for _ in range(4):
        said = model(_request("Look at notes.py with `make test`", *results))
        assert isinstance(said, Say)
        seen.append([call.name for call in said.calls])
        results += [outputs.get(call.name, "done") for call in said.calls]
        if said.calls and said.calls[0].name == "edit_file":
            assert said.calls[0].arguments == {
                "path": "notes.py",
                "old_string": "import os",
                "new_string": "import os  # checked",
            }
        if said.calls and said.calls[0].name == "bash":
            assert said.calls[0].arguments == {"command": "make test"}
    assert seen == [["glob", "read_file", "MissionUpdate"], ["edit_file"], ["bash"], []]


def test_work_uses_only_the_tools_it_is_offered() -> None:
    said = scenario("work")(_request("Go", tools="bash"))
    assert isinstance(said, Say) and [call.name for call in said.calls] == ["bash"]


def test_a_long_answer_has_exactly_its_number_of_deltas() -> None:
    for count in (1, 7, 2_000):
        said = long_answer(count, rate=200)
        assert len(said.text) == count * said.chunk and said.delay == 0.005


def test_a_named_fault_strikes_once_and_always_when_asked() -> None:
    model = Faults()
    first = model(_request("please fault 429"))
    assert isinstance(first, Fault) and first.kind == "429" and first.retry_after
    assert isinstance(model(_request("please fault 429")), Say)
    for _ in range(2):
        assert isinstance(model(_request("fault stall always")), Fault)
    assert isinstance(model(_request("fault stall", "a result")), Say)
    unknown = model(_request("fault flood"))
    assert isinstance(unknown, Say) and "split_utf8" in unknown.text
    plain = model(_request("no trouble"))
    assert isinstance(plain, Say) and "> no trouble" in plain.text


@pytest.mark.parametrize("name", ["dance", "long", "long:x", "long:1:2:3"])
def test_an_unknown_scenario_is_named_with_the_known_ones(name: str) -> None:
    with pytest.raises(ValueError, match="There are: echo, work"):
        scenario(name)
