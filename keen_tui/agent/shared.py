"""What all open tasks of one process share."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from keen_tui.config.paths import KeenHome
from keen_tui.config.settings import Settings
from keen_tui.gateway.calls import Gateway
from keen_tui.gateway.catalogue import Catalogue
from keen_tui.gateway.resolve import ResolvedModel, resolve_model
from keen_tui.store.database import Store

Sleep = Callable[[float], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Shared:
    """`cwd` is where Keen was started, inside `workspace`. `environ` is the environment at the start.

    `sleep` waits between retries.
    """

    home: KeenHome
    workspace: Path
    cwd: Path
    settings: Settings
    environ: Mapping[str, str]
    store: Store
    gateway: Gateway
    catalogue: Catalogue
    sleep: Sleep = asyncio.sleep

    def resolve(self, model: str) -> ResolvedModel:
        """Raises KeenError for a model nobody knows."""
        return resolve_model(model, self.settings, self.catalogue)
