from __future__ import annotations

import asyncio
import contextlib
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keen_tui.tools.base import ToolError
from keen_tui.tools.glob import Glob
from keen_tui.tools.glob_pattern import compile_glob


def make(folder, *names):
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x\n")


async def find(context, pattern, **more):
    outcome = await Glob().run({"pattern": pattern, **more}, context)
    assert outcome.kind == "matches"
    return outcome.text.split("\n")


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("*.py", "a.py", True),
        ("*.py", "deep/er/a.py", True),
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/b/a.py", False),
        ("src/**/*.py", "src/a.py", True),
        ("src/**/*.py", "src/b/c/a.py", True),
        ("**/*.py", "a.py", True),
        ("**", "a/b", True),
        ("src/**", "src/a/b", True),
        ("src/**", "src", False),
        ("*.{ts,tsx}", "a.tsx", True),
        ("{a,b{c,d}}.x", "bd.x", True),
        ("{a}.x", "{a}.x", True),
        ("[a-c]?.md", "b1.md", True),
        ("[!a-c]?.md", "b1.md", False),
        ("[", "[", True),
        ("\\*.md", "*.md", True),
        ("\\*.md", "a.md", False),
        ("!*.py", "a.py", False),
        ("!*.py", "a.md", True),
        ("./src/*.py", "src/a.py", True),
        ("a+b(c).txt", "a+b(c).txt", True),
    ],
)
def test_patterns(pattern, path, matches):
    assert compile_glob(pattern).matches(path) is matches


@pytest.mark.parametrize("pattern", ["", "/", "!", "[z-a]", "x" * 2000, "{a,b}" * 12])
def test_broken_patterns_are_refused(pattern):
    with pytest.raises(ToolError):
        compile_glob(pattern)


@given(st.text(alphabet="ab*?[]{},!/\\.-^", max_size=20), st.text(alphabet="ab/.-", max_size=12))
def test_any_pattern_matches_or_is_refused(pattern, path):
    with contextlib.suppress(ToolError):
        compile_glob(pattern).matches(path)


async def test_paths_are_relative_sorted_and_hidden_files_are_found(context, workspace):
    make(workspace, "b.py", "a.py", "src/c.py", ".hidden/d.py", ".git/e.py", "f.md")
    assert await find(context, "*.py") == [".hidden/d.py", "a.py", "b.py", "src/c.py", "[4 files]"]
    assert await find(context, "*.py", path="src") == ["src/c.py", "[1 file]"]
    assert await find(context, str(workspace / "src/*.py")) != []


async def test_gitignore_counts_at_every_level(context, workspace):
    make(workspace, "a.log", "keep.log", "src/a.log", "src/b.tmp", "src/own.x", "build/out.py", "sub/build/x.py")
    (workspace / ".gitignore").write_text("*.log\n!keep.log\nbuild/\n")
    (workspace / "src/.gitignore").write_text("*.tmp\n!a.log\n/own.x\n")
    found = await find(context, "**")
    assert found == [".gitignore", "keep.log", "src/.gitignore", "src/a.log", "[4 files]"]


async def test_rules_above_the_folder_count_unless_they_hide_it(context, workspace):
    make(workspace, "src/a.log", "src/a.py", "build/out.log", "build/out.py")
    (workspace / ".gitignore").write_text("*.log\nbuild/\n")
    assert await find(context, "*", path="src") == ["src/a.py", "[1 file]"]
    assert await find(context, "*", path="build") == ["build/out.log", "build/out.py", "[2 files]"]


async def test_a_broken_gitignore_line_does_no_harm(context, workspace):
    make(workspace, "a.log", "a.py")
    (workspace / ".gitignore").write_bytes(b"*.log\n!\n/\n\xff\xfe\n[\n")
    assert "a.py" in await find(context, "*")
    assert "a.log" not in await find(context, "*")


async def test_link_loops_end_and_broken_links_are_left_out(context, workspace):
    make(workspace, "src/a.py")
    (workspace / "src/loop").symlink_to(workspace)
    (workspace / "dangling.py").symlink_to("nowhere")
    (workspace / "link.py").symlink_to("src/a.py")
    assert await asyncio.wait_for(find(context, "*.py"), 10) == ["link.py", "src/a.py", "[2 files]"]


async def test_names_that_are_no_utf8_or_hold_escapes_are_shown_safely(context, workspace):
    for name in (b"f\xff.txt", b"\x1b[31mred.txt", b"new\nline.txt"):
        (workspace / os.fsdecode(name)).touch()
    outcome = await Glob().run({"pattern": "*.txt"}, context)
    outcome.text.encode()
    assert "\x1b" not in outcome.text
    assert outcome.text.count("\n") == 3
    assert "f\\xff.txt" in outcome.text


async def test_more_than_a_thousand_files_are_cut_with_a_note(context, workspace):
    for number in range(1005):
        (workspace / f"{number:04}").touch()
    found = await find(context, "*")
    assert len(found) == 1001
    assert "the first 1,000 files; there are more" in found[-1]


async def test_nothing_a_file_and_a_missing_folder_are_said(context, workspace):
    make(workspace, "a.py")
    assert await find(context, "*.rs") == ["[No file matches.]"]
    with pytest.raises(ToolError, match="is a file"):
        await find(context, "*", path="a.py")
    with pytest.raises(ToolError, match="There is no srcc"):
        await find(context, "*", path="srcc")


async def test_access_names_the_folder(context, workspace):
    assert Glob().access({"pattern": "*"}, context).paths == (workspace,)
    assert Glob().access({"pattern": "*", "path": "/etc"}, context).paths[0].as_posix() == "/etc"
