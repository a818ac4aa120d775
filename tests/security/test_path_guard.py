"""Paths are judged by where they lead, not by how they are written."""

import os

import pytest

from keen_tui.security.path_guard import PathError, PathGuard


@pytest.fixture
def guard(tmp_path):
    workspace = tmp_path / "work"
    (workspace / "src").mkdir(parents=True)
    (workspace / "src" / "a.py").write_text("x")
    (tmp_path / "outside").mkdir()
    (workspace / "link").symlink_to(tmp_path / "outside")
    (workspace / "inner").symlink_to("src")
    return PathGuard(workspace)


@pytest.mark.parametrize(
    ("path", "relative"),
    [
        ("src/a.py", "src/a.py"),
        ("./src/../src/a.py", "src/a.py"),
        ("inner/a.py", "src/a.py"),
        ("new/deep/file.txt", "new/deep/file.txt"),
        (".", "."),
        ("src/", "src"),
        ("..hidden", "..hidden"),
        ("name with spaces", "name with spaces"),
        ("./~odd", "~odd"),
    ],
)
def test_a_path_in_the_workspace_is_inside(guard, path, relative):
    found = guard.resolve(path)
    assert found.inside
    assert found.relative == relative
    assert found.absolute == guard.workspace / relative


@pytest.mark.parametrize(
    "path", ["..", "../outside", "link", "link/new.txt", "link/../x", "/etc/passwd", "/", "~", "~/x"]
)
def test_a_path_that_leads_out_is_outside(guard, path):
    assert not guard.resolve(path).inside


def test_a_link_out_resolves_to_its_real_place(guard, tmp_path):
    assert guard.resolve("link/new.txt").absolute == tmp_path.resolve() / "outside" / "new.txt"


def test_a_neighbour_with_the_same_beginning_is_outside(guard, tmp_path):
    (tmp_path / "work-2").mkdir()
    assert not guard.resolve(str(tmp_path / "work-2" / "x")).inside


def test_an_absolute_path_in_the_workspace_is_inside(guard):
    assert guard.resolve(str(guard.workspace / "src" / "a.py")).relative == "src/a.py"


def test_a_workspace_behind_a_link_is_found(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "alias").symlink_to("real")
    guard = PathGuard(tmp_path / "alias")
    assert guard.resolve("x").inside
    assert guard.resolve(str(tmp_path / "alias" / "x")).relative == "x"


def test_extra_roots_count_as_inside_and_keep_their_whole_path(guard, tmp_path):
    wider = PathGuard(guard.workspace, [tmp_path / "outside"])
    found = wider.resolve("../outside/f")
    assert found.inside
    assert found.relative == str(tmp_path.resolve() / "outside" / "f")


@pytest.mark.parametrize("path", ["", "  ", "a\0b", "x" * 300, "d/" * 3000, "bad\ud800name", "~nobody-of-this-name/x"])
def test_a_path_that_names_nothing_is_refused_with_a_sentence(guard, path):
    with pytest.raises(PathError) as error:
        guard.resolve(path)
    assert error.value.message.endswith(".")
    assert error.value.hint
    error.value.message.encode()


def test_a_circle_of_links_is_refused(guard):
    (guard.workspace / "a").symlink_to("b")
    (guard.workspace / "b").symlink_to("a")
    with pytest.raises(PathError, match="circle"):
        guard.resolve("a/x")


def test_a_name_that_is_not_utf8_is_resolved(guard):
    name = os.fsdecode(b"f\xff.txt")
    assert guard.resolve(name).inside
