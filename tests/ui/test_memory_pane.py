from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from keen_tui.memory.memory_files import MemoryFile, load_memory, project_memory
from keen_tui.ui.panes.memory_rows import file_rows, merged, scope_of
from tests.security.secret_samples import SAMPLES
from tests.ui.fake_session import FakeServices
from tests.ui.running import Running, running

KEY = SAMPLES["GitHub token"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> None:
    project_memory(tmp_path).parent.mkdir()


@asynccontextmanager
async def at_the_pane(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int] = (80, 24)
) -> AsyncIterator[Running]:
    """The Memory pane over real files."""

    async def memory_files(services: FakeServices) -> tuple[MemoryFile, ...]:
        return load_memory(services.home.global_memory, services.workspace)

    monkeypatch.setattr(FakeServices, "memory_files", memory_files)
    async with running(tmp_path, size) as run:
        await run.press("f5")
        yield run


def shown(rows) -> list[str]:
    return ["".join(span.text for span in (*row.left, *row.right)).rstrip() for row in rows]


def test_the_exact_lines_that_are_not_loaded_are_marked():
    text = "".join(f"- line {n}\n" for n in range(1, 6))
    rows = shown(file_rows(MemoryFile("global", Path("/m"), True, 9_000, 8_192, text, 20, 4), 60))
    assert [row for row in rows if row.startswith(" ~ ")] == [" ~ - line 4", " ~ - line 5"]
    assert rows.index("   from here on it is not loaded") == rows.index(" ~ - line 4") - 1


def test_every_row_of_text_knows_its_file():
    file = MemoryFile("project", Path("/m"), True, 10, 16_384, "a\nb\n")
    assert [scope_of(row.key) for row in file_rows(file, 60) if row.key] == ["project"] * 3
    assert scope_of("") == scope_of("call:1") == ""


def test_merging_keeps_mine_and_adds_only_what_came_new():
    assert merged("- a\n- mine", "- a\n- b\n", "- a\n- b\n- theirs\n") == "- a\n- mine\n- theirs\n"


async def test_a_file_is_edited_in_place_and_saved(tmp_path: Path, monkeypatch):
    project_memory(tmp_path).write_text("- one\n")
    async with at_the_pane(tmp_path, monkeypatch) as run:
        await run.until(lambda: "- one" in run.text)
        await run.press("G", "e")
        await run.until(lambda: run.dashboard.memory.open)
        await run.type("- two")
        await run.press("f9")
        await run.until(lambda: project_memory(tmp_path).read_text() == "- one\n- two")
        await run.until(lambda: "- two" in run.text and not run.dashboard.memory.editor.display)
        assert run.dashboard.memory.lines.has_focus


async def test_without_a_file_the_editor_begins_with_the_template(tmp_path: Path, monkeypatch):
    async with at_the_pane(tmp_path, monkeypatch) as run:
        await run.press("e")
        await run.until(lambda: run.dashboard.memory.open)
        assert run.dashboard.memory.editor.text.startswith("# Project Memory")
        assert not project_memory(tmp_path).exists()
        await run.press("f9")
        await run.until(lambda: project_memory(tmp_path).exists())
        assert not (tmp_path / ".gitignore").exists()


async def test_a_secret_is_refused_above_the_text_which_stays(tmp_path: Path, monkeypatch):
    project_memory(tmp_path).write_text("- one\n")
    async with at_the_pane(tmp_path, monkeypatch) as run:
        await run.until(lambda: "- one" in run.text)
        await run.press("G", "e")
        await run.until(lambda: run.dashboard.memory.open)
        run.dashboard.memory.editor.insert(f"- {KEY}")
        await run.press("f9")
        await run.until(lambda: "line 2: GitHub token" in run.text)
        assert project_memory(tmp_path).read_text() == "- one\n"
        assert KEY in run.dashboard.memory.editor.text


async def test_a_change_by_the_agent_meanwhile_loses_nobodys_lines(tmp_path: Path, monkeypatch):
    path = project_memory(tmp_path)
    path.write_text("- one\n")
    async with at_the_pane(tmp_path, monkeypatch) as run:
        await run.until(lambda: "- one" in run.text)
        await run.press("G", "e")
        await run.until(lambda: run.dashboard.memory.open)
        await run.type("- mine")
        path.write_text("- one\n- the agent's\n")
        await run.press("f9")
        await run.until(lambda: "changed on disk" in run.text)
        assert path.read_text() == "- one\n- the agent's\n"
        await run.press("ctrl+t")
        await run.until(lambda: "the agent's" in run.dashboard.memory.editor.text)
        await run.press("f9")
        await run.until(lambda: path.read_text() == "- one\n- mine\n- the agent's\n")


async def test_leaving_a_changed_file_asks_once(tmp_path: Path, monkeypatch):
    project_memory(tmp_path).write_text("- one\n")
    async with at_the_pane(tmp_path, monkeypatch) as run:
        await run.until(lambda: "- one" in run.text)
        await run.press("G", "e")
        await run.until(lambda: run.dashboard.memory.open)
        await run.press("x", "escape")
        await run.until(lambda: "Esc again drops it" in run.text)
        await run.press("escape")
        assert run.dashboard.memory.open is None and project_memory(tmp_path).read_text() == "- one\n"


async def test_a_change_outside_appears_at_once_and_only_while_the_pane_is_seen(tmp_path: Path, monkeypatch):
    path = project_memory(tmp_path)
    path.write_text("- one\n")
    async with at_the_pane(tmp_path, monkeypatch) as run:
        memory = run.dashboard.memory
        await run.until(lambda: "- one" in run.text)
        numbers = iter(range(2, 1000))
        for _ in range(60):  # a watch that is only being set up misses a change
            path.write_text(f"- number {next(numbers)}\n")
            await run.pilot.pause(0.3)
            if "- number" in run.text:
                break
        assert "- number" in run.text
        await run.press("f2")
        await run.until(lambda: memory._watch is None)
        path.write_text("- at last\n")
        await run.press("f5")
        await run.until(lambda: memory._watch is not None)


async def test_the_persons_own_editor_goes_through_the_same_checks(tmp_path: Path, monkeypatch):
    path = project_memory(tmp_path)
    path.write_text("- one\n")
    answers = iter(["- one\n- two\n", f"- {KEY}\n"])

    async def edit(app, text):
        return next(answers)

    monkeypatch.setattr("keen_tui.ui.panes.memory.edit_text", edit)
    async with at_the_pane(tmp_path, monkeypatch) as run:
        await run.until(lambda: "- one" in run.text)
        await run.press("G", "E")
        await run.until(lambda: path.read_text() == "- one\n- two\n")
        await run.press("E")
        await run.until(lambda: "GitHub token" in run.text)
        assert path.read_text() == "- one\n- two\n"
        assert KEY in run.dashboard.memory.editor.text


async def test_what_the_editor_can_not_keep_is_left_alone(tmp_path: Path, monkeypatch):
    project_memory(tmp_path).write_text("- \x1b[31mred\n")
    async with at_the_pane(tmp_path, monkeypatch) as run:
        await run.until(lambda: "red" in run.text)
        await run.press("G", "e")
        await run.until(lambda: "control characters" in run.text)
        assert run.dashboard.memory.open is None


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_the_listing_and_the_contents_are_told_in_the_dashboard(tmp_path: Path, monkeypatch, size):
    async with at_the_pane(tmp_path, monkeypatch, size) as run:
        await run.press("f2")
        await run.type("/memory")
        await run.press("escape", "enter")
        await run.until(lambda: "No memory files found." in run.dashboard.conversation.notice.text)
        project_memory(tmp_path).write_text("- run make\n")
        await run.type("/memory")
        await run.press("escape", "enter")
        await run.until(lambda: "Project memory: .keen/MEMORY.md" in run.text and "missing" in run.text)
        await run.press("escape")
        await run.type("/memory show")
        await run.press("escape", "enter")
        await run.until(lambda: "## Project memory" in run.text and "- run make" in run.text)
        await run.press("escape")
        await run.type("/memory clear")
        await run.press("escape", "enter")
        await run.until(lambda: "knows show" in run.dashboard.conversation.notice.text)
