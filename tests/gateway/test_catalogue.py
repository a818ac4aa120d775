"""The catalogue is litellm's own file, read without importing litellm."""

from __future__ import annotations

import pytest

from keen_tui.domain.exchange import Usage
from keen_tui.gateway.calls import ModelInfo
from keen_tui.gateway.catalogue import Catalogue, call_cost, nearest

SMALL = Catalogue(
    {
        "sample_spec": {"mode": "one of: chat, embedding", "litellm_provider": "one of"},
        "claude-x-1": {
            "mode": "chat",
            "litellm_provider": "anthropic",
            "max_input_tokens": 200000,
            "max_output_tokens": 64000,
            "input_cost_per_token": 3e-06,
            "output_cost_per_token": 1.5e-05,
            "cache_read_input_token_cost": 3e-07,
            "cache_creation_input_token_cost": 3.75e-06,
            "supports_reasoning": True,
            "supports_function_calling": True,
        },
        "gemini-x": {"mode": "chat", "litellm_provider": "vertex_ai-language-models"},
        "gemini/gemini-x": {"mode": "chat", "litellm_provider": "gemini", "max_tokens": "8192"},
        "codex-x": {"mode": "responses", "litellm_provider": "openai"},
        "openrouter/a/b": {
            "mode": "chat",
            "litellm_provider": "openrouter",
            "input_cost_per_token": 0,
            "output_cost_per_token": 0,
        },
        "ollama/llama": {"mode": "chat", "litellm_provider": "ollama"},
        "broken": "text",
        "embed": {"mode": "embedding", "litellm_provider": "openai"},
        "nobody": {"mode": "chat"},
    }
)


def test_the_real_file_is_read_and_knows_the_usual_providers() -> None:
    catalogue = Catalogue.load()
    assert {"anthropic", "openai", "gemini", "mistral", "vertex_ai"} <= set(catalogue.providers())
    models = catalogue.search("anthropic claude")
    assert models and all(model.provider and model.name.startswith(f"{model.provider}/") for model in models)
    assert models[0].provider == "anthropic" and models[0].context_window and models[0].input_price


@pytest.mark.parametrize("name", ["claude-x-1", "anthropic/claude-x-1"])
def test_a_model_is_found_by_its_full_and_its_bare_name(name: str) -> None:
    info = SMALL.get(name)
    assert info == ModelInfo(
        "anthropic/claude-x-1", "anthropic", 200000, 64000, 3e-06, 1.5e-05, 3e-07, 3.75e-06, True, True
    )


def test_names_of_other_providers_are_not_mixed_up() -> None:
    assert SMALL.get("openai/claude-x-1") is None
    bare, vertex, chat = SMALL.get("gemini-x"), SMALL.get("vertex_ai/gemini-x"), SMALL.get("ollama_chat/llama")
    assert bare and bare.name == "gemini/gemini-x" and bare.context_window is None
    assert vertex and vertex.name == "vertex_ai/gemini-x"
    assert chat and chat.name == "ollama/llama"
    assert SMALL.is_responses_only("openai/codex-x") and not SMALL.is_responses_only("claude-x-1")


def test_only_models_that_chat_are_listed() -> None:
    assert {model.name for model in SMALL.search("")} == {
        "anthropic/claude-x-1",
        "gemini/gemini-x",
        "vertex_ai/gemini-x",
        "openai/codex-x",
        "openrouter/a/b",
        "ollama/llama",
    }


def test_a_search_wants_all_words_in_any_order_and_case() -> None:
    assert [model.name for model in SMALL.search("X gemini")] == ["gemini/gemini-x", "vertex_ai/gemini-x"]
    assert SMALL.search("claude gemini") == []


def test_a_call_costs_what_its_tokens_cost_each_counted_once() -> None:
    info = SMALL.get("claude-x-1")
    usage = Usage(input_tokens=1000, output_tokens=100, cached_tokens=600, cache_write_tokens=200)
    assert call_cost(info, usage) == pytest.approx(200 * 3e-06 + 600 * 3e-07 + 200 * 3.75e-06 + 100 * 1.5e-05)


def test_an_unknown_price_is_not_zero() -> None:
    usage = Usage(10, 10)
    assert call_cost(None, usage) is None
    assert call_cost(SMALL.get("gemini/gemini-x"), usage) is None
    assert call_cost(SMALL.get("openrouter/a/b"), usage) is None


def test_the_nearest_names_are_offered_once_each() -> None:
    assert nearest("claud-x-1", SMALL.names()) == ["anthropic/claude-x-1"]
    assert nearest("qqqqqqq", SMALL.names()) == []
