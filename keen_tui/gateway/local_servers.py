"""Model servers on this machine, found by asking on their usual ports."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from keen_tui.security.untrusted import visible_line

if TYPE_CHECKING:
    import httpx

ServerKind = Literal["Ollama", "LM Studio", "llama.cpp", "vLLM"]
PROVIDERS: Mapping[ServerKind, str] = MappingProxyType(
    {"Ollama": "ollama", "LM Studio": "lm_studio", "llama.cpp": "llamafile", "vLLM": "hosted_vllm"}
)
"""litellm's provider name for each kind; `f"{provider}/{model}"` is a model's full name."""
TIMEOUT = 0.5
"""Seconds for each server; all are asked at once."""

_ANSWER_LIMIT = 2_000_000
_MOST_MODELS = 200


@dataclass(frozen=True, slots=True)
class LocalServer:
    kind: ServerKind
    base_url: str
    models: tuple[str, ...]

    @property
    def provider(self) -> str:
        return PROVIDERS[self.kind]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a kind of server usually listens. `base_url` is as `[providers.…] base_url` wants it."""

    kind: ServerKind
    base_url: str


USUAL_PLACES: tuple[Place, ...] = (
    Place("Ollama", "http://127.0.0.1:11434"),
    Place("LM Studio", "http://127.0.0.1:1234/v1"),
    Place("llama.cpp", "http://127.0.0.1:8080/v1"),
    Place("vLLM", "http://127.0.0.1:8000/v1"),
)


async def find_local_servers(
    environ: Mapping[str, str], places: Sequence[Place] = USUAL_PLACES, timeout: float = TIMEOUT
) -> list[LocalServer]:
    """The servers that answer with a list of models, in the order of `places`.

    `OLLAMA_HOST` moves Ollama. Anything else that listens there, slow or strange, is passed over.
    """
    import httpx

    moved = [_moved(place, environ) for place in places]
    limits = httpx.Timeout(timeout)
    async with httpx.AsyncClient(timeout=limits, trust_env=False, follow_redirects=False) as client:
        found = await asyncio.gather(*(_ask(client, place, timeout) for place in moved))
    return [server for server in found if server]


def ollama_address(environ: Mapping[str, str]) -> str | None:
    """The base URL in `OLLAMA_HOST`, which may lack scheme and port; None when it is not set."""
    host = environ.get("OLLAMA_HOST", "").strip().rstrip("/")
    if not host:
        return None
    scheme, _, rest = host.rpartition("://")
    rest = rest.replace("0.0.0.0", "127.0.0.1")
    if rest.startswith(":"):
        rest = f"127.0.0.1{rest}"
    name = rest.split("/", 1)[0].rpartition("]")[2]
    if ":" not in name and scheme in ("", "http"):
        rest = rest.replace(name, f"{name}:11434", 1) if name else f"{rest}:11434"
    return f"{scheme or 'http'}://{rest}"


def _moved(place: Place, environ: Mapping[str, str]) -> Place:
    if place.kind == "Ollama" and (address := ollama_address(environ)):
        return Place("Ollama", address)
    return place


async def _ask(client: httpx.AsyncClient, place: Place, timeout: float) -> LocalServer | None:
    import httpx

    url = f"{place.base_url}/api/tags" if place.kind == "Ollama" else f"{place.base_url}/models"
    try:
        async with asyncio.timeout(timeout):
            answer = await _json(client, url)
    except (httpx.HTTPError, httpx.InvalidURL, TimeoutError, OSError, ValueError, RecursionError):
        return None
    models = _models(answer, place.kind)
    return None if models is None else LocalServer(place.kind, place.base_url, models)


async def _json(client: httpx.AsyncClient, url: str) -> Any:
    import json

    async with client.stream("GET", url) as response:
        if response.status_code != 200:
            raise ValueError("no list of models")
        content = b""
        async for piece in response.aiter_bytes():
            content += piece
            if len(content) > _ANSWER_LIMIT:
                raise ValueError("too long for a list of models")
    return json.loads(content)


def _models(answer: Any, kind: ServerKind) -> tuple[str, ...] | None:
    """The names in a list of models; None when the answer is no such list."""
    field, name = ("models", "name") if kind == "Ollama" else ("data", "id")
    items = answer.get(field) if isinstance(answer, dict) else None
    if not isinstance(items, list):
        return None
    names = [item.get(name) for item in items if isinstance(item, dict)]
    return tuple(
        text
        for text in names[:_MOST_MODELS]
        if isinstance(text, str) and text and visible_line(text) == text and "embed" not in text.lower()
    )
