"""What one simple command may do, by its program and its words."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from keen_tui.security import shell_tables as tables
from keen_tui.security.shell_git import classify_git
from keen_tui.security.shell_levels import Verdict

Args = Sequence[str]
_SYSTEM_FOLDERS = ("/bin/", "/usr/bin/", "/usr/local/bin/", "/sbin/", "/usr/sbin/", "/opt/homebrew/bin/")
_SUBCOMMAND = re.compile(r"[a-z][a-z0-9:_-]*\Z")
_SED_READS = re.compile(
    r"(?:[0-9]+|\$|/[^/\n]*/)?(?:,(?:[0-9]+|\$|/[^/\n]*/))?(?:[pdq=]|s([/|#,])(?:(?!\1)[^\\\n]|\\.)*\1"
    r"(?:(?!\1)[^\\\n]|\\.)*\1[gIip0-9]*)\Z"
)
_VERSION = frozenset({"--version", "-V", "version", "--help"})


def program_name(word: str) -> str:
    """The bare name of a program; one outside the system's folders keeps its path."""
    for folder in _SYSTEM_FOLDERS:
        if word.startswith(folder) and "/" not in word[len(folder) :]:
            return word[len(folder) :]
    return word


def classify_program(words: Args) -> Verdict:
    """The verdict for one command without wrappers, expansions or redirections."""
    name, args = program_name(words[0]), words[1:]
    if "/" in name:
        return Verdict("write", "runs a program of its own", name if not name.startswith("..") else "")
    if name == "git":
        return classify_git(words)
    if name in tables.READS_WHATEVER:
        return Verdict("read")
    if len(args) == 1 and name in tables.VERSION_ONLY and args[0] in _VERSION | tables.SHORT_VERSION.get(name, set()):
        return Verdict("read")
    if (check := _CHECKED.get(name)) is not None:
        return check(args)
    if name in tables.UNKNOWABLE:
        return Verdict("unknown", f"runs {name}, which can run anything")
    if name in tables.DECLARES and args:
        return Verdict("unknown", "declares a variable in a way that can't be followed")
    if name in tables.LEAKS_SECRETS and not args:
        return Verdict("unknown", "prints the environment, which may hold keys")
    if (verdict := _destructive(name, args)) is not None:
        return verdict
    if name in tables.SHELLS or name in tables.INTERPRETERS:
        return _interpreter(name, args)
    if name in tables.WRITES_ARGUMENTS:
        places = tuple(word for word in args if not word.startswith("-"))
        return Verdict("write", "changes files", name, writes=places)
    return _other(name, args)


def _destructive(name: str, args: Args) -> Verdict | None:
    verb = next((word for word in args if not word.startswith("-")), "")
    if name in tables.DESTRUCTIVE or name.startswith("mkfs"):
        return Verdict("destructive", f"{name} can't be undone")
    if name in tables.RECURSIVE_DESTRUCTIVE:
        if any(re.match(r"-[A-Za-z]*R|--rec", word) for word in args):
            return Verdict("destructive", f"{name} changes a whole tree")
        return Verdict("write", "changes files", "", writes=tuple(w for w in args[1:] if w[:1] != "-"))
    if verb in tables.DESTRUCTIVE_VERBS.get(name, ()):
        return Verdict("destructive", f"{name} {verb} can't be undone")
    return None


def _other(name: str, args: Args) -> Verdict:
    verb = next((word for word in args if not word.startswith("-")), "")
    rule = rule_for(name, args)
    if name in tables.NETWORK or verb in tables.NETWORK_VERBS.get(name, ()):
        return Verdict("network", "may talk to other machines", rule, writes=_downloads(name, args))
    return Verdict("write", "may run code and change files", rule)


def rule_for(name: str, args: Args) -> str:
    """The narrowest sensible prefix: the program, its subcommand, and what a runner runs."""
    if name in tables.PLAIN_TOOLS:
        return name
    if not args:
        return name
    if args[0].startswith("-"):
        return ""
    if not _SUBCOMMAND.match(args[0]):
        return name
    if args[0] not in tables.RUNNERS.get(name, ()):
        return f"{name} {args[0]}"
    target = args[1] if len(args) > 1 else ""
    if not target or target.startswith("-"):
        return ""
    if program_name(target) in tables.INTERPRETERS | tables.SHELLS | tables.UNKNOWABLE | {"env", "sudo", "xargs"}:
        return ""
    return f"{name} {args[0]} {target}"


def _downloads(name: str, args: Args) -> tuple[str, ...]:
    if name not in ("curl", "wget"):
        return ()
    letter, long = ("o", "--output") if name == "curl" else ("O", "--output-document")
    found = []
    for index, word in enumerate(args):
        following = args[index + 1] if index + 1 < len(args) else ""
        if re.fullmatch(rf"-[A-Za-z]*{letter}", word) or word == long:
            found.append(following)
        elif word.startswith(long + "="):
            found.append(word[len(long) + 1 :])
        elif re.match(rf"-{letter}.", word):
            found.append(word[2:])
    return tuple(place for place in found if place and place != "-")


def _interpreter(name: str, args: Args) -> Verdict:
    if not args:
        return Verdict("unknown", f"gives {name} a program from its input")
    first = args[0]
    if name in tables.INTERPRETERS and first == "-m" and len(args) > 1:
        network = args[1] in ("pip", "http.server", "ensurepip", "venv")
        rule = f"{name} -m {args[1]}" + (f" {args[2]}" if args[1] == "pip" and len(args) > 2 else "")
        return Verdict("network" if network else "write", "runs code", rule)
    if first.startswith("-"):
        if name in tables.SHELLS or first == "-":
            return Verdict("unknown", f"gives {name} a program that is not read here")
        return Verdict("write", "runs code given in the command")
    return Verdict("write", "runs code", f"{name} {first}")


def _find(args: Args) -> Verdict:
    if any(word in ("-delete",) for word in args):
        return Verdict("destructive", "find -delete can't be undone")
    if any(word in ("-exec", "-execdir", "-ok", "-okdir") for word in args):
        return Verdict("unknown", "find runs another program")
    if any(word.startswith(("-fprint", "-fls")) for word in args):
        return Verdict("write", "find writes a file")
    return Verdict("read")


def _without(pattern: str, what: str) -> Callable[[Args], Verdict]:
    """Reads, unless an option matches `pattern`."""
    forbidden = re.compile(pattern)

    def check(args: Args) -> Verdict:
        if any(forbidden.match(word) for word in args):
            return Verdict("unknown", f"has an option with which it {what}")
        return Verdict("read")

    return check


def _positional(most: int) -> Callable[[Args], Verdict]:
    def check(args: Args) -> Verdict:
        places = [word for word in args if not word.startswith("-") or word == "-"]
        if len(places) > most:
            return Verdict("write", "writes a file", writes=tuple(places[most:]))
        return Verdict("read")

    return check


def _sed(args: Args) -> Verdict:
    scripts, places, index = [], [], 0
    while index < len(args):
        word = args[index]
        if word in ("-e", "--expression") and index + 1 < len(args):
            index += 1
            scripts.append(args[index])
        elif word in ("-n", "-E", "-r", "-u", "-s", "-z", "-nE", "-En", "--quiet"):
            pass
        elif word.startswith("-") and word != "-":
            kind = "edits files in place" if re.match(r"-[a-zA-Z]*i|--in", word) else "runs a script"
            return Verdict("write", f"sed {kind}", writes=_sed_files(args))
        else:
            places.append(word)
        index += 1
    scripts += [] if scripts or not places else [places[0]]
    if scripts and all(_SED_READS.match(part.strip()) for s in scripts for part in s.split(";") if part.strip()):
        return Verdict("read")
    return Verdict("write", "sed runs a script that may write")


def _sed_files(args: Args) -> tuple[str, ...]:
    scripts = {index + 1 for index, word in enumerate(args) if word in ("-e", "--expression", "-f", "--file")}
    places = [word for index, word in enumerate(args) if index not in scripts and not word.startswith("-")]
    named = scripts or any(word.startswith(("--expression=", "--file=")) for word in args)
    return tuple(places if named else places[1:])


def _awk(args: Args) -> Verdict:
    rest = list(args)
    while rest and re.fullmatch(r"-F.{0,3}", rest[0]):
        del rest[: 2 if rest[0] == "-F" else 1]
    script = rest[0] if rest else "-"
    if not script.startswith("-") and not re.search(
        r"system|[|>@&]|getline|ENVIRON|close|printf?\s*\(.*>|include", script
    ):
        return Verdict("read")
    return Verdict("write", "awk runs a script that may write")


def _jq(args: Args) -> Verdict:
    if any(
        re.search(r"\benv\b|\$ENV|input_filename|^-L|^--lib|^-f|^--from|^--raw-?file|import|include", w) for w in args
    ):
        return Verdict("unknown", "jq reads more than its input")
    return Verdict("read")


def _identifiers(args: Args) -> Verdict:
    """Builtins that evaluate subscripts in their words."""
    if any("[" in word and word not in ("[", "[[") and ("$" in word or "`" in word) for word in args):
        return Verdict("unknown", "may run a command that stands in a subscript")
    return Verdict("read")


def _assigning(args: Args) -> Verdict:
    for word in args:
        if re.match(r"[A-Za-z_]", word) and re.match(tables.DANGEROUS_VARIABLE_NAMES, word):
            return Verdict("unknown", f"changes {word}")
        if "[" in word:
            return Verdict("unknown", "may run a command that stands in a subscript")
    return Verdict("read")


def _printf(args: Args) -> Verdict:
    if args and args[0].startswith("-v"):
        return Verdict("unknown", "gives a variable a value")
    return Verdict("read")


def _change_directory(args: Args) -> Verdict:
    places = [word for word in args if word not in ("-L", "-P", "-e", "--")]
    if len(places) != 1 or places[0].startswith(("-", "+")):
        return Verdict("unknown", "changes to a directory that is not named", changes_directory=True)
    return Verdict("read", "changes the directory", changes_directory=True)


def _shell_options(args: Args) -> Verdict:
    if not args:
        return Verdict("unknown", "prints the environment, which may hold keys")
    if all(re.fullmatch(r"[-+][euxo]+|pipefail|errexit|nounset|noglob|-f", word) for word in args):
        return Verdict("read")
    return Verdict("unknown", "changes how the shell reads what follows")


def _ps(args: Args) -> Verdict:
    if all(
        re.fullmatch(r"aux|ax|-[efAlFxauw]+|-[pou]|--sort=[\w+-]+|[0-9]+|[a-z%]+(?:,[a-z%]+)+", word) for word in args
    ):
        return Verdict("read")
    return Verdict("unknown", "may show the environment of processes")


def _nothing_but_reading(args: Args) -> Verdict:
    return Verdict("read")


def _package_list(args: Args) -> Verdict:
    if args and args[0] in ("list", "show", "freeze", "check", "ls") and len(args) <= 3:
        return Verdict("read")
    verb = args[0] if args else ""
    network = verb in tables.NETWORK_VERBS["pip"]
    return Verdict("network" if network else "write", "may change what is installed", rule_for("pip", args))


_CHECKED: dict[str, Callable[[Args], Verdict]] = {
    "find": _find,
    "rg": _without(r"--pre|--hostname-bin|--search-zip|-[A-Za-z]*z", "runs another program"),
    "fd": _without(r"-[A-Za-z]*[xX]|--exec", "runs another program"),
    "tree": _without(r"-[A-Za-z]*[oR]|--out", "writes a file"),
    "sort": _without(r"-[A-Za-z]*[oT]|--o|--c|--te", "writes a file or runs a program"),
    "date": _without(r"-[A-Za-z]*s|--s|[0-9]", "sets the clock"),
    "hostname": _without(r"[^-]|-[A-Za-z]*[Fb]|--file|--boot", "sets the name"),
    "uniq": _positional(1),
    "xxd": _positional(1),
    "sed": _sed,
    "awk": _awk,
    "gawk": _awk,
    "jq": _jq,
    "echo": _nothing_but_reading,
    "printf": _printf,
    "test": _identifiers,
    "[": _identifiers,
    "let": _without(r"(?![a-z_]+[-+*/]?=[0-9a-z_+*/-]+\Z)", "may run a command"),
    "read": _assigning,
    "unset": _assigning,
    "getopts": _assigning,
    "wait": _nothing_but_reading,
    "exit": _nothing_but_reading,
    "return": _nothing_but_reading,
    "break": _nothing_but_reading,
    "continue": _nothing_but_reading,
    "shift": _nothing_but_reading,
    "jobs": _nothing_but_reading,
    "umask": _nothing_but_reading,
    "popd": lambda args: Verdict("unknown", "changes to a directory that is not named", changes_directory=True),
    "cd": _change_directory,
    "pushd": _change_directory,
    "set": _shell_options,
    "ps": _ps,
    "pip": _package_list,
    "pip3": _package_list,
}
SENSITIVE = frozenset(name for name, check in _CHECKED.items() if check is not _nothing_but_reading) | {"git"}
"""Programs that a word which turns out to be an option could make do something else."""
