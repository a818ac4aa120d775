"""What may be allowed of a command for good, and what that covers."""

import pytest

from keen_tui.security.shell_classes import classify, matches_rule


@pytest.mark.parametrize(
    ("command", "rule"),
    [
        ("pytest -q tests", "pytest"),
        ("npm run build -- --watch", "npm run build"),
        ("npm test", "npm test"),
        ("git commit -m x", "git commit"),
        ("git push", "git push"),
        ("make", "make"),
        ("make test", "make test"),
        ("uv run pytest -q", "uv run pytest"),
        ("python -m pytest -q", "python -m pytest"),
        ("python manage.py migrate", "python manage.py"),
        ("./run.sh x", "./run.sh"),
        ("docker compose up", "docker compose up"),
        ("timeout 60 pytest", "pytest"),
        ("python -c x", ""),
        ("uv run python -c x", ""),
        ("make -C /x", ""),
        ("../run.sh", ""),
        ("rm x", ""),
        ("sudo make", ""),
        ("bash -c 'make test'", ""),
        ("$X", ""),
        ("PATH=x make", ""),
        ("pytest $X", ""),
    ],
)
def test_a_rule_is_a_narrow_prefix_or_nothing(command, rule):
    [part] = classify(command).parts
    assert part.rule == rule
    assert matches_rule(part, rule) is bool(rule)


def test_a_rule_covers_its_own_part_and_no_other():
    first, second = classify("git commit -m x && rm -rf x").parts
    assert matches_rule(first, "git commit")
    assert matches_rule(first, "git")
    assert not matches_rule(second, "git")
    assert not matches_rule(second, "rm")


@pytest.mark.parametrize(
    ("command", "rule"),
    [
        ("npm run build-all", "npm run build"),
        ("gitk", "git"),
        ("git push --force", "git push"),
        ("git reset --hard", "git"),
        ("git -c x=y commit", "git commit"),
        ("pytest $(rm x)", "pytest"),
        ("LD_PRELOAD=x pytest", "pytest"),
        ("echo pytest", "pytest"),
        ("./pytest", "pytest"),
        ("make", ""),
        ("make", "  "),
    ],
)
def test_a_rule_covers_nothing_that_only_looks_like_it(command, rule):
    assert not matches_rule(classify(command).parts[0], rule)


@pytest.mark.parametrize(
    "tail", ["&& rm -rf x", "; rm x", "| rm x", "& rm x", "\nrm x", "$(rm x)", "`rm x`", "<(rm x)"]
)
def test_git_star_never_grants_what_stands_beside_it(tail):
    parts = classify(f"git commit -m x {tail}").parts
    assert not all(part.level == "read" or matches_rule(part, "git") for part in parts)


@pytest.mark.parametrize(
    "command",
    [
        "git reset --hard",
        "git reset --har",
        "git clean -fd",
        "git push --force",
        "git push -f",
        "git push --m",
        "git push --force-with-lease",
        "git push origin +main",
        "git push origin :topic",
        "git push -d origin topic",
        "git checkout -- .",
        "git checkout .",
        "git checkout src/a.py",
        "git checkout -f main",
        "git checkout HEAD -- a",
        "git restore a",
        "git restore --source=HEAD~1 a",
        "git switch --discard-changes main",
        "git branch -D x",
        "git branch --delete --force x",
        "git branch -M x",
        "git stash drop",
        "git stash clear",
        "git rebase main",
        "git rebase --abort",
        "git merge --abort",
        "git filter-branch --all",
        "git gc --prune=now",
        "git reflog expire --all",
        "git update-ref -d refs/heads/x",
        "git worktree remove x",
        "git tag -d x",
        "git rm -r x",
        "git -C sub reset --hard",
        "git --no-pager clean -f",
        "timeout 5 git reset --hard",
    ],
)
def test_git_verbs_that_lose_work_say_so(command):
    verdict = classify(command)
    assert verdict.destructive_git
    assert verdict.level == "destructive"
    assert all(not part.rule for part in verdict.parts if part.destructive_git)
