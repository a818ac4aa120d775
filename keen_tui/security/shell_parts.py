"""From the words of one simple command to its part: assignments, wrappers, programs, redirections."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass

from tree_sitter import Node

from keen_tui.security import shell_tables as tables
from keen_tui.security.shell_levels import Level, Verdict
from keen_tui.security.shell_programs import SENSITIVE, classify_program, program_name
from keen_tui.security.shell_words import Word, read_word, source

Inner = Callable[[str], "list[ShellPart]"]
_DANGEROUS = re.compile(tables.DANGEROUS_VARIABLE_NAMES)
_HARMLESS = re.compile(tables.HARMLESS_VARIABLE_NAMES)
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)\+?=")
_DURATION = re.compile(r"[0-9.]+[smhd]?\Z")
_SHORT_WITH_VALUE = {"timeout": "ks", "nice": "n", "ionice": "cnp", "stdbuf": "ioe", "time": "fo", "exec": "a"}
_WRAPPERS = frozenset({"command", "builtin", "exec", "nohup", "time", "nice", "ionice", "timeout", "stdbuf", "setsid"})
_PLAIN_OPTIONS = frozenset({"--foreground", "--preserve-status", "--verbose", "--fork", "--wait", "--portability"})
_DUPLICATES = frozenset({">&", "<&", ">&-", "<&-"})
_SINKS = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr"})


@dataclass(frozen=True, slots=True)
class ShellPart:
    """One simple command, assignment or redirection.

    `words` are the words after quoting, without a harmless wrapper such as `timeout 10`. `reason`
    says why it is not "read". `rule` is the prefix that could be allowed, empty when none is safe.
    `writes` are the files it surely writes, as written. `changes_directory`: it runs elsewhere than
    in the workspace, or lets the rest do so.
    """

    text: str
    words: tuple[str, ...]
    level: Level
    reason: str = ""
    destructive_git: bool = False
    rule: str = ""
    writes: tuple[str, ...] = ()
    changes_directory: bool = False


def part_of_command(
    text: str, words: Sequence[Word], assignments: Sequence[str], functions: Set[str], inner: Inner
) -> Iterator[ShellPart]:
    """The parts of one simple command; more than one when it carries a command in a word."""
    rest = list(words)
    names = list(assignments)
    problem = _unwrap(rest, names)
    plain = tuple(word.text for word in rest)
    if not problem and rest:
        problem = _opaque_program(rest[0])
    dangerous = [name for name in names if _DANGEROUS.match(name)]
    if problem or dangerous:
        yield ShellPart(text, plain, "unknown", problem or f"sets {dangerous[0]} for it")
        return
    if not rest:
        yield ShellPart(text, (), "read")
        return
    name = program_name(rest[0].text)
    if name in functions:
        yield ShellPart(text, plain, "read", "calls a function of this command")
        return
    carried = _carried(name, rest, inner)
    if carried is not None:
        yield from carried
        return
    verdict = classify_program(plain)
    yield _part(text, plain, _with_words(verdict, name, rest), names)


def _part(text: str, words: tuple[str, ...], verdict: Verdict, names: Sequence[str]) -> ShellPart:
    level, reason, rule = verdict.level, verdict.reason, verdict.rule
    for name in names:
        if level == "read" and not _HARMLESS.match(name):
            level, reason, rule = "write", f"sets {name} for it", ""
    if level in ("destructive", "unknown"):
        rule = ""
    return ShellPart(
        text, words, level, reason, verdict.destructive_git, rule, verdict.writes, verdict.changes_directory
    )


def _with_words(verdict: Verdict, name: str, rest: Sequence[Word]) -> Verdict:
    """The verdict once it is known which words only the shell will know."""
    for word in rest[1:]:
        if word.unknown and not (word.computed and name in tables.MAY_TAKE_COMPUTED):
            return _asks(verdict, f"uses {word.text}, which only the shell will know")
        if word.loose and name in SENSITIVE and name not in ("test", "[", "printf"):
            return _asks(verdict, f"uses {word.text}, which may turn into an option")
    return verdict


def _asks(verdict: Verdict, reason: str) -> Verdict:
    if verdict.level == "destructive":
        return verdict
    return Verdict("unknown", reason, "", verdict.destructive_git, verdict.writes, verdict.changes_directory)


def _opaque_program(word: Word) -> str:
    if word.unknown or word.loose or not word.text or re.search(r"[$`*?\[{}\n]", word.text.lstrip("[")):
        return "runs a program whose name only the shell will know"
    if word.text.startswith(("~", "-")) or word.text != word.text.strip():
        return "runs a program that can't be told by its name"
    return ""


def _unwrap(rest: list[Word], names: list[str]) -> str:
    """Take harmless wrappers off; their variables go to `names`. Returns why that can't be done."""
    for _ in range(10):
        if not rest or rest[0].unknown:
            return ""
        name = program_name(rest[0].text)
        if name in ("command", "builtin") and len(rest) > 1 and re.match(r"-[vV]+\Z", rest[1].text):
            rest[0:2] = [Word("which")]
            return ""
        if name == "env" and len(rest) > 1:
            del rest[0]
            if problem := _unwrap_env(rest, names):
                return problem
        elif name in _WRAPPERS:
            del rest[0]
            if problem := _unwrap_options(name, rest):
                return problem
        else:
            return ""
    return "is wrapped too many times to be read"


def _unwrap_env(rest: list[Word], names: list[str]) -> str:
    while rest:
        word = rest[0]
        if word.unknown and "=" not in word.text:
            return "gives env words that only the shell will know"
        if match := _ASSIGNMENT.match(word.text):
            names.append(match.group(1))
        elif word.text in ("-i", "-"):
            pass
        elif word.text == "-u" and len(rest) > 1:
            names.append(rest[1].text)
            del rest[0]
        elif word.text.startswith("-"):
            return f"gives env the option {word.text}"
        else:
            return ""
        del rest[0]
    return "prints the environment, which may hold keys"


def _unwrap_options(name: str, rest: list[Word]) -> str:
    letters = _SHORT_WITH_VALUE.get(name, "")
    while rest and rest[0].text.startswith("-"):
        word = rest.pop(0)
        if word.unknown or word.loose:
            return f"gives {name} words that only the shell will know"
        if name == "time" and re.match(r"-[a-z]*o|--o", word.text):
            return "time writes a file"
        if word.text == "--":
            break
        if word.text.startswith("--") and "=" not in word.text and word.text not in _PLAIN_OPTIONS:
            return f"gives {name} the option {word.text}"
        if not word.text.startswith("--") and word.text[-1] in letters and rest:
            rest.pop(0)
    if name == "timeout" and rest:
        if not _DURATION.match(rest[0].text):
            return "gives timeout no plain duration"
        rest.pop(0)
    return ""


def _carried(name: str, rest: Sequence[Word], inner: Inner) -> list[ShellPart] | None:
    """The parts of the command that stands in a word of this one, or None when none does."""
    text = " ".join(word.text for word in rest)
    args = rest[1:]
    if name in tables.SHELLS and args and re.match(r"-[a-z]*c[a-z]*\Z", args[0].text):
        if len(args) < 2 or args[1].unknown or args[1].loose:
            return [ShellPart(text, (), "unknown", f"gives {name} a command that only the shell will know")]
        return _marked(inner(args[1].text))
    if name == "eval":
        if not args or any(word.unknown or word.loose for word in args):
            return [ShellPart(text, (), "unknown", "runs a command that only the shell will know")]
        return _marked(inner(" ".join(word.text for word in args)))
    if name == "trap":
        if not args or args[0].text.startswith("-") or args[0].unknown:
            return [ShellPart(text, (), "unknown", "sets a trap that can't be read")]
        return _marked(inner(args[0].text)) if args[0].text else [ShellPart(text, (), "read")]
    if name in ("sudo", "doas", "pkexec", "runuser"):
        return [ShellPart(text, tuple(word.text for word in rest), "destructive", "runs as another user")]
    if name == "xargs":
        return [_xargs(text, args)]
    if name == "find":
        return _find_exec(text, rest)
    return None


def _marked(parts: list[ShellPart]) -> list[ShellPart]:
    # A rule would be shown for words that do not stand at the beginning of what the person sees.
    return [
        ShellPart(p.text, p.words, p.level, p.reason, p.destructive_git, "", p.writes, p.changes_directory)
        for p in parts
    ]


def _xargs(text: str, args: Sequence[Word]) -> ShellPart:
    rest = list(args)
    while rest and rest[0].text.startswith("-"):
        word = rest.pop(0)
        if re.fullmatch(r"-[0rtx]+|--null|--no-run-if-empty|-[nPLI].+|--max-(?:args|procs)=[0-9]+", word.text):
            continue
        if word.text in ("-n", "-P", "-L", "-I", "-d") and rest:
            rest.pop(0)
            continue
        return ShellPart(text, (), "unknown", f"gives xargs the option {word.text}")
    plain = tuple(word.text for word in rest) or ("echo",)
    return _run_with_unknown_words(text, plain, "xargs")


def _find_exec(text: str, rest: Sequence[Word]) -> list[ShellPart] | None:
    words = [word.text for word in rest]
    if not any(word in ("-exec", "-execdir") for word in words) or {"-ok", "-okdir", "-delete"} & set(words):
        return None
    if any(word.unknown or (word.loose and word.text != "{}") for word in rest):
        return None
    if any(word.startswith(("-fprint", "-fls")) for word in words):
        return None
    parts = []
    index = 0
    while index < len(words):
        if words[index] in ("-exec", "-execdir"):
            end = next((i for i in range(index, len(words)) if words[i] in (";", "+")), len(words))
            plain = tuple(words[index + 1 : end])
            parts.append(_run_with_unknown_words(text, plain, "find"))
            index = end
        index += 1
    return [ShellPart(text, tuple(words), "read"), *parts]


def _run_with_unknown_words(text: str, plain: tuple[str, ...], by: str) -> ShellPart:
    """A command that gets words from elsewhere: only what reads whatever its words are is harmless."""
    if not plain or program_name(plain[0]) in _WRAPPERS | tables.SHELLS | {"env", "eval", "sudo", "xargs"}:
        return ShellPart(text, (), "unknown", f"{by} runs a command that can't be read")
    verdict = classify_program(plain)
    name = program_name(plain[0])
    if verdict.level == "read" and (name in tables.READS_WHATEVER or name == "echo") and by == "find":
        return ShellPart(text, plain, "read")
    if verdict.level == "destructive":
        return ShellPart(text, plain, "destructive", verdict.reason, verdict.destructive_git)
    return ShellPart(text, plain, "unknown", f"{by} runs {name} with words that are not known here")


def part_of_assignment(text: str, name: str) -> Iterator[ShellPart]:
    """A part for an assignment that changes what later words mean; nothing for an ordinary one."""
    if "[" in name and re.search(r"[$`]", name):
        yield ShellPart(text, (), "unknown", "may run a command that stands in a subscript")
    elif _DANGEROUS.match(name.partition("[")[0]):
        yield ShellPart(text, (), "unknown", f"changes {name}, which changes what programs do")


def part_of_redirect(node: Node, known: Set[str]) -> Iterator[ShellPart]:
    """A part for a redirection to a file; nothing for one between streams or from a file inside."""
    text = source(node)
    operator = next((child.type for child in node.children if not child.is_named), "")
    targets = node.children_by_field_name("destination")
    if len(targets) != 1:
        # The parser counts words behind the target to it; for bash they belong to the command.
        yield ShellPart(text, (), "unknown", "has words behind a redirection; write them in front of it")
        return
    target = targets[0]
    word = read_word(target, known)
    if operator in _DUPLICATES and re.fullmatch(r"[0-9]+-?|-", word.text):
        return
    if word.text in _SINKS:
        return
    if word.text.startswith(("/dev/tcp/", "/dev/udp/")):
        yield ShellPart(text, (), "network", "opens a connection to another machine")
    elif target.type == "process_substitution":
        return
    elif word.unknown or word.loose or re.match(r"[$]", word.text):
        yield ShellPart(text, (), "unknown", "redirects to a file that only the shell will know")
    elif operator in ("<", "<&"):
        yield ShellPart(text, ("<", word.text), "read")
    else:
        yield ShellPart(text, (operator, word.text), "write", "writes a file", writes=(word.text,))
