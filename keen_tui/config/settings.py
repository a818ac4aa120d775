"""The settings, as frozen models of the configuration file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from keen_tui.domain.events import Mode
from keen_tui.domain.exchange import Replay, Thinking, Wire

DEFAULT_THEME = "keen-dark"
MODES: tuple[Mode, ...] = ("plan", "ask", "accept-edits", "yolo")
"""From the narrowest to the widest."""


def _named(text: str) -> str:
    if not text.strip() or not text.isprintable():
        raise ValueError("a name without control characters, not empty")
    return text


def _base_url(text: str) -> str:
    try:
        parts = urlsplit(text)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        valid = False
    if not valid or re.search(r"[\s\x00-\x1f\x7f]", text):
        raise ValueError("an address that begins with http:// or https://")
    return text.rstrip("/")


def _variable(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", text):
        raise ValueError("the name of an environment variable, such as TEAM_KEY")
    return text


def _headers(headers: Mapping[str, str]) -> Mapping[str, str]:
    for name, value in headers.items():
        if not re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", name):
            raise ValueError("header names of letters, digits and hyphens")
        if not value.isprintable():
            raise ValueError("header values on one line, without control characters")
    return headers


Name = Annotated[str, AfterValidator(_named)]
Seconds = Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)]
Headers = Annotated[Mapping[str, str], AfterValidator(_headers)]


class Section(BaseModel):
    """One table of the configuration. Values must have the exact type; unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class ProviderSettings(Section):
    """`[providers.NAME]`, NAME being litellm's provider name."""

    base_url: Annotated[str, AfterValidator(_base_url)] | None = None
    api_key_env: Annotated[str, AfterValidator(_variable)] | None = None
    api_key_command: Name | None = None
    headers: Headers = Field(default_factory=dict)


class ModelSettings(Section):
    """`[models."NAME"]`. None leaves the choice to what Keen knows of the model. Sizes in tokens."""

    wire: Wire | None = None
    replay: Replay = "empty"
    context_window: Annotated[int, Field(ge=1_024, le=100_000_000)] | None = None
    max_output_tokens: Annotated[int, Field(ge=1, le=10_000_000)] | None = None
    thinking: Thinking | None = None


class LimitSettings(Section):
    """`iterations` are model calls in one turn, `task_cost` is in USD, `bash_timeout` in seconds.

    `brief_reminders`: tell the agent at the end of its work when the Mission Brief was left behind.
    """

    iterations: Annotated[int, Field(ge=1, le=100_000)] = 200
    task_cost: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 20.0
    bash_timeout: Seconds = 300.0
    brief_reminders: bool = True


class NetworkSettings(Section):
    """Timeouts in seconds. `allow_private_addresses` is for `web_fetch`."""

    connect_timeout: Seconds = 10.0
    first_byte_timeout: Seconds = 120.0
    stall_timeout: Seconds = 60.0
    retries: Annotated[int, Field(ge=0, le=100)] = 5
    allow_private_addresses: bool = False


class UiSettings(Section):
    """`[ui]`. `frame_diff` writes only what changed on the screen; false leaves all writing to Textual.

    `low_bandwidth = "auto"` is "on" where the line to the terminal takes over 150 ms there and back.
    """

    low_bandwidth: Literal["auto", "on", "off"] = "auto"
    mouse: bool = True
    frame_diff: bool = True


class Settings(Section):
    """All settings. `model` is a litellm model name or "demo"; None means that nothing was chosen."""

    model: Name | None = None
    mode: Mode = "ask"
    theme: Name = DEFAULT_THEME
    providers: Mapping[str, ProviderSettings] = Field(default_factory=dict)
    models: Mapping[str, ModelSettings] = Field(default_factory=dict)
    limits: LimitSettings = Field(default_factory=LimitSettings)
    network: NetworkSettings = Field(default_factory=NetworkSettings)
    ui: UiSettings = Field(default_factory=UiSettings)
    keys: Mapping[str, str] = Field(default_factory=dict)
