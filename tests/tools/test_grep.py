from __future__ import annotations

import asyncio
import os
import shutil
import sys
import time

import pytest

from keen_tui.tools.base import ToolError
from keen_tui.tools.grep import Grep
from keen_tui.tools.matches import Query
from keen_tui.tools.search_process import Search, run_search

PROGRAMS = ["", pytest.param("rg", marks=pytest.mark.skipif(not shutil.which("rg"), reason="no ripgrep"))]


@pytest.fixture(params=PROGRAMS, ids=["python", "ripgrep"])
def grep(request, context):
    tool = Grep(request.param)

    async def search(pattern, **more):
        outcome = await asyncio.wait_for(tool.run({"pattern": pattern, **more}, context), 60)
        assert outcome.kind == "matches"
        return outcome.text.split("\n")

    return search


def make(folder, **files):
    for name, content in files.items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())


async def test_matches_come_with_path_and_line(grep, workspace):
    (workspace / "src").mkdir()
    (workspace / "src/b.py").write_text("one\ntwo words\n")
    (workspace / "a.py").write_text("two\n")
    assert await grep("two") == ["a.py:1:two", "src/b.py:2:two words", "[2 matches]"]
    assert await grep("two", path="src") == ["src/b.py:2:two words", "[1 match]"]
    assert await grep("two", path="a.py") == ["a.py:1:two", "[1 match]"]
    assert await grep("two", path=str(workspace / "src/b.py"), glob="*.md") != ["[No match.]"]
    assert await grep("three") == ["[No match.]"]


async def test_capitals_and_files_only(grep, workspace):
    make(workspace, a="Auth\nauth\n", b="AUTH\n", c="x\n")
    assert await grep("auth") == ["a:2:auth", "[1 match]"]
    assert len(await grep("auth", ignore_case=True)) == 4
    assert await grep("auth", ignore_case=True, files_only=True) == ["a", "b", "[2 files]"]


async def test_context_lines_are_told_apart_from_matches(grep, workspace):
    make(workspace, a="1\n2\nhit\n4\n5\n6\n7\n8\nhit\n10\n", b="hit\n")
    assert await grep("hit", context=1) == [
        "a-2-2",
        "a:3:hit",
        "a-4-4",
        "--",
        "a-8-8",
        "a:9:hit",
        "a-10-10",
        "--",
        "b:1:hit",
        "[3 matches]",
    ]
    assert "a-6-6" in await grep("hit", context=3)


async def test_a_pattern_that_looks_like_an_option_is_a_pattern(grep, workspace):
    make(workspace, a="--files\n-e x\n")
    assert await grep("--files") == ["a:1:--files", "[1 match]"]
    assert await grep("-e") == ["a:2:-e x", "[1 match]"]


@pytest.mark.parametrize("is_repository", [True, False])
async def test_ignore_rules_are_the_same_with_and_without_ripgrep(grep, workspace, is_repository):
    (workspace.parent / ".gitignore").write_text("*\n")
    for name in ("src", ".git", "build", ".hidden"):
        (workspace / name).mkdir()
    make(workspace, **{"a.log": "hit", "a.py": "hit", "src/a.log": "hit", "src/b.tmp": "hit"})
    make(workspace, **{".git/x": "hit", "build/o": "hit", ".hidden/h": "hit", "src/a.py": "hit"})
    make(workspace, **{".gitignore": "*.log\nbuild/\n", "src/.gitignore": "*.tmp\n!a.log\n"})
    make(workspace, **{".ignore": "a.py\n"})
    if not is_repository:
        shutil.rmtree(workspace / ".git")
    assert (await grep("hit", files_only=True))[:-1] == [".hidden/h", "a.py", "src/a.log", "src/a.py"]
    assert (await grep("hit", files_only=True, glob="*.log"))[:-1] == ["src/a.log"]
    assert (await grep("hit", files_only=True, glob="src/**/*.py"))[:-1] == ["src/a.py"]
    assert (await grep("hit", files_only=True, glob="*.{py,log}", path="src"))[:-1] == ["src/a.log", "src/a.py"]
    assert (await grep("hit", files_only=True, glob="!*.py"))[:-1] == [".hidden/h", "src/a.log"]
    assert (await grep("hit", files_only=True, path="build"))[:-1] == ["build/o"]
    (workspace / "build/lib").mkdir()
    make(workspace, **{"build/.gitignore": "*\n", "build/lib/p": "hit"})
    assert (await grep("hit", files_only=True, path="build/lib"))[:-1] == ["build/lib/p"]
    assert (await grep("hit", files_only=True, path="src"))[:-1] == ["src/a.log", "src/a.py"]


async def test_binary_files_and_links_are_passed_over(grep, workspace, tmp_path):
    make(workspace, a="hit\n", bin=b"\0\0hit\n")
    (tmp_path / "outside").write_text("hit\n")
    (workspace / "link").symlink_to(tmp_path / "outside")
    os.mkfifo(workspace / "pipe")
    assert await grep("hit") == ["a:1:hit", "[1 match]"]


async def test_other_encodings_are_searched(grep, workspace):
    make(workspace, latin=b"caf\xe9 hit\n", wide="hit ä\n".encode("utf-16"), crlf=b"hit\r\n")
    found = await grep("hit")
    assert "crlf:1:hit" in found
    assert "wide:1:hit ä" in found
    assert any(line.startswith("latin:1:caf") for line in found)
    "\n".join(found).encode()


async def test_a_broken_expression_is_explained(grep, workspace):
    make(workspace, a="x\n")
    with pytest.raises(ToolError, match="can't be searched for") as caught:
        await grep("foo(")
    assert "backslash" in str(caught.value)


async def test_empty_and_many_line_patterns_are_refused(grep):
    for pattern in ("", "a\nb", "a\0"):
        with pytest.raises(ToolError):
            await grep(pattern)


async def test_a_missing_place_is_said(grep):
    with pytest.raises(ToolError, match="There is no nowhere"):
        await grep("x", path="nowhere")


async def test_a_workspace_that_is_gone_and_an_endless_pattern_are_said(grep, workspace, tmp_path):
    make(workspace, a="x\n")
    with pytest.raises(ToolError, match="could not be started"):
        await grep("x" * 200_000)
    shutil.rmtree(workspace)
    with pytest.raises(ToolError, match="workspace folder is gone"):
        await grep("x")
    with pytest.raises(ToolError, match="could not be started"):
        await grep("x", path=str(tmp_path))


async def test_more_than_a_thousand_matches_and_long_lines_are_cut(grep, workspace):
    make(workspace, a="hit\n" * 3000, b="x" * 100_000 + "\n")
    found = await grep("hit")
    assert len(found) == 1001
    assert "the first 1,000 matches; there are more" in found[-1]
    [line, _] = await grep("xxx")
    assert len(line) < 600
    assert line.endswith("… [line cut]")


async def test_a_search_that_has_enough_ends_though_its_pipe_is_full(workspace, monkeypatch):
    """asyncio has stopped reading the full pipe: a wait that reads no more would never end."""

    async def enough(process, search, found):
        while not process.stdout._paused:
            await asyncio.sleep(0)
        found.full = True

    monkeypatch.setattr("keen_tui.tools.search_process._collect", enough)
    code = "import os\nwhile True: os.write(1, b'hit' * 20_000)"
    search = Search((sys.executable, "-c", code), Query("hit"), workspace, workspace)
    found = await asyncio.wait_for(run_search(search), 20)
    assert found.full


async def test_names_that_are_no_utf8_are_shown_safely(grep, workspace):
    (workspace / os.fsdecode(b"f\xff.txt")).write_text("hit\n")
    assert await grep("hit") == ["f\\xff.txt:1:hit", "[1 match]"]


async def test_an_expression_that_never_ends_is_ended(workspace, context, monkeypatch):
    make(workspace, a="a" * 60 + "b\n")
    monkeypatch.setattr("keen_tui.tools.search_process.SECONDS", 1.0)
    began = time.monotonic()
    outcome = await Grep("").run({"pattern": "(a+)+$"}, context)
    assert "ended" in outcome.text
    assert time.monotonic() - began < 10


async def test_a_cancelled_search_leaves_no_process(workspace, context):
    make(workspace, a="a" * 60 + "b\n")
    running = asyncio.create_task(Grep("").run({"pattern": "(a+)+$"}, context))
    await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(running, 10)


async def test_a_place_outside_the_workspace_is_searched_too(grep, tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other/a").write_text("hit\n")
    assert await grep("hit", path=str(tmp_path / "other")) == [f"{tmp_path}/other/a:1:hit", "[1 match]"]
