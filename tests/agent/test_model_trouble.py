"""Models that do not cope are noticed, and the notice says what to change."""

from __future__ import annotations

import pytest

from keen_tui.agent.model_trouble import EmptyCalls, cut_prompt
from keen_tui.domain.exchange import ModelProfile, Usage, Wire
from keen_tui.gateway.resolve import ResolvedModel


def a_model(name: str = "ollama/small", replay: str = "empty") -> ResolvedModel:
    profile = ModelProfile("small", "ollama", replay=replay)  # type: ignore[arg-type]
    return ResolvedModel(name, "ollama", "small", "ollama", profile)


def test_the_second_empty_call_in_a_task_brings_one_proposal_with_the_line_to_write():
    calls = EmptyCalls()
    assert calls.seen(1, a_model()) is None
    assert calls.seen(0, a_model()) is None
    notice = calls.seen(1, a_model())
    assert notice is not None
    assert 'replay = "bounded" (or "note") under [models."ollama/small"]' in notice.hint
    assert calls.seen(3, a_model()) is None


def test_each_model_is_judged_by_its_own_calls_and_its_own_replay_form():
    calls = EmptyCalls()
    assert calls.seen(1, a_model("ollama/one")) is None
    assert calls.seen(1, a_model("ollama/two")) is None
    assert calls.seen(5, a_model("ollama/three", "bounded")) is None


def body(size: int, context: int = 4_096) -> dict[str, object]:
    return {"options": {"num_ctx": context}, "messages": [{"role": "user", "content": "word " * (size // 5)}]}


@pytest.mark.parametrize(
    ("wire", "size", "reported", "told"),
    [
        ("ollama", 80_000, 4_000, True),
        ("ollama", 80_000, 19_000, False),  # all of it was read
        ("ollama", 12_000, 500, False),  # it fits; the server counts only what was not cached
        ("ollama", 80_000, 0, False),  # nothing was reported
        ("openai_chat", 80_000, 4_000, False),
    ],
)
def test_a_prompt_that_the_server_cut_is_told(wire: Wire, size: int, reported: int, told: bool):
    notice = cut_prompt(ModelProfile("small", wire), body(size), Usage(input_tokens=reported))
    assert (notice is not None) == told
