"""The log never gets in the way of what it tells about."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import logging, sys
from pathlib import Path
from keen_tui.agent.logs import log_to_file
log_to_file(Path(sys.argv[1]))
logging.error("something broke with sk-ant-api03-" + "a1B2" * 20)
"""


def logged(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", SCRIPT, str(folder)], capture_output=True, text=True, timeout=60, check=False
    )


def test_what_goes_wrong_is_in_the_file_without_secrets(tmp_path: Path) -> None:
    assert logged(tmp_path / "log").returncode == 0
    text = (tmp_path / "log" / "keen.log").read_text()
    assert "something broke" in text and "a1B2a1B2" not in text
    assert (tmp_path / "log" / "keen.log").stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_writes_nothing_over_the_screen(tmp_path: Path) -> None:
    (tmp_path / "keen.log").symlink_to("/dev/full")
    done = logged(tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_log_that_can_not_be_opened_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "keen.log").mkdir()
    (tmp_path / "file").write_text("")
    for folder in (tmp_path, tmp_path / "file"):
        done = logged(folder)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
