from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from keen_tui.agent.approvals import Approvals
from keen_tui.agent.rules import Rule, Rules
from keen_tui.domain.constraints import read_only_paths, rule_for
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


@pytest.fixture
def pinned(approvals: Approvals) -> Approvals:
    rules = read_only_paths("- Keep it quick\n- path: src/parser/** is read-only\n- path: `*.lock` is read-only, yes")
    (approvals.workspace / "src" / "parser").mkdir(parents=True)
    return replace(approvals, pinned=lambda: rules)


@pytest.mark.parametrize("mode", ["ask", "accept-edits", "yolo"])
@pytest.mark.parametrize("name", ["src/parser/a.py", "src/parser/deep/b.py", "poetry.lock", "sub/uv.lock"])
def test_a_path_that_the_brief_calls_read_only_asks_in_every_mode_and_names_the_line(
    pinned: Approvals, mode: Mode, name: str
) -> None:
    decision = pinned.decide(write(pinned, name), mode)
    assert decision.verdict == "ask" and decision.rules == ()
    assert "is read-only" in decision.reasons[0] and "the brief says: path:" in decision.reasons[0]


@pytest.mark.parametrize("mode", ["ask", "accept-edits", "yolo"])
@pytest.mark.parametrize(
    "text",
    [
        "echo x > src/parser/a.py",
        "ls && sed -i s/a/b/ src/parser/a.py",
        "rm -r src",
        "mv src/parser old",
        "cp a.py src/parser/a.py",
        "cd src && echo x > parser/a.py",
        "tee -a uv.lock < a",
        "rm -rf .",
    ],
)
def test_a_command_that_writes_there_asks_in_every_mode(pinned: Approvals, mode: Mode, text: str) -> None:
    decision = pinned.decide(command(text), mode)
    assert decision.verdict == "ask" and any("the brief says:" in reason for reason in decision.reasons)


def test_plan_mode_refuses_it_like_every_other_change(pinned: Approvals) -> None:
    assert pinned.decide(write(pinned, "src/parser/a.py"), "plan").verdict == "deny"
    assert pinned.decide(command("echo x > src/parser/a.py"), "plan").verdict == "deny"


@pytest.mark.parametrize("text", ["cat src/parser/a.py", "rg foo src", "git log -- src/parser", "echo x > other.py"])
def test_reading_there_and_writing_elsewhere_go_on_as_before(pinned: Approvals, text: str) -> None:
    assert pinned.decide(command(text), "yolo").verdict == "allow"
    assert pinned.decide(write(pinned, "src/main.py"), "yolo").verdict == "allow"


@pytest.mark.parametrize(
    ("sentence", "line"),
    [
        ("- Don't touch src/parser/.", "path: src/parser/** is read-only"),
        ("Leave `setup.cfg` alone", "path: setup.cfg is read-only"),
        ("- keep *.lock as it is", "path: *.lock is read-only"),
        ("Be quick", ""),
        ("path: a/** is read-only", ""),
    ],
)
def test_a_rule_is_made_from_a_sentence_that_names_a_path(sentence: str, line: str) -> None:
    assert rule_for(sentence) == line
