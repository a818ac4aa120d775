"""From the name of a model to its provider, wire format and profile."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from keen_tui.config.settings import ModelSettings, ProviderSettings, Settings
from keen_tui.domain.errors import KeenError
from keen_tui.domain.exchange import ModelProfile, Wire
from keen_tui.gateway.calls import ModelInfo
from keen_tui.gateway.catalogue import Catalogue, nearest
from keen_tui.gateway.routes import COMPATIBLE_BASES, LOCAL_PROVIDERS

DEMO = "demo"
OUTPUT_CAP = 32_000
"""The most output tokens asked for unless the settings say otherwise. Reasoning counts among them."""
OUTPUT_UNKNOWN = 8_192

_OPENAI_HOST = "api.openai.com"
_FAMILIES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("anthropic", re.compile(r"claude-[a-z0-9]")),
    ("openai", re.compile(r"(gpt-\d|o\d|chatgpt-|codex-|ft:)")),
    ("gemini", re.compile(r"(gemini|gemma)-[a-z0-9]")),
)
"""How the model names of the providers that name none but their own look."""
_RESPONSES_FAMILY = re.compile(r"gpt-([5-9]|\d\d)|o\d|codex-")
_OTHER_PROVIDERS = frozenset(
    {
        "azure",
        "azure_ai",
        "bedrock",
        "clarifai",
        "cohere",
        "cohere_chat",
        "custom_openai",
        "databricks",
        "gigachat",
        "github",
        "github_copilot",
        "huggingface",
        "nlp_cloud",
        "oobabooga",
        "openai_like",
        "petals",
        "predibase",
        "replicate",
        "sagemaker",
        "sagemaker_chat",
        "snowflake",
        "triton",
        "vertex_ai",
        "vertex_ai_beta",
        "vllm",
        "watsonx",
        "watsonx_text",
        "xinference",
    }
)


@dataclass(frozen=True, slots=True)
class ResolvedModel:
    """`name` is the full `provider/model`; `model` is what goes on the wire."""

    name: str
    provider: str
    model: str
    wire: Wire
    profile: ModelProfile
    info: ModelInfo | None = None
    base_url: str | None = None


def resolve_model(name: str, settings: Settings, catalogue: Catalogue) -> ResolvedModel:
    """Find out how to reach a model.

    The prefix names the provider; a bare name is looked up. The wire format follows from the provider,
    `[models."…"] wire` overrides it. OpenAI's reasoning models use `openai_responses`, but only at OpenAI
    itself: servers behind a base URL seldom speak it, so there the default is `openai_chat`.
    Raises KeenError, with the nearest names, for a name that nobody knows.
    """
    name = name.strip()
    if name == DEMO:
        return ResolvedModel(
            DEMO, DEMO, DEMO, "openai_chat", ModelProfile(DEMO, "openai_chat", OUTPUT_UNKNOWN, 128_000)
        )
    own = settings.models.get(name)
    provider, model = _split(name, own is not None, settings, catalogue)
    full = f"{provider}/{model}"
    own = own or settings.models.get(full) or ModelSettings()
    at = settings.providers.get(provider, ProviderSettings())
    info = catalogue.get(full)
    wire = own.wire or _wire(provider, model, at.base_url, info, catalogue)
    profile = _profile(model, wire, own, info)
    if provider == "openai" and _at_openai(at.base_url):
        profile = replace(profile, output_limit_key="max_completion_tokens")
    return ResolvedModel(full, provider, model, wire, profile, info, at.base_url)


def _split(name: str, configured: bool, settings: Settings, catalogue: Catalogue) -> tuple[str, str]:
    provider, slash, model = name.partition("/")
    if not slash:
        found = _provider_of_bare(name, catalogue)
        if found is None:
            raise _unknown(name, catalogue)
        return found, name
    if not model.strip() or model != model.strip() or not model.isprintable():
        raise _unknown(name, catalogue)
    if not (
        _known_provider(provider, settings, catalogue)
        and (configured or _plausible(provider, model, settings, catalogue))
    ):
        raise _unknown(name, catalogue)
    return provider, model


def _provider_of_bare(name: str, catalogue: Catalogue) -> str | None:
    if info := catalogue.get(name):
        return info.provider
    return next((provider for provider, shape in _FAMILIES if shape.match(name)), None)


def _known_provider(provider: str, settings: Settings, catalogue: Catalogue) -> bool:
    return (
        provider in COMPATIBLE_BASES
        or provider in LOCAL_PROVIDERS
        or provider in _OTHER_PROVIDERS
        or provider in settings.providers
        or provider in catalogue.providers()
    )


def _plausible(provider: str, model: str, settings: Settings, catalogue: Catalogue) -> bool:
    """Providers get new models every month, so a name need only look like one of theirs."""
    shape = dict(_FAMILIES).get(provider)
    at = settings.providers.get(provider)
    if shape is None or (at and at.base_url) or catalogue.get(f"{provider}/{model}"):
        return True
    return shape.match(model) is not None


def _wire(provider: str, model: str, base_url: str | None, info: ModelInfo | None, catalogue: Catalogue) -> Wire:
    if provider == "anthropic" or provider == "gemini":
        return "anthropic" if provider == "anthropic" else "gemini"
    if provider in ("ollama", "ollama_chat"):
        return "ollama"
    if provider == "openai":
        reasons = info.reasoning if info else _RESPONSES_FAMILY.match(model) is not None
        reasons = reasons or catalogue.is_responses_only(f"{provider}/{model}")
        return "openai_responses" if _at_openai(base_url) and reasons else "openai_chat"
    if provider in COMPATIBLE_BASES or provider in ("openai_like", "custom_openai"):
        return "openai_chat"
    # A name of the user's own with an address: such servers speak the format everybody copies.
    known = provider in _OTHER_PROVIDERS or provider in catalogue.providers()
    return "openai_chat" if base_url and not known else "litellm"


def _at_openai(base_url: str | None) -> bool:
    return base_url is None or urlsplit(base_url).hostname == _OPENAI_HOST


def _profile(model: str, wire: Wire, own: ModelSettings, info: ModelInfo | None) -> ModelProfile:
    # Ollama serves what it is told to; the catalogue's sizes for its models are those of years ago.
    known = info.context_window if info and wire != "ollama" else None
    window = own.context_window or known
    output = min((info.max_output_tokens if info else None) or OUTPUT_UNKNOWN, OUTPUT_CAP)
    if window:
        output = max(1, min(output, window // 4))
    return ModelProfile(
        name=model,
        wire=wire,
        max_output_tokens=own.max_output_tokens or output,
        context_window=window,
        thinking=own.thinking or "off",
        replay=own.replay,
        thinking_form="level" if wire == "anthropic" and info and info.adaptive_thinking else "budget",
    )


def _unknown(name: str, catalogue: Catalogue) -> KeenError:
    shown = name if len(name) <= 80 else name[:79] + "…"
    close = nearest(name, catalogue.names()) if len(name) <= 200 else []
    like = f" The nearest names are {', '.join(close)}." if close else ""
    return KeenError(
        f"Nobody knows a model named “{shown}”.{like}",
        "Choose one with /model, write it as provider/model, or use `demo`, which needs no key.",
    )
