from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from keen_tui.memory.memory_files import load_memory, project_memory
from keen_tui.memory.report import memory_contents, memory_listing
from tests.privileges import rights_hold

KEY = "ghp_" + "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xYzC5v"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home" / ".keen" / "memory" / "global").mkdir(parents=True)
    (tmp_path / "repo" / ".keen").mkdir(parents=True)
    return tmp_path / "home"


@pytest.fixture
def own(home: Path) -> Path:
    return home / ".keen" / "memory" / "global" / "MEMORY.md"


@pytest.fixture
def project(home: Path) -> Path:
    return project_memory(home.parent / "repo")


def listing(home: Path, own: Path) -> list[str]:
    workspace = home.parent / "repo"
    return memory_listing(load_memory(own, workspace), workspace, home).split("\n")


def contents(home: Path, own: Path) -> str:
    workspace = home.parent / "repo"
    return memory_contents(load_memory(own, workspace), workspace, home)


GLOBAL = "Global memory:  ~/.keen/memory/global/MEMORY.md  "
PROJECT = "Project memory: .keen/MEMORY.md                  "


def test_without_files_there_is_one_sentence(home, own):
    assert listing(home, own) == ["No memory files found."]
    assert contents(home, own) == "Memory is empty."


def test_the_listing_says_which_of_the_two_exists(home, own, project):
    own.write_text("- User prefers brief responses.\n")
    assert listing(home, own) == [GLOBAL + "exists", PROJECT + "missing"]
    project.write_text("- Run make.\n")
    assert listing(home, own) == [GLOBAL + "exists", PROJECT + "exists"]
    own.unlink()
    assert listing(home, own) == [GLOBAL + "missing", PROJECT + "exists"]


def test_show_prints_the_files_that_hold_something_with_heading_and_path(home, own, project):
    project.write_text("- Run make.\n")
    one = "## Project memory\npath: .keen/MEMORY.md\n\n- Run make."
    assert contents(home, own) == one
    own.write_text(" \n\n")
    assert contents(home, own) == one
    own.write_text("- User prefers brief responses.\n\n")
    assert contents(home, own) == (
        f"## Global memory\npath: ~/.keen/memory/global/MEMORY.md\n\n- User prefers brief responses.\n\n{one}"
    )


@pytest.mark.parametrize("text", ["", "\n", " \t\n \n"])
def test_files_of_0_bytes_and_of_blanks_exist_and_are_empty(home, own, project, text):
    own.write_text(text)
    project.write_text(text)
    assert listing(home, own) == [GLOBAL + "exists", PROJECT + "exists"]
    assert contents(home, own) == "Memory is empty."


def test_a_file_that_may_not_be_read_is_no_empty_memory(home, own, project):
    project.write_text("- hidden\n")
    project.chmod(0)
    with rights_hold():
        listed, shown = listing(home, own), contents(home, own)
    assert listed == [GLOBAL + "missing", PROJECT + "exists  (It can't be read: Permission denied.)"]
    assert shown.endswith("path: .keen/MEMORY.md\n\n(It can't be read: Permission denied.)")


def test_a_folder_in_the_place_of_a_file_is_said(home, own, project):
    project.mkdir()
    assert listing(home, own)[1] == PROJECT + "exists  (There is a folder in its place.)"
    assert contents(home, own).endswith("(There is a folder in its place.)")


def test_a_link_out_of_the_workspace_is_said_and_not_shown(home, own, project):
    (home / "diary").write_text("private words")
    project.symlink_to(home / "diary")
    said = "(It leads out of the workspace by a symlink, so it is not loaded.)"
    assert listing(home, own)[1] == f"{PROJECT}exists  {said}"
    assert contents(home, own) == f"## Project memory\npath: .keen/MEMORY.md\n\n{said}"


def test_a_file_over_its_cap_is_shown_whole_and_the_cut_is_said(home, own):
    own.write_text("".join(f"- line {n:04d}\n" for n in range(1, 1001)))
    assert listing(home, own)[0] == (GLOBAL + "exists  (It is longer than 8 KiB: from line 683 on it is not loaded.)")
    assert contents(home, own).endswith("- line 1000")


def test_a_file_that_is_not_utf8_is_said_and_shown(home, own):
    own.write_bytes(b"- caf\xe9\n")
    said = "It is not UTF-8 (line 1): what can't be read is shown as \ufffd."
    assert listing(home, own)[0] == f"{GLOBAL}exists  ({said})"
    assert contents(home, own).endswith(f"\n\n({said})\n\n- caf\ufffd")


def test_a_file_with_a_secret_is_said_and_the_value_is_not_shown(home, own):
    own.write_text(f"- one\n- {KEY}\n")
    said = "It holds a secret (line 2: GitHub token), so nothing of it is loaded until that is removed."
    assert listing(home, own)[0] == f"{GLOBAL}exists  ({said})"
    assert contents(home, own).endswith(f"({said})\n\n- one\n- [redacted]")


def test_a_file_of_the_user_elsewhere_is_named_in_full(home, tmp_path):
    (tmp_path / "elsewhere").write_text("x")
    workspace = tmp_path / "repo"
    text = memory_listing(load_memory(tmp_path / "elsewhere", workspace), workspace, home)
    assert str(tmp_path / "elsewhere") in text


def keen(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "HOME": str(home)}
    environ.pop("KEEN_HOME", None)
    command = [sys.executable, "-m", "keen_tui.cli", *arguments]
    return subprocess.run(command, cwd=home.parent / "repo", env=environ, capture_output=True, text=True, timeout=60)


def test_the_command_line_says_the_same_and_makes_nothing(home, own, project):
    project.write_text("- Run make.\n")
    before = sorted(home.rglob("*"))
    assert keen(home, "memory").stdout == f"{GLOBAL}missing\n{PROJECT}exists\n"
    assert keen(home, "memory", "show").stdout == "## Project memory\npath: .keen/MEMORY.md\n\n- Run make.\n"
    assert sorted(home.rglob("*")) == before
    wrong = keen(home, "memory", "clear")
    assert wrong.returncode == 2 and "show" in wrong.stderr
