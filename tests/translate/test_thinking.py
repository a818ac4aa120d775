import pytest

from keen_tui.translate.registry import translator_for
from tests.translate.conversations import WIRES, conversation, profile


def body(wire, **settings):
    return translator_for(wire).body(conversation(), profile(wire, **settings))


@pytest.mark.parametrize("wire", WIRES)
def test_nothing_is_said_about_thinking_when_it_is_off(wire):
    keys = {"thinking", "output_config", "reasoning", "reasoning_effort", "think"}
    sent = body(wire)
    assert not keys & set(sent)
    assert "thinkingConfig" not in sent.get("generationConfig", {})


@pytest.mark.parametrize("level", ["low", "medium", "high"])
def test_claudes_budget_leaves_room_for_an_answer(level):
    sent = body("anthropic", thinking=level)
    assert sent["thinking"]["type"] == "enabled"
    assert 1024 <= sent["thinking"]["budget_tokens"] <= sent["max_tokens"] - 4096


def test_claude_thinks_adaptively_where_the_model_takes_a_level():
    sent = body("anthropic", thinking="medium", thinking_form="level")
    assert sent["thinking"] == {"type": "adaptive", "display": "summarized"}
    assert sent["output_config"] == {"effort": "medium"}


def test_a_window_too_small_to_think_in_gets_no_budget():
    sent = body("anthropic", thinking="high", context_window=4_000)
    assert "thinking" not in sent
    assert sent["max_tokens"] == 1_024


def test_the_other_formats_get_their_own_settings():
    assert body("openai_responses", thinking="high")["reasoning"] == {"effort": "high", "summary": "auto"}
    assert body("openai_chat", thinking="low")["reasoning_effort"] == "low"
    assert body("litellm", thinking="low")["reasoning_effort"] == "low"
    assert body("gemini", thinking="low")["generationConfig"]["thinkingConfig"] == {
        "includeThoughts": True,
        "thinkingBudget": 2_048,
    }
    assert body("gemini", thinking="low", thinking_form="level")["generationConfig"]["thinkingConfig"] == {
        "includeThoughts": True,
        "thinkingLevel": "low",
    }
    assert body("ollama", thinking="low")["think"] is True
    assert body("ollama", thinking="low", thinking_form="level")["think"] == "low"


def test_the_output_limit_goes_by_the_name_that_the_server_knows():
    assert body("openai_chat")["max_tokens"] == 4_096
    sent = body("openai_chat", output_limit_key="max_completion_tokens")
    assert "max_tokens" not in sent
    assert sent["max_completion_tokens"] == 4_096
    assert body("litellm", output_limit_key="max_completion_tokens")["max_tokens"] == 4_096


def test_ollama_is_told_the_context_size_so_that_nothing_is_cut():
    assert body("ollama", context_window=65_536)["options"]["num_ctx"] == 65_536
    assert body("ollama")["options"] == {"num_predict": 4_096, "num_ctx": 32_768}
