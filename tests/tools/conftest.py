from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest

from keen_tui.tools.base import ToolContext
from keen_tui.tools.file_stamps import FileStamps


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder.resolve()


@pytest.fixture
def context(workspace: Path, tmp_path: Path) -> ToolContext:
    return ToolContext(workspace=workspace, task_dir=tmp_path / "task", stamps=FileStamps())


@pytest.fixture
def changed_context(context: ToolContext) -> Callable[..., ToolContext]:
    """The same context with some fields of it different."""

    def change(**fields: object) -> ToolContext:
        return dataclasses.replace(context, **fields)  # type: ignore[arg-type]

    return change
