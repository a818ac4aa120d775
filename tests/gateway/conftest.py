from __future__ import annotations

from pathlib import Path

import pytest

from keen_tui.gateway.client import WorkerGateway


@pytest.fixture
def worker_log(worker: WorkerGateway) -> Path:
    """The shared worker's log file."""
    return worker.log_file
