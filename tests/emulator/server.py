"""The emulator: model providers on 127.0.0.1."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from tests.emulator.frames import Setting, Tokens, argument_text
from tests.emulator.identity import Issued, Mint
from tests.emulator.playing import Dropped, play, said_by
from tests.emulator.refusals import Refusal, context_refusal, error_json, sentence
from tests.emulator.replies import STATUS_FAULTS, EmulatedWire, Fault, Recorded, Reply, Say
from tests.emulator.strict import CHECKS

BAD_KEY = "bad-key"
FORBIDDEN_KEY = "forbidden-key"
NO_SUCH_MODEL = "no-such-model"
DONE = Say("Done.")
_BYTES_A_TOKEN = 4


class Emulator:
    """Model providers on a free loopback port, for `async with`.

    Replies are used up in order, one for each accepted request; when they are used up, `default`
    answers. `context_tokens` is the window (a token is 4 bytes here), `max_bytes` the largest request.
    With `strict` off, any JSON object is accepted.
    """

    def __init__(
        self,
        *replies: Reply,
        default: Reply = DONE,
        strict: bool = True,
        port: int = 0,
        models: Sequence[str] = ("emulated-large", "emulated-small"),
        context_tokens: int | None = None,
        max_bytes: int = 32 * 1024 * 1024,
    ) -> None:
        self.requests: list[Recorded] = []
        self.url = ""
        self.default = default
        self.context_tokens = context_tokens
        self.max_bytes = max_bytes
        self._replies: deque[Reply] = deque(replies)
        self._strict = strict
        self._port = port
        self._models = tuple(models)
        self._mint = Mint()
        self._issued = Issued()
        self._arrived = asyncio.Condition()
        self._taken = 0
        self._before: dict[EmulatedWire, bytes] = {}
        self._runner: web.AppRunner | None = None

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=1 << 30)
        app.router.add_post("/v1/messages", self._endpoint("anthropic"))
        app.router.add_post("/v1/responses", self._endpoint("openai_responses"))
        app.router.add_post("/v1/chat/completions", self._endpoint("openai_chat"))
        app.router.add_post("/chat/completions", self._endpoint("openai_chat"))
        app.router.add_post("/v1beta/models/{name:.+}:streamGenerateContent", self._endpoint("gemini"))
        app.router.add_post("/api/chat", self._endpoint("ollama"))
        app.router.add_post("/api/show", self._show)
        app.router.add_get("/api/tags", self._tags)
        app.router.add_get("/v1/models", self._list)
        app.router.add_get("/v1beta/models", self._list_gemini)
        self._runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.2, access_log=None)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port)
        await site.start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    def base(self, wire: str) -> str:
        """The base URL to configure for a wire format."""
        if wire in ("openai_chat", "openai_responses", "litellm"):
            return f"{self.url}/v1"
        return f"{self.url}/v1beta" if wire == "gemini" else self.url

    def script(self, *replies: Reply) -> None:
        """Add replies behind the ones that are still waiting."""
        self._replies.extend(replies)

    @property
    def unused(self) -> int:
        """How many scripted replies were not asked for yet."""
        return len(self._replies)

    @property
    def accepted(self) -> list[Recorded]:
        return [request for request in self.requests if not request.refused]

    @property
    def refusals(self) -> list[str]:
        """The messages of all refused requests, in order."""
        return [request.refused for request in self.requests if request.refused]

    async def next_request(self, timeout: float = 60.0) -> Recorded:
        """The next request that this method has not given out yet, refused or not. Waits for it."""
        position = self._taken
        await self.wait_for(position + 1, timeout)
        self._taken = position + 1
        return self.requests[position]

    async def wait_for(self, count: int, timeout: float = 60.0) -> list[Recorded]:
        """All requests, as soon as there are `count`. Raises TimeoutError."""
        async with asyncio.timeout(timeout), self._arrived:
            await self._arrived.wait_for(lambda: len(self.requests) >= count)
        return self.requests

    def _endpoint(self, wire: EmulatedWire) -> Any:
        async def handle(request: web.Request) -> web.StreamResponse:
            recorded, refusal = await self._record(wire, request)
            try:
                if refusal is not None:
                    return self._error(recorded, refusal)
                return await self._answer(request, recorded)
            except (asyncio.CancelledError, ConnectionResetError):
                recorded.disconnected.set()
                raise

        return handle

    async def _record(self, wire: EmulatedWire, request: web.Request) -> tuple[Recorded, Refusal | None]:
        raw = await request.read()
        recorded = Recorded(
            wire=wire,
            path=request.path_qs,
            headers={name.lower(): value for name, value in request.headers.items()},
            raw=raw,
            body={},
            time=asyncio.get_running_loop().time(),
        )
        refusal = None
        try:
            self._admit(recorded, request)
        except Refusal as error:
            refusal = error
            recorded.refused, recorded.status = error.message, error.status
        async with self._arrived:
            self.requests.append(recorded)
            self._arrived.notify_all()
        return recorded, refusal

    def _admit(self, recorded: Recorded, request: web.Request) -> None:
        """Raises Refusal for what the provider would not take."""
        wire, raw = recorded.wire, recorded.raw
        try:
            body = json.loads(raw)
        except ValueError:
            body = None
        if isinstance(body, dict):
            recorded.body = body
            recorded.model = request.match_info.get("name") or str(body.get("model", ""))
        self._check_key(recorded, request.query.get("key", ""))
        if len(raw) > self.max_bytes:
            raise Refusal(sentence(413), 413)
        if not isinstance(body, dict):
            raise Refusal("We could not parse the JSON body of your request: an object is expected.")
        if wire == "gemini" and request.query.get("alt") != "sse":
            raise Refusal("This endpoint streams server-sent events only: add ?alt=sse.")
        if wire == "anthropic" and "anthropic-version" not in recorded.headers:
            raise Refusal("anthropic-version: header is required")
        if recorded.model.rpartition("/")[2] == NO_SUCH_MODEL:
            raise Refusal(f"The model `{recorded.model}` does not exist or you do not have access to it.", 404)
        tokens = len(raw) // _BYTES_A_TOKEN
        if self.context_tokens is not None and tokens > self.context_tokens:
            raise context_refusal(wire, tokens, self.context_tokens)
        if self._strict and wire in CHECKS:
            CHECKS[wire](body, recorded.model, self._issued)

    def _check_key(self, recorded: Recorded, query_key: str) -> None:
        headers = recorded.headers
        bearer = headers.get("authorization", "").removeprefix("Bearer ").strip()
        match recorded.wire:
            case "anthropic":
                key = headers.get("x-api-key", "") or bearer
            case "gemini":
                key = headers.get("x-goog-api-key", "") or query_key or bearer
            case "ollama":
                key = bearer or "none needed"
            case _:
                key = bearer
        if not key or key == BAD_KEY:
            raise Refusal(sentence(401), 401)
        if key == FORBIDDEN_KEY:
            raise Refusal(sentence(403), 403)

    async def _answer(self, request: web.Request, recorded: Recorded) -> web.StreamResponse:
        reply = self._replies.popleft() if self._replies else self.default
        answer = reply if isinstance(reply, Say | Fault) else reply(recorded)
        fault = answer if isinstance(answer, Fault) else None
        say = answer if isinstance(answer, Say) else said_by(answer)
        if fault and fault.kind in STATUS_FAULTS:
            recorded.status = STATUS_FAULTS[fault.kind]
            return self._error(recorded, self._refusal_of(fault, recorded), fault.retry_after)
        response = web.StreamResponse()
        response.headers["request-id"] = self._mint.id("req_01", 22)
        response.content_type = "application/x-ndjson" if recorded.wire == "ollama" else "text/event-stream"
        if fault and fault.kind == "html":
            response.content_type = "text/html"
        setting = Setting(recorded.model, recorded.body, self._tokens(recorded, say), self._mint, self._issued)
        try:
            await play(request, response, recorded, say, fault, setting)
        except Dropped:
            return response
        recorded.answered.set()
        return response

    def _refusal_of(self, fault: Fault, recorded: Recorded) -> Refusal:
        if fault.kind == "context":
            used = max(1, len(recorded.raw) // _BYTES_A_TOKEN)
            return context_refusal(recorded.wire, used, used // 2)
        status = STATUS_FAULTS[fault.kind]
        return Refusal(fault.message or sentence(status), status)

    def _error(self, recorded: Recorded, refusal: Refusal, retry_after: float | None = None) -> web.StreamResponse:
        request_id = self._mint.id("req_01", 22)
        headers = {"request-id": request_id}
        if retry_after is not None:
            headers["retry-after"] = f"{retry_after:g}"
        body = error_json(recorded.wire, refusal, retry_after, request_id)
        recorded.answered.set()
        return web.json_response(body, status=refusal.status, headers=headers)

    def _tokens(self, recorded: Recorded, say: Say) -> Tokens:
        """Usage at 4 bytes a token; what the request shares with the one before it was cached."""
        before = self._before.get(recorded.wire, b"")
        self._before[recorded.wire] = recorded.raw
        shared = _shared_prefix(before, recorded.raw) // _BYTES_A_TOKEN
        reasoning = len(say.thinking) // _BYTES_A_TOKEN
        spoken = len(say.text) + sum(len(call.name) + len(argument_text(call)) for call in say.calls)
        return Tokens(
            input=max(1, len(recorded.raw) // _BYTES_A_TOKEN),
            cached=shared // 64 * 64,
            output=max(1, spoken // _BYTES_A_TOKEN) + reasoning,
            reasoning=reasoning,
        )

    async def _list(self, request: web.Request) -> web.Response:
        data = [{"id": name, "object": "model", "created": 1, "owned_by": "emulator"} for name in self._models]
        return web.json_response({"object": "list", "data": data})

    async def _list_gemini(self, request: web.Request) -> web.Response:
        methods = ["generateContent", "countTokens"]
        models = [{"name": f"models/{name}", "supportedGenerationMethods": methods} for name in self._models]
        return web.json_response({"models": models})

    async def _tags(self, request: web.Request) -> web.Response:
        models = [
            {
                "name": name,
                "model": name,
                "modified_at": "2026-01-01T12:00:00Z",
                "size": 4_000_000_000,
                "digest": "0" * 64,
                "details": {"family": "emulated", "parameter_size": "8B", "quantization_level": "Q4_K_M"},
            }
            for name in self._models
        ]
        return web.json_response({"models": models})

    async def _show(self, request: web.Request) -> web.Response:
        return web.json_response(
            {
                "details": {"family": "emulated", "parameter_size": "8B"},
                "model_info": {"general.architecture": "emulated", "emulated.context_length": 32768},
                "capabilities": ["completion", "tools", "thinking"],
            }
        )


def _shared_prefix(one: bytes, other: bytes) -> int:
    """Length of the common beginning, by halving."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
