from __future__ import annotations

from pathlib import Path

import pytest

from keen_tui.agent.approvals import Approvals
from keen_tui.agent.rules import Rule, Rules
from keen_tui.domain.errors import KeenError
from keen_tui.domain.events import Mode
from keen_tui.tools.base import Access


@pytest.fixture
def approvals(tmp_path: Path) -> Approvals:
    workspace = tmp_path / "project"
    (workspace / ".git").mkdir(parents=True)
    rules = Rules.load(tmp_path / "home" / "permissions.toml", workspace)
    return Approvals(workspace, rules, protected=(workspace / ".git",))


def command(text: str) -> Access:
    return Access("command", command=text)


def write(approvals: Approvals, name: str) -> Access:
    return Access("write", paths=(approvals.workspace / name,))


@pytest.mark.parametrize(
    ("mode", "verdict"), [("ask", "ask"), ("accept-edits", "allow"), ("plan", "deny"), ("yolo", "allow")]
)
def test_the_mode_decides_about_edits(approvals: Approvals, mode: Mode, verdict: str) -> None:
    assert approvals.decide(write(approvals, "a.py"), mode).verdict == verdict


@pytest.mark.parametrize(
    ("mode", "verdict"), [("ask", "ask"), ("accept-edits", "ask"), ("plan", "deny"), ("yolo", "allow")]
)
def test_the_mode_decides_about_commands_that_change_something(approvals: Approvals, mode: Mode, verdict: str) -> None:
    assert approvals.decide(command("make install"), mode).verdict == verdict


@pytest.mark.parametrize("mode", ["ask", "accept-edits", "plan", "yolo"])
@pytest.mark.parametrize("text", ["ls -la", "git status && git log -3", "cat a.py | wc -l", "rg foo src"])
def test_commands_that_only_read_never_ask(approvals: Approvals, mode: Mode, text: str) -> None:
    assert approvals.decide(command(text), mode).verdict == "allow"


@pytest.mark.parametrize("text", ["cat /etc/shadow", "ls ~/.ssh", "head ../../secret", "cat <(cat /etc/passwd)"])
def test_a_read_outside_the_workspace_asks_in_a_command_too(approvals: Approvals, text: str) -> None:
    assert approvals.decide(command(text), "ask").verdict == "ask"


def test_a_symlink_out_of_the_workspace_is_outside_for_a_command_too(approvals: Approvals, tmp_path: Path) -> None:
    (approvals.workspace / "link").symlink_to(tmp_path)
    assert approvals.decide(command("cat link/secret"), "ask").verdict == "ask"



def test_no_rule_lets_a_command_write_where_git_or_keen_is_steered(approvals: Approvals) -> None:
    approvals.rules.allow_for_session((Rule(kind="command", value="cp"), Rule(kind="command", value="touch")))
    for text in ("cp x .git/hooks/pre-commit", "touch .git/config", "echo x > .git/config"):
        assert approvals.decide(command(text), "accept-edits").verdict == "ask", text


def test_each_part_of_a_compound_command_is_judged_by_itself(approvals: Approvals) -> None:
    approvals.rules.allow_for_session((Rule(kind="command", value="git status"),))
    assert approvals.decide(command("git status"), "ask").verdict == "allow"
    for text in (
        "git status && rm -rf x",
        "git status; make",
        "git status $(make)",
        "git status\nmake",
        "git status `make`",
    ):
        assert approvals.decide(command(text), "ask").verdict == "ask", text


def test_a_rule_for_a_command_holds_for_that_command_alone(approvals: Approvals) -> None:
    decision = approvals.decide(command("pytest -q tests"), "ask")
    assert decision.verdict == "ask" and decision.rules
    approvals.rules.allow_for_session(decision.rules)
    assert approvals.decide(command("pytest -q other"), "ask").verdict == "allow"
    assert approvals.decide(command("make pytest"), "ask").verdict == "ask"
    assert approvals.decide(command("pytest > /etc/passwd"), "ask").verdict == "ask"


@pytest.mark.parametrize("text", ["rm -rf build", "git reset --hard", "git push --force", "dd if=a of=b", "$CMD x"])
def test_what_can_not_be_undone_or_understood_gets_no_rule(approvals: Approvals, text: str) -> None:
    decision = approvals.decide(command(text), "ask")
    assert decision.verdict == "ask"
    assert decision.rules == ()
    assert decision.reasons


def test_destructive_git_asks_in_yolo_only_when_the_tree_is_dirty(approvals: Approvals) -> None:
    access = command("git reset --hard HEAD~1")
    assert approvals.decide(access, "yolo", tree_is_dirty=True).verdict == "ask"
    assert approvals.decide(access, "yolo", tree_is_dirty=False).verdict == "allow"
    assert approvals.decide(command("make"), "yolo", tree_is_dirty=True).verdict == "allow"


@pytest.mark.parametrize("mode", ["ask", "accept-edits"])
def test_files_that_steer_git_always_ask(approvals: Approvals, mode: Mode) -> None:
    approvals.rules.allow_for_session((Rule(kind="edit", value=str(approvals.workspace)),))
    assert approvals.decide(write(approvals, "a.py"), mode).verdict == "allow"
    decision = approvals.decide(write(approvals, ".git/hooks/pre-commit"), mode)
    assert decision.verdict == "ask" and decision.rules == ()


def test_paths_outside_the_workspace_ask(approvals: Approvals, tmp_path: Path) -> None:
    outside = tmp_path / "elsewhere" / "a.txt"
    reading = approvals.decide(Access("read", paths=(outside,)), "ask")
    assert reading.verdict == "ask" and reading.rules
    assert approvals.decide(Access("write", paths=(outside,)), "accept-edits").verdict == "ask"


def test_project_rules_live_under_the_home_and_never_in_the_repository(approvals: Approvals) -> None:
    rule = Rule(kind="command", value="pytest")
    approvals.rules.allow_for_project((rule,))
    again = Rules.load(approvals.rules.file, approvals.workspace)
    assert again.project == {rule}
    assert again.file.stat().st_mode & 0o777 == 0o600
    assert not list(approvals.workspace.rglob("*.toml"))


def test_a_broken_rules_file_allows_nothing_and_is_never_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "permissions.toml"
    file.write_text("allow = [ {kind = 'everything', value = '*'} ]\n")
    rules = Rules.load(file, tmp_path)
    assert rules.all() == set() and str(file) in rules.problem
    with pytest.raises(KeenError):
        rules.allow_for_project((Rule(kind="command", value="ls"),))
    assert "everything" in file.read_text()
