"""From a model's name to its provider, wire format and profile."""

from __future__ import annotations

from typing import Any

import pytest

from keen_tui.config.settings import Settings
from keen_tui.domain.errors import KeenError
from keen_tui.gateway.catalogue import Catalogue
from keen_tui.gateway.resolve import OUTPUT_CAP, resolve_model


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return Catalogue.load()


def settings(**fields: Any) -> Settings:
    return Settings.model_validate(fields)


@pytest.mark.parametrize(
    ("name", "full", "wire"),
    [
        ("anthropic/claude-sonnet-4-5", "anthropic/claude-sonnet-4-5", "anthropic"),
        ("claude-sonnet-4-5", "anthropic/claude-sonnet-4-5", "anthropic"),
        ("anthropic/claude-of-next-year", "anthropic/claude-of-next-year", "anthropic"),
        ("gpt-5.1", "openai/gpt-5.1", "openai_responses"),
        ("openai/o3", "openai/o3", "openai_responses"),
        ("openai/gpt-5.1-codex", "openai/gpt-5.1-codex", "openai_responses"),
        ("openai/gpt-77", "openai/gpt-77", "openai_responses"),
        ("openai/gpt-4o", "openai/gpt-4o", "openai_chat"),
        ("gemini-2.5-pro", "gemini/gemini-2.5-pro", "gemini"),
        ("gemini/gemini-of-next-year", "gemini/gemini-of-next-year", "gemini"),
        ("ollama/any:7b", "ollama/any:7b", "ollama"),
        ("ollama_chat/any", "ollama_chat/any", "ollama"),
        ("lm_studio/some/thing", "lm_studio/some/thing", "openai_chat"),
        ("hosted_vllm/some/thing", "hosted_vllm/some/thing", "openai_chat"),
        ("litellm_proxy/team-model", "litellm_proxy/team-model", "openai_chat"),
        ("openrouter/anthropic/claude-x", "openrouter/anthropic/claude-x", "openai_chat"),
        ("deepseek/deepseek-chat", "deepseek/deepseek-chat", "openai_chat"),
        ("bedrock/anthropic.claude-x", "bedrock/anthropic.claude-x", "litellm"),
        ("vertex_ai/gemini-2.5-pro", "vertex_ai/gemini-2.5-pro", "litellm"),
        ("azure/my-deployment", "azure/my-deployment", "litellm"),
        ("demo", "demo", "openai_chat"),
    ],
)
def test_a_name_leads_to_its_wire_format(name: str, full: str, wire: str, catalogue: Catalogue) -> None:
    found = resolve_model(name, settings(), catalogue)
    assert (found.name, found.wire) == (full, wire)
    assert found.profile.wire == wire
    assert found.profile.name == found.model == (full.split("/", 1)[1] if "/" in full else full)


@pytest.mark.parametrize("name", ["nonsense", "foo/bar", "anthropic/sonet", "openai/", "", "gemini/x\ny", "a" * 5_000])
def test_a_name_nobody_knows_is_refused_with_a_sentence(name: str, catalogue: Catalogue) -> None:
    with pytest.raises(KeenError, match="Nobody knows") as refused:
        resolve_model(name, settings(), catalogue)
    assert "demo" in refused.value.hint and len(refused.value.message) < 400


def test_a_mistyped_name_is_answered_with_the_nearest(catalogue: Catalogue) -> None:
    with pytest.raises(KeenError, match="anthropic/claude-sonnet-4-5"):
        resolve_model("claud-sonnet-4-5", settings(), catalogue)


def test_openai_models_behind_another_address_speak_chat(catalogue: Catalogue) -> None:
    elsewhere = settings(providers={"openai": {"base_url": "http://127.0.0.1:8080/v1"}})
    found = resolve_model("openai/gpt-5.1", elsewhere, catalogue)
    assert (found.wire, found.base_url) == ("openai_chat", "http://127.0.0.1:8080/v1")
    assert resolve_model("openai/anything-at-all", elsewhere, catalogue).wire == "openai_chat"
    at_home = settings(providers={"openai": {"base_url": "https://api.openai.com/v1"}})
    assert resolve_model("openai/gpt-5.1", at_home, catalogue).wire == "openai_responses"


def test_a_provider_of_the_persons_own_needs_only_an_address(catalogue: Catalogue) -> None:
    own = settings(providers={"team": {"base_url": "http://127.0.0.1:9000/v1"}})
    found = resolve_model("team/model", own, catalogue)
    assert (found.provider, found.wire, found.base_url) == ("team", "openai_chat", "http://127.0.0.1:9000/v1")


def test_the_settings_override_what_the_catalogue_says(catalogue: Catalogue) -> None:
    own = settings(
        models={
            "anthropic/claude-sonnet-4-5": {
                "wire": "litellm",
                "context_window": 50_000,
                "max_output_tokens": 1_234,
                "thinking": "high",
                "replay": "note",
            }
        }
    )
    for name in ("anthropic/claude-sonnet-4-5", "claude-sonnet-4-5"):
        found = resolve_model(name, own, catalogue)
        profile = found.profile
        assert found.wire == profile.wire == "litellm"
        assert (profile.context_window, profile.max_output_tokens) == (50_000, 1_234)
        assert (profile.thinking, profile.replay) == ("high", "note")


def test_a_model_named_in_the_settings_is_never_unknown(catalogue: Catalogue) -> None:
    own = settings(models={"anthropic/sonet": {"context_window": 10_000}})
    assert resolve_model("anthropic/sonet", own, catalogue).wire == "anthropic"


def test_output_is_capped_and_leaves_room_for_input(catalogue: Catalogue) -> None:
    assert resolve_model("claude-sonnet-4-5", settings(), catalogue).profile.max_output_tokens == OUTPUT_CAP
    small = settings(models={"lm_studio/x": {"context_window": 8_192}})
    assert resolve_model("lm_studio/x", small, catalogue).profile.max_output_tokens == 2_048


def test_claude_models_with_adaptive_thinking_take_a_level(catalogue: Catalogue) -> None:
    adaptive = resolve_model("anthropic/claude-opus-4-6", settings(), catalogue)
    older = resolve_model("anthropic/claude-sonnet-4-5", settings(), catalogue)
    assert (adaptive.profile.thinking_form, older.profile.thinking_form) == ("level", "budget")


def test_openais_own_host_has_its_own_name_for_the_output_limit(catalogue: Catalogue) -> None:
    own = resolve_model("openai/gpt-4o", settings(), catalogue)
    copied = resolve_model(
        "openai/gpt-4o", settings(providers={"openai": {"base_url": "http://127.0.0.1:9/v1"}}), catalogue
    )
    assert own.profile.output_limit_key == "max_completion_tokens"
    assert copied.profile.output_limit_key == "max_tokens"
