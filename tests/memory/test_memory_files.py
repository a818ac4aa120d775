import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from keen_tui.memory.memory_files import CAPS, load_memory, load_memory_file, project_memory, rendered


@pytest.fixture
def workspace(tmp_path):
    (tmp_path / "repo" / ".keen").mkdir(parents=True)
    return tmp_path / "repo"


def load(tmp_path, content, scope="global"):
    path = tmp_path / "MEMORY.md"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return load_memory_file(scope, path)


def test_both_files_are_loaded_from_their_places(tmp_path, workspace):
    (tmp_path / "MEMORY.md").write_text("- tabs\n")
    project_memory(workspace).write_text("- run make\n")
    own, project = load_memory(tmp_path / "MEMORY.md", workspace)
    assert (own.scope, own.text, own.exists, own.size, own.cap) == ("global", "- tabs\n", True, 7, 8192)
    assert (project.scope, project.text, project.cap) == ("project", "- run make\n", 16384)
    assert (own.cut_line, own.problem, own.loaded_bytes) == (None, "", 7)
    assert own.changed is not None


def test_missing_and_empty_files_are_skipped_without_a_word(tmp_path, workspace):
    own, project = load_memory(tmp_path / "none" / "MEMORY.md", workspace)
    assert (own.exists, own.problem, rendered(own)) == (False, "", "")
    assert (project.exists, project.problem, rendered(project)) == (False, "", "")
    for content in ("", "\n \n"):
        file = load(tmp_path, content)
        assert (file.exists, file.problem, rendered(file)) == (True, "", "")


def test_a_file_of_exactly_the_cap_is_loaded_whole(tmp_path):
    file = load(tmp_path, "x" * 8191 + "\n")
    assert (file.cut_line, file.loaded_bytes) == (None, 8192)
    assert "not shown" not in rendered(file)


def test_a_file_over_its_cap_is_cut_at_a_line_and_the_note_says_what_is_missing(tmp_path):
    content = "".join(f"- line {n:04d} {'é' * 20}\n" for n in range(1, 401))
    file = load(tmp_path, content)
    assert file.loaded_bytes <= 8192
    assert file.loaded_text.endswith("\n")
    assert content.startswith(file.loaded_text)
    lines = file.loaded_text.splitlines()
    assert file.cut_line == len(lines) + 1
    text = rendered(file)
    assert str(file.path) in text and f"{file.size - file.loaded_bytes:,} bytes" in text
    assert f"from line {file.cut_line} on" in text
    assert file.text == content


def test_a_single_endless_line_is_cut_between_two_characters(tmp_path):
    file = load(tmp_path, "é" * 8000 + "\n")
    assert file.loaded_text == "é" * 4096
    file = load(tmp_path, "a" + "é" * 8000)
    assert file.loaded_text == "a" + "é" * 4095
    assert file.cut_line == 1


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.binary(max_size=40), max_size=6), st.integers(0, 900))
def test_any_bytes_are_loaded_within_the_cap_and_never_inside_a_character(tmp_path, pieces, times):
    content = b"".join(pieces) * times
    for scope in ("global", "project"):
        file = load(tmp_path, content, scope)
        assert file.loaded_bytes <= CAPS[scope]
        assert file.text.encode().startswith(file.loaded_text.encode())
        assert (file.cut_line is None) == (file.loaded_text == file.text)
        assert file.size == len(content)


def test_a_file_that_is_not_utf8_is_loaded_and_said(tmp_path):
    file = load(tmp_path, b"one\ncaf\xe9\n")
    assert file.text == "one\ncaf\ufffd\n"
    assert "not UTF-8 (line 2)" in file.problem
    assert "caf" in rendered(file)


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path):
    assert load(tmp_path, b"\xef\xbb\xbfone").text == "one"


def test_a_folder_in_the_place_of_the_file_is_said(tmp_path, workspace):
    project_memory(workspace).mkdir()
    (tmp_path / "MEMORY.md").mkdir()
    for file in load_memory(tmp_path / "MEMORY.md", workspace):
        assert "folder in its place" in file.problem
        assert rendered(file) == ""


def test_a_pipe_in_the_place_of_the_file_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "MEMORY.md")
    assert "special file" in load_memory_file("global", tmp_path / "MEMORY.md").problem


def test_a_file_in_the_place_of_its_folder_means_that_there_is_none(tmp_path):
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo" / ".keen").write_text("x")
    assert not load_memory(tmp_path / "none", tmp_path / "repo")[1].exists


def test_a_project_file_that_leads_out_of_the_workspace_is_not_loaded(tmp_path, workspace):
    (tmp_path / "private").write_text("secret")
    project_memory(workspace).symlink_to(tmp_path / "private")
    file = load_memory(tmp_path / "none", workspace)[1]
    assert (file.exists, file.text) == (True, "")
    assert "symlink" in file.problem
    assert rendered(file) == ""


def test_a_linked_folder_that_leads_out_is_not_loaded_either(tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "MEMORY.md").write_text("secret")
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo" / ".keen").symlink_to(tmp_path / "other")
    assert "symlink" in load_memory(tmp_path / "none", tmp_path / "repo")[1].problem


def test_a_link_inside_the_workspace_and_a_linked_workspace_are_fine(tmp_path, workspace):
    (workspace / "notes.md").write_text("- inside\n")
    project_memory(workspace).symlink_to(workspace / "notes.md")
    (tmp_path / "link").symlink_to(workspace)
    assert load_memory(tmp_path / "none", tmp_path / "link")[1].text == "- inside\n"


def test_a_loop_of_links_is_said(tmp_path, workspace):
    project_memory(workspace).symlink_to(project_memory(workspace))
    assert load_memory(tmp_path / "none", workspace)[1].problem
    (tmp_path / "MEMORY.md").symlink_to(tmp_path / "MEMORY.md")
    assert "can't be read" in load_memory_file("global", tmp_path / "MEMORY.md").problem


def test_the_users_own_file_may_be_a_link(tmp_path):
    (tmp_path / "dotfiles.md").write_text("- mine\n")
    (tmp_path / "MEMORY.md").symlink_to(tmp_path / "dotfiles.md")
    assert load_memory_file("global", tmp_path / "MEMORY.md").text == "- mine\n"


def test_a_file_of_two_gigabytes_costs_no_memory(tmp_path):
    with (tmp_path / "MEMORY.md").open("wb") as file:
        file.write(b"- first\n" * 5000)
        file.truncate(2 * 1024**3)
    loaded = load_memory_file("global", tmp_path / "MEMORY.md")
    assert loaded.size == 2 * 1024**3
    assert loaded.loaded_text == "- first\n" * 1024
    assert loaded.cut_line == 1025
