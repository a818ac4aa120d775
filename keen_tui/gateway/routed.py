"""One gateway for all models: the demo model in this process, all others through the worker."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from keen_tui.gateway.calls import Gateway, ModelCall
from keen_tui.gateway.client import WorkerGateway

DEMO = "demo"


class RoutedGateway(Gateway):
    """Sends provider `demo` to one gateway and every other call to another."""

    def __init__(self, worker: Gateway, demo: Gateway) -> None:
        self._worker = worker
        self._demo = demo

    def stream(self, call: ModelCall) -> AsyncIterator[Mapping[str, Any]]:
        return (self._demo if call.provider == DEMO else self._worker).stream(call)

    async def count(self, model: str, texts: Sequence[str]) -> list[int]:
        return await (self._demo if model == DEMO else self._worker).count(model, texts)

    async def start(self) -> None:
        await self._demo.start()
        await self._worker.start()

    async def close(self) -> None:
        await self._worker.close()
        await self._demo.close()


def routed_gateway(log_dir: Path, environ: Mapping[str, str] | None = None) -> RoutedGateway:
    """The product's own gateway. The worker's log is `worker.log` in `log_dir`; nothing is started yet."""
    from keen_tui.gateway.demo import DemoGateway

    return RoutedGateway(WorkerGateway(log_file=log_dir / "worker.log", environ=environ), DemoGateway())
