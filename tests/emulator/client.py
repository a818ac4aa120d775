"""A plain HTTP client for the emulator's own tests."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import aiohttp

from tests.emulator.replies import EmulatedWire
from tests.emulator.server import Emulator

WIRES: tuple[EmulatedWire, ...] = ("anthropic", "openai_responses", "openai_chat", "gemini", "ollama")


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: dict[str, str]
    raw: bytes

    @property
    def events(self) -> list[dict[str, Any]]:
        """The payloads of the stream, without the `[DONE]` of chat."""
        lines = self.raw.decode().replace("\r\n", "\n").split("\n")
        if self.headers["content-type"].startswith("application/x-ndjson"):
            return [json.loads(line) for line in lines if line]
        data = [line.removeprefix("data: ") for line in lines if line.startswith("data: ")]
        return [json.loads(line) for line in data if line != "[DONE]"]

    @property
    def error(self) -> str:
        """The message of an error body, whichever provider's."""
        error = json.loads(self.raw)["error"]
        return str(error if isinstance(error, str) else error["message"])


def address(emulator: Emulator, wire: EmulatedWire, model: str = "emulated-large") -> str:
    paths = {
        "anthropic": "/v1/messages",
        "openai_responses": "/responses",
        "openai_chat": "/chat/completions",
        "gemini": f"/models/{model}:streamGenerateContent?alt=sse",
        "ollama": "/api/chat",
    }
    return emulator.base(wire) + paths[wire]


def headers(wire: EmulatedWire, key: str = "a-key") -> dict[str, str]:
    match wire:
        case "anthropic":
            return {"x-api-key": key, "anthropic-version": "2023-06-01"}
        case "gemini":
            return {"x-goog-api-key": key}
        case _:
            return {"authorization": f"Bearer {key}"}


class Client:
    def __init__(self, emulator: Emulator, session: aiohttp.ClientSession) -> None:
        self._emulator = emulator
        self.session = session

    async def send(self, wire: EmulatedWire, body: Any, *, key: str = "a-key", model: str = "emulated-large") -> Answer:
        """Post and read to the end. Raises aiohttp's errors when the connection breaks."""
        url = address(self._emulator, wire, model)
        async with self.session.post(url, json=body, headers=headers(wire, key)) as response:
            lowered = {name.lower(): value for name, value in response.headers.items()}
            return Answer(response.status, lowered, await response.read())
