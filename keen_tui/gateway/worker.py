"""The model worker: a process of its own, and the only place where litellm is imported.

Its design rests on measurements: litellm takes seconds and 200 MB to import, prints where it likes, and
carries native bodies untouched only through `allm_passthrough_route` with a provider configuration
handed over.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing
from typing import Any, TypeVar

from keen_tui.domain.errors import GatewayError
from keen_tui.gateway.calls import ModelCall, Timeouts
from keen_tui.gateway.payloads import PayloadReader, payload_reader
from keen_tui.gateway.routes import NativeRequest, native_request, plain_base_url, server_name
from keen_tui.gateway.worker_loop import WorkerLoop
from keen_tui.gateway.worker_setup import Secrets, prepare_environment, start_log, take_pipes

_READ_LIMIT = 2**22
_Found = TypeVar("_Found")


class LitellmCarrier:
    """Calls through litellm. Made by `load_litellm`, in the process that may import it."""

    def __init__(self, secrets: Secrets) -> None:
        import litellm
        from litellm.passthrough.main import allm_passthrough_route

        self._litellm: Any = litellm
        self._route: Any = allm_passthrough_route
        self._secrets = secrets
        self._config = _native_config_class()
        self._clients: dict[float, Any] = {}
        self._client(Timeouts().connect)

    async def stream(self, call: ModelCall, body: bytes) -> AsyncGenerator[Sequence[bytes], None]:
        """Payloads in batches, one batch a read. Raises whatever litellm and its transport raise."""
        source = self._completion(call, body) if call.wire == "litellm" else self._native(call, body)
        async with aclosing(source) as batches:
            async for payloads in batches:
                yield payloads

    def failure(self, error: BaseException, call: ModelCall) -> GatewayError:
        from keen_tui.gateway.failures import failure_of

        return failure_of(error, server_name(call), self._secrets.clean)

    def count(self, model: str, texts: Sequence[str]) -> list[int]:
        # The newer of OpenAI's tables costs 70 MB more and counts less than one per cent differently.
        table = model if "claude" in model else "gpt-4"
        return [int(self._litellm.token_counter(model=table, text=text)) if text else 0 for text in texts]

    def warm_up(self) -> None:
        """Load the tokenizer's table. The first call of wire format `litellm` builds the rest it needs."""
        self.count("gpt-4", ["warm"])

    async def _native(self, call: ModelCall, body: bytes) -> AsyncGenerator[Sequence[bytes], None]:
        request = native_request(call)
        server = server_name(call)
        clock = _Clock(call.timeouts, server)
        stream = await clock.first(self._open(request, call, body))
        reader = payload_reader(call.wire)
        async with aclosing(stream):
            async for data in clock.reads(stream):
                if payloads := reader.feed(data):
                    yield payloads
                if reader.ended:
                    break
        if not reader.ended and (payloads := reader.close()):
            yield payloads
        if not reader.count:
            raise _no_stream(reader, stream, server, self._secrets)

    async def _open(self, request: NativeRequest, call: ModelCall, body: bytes) -> Any:
        # Provider, model and key are names for litellm's books only: our configuration gives the address
        # and the headers, and the body is sent as it is.
        return await self._route(
            method="POST",
            endpoint=request.url,
            model="native",
            custom_llm_provider="openai",
            api_base=request.url,
            api_key="none",
            provider_config=self._config(request),
            content=body,
            client=self._client(call.timeouts.connect),
        )

    async def _completion(self, call: ModelCall, body: bytes) -> AsyncGenerator[Sequence[bytes], None]:
        fields: dict[str, Any] = json.loads(body)
        fields |= {"model": f"{call.provider}/{call.model}", "stream": True}
        if call.headers:
            fields["extra_headers"] = dict(call.headers)
        clock = _Clock(call.timeouts, server_name(call))
        opening = self._litellm.acompletion(
            **fields,
            api_base=plain_base_url(call),
            api_key=call.api_key,
            timeout=max(call.timeouts.first_byte, call.timeouts.stall) + call.timeouts.connect,
            max_retries=0,
            num_retries=0,
            drop_params=False,
        )
        stream = await clock.first(opening)
        try:
            async for chunk in clock.reads(stream):
                yield [chunk.model_dump_json(exclude_none=True).encode()]
        finally:
            await stream.aclose()

    def _client(self, connect: float) -> Any:
        """litellm's HTTP client, without redirects: a key must not follow one to another host."""
        if connect not in self._clients:
            import httpx
            from litellm.llms.custom_httpx.http_handler import AsyncHTTPHandler

            self._clients[connect] = AsyncHTTPHandler(
                timeout=httpx.Timeout(None, connect=connect), follow_redirects=False
            )
        return self._clients[connect]


class _Clock:
    """The limits of one stream: until its first byte, then between two reads."""

    def __init__(self, timeouts: Timeouts, server: str) -> None:
        self._timeouts = timeouts
        self._server = server
        self._first_until = asyncio.get_running_loop().time() + timeouts.connect + timeouts.first_byte

    async def first(self, waiting: Awaitable[_Found]) -> _Found:
        """The result, unless the first byte's time is over before. Raises GatewayError("timeout")."""
        try:
            async with asyncio.timeout_at(self._first_until) as limit:
                return await waiting
        except TimeoutError:
            if not limit.expired():
                raise
            raise self._silence("sent nothing", self._timeouts.first_byte) from None

    async def reads(self, stream: AsyncIterator[_Found]) -> AsyncGenerator[_Found, None]:
        """What the stream gives. Raises GatewayError("timeout") when it is silent for too long."""
        try:
            yield await self.first(anext(stream))
            while True:
                yield await self._next(stream)
        except StopAsyncIteration:
            return

    async def _next(self, stream: AsyncIterator[_Found]) -> _Found:
        try:
            async with asyncio.timeout(self._timeouts.stall) as limit:
                return await anext(stream)
        except TimeoutError:
            if not limit.expired():
                raise
            raise self._silence("fell silent in its answer", self._timeouts.stall) from None

    def _silence(self, what: str, seconds: float) -> GatewayError:
        return GatewayError("timeout", f"{self._server} {what} for {seconds:g} s.")


def _no_stream(reader: PayloadReader, stream: Any, server: str, secrets: Secrets) -> GatewayError:
    from keen_tui.gateway.failures import answer_without_stream

    kind = str(stream.headers.get("content-type", "")).split(";")[0].strip()
    return answer_without_stream(reader.noise, kind, server, secrets.clean)


def _native_config_class() -> Callable[[NativeRequest], Any]:
    from httpx import URL
    from litellm.llms.base_llm.passthrough.transformation import BasePassthroughConfig

    class Dropped:
        """litellm gathers what it relays to compute its cost; Keen reads the usage itself."""

        def add(self, chunk: bytes) -> None: ...

        def build_logged_response(self, litellm_logging_obj: Any) -> None: ...

    class NativeConfig(BasePassthroughConfig):  # type: ignore[misc, unused-ignore]
        """Sends a finished request and relays its stream."""

        def __init__(self, request: NativeRequest) -> None:
            self._request = request

        def is_streaming_request(self, endpoint: str, request_data: dict[str, Any]) -> bool:
            return True

        def get_complete_url(self, *args: Any, **kwargs: Any) -> tuple[URL, str]:
            return URL(self._request.url), self._request.url

        def validate_environment(self, *args: Any, **kwargs: Any) -> dict[str, str]:
            return dict(self._request.headers)

        def create_stream_collector(self, *args: Any, **kwargs: Any) -> Dropped:
            return Dropped()

        def get_models(self, api_key: str | None = None, api_base: str | None = None) -> list[str]:
            return []

        @staticmethod
        def get_api_key(api_key: str | None = None) -> str | None:
            return api_key

        @staticmethod
        def get_api_base(api_base: str | None = None) -> str | None:
            return api_base

        @staticmethod
        def get_base_model(model: str) -> str | None:
            return model

    return NativeConfig


def load_litellm(secrets: Secrets) -> LitellmCarrier:
    """Import litellm, keep it quiet, and make the carrier. Takes seconds."""
    gc.disable()
    try:
        import litellm

        litellm.suppress_debug_info = True
        litellm.disable_hf_tokenizer_download = True
        litellm.drop_params = False
        litellm.modify_params = False
        start_log(secrets)
        _quieten()
        return LitellmCarrier(secrets)
    finally:
        gc.freeze()
        gc.enable()


def _quieten() -> None:
    """litellm's records repeat requests and answers, which no log may keep."""
    import logging

    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logger = logging.getLogger(name)
        logger.handlers[:] = []
        logger.propagate = True
        logger.setLevel(logging.CRITICAL)


async def _serve(incoming: int, outgoing: int) -> None:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=_READ_LIMIT)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(incoming, "rb", 0))
    transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, os.fdopen(outgoing, "wb", 0))
    writer = asyncio.StreamWriter(transport, protocol, None, loop)
    secrets = Secrets()
    start_log(secrets)
    await WorkerLoop(reader, writer, load_litellm, secrets).run()


def main() -> None:
    """Serve standard input and output until they close."""
    incoming, outgoing = take_pipes()
    prepare_environment(os.environ)
    asyncio.run(_serve(incoming, outgoing))


if __name__ == "__main__":
    main()
