import os
import stat
from pathlib import Path

import pytest

from keen_tui.config.paths import KeenHome
from keen_tui.domain.errors import KeenError


def test_keen_home_moves_everything(tmp_path):
    home = KeenHome.from_environment({"KEEN_HOME": str(tmp_path / "k"), "HOME": "/nowhere"})
    for path in (home.config_file, home.database, home.env_file, home.global_memory, home.task_dir("a1")):
        assert path.is_relative_to(tmp_path / "k")
    assert home.transcript("a1") == tmp_path / "k/tasks/a1/logs/transcript.jsonl"


@pytest.mark.parametrize("value", ["", "  "])
def test_an_empty_keen_home_means_the_folder_in_the_users_home(tmp_path, value):
    assert KeenHome.from_environment({"KEEN_HOME": value, "HOME": str(tmp_path)}).root == tmp_path / ".keen"


def test_a_tilde_in_keen_home_is_the_users_home(tmp_path):
    assert KeenHome.from_environment({"KEEN_HOME": "~/x", "HOME": str(tmp_path)}).root == tmp_path / "x"


def test_a_relative_keen_home_becomes_absolute(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert KeenHome.from_environment({"KEEN_HOME": "k"}).root == tmp_path / "k"


def test_folders_are_closed_to_others_whatever_the_umask(tmp_path):
    home = KeenHome(tmp_path / "deep" / "k")
    before = os.umask(0)
    try:
        home.ensure()
        home.ensure()
    finally:
        os.umask(before)
    for folder in (home.root, home.log_dir, home.tasks_dir, home.global_memory.parent, tmp_path / "deep"):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_the_rights_of_a_folder_that_was_there_stay(tmp_path):
    tmp_path.chmod(0o755)
    KeenHome(tmp_path).ensure()
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755


def test_a_home_that_cannot_be_made_is_explained(tmp_path):
    (tmp_path / "k").write_text("a file")
    with pytest.raises(KeenError, match="can't use the folder") as caught:
        KeenHome(tmp_path / "k").ensure()
    assert "KEEN_HOME" in caught.value.hint
    assert (tmp_path / "k").read_text() == "a file"


def test_the_permissions_of_a_workspace_are_found_again_and_never_shared(tmp_path):
    home = KeenHome(tmp_path / "k")
    one, other = tmp_path / "a" / "repo", tmp_path / "b" / "repo"
    one.mkdir(parents=True)
    other.mkdir(parents=True)
    link = tmp_path / "link"
    link.symlink_to(one)
    assert home.permissions_file(one) == home.permissions_file(link)
    assert home.permissions_file(one) != home.permissions_file(other)
    assert home.permissions_file(one).is_relative_to(home.root)


def test_a_workspace_whose_name_is_not_utf8_has_permissions_too(tmp_path):
    home = KeenHome(tmp_path / "k")
    workspace = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    assert home.permissions_file(workspace).parent.name.isascii()


@pytest.mark.parametrize("task_id", ["", "..", "a/b", "../x", "a\0b", ".hidden"])
def test_a_task_id_can_never_lead_out_of_the_tasks(tmp_path, task_id):
    with pytest.raises(ValueError):
        KeenHome(tmp_path).task_dir(task_id)
