"""What all tests share: one model worker a test process, since litellm takes seconds to import."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from keen_tui.gateway.client import WorkerGateway


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def worker(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[WorkerGateway]:
    """The real worker with the real litellm."""
    folder: Path = tmp_path_factory.mktemp("worker")
    gateway = WorkerGateway(log_file=folder / "worker.log")
    await gateway.start()
    yield gateway
    await gateway.close()
