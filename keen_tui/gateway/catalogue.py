"""The models that litellm knows, read from the file in its package without importing it."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from keen_tui.domain.errors import KeenError
from keen_tui.domain.exchange import Usage
from keen_tui.gateway.calls import ModelInfo

_FILE = "model_prices_and_context_window_backup.json"
_MODES = ("chat", "responses")
_FIRST = ("anthropic", "openai", "gemini", "ollama", "mistral", "deepseek", "xai", "groq", "openrouter")
_UNPRICED = ("openrouter",)


class Catalogue:
    """Chat models by name. A name is litellm's: `provider/model`, or the bare name some providers have."""

    def __init__(self, entries: Mapping[str, Any]) -> None:
        self._entries = {name: entry for name, entry in entries.items() if _is_chat(entry)}
        self._searchable: list[tuple[str, str]] | None = None

    @classmethod
    def load(cls) -> Catalogue:
        """Read litellm's file: some 20 ms, no network. Raises KeenError when it is missing or broken."""
        path = catalogue_file()
        try:
            entries = json.loads(path.read_bytes())
        except (OSError, ValueError) as error:
            raise KeenError(
                f"The list of models could not be read: {error}",
                "Install Keen again; `keen doctor` checks it.",
            ) from None
        return cls(entries if isinstance(entries, dict) else {})

    def get(self, name: str) -> ModelInfo | None:
        """What is known of a model, by full or bare name."""
        key = self._key(name)
        return None if key is None else _info(key, self._entries[key])

    def is_responses_only(self, name: str) -> bool:
        """Whether the model is served by the Responses endpoint alone."""
        key = self._key(name)
        return key is not None and self._entries[key].get("mode") == "responses"

    def search(self, words: str) -> list[ModelInfo]:
        """Models whose full name holds all the words, in any case; the usual providers first."""
        wanted = words.lower().split()
        found = [key for name, key in self._ranked() if all(word in name for word in wanted)]
        return [_info(key, self._entries[key]) for key in dict.fromkeys(found)]

    def providers(self) -> list[str]:
        """litellm's names of all providers with a chat model, sorted."""
        return sorted({provider_of(entry) for entry in self._entries.values()})

    def names(self) -> list[str]:
        """All full names, the usual providers first."""
        return [full_name(key, self._entries[key]) for _, key in self._ranked()]

    def _ranked(self) -> list[tuple[str, str]]:
        if self._searchable is None:
            self._searchable = sorted(
                ((full_name(key, entry).lower(), key) for key, entry in self._entries.items()), key=_rank
            )
        return self._searchable

    def _key(self, name: str) -> str | None:
        entries = self._entries
        if name in entries:
            # Google's own service is meant by a bare Gemini name, not Vertex.
            return f"gemini/{name}" if "/" not in name and f"gemini/{name}" in entries else name
        if "/" not in name:
            return f"gemini/{name}" if f"gemini/{name}" in entries else None
        provider, model = name.split("/", 1)
        if provider == "ollama_chat":
            provider = "ollama"
        for key in (f"{provider}/{model}", model):
            if key in entries and provider_of(entries[key]) == provider:
                return key
        return None


def catalogue_file() -> Path:
    """Where litellm keeps its list. Raises KeenError when litellm is not installed."""
    spec = importlib.util.find_spec("litellm")
    places = spec.submodule_search_locations if spec else None
    if not places:
        raise KeenError("litellm is not installed.", "Install Keen again: it brings litellm along.")
    return Path(next(iter(places))) / _FILE


def call_cost(info: ModelInfo | None, usage: Usage) -> float | None:
    """The price of one call in USD, or None when the model's prices are not known."""
    if info is None or info.input_price is None or info.output_price is None:
        return None
    cached = min(usage.cached_tokens, usage.input_tokens)
    written = min(usage.cache_write_tokens, usage.input_tokens - cached)
    return (
        (usage.input_tokens - cached - written) * info.input_price
        + cached * _or(info.cached_price, info.input_price)
        + written * _or(info.cache_write_price, info.input_price)
        + usage.output_tokens * info.output_price
    )


def provider_of(entry: Mapping[str, Any]) -> str:
    """litellm's provider name, as it stands before the slash of a model name."""
    name = str(entry["litellm_provider"])
    if name.startswith("vertex_ai-"):
        return "vertex_ai"
    return {"bedrock_converse": "bedrock", "azure_text": "azure"}.get(name, name)


def full_name(key: str, entry: Mapping[str, Any]) -> str:
    provider = provider_of(entry)
    return key if key.startswith(f"{provider}/") else f"{provider}/{key}"


def _is_chat(entry: Any) -> bool:
    return isinstance(entry, dict) and entry.get("mode") in _MODES and isinstance(entry.get("litellm_provider"), str)


def _info(key: str, entry: Mapping[str, Any]) -> ModelInfo:
    provider = provider_of(entry)
    priced = not (provider in _UNPRICED and not entry.get("input_cost_per_token") and ":free" not in key)
    return ModelInfo(
        name=full_name(key, entry),
        provider=provider,
        context_window=_whole(entry, "max_input_tokens", "max_tokens"),
        max_output_tokens=_whole(entry, "max_output_tokens", "max_tokens"),
        input_price=_price(entry, "input_cost_per_token") if priced else None,
        output_price=_price(entry, "output_cost_per_token") if priced else None,
        cached_price=_price(entry, "cache_read_input_token_cost") if priced else None,
        cache_write_price=_price(entry, "cache_creation_input_token_cost") if priced else None,
        reasoning=entry.get("supports_reasoning") is True,
        tools=entry.get("supports_function_calling") is True,
        adaptive_thinking=entry.get("supports_adaptive_thinking") is True,
    )


def _whole(entry: Mapping[str, Any], *fields: str) -> int | None:
    for field in fields:
        value = entry.get(field)
        if isinstance(value, int | float) and not isinstance(value, bool) and value >= 1:
            return int(value)
    return None


def _price(entry: Mapping[str, Any], field: str) -> float | None:
    value = entry.get(field)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _or(price: float | None, otherwise: float) -> float:
    return otherwise if price is None else price


def _rank(item: tuple[str, str]) -> tuple[int, int, str]:
    name = item[0]
    provider = name.split("/", 1)[0]
    return (_FIRST.index(provider) if provider in _FIRST else len(_FIRST), name.count("/"), name)


def nearest(name: str, names: Sequence[str], limit: int = 3) -> list[str]:
    """The names most like the given one, full or bare, best first."""
    import difflib

    by_bare: dict[str, str] = {}
    for full in names:
        by_bare.setdefault(full.lower(), full)
        by_bare.setdefault(full.rsplit("/", 1)[-1].lower(), full)
    close = difflib.get_close_matches(name.lower(), by_bare, n=4 * limit, cutoff=0.6)
    return list(dict.fromkeys(by_bare[match] for match in close))[:limit]
