"""What a git command may do."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from keen_tui.security.shell_levels import Verdict, names

_READ = names(
    "status log diff show rev-parse ls-files ls-tree cat-file blame annotate shortlog describe rev- "
    "list name-rev merge-base show-ref for-each-ref grep whatchanged diff-tree diff-index diff-files "
    "count-objects check-ignore check-attr version cherry range-diff"
)
_WRITE = names(
    "add commit init mv merge cherry-pick revert am apply format-patch archive bundle sparse-checkout "
    "notes stash branch tag remote worktree submodule reset switch checkout bisect maintenance"
)
_NETWORK = frozenset(["clone", "fetch", "pull", "push", "ls-remote"])
_RUNS_CODE = names(
    "difftool mergetool config filter-branch filter-repo send-email daemon shell upload-pack receive- "
    "pack instaweb gui citool web--browse credential hook help"
)
_DESTRUCTIVE = names("clean rebase gc prune update-ref replace read-tree checkout-index rm restore")
_RISKY_OPTION = re.compile(r"--(?:ou|op|ext|exec|textc|filt|upl|rec|pag|config-env)|-O|-o.")
_RUNS_OPTION = re.compile(r"--(?:upl|rec|exec)")
_CLONES = re.compile(r"-[A-Za-z]*[uc]|--(?:conf|templ)")
_GLOBAL_WITH_VALUE = frozenset({"-C", "--git-dir", "--work-tree", "--namespace"})
_GLOBAL_PLAIN = names("--no-pager -P --no-optional-locks --literal-pathspecs --no-replace-objects --bare --version")
_BRANCH = re.compile(r"main|master|develop|dev|trunk|-|[0-9a-f]{7,40}|HEAD(?:[~^].*)?|[\w-]+/[\w/-]+")


def classify_git(words: Sequence[str]) -> Verdict:
    """The verdict for `git …`; `words[0]` is git."""
    rest = list(words[1:])
    directory = False
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        name, equals, _ = option.partition("=")
        if name in _GLOBAL_WITH_VALUE:
            directory = True
            if not equals and rest:
                rest.pop(0)
        elif option == "--version":
            return Verdict("read")
        elif option not in _GLOBAL_PLAIN:
            return Verdict("unknown", f"gives git the option {name}, which can run programs")
    if not rest:
        return Verdict("read")
    verdict = _subcommand(rest[0], rest[1:])
    if directory and verdict.level != "read":
        return Verdict(verdict.level, verdict.reason, "", verdict.destructive_git, changes_directory=True)
    return verdict


def _subcommand(verb: str, args: list[str]) -> Verdict:
    if any("::" in word and not word.startswith("--") for word in args) and verb in _NETWORK:
        return Verdict("unknown", "names a transport that can run programs")
    if verb in _READ:
        if any(_RISKY_OPTION.match(word) for word in args):
            return Verdict("unknown", f"gives git {verb} an option that can write files or run programs")
        return Verdict("read")
    if verb in _RUNS_CODE:
        kind = verb in ("filter-branch", "filter-repo")
        return Verdict("destructive" if kind else "unknown", f"git {verb} can run programs", "", kind)
    if destroys := _destroys(verb, args):
        return Verdict("destructive", destroys, "", True)
    if verb in _NETWORK and any(_RUNS_OPTION.match(word) or (verb == "clone" and _CLONES.match(word)) for word in args):
        return Verdict("unknown", f"gives git {verb} an option that can run programs")
    if verb in _NETWORK:
        return Verdict("network", "talks to another machine", f"git {verb}")
    if (check := _LISTS.get(verb)) is not None and check(args):
        return Verdict("read")
    if verb in ("bisect", "submodule") and args and args[0] in ("run", "foreach"):
        return Verdict("unknown", f"git {verb} {args[0]} runs programs")
    if verb == "submodule" and args and args[0] in ("add", "update", "init"):
        return Verdict("network", "talks to another machine", f"git {verb} {args[0]}")
    if verb in _WRITE:
        return Verdict("write", "changes the repository", f"git {verb}")
    return Verdict("unknown", f"git {verb} is not a verb that Keen knows; it may be an alias")


def _destroys(verb: str, args: list[str]) -> str:
    """Why this loses work, or an empty text."""
    flags, places = _split(args)
    if verb == "clean" and ("--dry-run" in args or "n" in flags):
        return ""
    if verb == "rm" and "--cached" in args:
        return ""
    if verb == "restore" and ("--staged" in args or "S" in flags) and "W" not in flags:
        return "" if "--worktree" not in args else "throws away changes in files"
    if verb in _DESTRUCTIVE:
        return f"git {verb} can lose work"
    rule = _LOSES.get(verb)
    return f"git {verb} in this form can lose work" if rule is not None and rule(args, flags, places) else ""


def _split(args: list[str]) -> tuple[str, list[str]]:
    """The letters of all short options, and the words that are no options."""
    flags = "".join(word[1:] for word in args if re.match(r"-[A-Za-z]", word))
    return flags, [word for word in args if not word.startswith("-")]


def _long(args: list[str], *names: str) -> bool:
    # git takes any unambiguous beginning of a long option.
    return any(
        len(word) > 2 and word.startswith("--") and name.startswith(word.partition("=")[0])
        for word in args
        for name in names
    )


def _checkout(args: list[str], flags: str, places: list[str]) -> bool:
    if "--" in args or "f" in flags or "B" in flags or _long(args, "--force", "--pathspec-from-file"):
        return True
    if "b" in flags or _long(args, "--orphan", "--detach", "--track"):
        return False
    return len(places) != 1 or _BRANCH.fullmatch(places[0]) is None


_Rule = Callable[[list[str], str, list[str]], bool]
_LOSES: dict[str, _Rule] = {
    "checkout": _checkout,
    "reset": lambda a, f, p: _long(a, "--hard", "--merge", "--keep"),
    "switch": lambda a, f, p: "f" in f or "C" in f or _long(a, "--force", "--discard-changes", "--force-create"),
    "branch": lambda a, f, p: bool(set("DMCf") & set(f)) or _long(a, "--force"),
    "tag": lambda a, f, p: bool(set("df") & set(f)) or _long(a, "--delete", "--force"),
    "stash": lambda a, f, p: p[:1] in (["drop"], ["clear"]),
    "push": lambda a, f, p: (
        bool(set("fd") & set(f))
        or _long(a, "--force", "--force-with-lease", "--force-if-includes", "--mirror", "--delete", "--prune")
        or any(word.startswith(("+", ":")) for word in p)
    ),
    "fetch": lambda a, f, p: "f" in f or _long(a, "--force"),
    "pull": lambda a, f, p: "f" in f or "r" in f or _long(a, "--force", "--rebase"),
    "merge": lambda a, f, p: _long(a, "--abort"),
    "cherry-pick": lambda a, f, p: _long(a, "--abort"),
    "revert": lambda a, f, p: _long(a, "--abort"),
    "am": lambda a, f, p: _long(a, "--abort"),
    "reflog": lambda a, f, p: p[:1] in (["expire"], ["delete"]),
    "worktree": lambda a, f, p: p[:1] in (["remove"], ["prune"]) or "f" in f,
    "submodule": lambda a, f, p: p[:1] == ["deinit"] or "f" in f,
    "remote": lambda a, f, p: p[:1] in (["remove"], ["rm"], ["prune"]),
    "notes": lambda a, f, p: p[:1] in (["remove"], ["prune"]),
    "symbolic-ref": lambda a, f, p: len(p) > 1 or "d" in f,
    "commit": lambda a, f, p: False,
}


def _lists_branches(args: list[str]) -> bool:
    flags, places = _split(args)
    long = [word.partition("=")[0] for word in args if word.startswith("--")]
    allowed = {"--all", "--remotes", "--list", "--show-current", "--contains", "--no-contains", "--merged"}
    allowed |= {"--no-merged", "--format", "--sort", "--points-at", "--verbose", "--color", "--no-color"}
    allowed |= {"--column", "--no-column", "--ignore-case"}
    if set(flags) - set("arvqli") or set(long) - allowed:
        return False
    asks = {"--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"} & set(long)
    return not places or bool(asks) or "l" in flags


def _lists_tags(args: list[str]) -> bool:
    flags, places = _split(args)
    long = {word.partition("=")[0] for word in args if word.startswith("--")}
    if long - {"--list", "--contains", "--points-at", "--sort", "--format", "--merged", "--column"}:
        return False
    return not (set(flags) - set("ln0123456789")) and (not places or bool(long - {"--sort"}) or "l" in flags)


def _first(*names: str) -> Callable[[list[str]], bool]:
    return lambda args: bool(args) and args[0] in names and not any(_RISKY_OPTION.match(a) for a in args)


_LISTS: dict[str, Callable[[list[str]], bool]] = {
    "branch": _lists_branches,
    "tag": _lists_tags,
    "remote": lambda args: not args or args in (["-v"], ["--verbose"]) or args[0] == "get-url",
    "stash": _first("list", "show"),
    "worktree": _first("list"),
    "reflog": lambda args: (
        (not args or args[0] == "show" or args[0].startswith("-"))
        and not any(_RISKY_OPTION.match(word) for word in args)
    ),
    "symbolic-ref": lambda args: len([word for word in args if not word.startswith("-")]) == 1,
    "notes": _first("list", "show"),
    "submodule": _first("status", "summary"),
    "bisect": _first("log"),
    "clean": lambda args: True,
}
