"""What a wire format is for the engine."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol

from keen_tui.domain.exchange import (
    Conversation,
    ModelProfile,
    NativeMessage,
    Reply,
    StreamItem,
    ToolResult,
    Wire,
)


class Decoder(Protocol):
    """Reads the payloads of one stream."""

    def feed(self, payload: Mapping[str, Any]) -> Sequence[StreamItem]:
        """What this payload adds. Raises GatewayError for an error event in the stream."""

    def finish(self) -> Reply:
        """The whole reply. Raises GatewayError("connection_lost") when the terminal event never came."""

    def partial(self) -> Reply:
        """What can be kept of a stream that broke: whole blocks, half calls dropped; never raises."""


class Translator(Protocol):
    """Pure: no I/O, no clock, no randomness. Equal input gives equal bytes."""

    wire: Wire

    def body(self, conversation: Conversation, profile: ModelProfile) -> dict[str, Any]:
        """The provider's request body, keys in an order that lets each request extend the one before."""

    def results(self, results: Sequence[ToolResult], note: str = "") -> list[NativeMessage]:
        """Native messages for the results of one reply, in the order of its calls.

        `note` is text of the person (an interjection) that goes along where the format wants it.
        """

    def decoder(self, taken: Collection[str] = ()) -> Decoder:
        """A reader for one new stream. `taken` are the call ids that this turn already uses."""
