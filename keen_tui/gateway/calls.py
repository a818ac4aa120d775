"""What a model call is, for the worker and the demo model alike."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from keen_tui.domain.exchange import Wire


@dataclass(frozen=True, slots=True)
class Timeouts:
    """In seconds. `stall` is the longest silence between two pieces of a stream."""

    connect: float = 10.0
    first_byte: float = 120.0
    stall: float = 60.0


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One request. `body` is the provider's own request body, written to the wire as it is.

    `provider` is litellm's provider name, `model` the name without it. `base_url`, `api_key` are
    None where the provider's default applies. The key is never logged or repeated in an error.
    """

    wire: Wire
    provider: str
    model: str
    body: Mapping[str, Any]
    base_url: str | None = None
    api_key: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    timeouts: Timeouts = Timeouts()


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What the catalogue knows of a model. Prices in USD a token; None when unknown."""

    name: str
    provider: str
    context_window: int | None = None
    max_output_tokens: int | None = None
    input_price: float | None = None
    output_price: float | None = None
    cached_price: float | None = None
    cache_write_price: float | None = None
    reasoning: bool = False
    tools: bool = True
    adaptive_thinking: bool = False


class Gateway(Protocol):
    """The way to the models."""

    def stream(self, call: ModelCall) -> AsyncIterator[Mapping[str, Any]]:
        """The payloads of the provider's stream, decoded from JSON, in order.

        Closing the iterator (or cancelling its task) closes the connection at once. Raises
        GatewayError. The translator's decoder checks in-stream errors and the terminal event.
        """

    async def count(self, model: str, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, by litellm's counter."""

    async def start(self) -> None:
        """Begin to load what is slow to load. Returns at once."""

    async def close(self) -> None:
        """End everything that was started."""
