from __future__ import annotations

import os
from pathlib import Path

import pytest

from keen_tui.ui.file_index import FRESH_SECONDS, FileIndex
from keen_tui.ui.fuzzy import find_paths
from keen_tui.ui.mentions import mention_before, written
from tests.ui.running import Clock, running

PATHS = ["src/", "src/app.py", "src/tools/apple.py", "docs/map.md", "a/p/p.txt", "README.md", "tests/test_app.py"]


def project(folder: Path) -> Path:
    for name in ("src/app.py", "src/my file.txt", "build/out.o", "README.md"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x")
    (folder / ".gitignore").write_text("build/\n")
    return folder


def test_a_name_that_begins_with_the_letters_comes_before_one_that_holds_them():
    assert find_paths(PATHS, "app", 9) == [
        "src/app.py", "src/tools/apple.py", "tests/test_app.py", "a/p/p.txt",
    ]  # fmt: skip


def test_letters_in_order_are_enough_in_any_case():
    assert find_paths(PATHS, "REA", 9)[0] == "README.md"
    assert find_paths(PATHS, "tstapp", 9) == ["tests/test_app.py"]
    assert find_paths(PATHS, "zz", 9) == []


def test_without_letters_the_top_of_the_tree_is_offered():
    assert find_paths(PATHS, "", 2) == ["README.md", "src/"]


def test_a_stopped_search_finds_nothing():
    assert find_paths(PATHS, "app", 9, lambda: True) == []


@pytest.mark.parametrize(
    ("line", "words"),
    [("@", ""), ("see @src/a", "src/a"), ('(@"my fi', "my fi"), ("a@b", None), ("@a b", None), ('@"a" ', None)],
)
def test_a_mention_is_told_from_an_address(line: str, words: str | None):
    found = mention_before(line)
    assert (found.words if found else None) == words


def test_names_with_spaces_are_quoted():
    assert written("src/app.py") == "@src/app.py"
    assert written("my file.txt") == '@"my file.txt"'


async def test_the_index_obeys_gitignore_and_knows_folders(tmp_path: Path):
    index = FileIndex(project(tmp_path))
    index.refresh()
    await index.wait()
    assert await index.find("", 99) == [".gitignore", "README.md", "src/", "src/app.py", "src/my file.txt"]


async def test_a_change_is_seen_after_the_turn_that_made_it(tmp_path: Path):
    clock = Clock()
    index = FileIndex(project(tmp_path), clock)
    index.refresh()
    await index.wait()
    (tmp_path / "fresh.py").write_text("x")
    assert await index.find("fresh", 9) == []
    index.forget()
    await index.find("fresh", 9)
    await index.wait()
    assert await index.find("fresh", 9) == ["fresh.py"]
    clock.time += FRESH_SECONDS + 1
    (tmp_path / "fresh.py").unlink()
    await index.find("fresh", 9)
    await index.wait()
    assert await index.find("fresh", 9) == []


async def test_hostile_names_are_shown_and_inserted_safely(tmp_path: Path):
    (tmp_path / "evil\x1b]52;c;aGk=\x07.txt").write_text("x")
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/evil\xff.txt")).write_text("x")
    async with running(tmp_path) as run:
        await run.type("@evil")
        await run.until(lambda: run.prompt.completing)
        assert "\x1b]" not in run.text
        await run.press("tab")
        assert run.prompt.text.startswith("@evil") and run.prompt.text.isprintable()


async def test_tab_or_enter_inserts_the_chosen_file_and_does_not_send(tmp_path: Path):
    async with running(project(tmp_path)) as run:
        await run.type("look at @app")
        await run.until(lambda: "src/app.py" in run.text)
        await run.press("tab")
        assert run.prompt.text == "look at @src/app.py "
        await run.type("and @my")
        await run.until(lambda: run.prompt.completing)
        await run.press("enter")
        assert run.prompt.text == 'look at @src/app.py and @"src/my file.txt" '
        await run.press("enter")
        assert run.session.sent == ['look at @src/app.py and @"src/my file.txt"']


async def test_a_chosen_folder_goes_on_with_what_is_in_it(tmp_path: Path):
    async with running(project(tmp_path)) as run:
        await run.type("@src")
        await run.until(lambda: run.prompt.completing)
        await run.press("tab")
        assert run.prompt.text == "@src/"
        await run.until(lambda: run.prompt.completing and "src/app.py" in run.text)


async def test_escape_closes_the_files_until_another_mention_begins(tmp_path: Path):
    async with running(project(tmp_path)) as run:
        await run.type("@ap")
        await run.until(lambda: run.prompt.completing)
        await run.press("escape")
        await run.type("p")
        await run.pilot.pause(0.05)
        assert not run.prompt.completing and run.prompt.text == "@app"
        await run.type(" @ap")
        await run.until(lambda: run.prompt.completing)


async def test_a_whole_name_leaves_enter_to_send(tmp_path: Path):
    async with running(project(tmp_path)) as run:
        run.prompt.put("@src/app.py")
        await run.until(lambda: run.dashboard.conversation._mention)
        await run.pilot.pause(0.05)
        await run.press("enter")
        await run.until(lambda: run.session.sent == ["@src/app.py"])
