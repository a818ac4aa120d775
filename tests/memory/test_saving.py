from __future__ import annotations

import asyncio
import os
import stat
from pathlib import Path

import pytest

from keen_tui.domain.errors import KeenError
from keen_tui.domain.memory_template import first_text
from keen_tui.memory.memory_files import project_memory
from keen_tui.memory.saving import open_draft, save_draft
from keen_tui.memory.watching import memory_changes
from tests.security.secret_samples import SAMPLES, core


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "repo").mkdir()
    return tmp_path / "repo"


def draft(workspace: Path, scope="project"):
    return open_draft(scope, workspace.parent / "home" / "MEMORY.md", workspace)


def put(workspace: Path, content: bytes) -> Path:
    path = project_memory(workspace)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    return path


def test_a_file_that_is_not_there_opens_with_its_template_and_is_made_when_saved(workspace):
    opened = draft(workspace)
    assert opened.text == first_text("project", "") and not project_memory(workspace).exists()
    save_draft(opened, opened.text.replace("\n-\n", "\n- tabs\n"))
    assert project_memory(workspace).read_text().endswith("## Notes\n\n- tabs\n")
    assert [path.name for path in sorted(workspace.rglob("*"))] == [".keen", "MEMORY.md"]
    own = draft(workspace, "global")
    save_draft(own, own.text)
    assert stat.S_IMODE(own.path.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("kind", SAMPLES)
def test_each_kind_of_secret_is_refused_with_line_and_kind_and_without_the_value(workspace, kind):
    path = put(workspace, b"- tabs\n")
    with pytest.raises(KeenError) as caught:
        save_draft(draft(workspace), f"- tabs\n- {SAMPLES[kind]}\n")
    assert f"line 2: {kind}" in caught.value.message
    assert core(kind) not in caught.value.message + caught.value.hint
    assert path.read_bytes() == b"- tabs\n" and os.listdir(path.parent) == ["MEMORY.md"]


def test_a_change_on_disk_since_the_opening_is_not_written_over(workspace):
    path = put(workspace, b"- one\n")
    opened = draft(workspace)
    path.write_bytes(b"- one\n- by the agent\n")
    with pytest.raises(KeenError, match="changed on disk"):
        save_draft(opened, "- mine\n")
    assert path.read_bytes() == b"- one\n- by the agent\n"
    path.unlink()
    with pytest.raises(KeenError, match="changed on disk"):
        save_draft(opened, "- mine\n")
    assert not path.exists()


def test_a_file_that_came_into_being_is_not_written_over(workspace):
    opened = draft(workspace)
    path = put(workspace, b"- theirs\n")
    with pytest.raises(KeenError, match="changed on disk"):
        save_draft(opened, "- mine\n")
    assert path.read_bytes() == b"- theirs\n"


def test_saving_again_goes_on_from_what_was_saved(workspace):
    put(workspace, b"- one\n")
    second = save_draft(save_draft(draft(workspace), "- two\n"), "- three\n")
    assert project_memory(workspace).read_text() == second.text == "- three\n"


def test_mode_line_endings_and_mark_stay(workspace):
    path = put(workspace, b"\xef\xbb\xbf- one\r\n- two\r\n")
    path.chmod(0o640)
    opened = draft(workspace)
    assert opened.text == "- one\n- two\n"
    save_draft(opened, "- one\n- three\n")
    assert path.read_bytes() == b"\xef\xbb\xbf- one\r\n- three\r\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_link_inside_stays_a_link(workspace):
    (workspace / "notes.md").write_text("- one\n")
    project_memory(workspace).parent.mkdir()
    project_memory(workspace).symlink_to(workspace / "notes.md")
    save_draft(draft(workspace), "- two\n")
    assert project_memory(workspace).is_symlink() and (workspace / "notes.md").read_text() == "- two\n"


def test_what_is_no_text_file_is_left_alone(workspace, tmp_path):
    put(workspace, b"caf\xe9\n")
    with pytest.raises(KeenError, match="not UTF-8"):
        draft(workspace)
    project_memory(workspace).unlink()
    project_memory(workspace).mkdir()
    with pytest.raises(KeenError, match="folder"):
        draft(workspace)
    project_memory(workspace).rmdir()
    (tmp_path / "private").write_text("x")
    project_memory(workspace).symlink_to(tmp_path / "private")
    with pytest.raises(KeenError, match="symlink"):
        draft(workspace)


async def test_changes_are_told_from_the_making_of_the_folder_on(workspace):
    path = project_memory(workspace)
    changes = aiter(memory_changes([path, workspace.parent / "home" / "MEMORY.md"]))

    async def after(change):
        waiting = asyncio.ensure_future(anext(changes))
        async with asyncio.timeout(20):
            while not waiting.done():  # a watch that is only being set up misses a change
                await asyncio.to_thread(change)
                await asyncio.wait([waiting], timeout=0.3)
        waiting.result()

    await after(lambda: path.parent.mkdir(exist_ok=True) or (workspace / "x").touch() or path.parent.touch())
    await after(lambda: path.write_text("- one\n"))
    await after(lambda: path.write_text("- two\n"))
    await changes.aclose()
