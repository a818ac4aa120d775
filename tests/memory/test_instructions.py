import os

import pytest

from keen_tui.memory.instructions import TOTAL_CAP, load_instructions


@pytest.fixture
def workspace(tmp_path):
    (tmp_path / "repo" / "a" / "b").mkdir(parents=True)
    return (tmp_path / "repo").resolve()


def test_without_files_there_are_no_instructions(workspace):
    found = load_instructions(workspace, workspace / "a")
    assert (found.files, found.text, found.dropped_bytes) == ((), "", 0)


def test_files_are_read_from_the_root_down_to_the_current_directory(workspace):
    for folder, text in ((workspace, "root"), (workspace / "a", "inner"), (workspace / "a" / "b", "deepest")):
        (folder / "AGENTS.md").write_text(f"rules of {text}\n")
    found = load_instructions(workspace, workspace / "a")
    assert found.files == (workspace / "AGENTS.md", workspace / "a" / "AGENTS.md")
    assert found.text.index("rules of root") < found.text.index("rules of inner")
    assert "deepest" not in found.text
    assert str(workspace / "a" / "AGENTS.md") in found.text
    assert found.dropped_bytes == 0


def test_folders_above_the_workspace_are_not_read(workspace):
    (workspace.parent / "AGENTS.md").write_text("from above")
    assert load_instructions(workspace, workspace).text == ""


def test_a_current_directory_outside_of_the_workspace_means_the_root(workspace, tmp_path):
    (workspace / "AGENTS.md").write_text("root")
    (tmp_path / "other").mkdir()
    assert load_instructions(workspace, tmp_path / "other").files == (workspace / "AGENTS.md",)


@pytest.mark.parametrize(
    ("there", "taken"),
    [
        (("AGENTS.md", "CLAUDE.md", "GEMINI.md"), "AGENTS.md"),
        (("CLAUDE.md", "GEMINI.md"), "CLAUDE.md"),
        (("GEMINI.md",), "GEMINI.md"),
    ],
)
def test_one_file_a_folder_in_this_order(workspace, there, taken):
    for name in there:
        (workspace / name).write_text(f"I am {name}")
    found = load_instructions(workspace, workspace)
    assert found.files == (workspace / taken,)
    assert f"I am {taken}" in found.text


def test_a_blank_file_leaves_its_place_to_the_next(workspace):
    (workspace / "AGENTS.md").write_text(" \n")
    (workspace / "CLAUDE.md").write_text("words")
    assert load_instructions(workspace, workspace).files == (workspace / "CLAUDE.md",)


def test_the_deepest_file_is_kept_when_all_together_are_too_long(workspace):
    (workspace / "AGENTS.md").write_text("".join(f"root {n:05d} {'x' * 80}\n" for n in range(400)))
    inner = "".join(f"inner {n:05d} {'y' * 80}\n" for n in range(200))
    (workspace / "a" / "AGENTS.md").write_text(inner)
    found = load_instructions(workspace, workspace / "a")
    assert inner.strip() in found.text
    assert "root 00000" in found.text and "root 00399" not in found.text
    assert found.dropped_bytes > 0
    assert f"{found.dropped_bytes:,} more bytes" in found.text
    assert len(found.text.encode()) < TOTAL_CAP + 1000


def test_a_file_without_any_room_is_named_at_least(workspace):
    (workspace / "AGENTS.md").write_text("root rules")
    (workspace / "a" / "AGENTS.md").write_text("z" * (TOTAL_CAP + 10))
    found = load_instructions(workspace, workspace / "a")
    assert found.files == (workspace / "a" / "AGENTS.md",)
    assert "root rules" not in found.text
    assert str(workspace / "AGENTS.md") in found.text
    assert found.dropped_bytes == 10 + len("root rules")


def test_a_cut_is_never_inside_a_character(workspace):
    (workspace / "AGENTS.md").write_text("é" * TOTAL_CAP)
    found = load_instructions(workspace, workspace)
    assert "\ufffd" not in found.text
    assert found.dropped_bytes == TOTAL_CAP


def test_instructions_that_lead_out_of_the_workspace_are_not_read(workspace, tmp_path):
    (tmp_path / "private").write_text("secret")
    (workspace / "AGENTS.md").symlink_to(tmp_path / "private")
    (workspace / "CLAUDE.md").write_text("public")
    found = load_instructions(workspace, workspace)
    assert "secret" not in found.text
    assert found.files == (workspace / "CLAUDE.md",)


def test_a_link_inside_the_workspace_is_followed(workspace):
    (workspace / "CLAUDE.md").write_text("words")
    (workspace / "AGENTS.md").symlink_to("CLAUDE.md")
    assert load_instructions(workspace, workspace).files == (workspace / "AGENTS.md",)


def test_folders_pipes_and_bad_bytes_do_no_harm(workspace):
    (workspace / "AGENTS.md").mkdir()
    os.mkfifo(workspace / "CLAUDE.md")
    (workspace / "GEMINI.md").write_bytes(b"\xef\xbb\xbfcaf\xe9 rules\0")
    found = load_instructions(workspace, workspace)
    assert "caf\ufffd rules" in found.text
    assert found.files == (workspace / "GEMINI.md",)
