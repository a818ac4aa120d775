import os
import shutil
import subprocess

import pytest

from keen_tui.config.workspace import find_workspace, git_branch

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def git(folder, *words):
    identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=trunk"]
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True, timeout=30)


@pytest.fixture
def repo(tmp_path):
    repo = tmp_path / "repo"
    repo.mkdir()
    git(repo, "init")
    return repo.resolve()


def test_the_workspace_is_the_git_root_that_holds_the_directory(repo):
    (repo / "a" / "b").mkdir(parents=True)
    assert find_workspace(repo / "a" / "b") == repo
    assert find_workspace(repo) == repo


def test_outside_of_git_the_workspace_is_the_directory(tmp_path):
    assert find_workspace(tmp_path) == tmp_path.resolve()
    assert git_branch(tmp_path) is None


def test_an_empty_git_folder_makes_no_workspace(repo):
    (repo / "a" / ".git").mkdir(parents=True)
    assert find_workspace(repo / "a") == repo


def test_a_symlinked_directory_belongs_to_its_real_repository(repo, tmp_path):
    (repo / "a").mkdir()
    (tmp_path / "link").symlink_to(repo / "a")
    assert find_workspace(tmp_path / "link") == repo


def test_a_deleted_directory_does_not_stop_it(tmp_path):
    assert find_workspace(tmp_path / "gone") == (tmp_path / "gone").resolve()
    assert git_branch(tmp_path / "gone") is None


def test_the_branch_is_known_before_the_first_commit_and_after_a_switch(repo):
    assert git_branch(repo) == "trunk"
    git(repo, "commit", "--allow-empty", "-m", "x")
    git(repo, "switch", "-c", "feature/ünï")
    assert git_branch(repo) == "feature/ünï"


def test_a_detached_head_is_shown_as_its_commit(repo):
    git(repo, "commit", "--allow-empty", "-m", "x")
    git(repo, "checkout", "--detach")
    branch = git_branch(repo)
    assert branch and len(branch) == 8 and (repo / ".git/HEAD").read_text().startswith(branch)


def test_a_linked_work_tree_has_its_own_branch(repo, tmp_path):
    git(repo, "commit", "--allow-empty", "-m", "x")
    git(repo, "worktree", "add", "-b", "side", str(tmp_path / "tree"))
    assert find_workspace(tmp_path / "tree") == (tmp_path / "tree").resolve()
    assert git_branch(tmp_path / "tree") == "side"


@pytest.mark.parametrize("content", [b"", b"gitdir:", b"gitdir: ../none", b"\xff\xfe", b"gitdir: a\0b", b"x" * 9999])
def test_a_strange_git_file_is_no_repository(tmp_path, content):
    (tmp_path / ".git").write_bytes(content)
    assert find_workspace(tmp_path) == tmp_path.resolve()
    assert git_branch(tmp_path) is None


def test_a_pipe_in_the_place_of_head_is_not_waited_for(tmp_path):
    (tmp_path / ".git").mkdir()
    os.mkfifo(tmp_path / ".git" / "HEAD")
    assert git_branch(tmp_path) is None
