from __future__ import annotations

import os
from pathlib import Path

import pytest

from keen_tui.domain.memory_template import first_text
from keen_tui.tools.base import ToolError
from keen_tui.tools.bash import Bash
from keen_tui.tools.edit_file import EditFile
from keen_tui.tools.read_file import ReadFile
from keen_tui.tools.write_file import WriteFile
from tests.security.secret_samples import SAMPLES, core

PROJECT = ".keen/MEMORY.md"
CREATED = "Created .keen/MEMORY.md. Add .keen/ to .gitignore if you want it private."
KEY = SAMPLES["GitHub token"]


@pytest.fixture
def memory(changed_context, workspace: Path, tmp_path: Path):
    """A context that knows the memory files; neither is there."""
    files = {"global": tmp_path / "home" / "MEMORY.md", "project": workspace / PROJECT}
    return changed_context(memory_files=files)


async def write(context, content, path=PROJECT):
    return await WriteFile().run({"path": str(path), "content": content}, context)


async def edit(context, old, new, path=PROJECT):
    return await EditFile().run({"path": str(path), "old_string": old, "new_string": new}, context)


async def read(context, path=PROJECT):
    return await ReadFile().run({"path": str(path)}, context)


def put(workspace: Path, text: str) -> Path:
    path = workspace / PROJECT
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


@pytest.mark.parametrize("kind", SAMPLES)
async def test_each_kind_of_secret_is_refused_with_line_and_kind_and_without_the_value(memory, workspace, kind):
    text = f"# Notes\n\n- {SAMPLES[kind]}\n"
    path = put(workspace, "# Notes\n\n- none\n")
    await read(memory)
    for attempt in (write(memory, text), edit(memory, "none", SAMPLES[kind])):
        with pytest.raises(ToolError) as caught:
            await attempt
        assert f"line 3: {kind}" in str(caught.value)
        assert core(kind) not in str(caught.value)
    assert path.read_text() == "# Notes\n\n- none\n"
    assert os.listdir(path.parent) == ["MEMORY.md"]


async def test_a_secret_is_refused_before_anybody_is_asked(memory, workspace):
    with pytest.raises(ToolError, match="GitHub token"):
        await WriteFile().preview({"path": PROJECT, "content": KEY}, memory)
    put(workspace, "- none\n")
    with pytest.raises(ToolError, match="GitHub token"):
        await EditFile().preview({"path": PROJECT, "old_string": "none", "new_string": KEY}, memory)


async def test_the_global_file_is_guarded_too(memory, tmp_path):
    with pytest.raises(ToolError, match="GitHub token"):
        await write(memory, f"- {KEY}\n", memory.memory_files["global"])
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize("way", ["symlink", "hard link", "detour"])
async def test_no_other_name_of_the_file_goes_around(memory, workspace, way):
    path = put(workspace, "- none\n")
    (workspace / "d").mkdir()
    name = {"symlink": "link.md", "hard link": "hard.md", "detour": "d/../.keen/./MEMORY.md"}[way]
    if way == "symlink":
        (workspace / name).symlink_to(path)
    elif way == "hard link":
        (workspace / name).hardlink_to(path)
    await read(memory, name)
    with pytest.raises(ToolError, match="GitHub token"):
        await write(memory, f"- {KEY}\n", name)
    assert path.read_text() == "- none\n"


async def test_a_secret_that_is_there_can_be_taken_out(memory, workspace):
    path = put(workspace, f"- {KEY}\n- tabs\n")
    await read(memory)
    await edit(memory, f"- {KEY}\n", "")
    assert path.read_text() == "- tabs\n"


async def test_other_files_may_hold_what_they_like(memory, workspace):
    await write(memory, f"KEY = '{KEY}'\n", "settings.py")
    assert KEY in (workspace / "settings.py").read_text()


async def test_the_project_file_begins_with_its_template_and_nothing_else_is_made(memory, workspace):
    outcome = await write(memory, "- we use tabs\n")
    text = (workspace / PROJECT).read_text()
    assert text == first_text("project", "- we use tabs")
    assert text.startswith("# Project Memory\n") and text.endswith("\n## Notes\n\n- we use tabs\n")
    assert "Do not store secrets" in text and "`.gitignore`" in text
    assert outcome.told == CREATED and CREATED in outcome.text and not outcome.warning
    assert [path.name for path in sorted(workspace.rglob("*"))] == [".keen", "MEMORY.md"]


async def test_the_preview_shows_the_template(memory):
    shown = await WriteFile().preview({"path": PROJECT, "content": "- tabs\n"}, memory)
    assert "+# Project Memory" in shown and "+- tabs" in shown


async def test_the_global_file_has_a_template_of_its_own(memory):
    outcome = await write(memory, "# My notes\n\n## Notes\n\n- short answers\n", memory.memory_files["global"])
    text = memory.memory_files["global"].read_text()
    assert text.startswith("# Global Memory\n") and text.endswith("## Notes\n\n- short answers\n")
    assert "gitignore" not in text and "My notes" not in text
    assert outcome.told == "Created the global memory file."


async def test_a_second_write_is_no_creation(memory, workspace):
    put(workspace, "- old\n")
    await read(memory)
    outcome = await write(memory, "- new\n")
    assert (workspace / PROJECT).read_text() == "- new\n"
    assert outcome.told == ""


def test_the_template_is_put_in_front_once():
    for scope in ("global", "project"):
        once = first_text(scope, "- a\n- b\n")
        assert first_text(scope, once) == once
        assert first_text(scope, "").endswith("## Notes\n\n-\n")
        assert first_text(scope, "intro\r\n- a").endswith("## Notes\n\nintro\n- a\n")


async def test_a_change_by_somebody_else_is_never_written_over(memory, workspace):
    path = put(workspace, "- one\n")
    await read(memory)
    path.write_text("- one\n- by hand\n")
    for attempt in (write(memory, "- mine\n"), edit(memory, "- one", "- mine")):
        with pytest.raises(ToolError, match="changed on disk"):
            await attempt
    assert path.read_text() == "- one\n- by hand\n"
    await read(memory)
    await edit(memory, "- one", "- one\n- by the agent")
    assert path.read_text() == "- one\n- by the agent\n- by hand\n"


async def test_a_file_that_came_into_being_is_not_written_over(memory, workspace):
    put(workspace, "- by hand\n")
    with pytest.raises(ToolError, match="was not read"):
        await write(memory, "- mine\n")


async def bash(context, command):
    return await Bash().run({"command": command}, context)


async def test_a_command_that_brings_a_secret_in_is_told_of(memory, workspace):
    put(workspace, "- tabs\n")
    outcome = await bash(memory, f"echo '- {KEY[:4]}''{KEY[4:]}' >> {PROJECT}")
    assert outcome.warning and f"{PROJECT} holds a secret" in outcome.told
    assert "line 2: GitHub token" in outcome.told and KEY not in outcome.told
    assert outcome.told in outcome.text


async def test_a_command_that_makes_the_file_is_looked_at_too(memory):
    outcome = await bash(memory, f"mkdir -p .keen && printf '%s' ghp_ {KEY[4:]} > {PROJECT}")
    assert "GitHub token" in outcome.told


async def test_a_command_that_leaves_memory_alone_says_nothing(memory, workspace):
    put(workspace, f"- {KEY}\n")
    assert (await bash(memory, "echo hello")).told == ""
    assert (await bash(memory, f"echo '- tabs' > {PROJECT}")).told == ""
    (workspace / PROJECT).unlink()
    os.mkfifo(workspace / PROJECT)
    assert (await bash(memory, "true")).told == ""
