"""The project holds to its own rules: style, types, import directions, and what is in the wheel."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def run(*command: str, **more: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, **more)  # type: ignore[call-overload]


@pytest.mark.parametrize(
    "command",
    [
        ["ruff", "check", "."],
        ["ruff", "format", "--check", "."],
        ["mypy"],
        ["lint-imports"],
    ],
    ids=" ".join,
)
@pytest.mark.timeout(300)
def test_a_gate_is_green(command: list[str]) -> None:
    program = Path(sys.executable).parent / command[0]
    result = run(str(program), *command[1:])
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize(
    "module", ["keen_tui.ui.app", "keen_tui.agent.workbench", "keen_tui.gateway.client", "keen_tui.cli"]
)
@pytest.mark.parametrize("heavy", ["litellm", "openai"])
def test_the_dashboard_process_never_imports_litellm(module: str, heavy: str) -> None:
    result = run(sys.executable, "-c", f"import {module}, sys; assert '{heavy}' not in sys.modules")
    assert result.returncode == 0, result.stderr


def test_the_version_is_told_without_loading_the_dashboard() -> None:
    result = run(sys.executable, "-X", "importtime", "-m", "keen_tui.cli", "--version")
    assert result.returncode == 0, result.stderr
    assert "textual" not in result.stderr
    assert result.stdout.startswith("keen ")


@pytest.mark.timeout(300)
def test_the_wheel_holds_the_package_and_the_themes(tmp_path: Path) -> None:
    from hatchling.builders.wheel import WheelBuilder

    (wheel,) = WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    names = zipfile.ZipFile(wheel).namelist()
    assert "keen_tui/cli.py" in names
    assert "keen_tui/themes/keen-dark.toml" in names
    assert any(name.endswith(".tcss") for name in names)
    assert not any(name.startswith("tests/") for name in names)
