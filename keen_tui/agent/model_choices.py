"""The models a person can choose from: what works here first, the whole catalogue behind it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from keen_tui.agent.shared import Shared
from keen_tui.config.credentials import KEY_VARIABLES, providers_with_keys
from keen_tui.domain.errors import KeenError
from keen_tui.gateway.calls import ModelInfo
from keen_tui.gateway.local_servers import LocalServer, find_local_servers

ChoiceGroup = Literal["demo", "key found", "local", "catalogue"]


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """One model of the picker. `usable` is False when a key is missing; `detail` then says which."""

    name: str
    title: str
    detail: str
    group: ChoiceGroup
    usable: bool


DEMO_CHOICE = ModelChoice("demo", "demo", "built in, offline, no key: try everything", "demo", True)


async def model_choices(shared: Shared) -> list[ModelChoice]:
    """The demo model, local servers that answer, models with a key, then the rest of the catalogue."""
    servers = await find_local_servers(shared.environ)
    try:
        keys = providers_with_keys(shared.home, shared.environ, shared.settings.providers)
    except KeenError:
        keys = {}
    found, rest = _of_settings(shared), []
    for info in shared.catalogue.search(""):
        where = keys.get(info.provider)
        if where:
            found.append(ModelChoice(info.name, info.name, f"{_size(info)}key: {where}", "key found", True))
        else:
            rest.append(ModelChoice(info.name, info.name, f"{_size(info)}{_needs(info)}", "catalogue", False))
    return [DEMO_CHOICE, *_local(servers), *found, *rest]


def _of_settings(shared: Shared) -> list[ModelChoice]:
    """Models that the settings describe and the catalogue does not know."""
    return [
        ModelChoice(name, name, "your settings", "key found", True)
        for name in shared.settings.models
        if shared.catalogue.get(name) is None
    ]


def _local(servers: Iterable[LocalServer]) -> list[ModelChoice]:
    return [
        ModelChoice(f"{_PREFIXES[server.kind]}/{model}", model, f"{server.kind} at {server.base_url}", "local", True)
        for server in servers
        for model in server.models
    ]


_PREFIXES = {"Ollama": "ollama", "LM Studio": "lm_studio", "llama.cpp": "llamafile", "vLLM": "hosted_vllm"}


def _size(info: ModelInfo) -> str:
    return f"{info.context_window // 1000:,}k window, " if info.context_window else ""


def _needs(info: ModelInfo) -> str:
    variables = KEY_VARIABLES.get(info.provider)
    return f"needs {variables[0]}" if variables else f"needs {info.provider} set up"
