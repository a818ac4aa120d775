"""How far a shell command reaches, each part of it by itself.

The command is parsed by tree-sitter-bash and never run. Whatever can't be known from the text (a
variable as a program, an unknown option, a syntax error) is "unknown" and asks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

from keen_tui.security.shell_ascii import AsciiCommand
from keen_tui.security.shell_levels import Level, worst
from keen_tui.security.shell_parts import ShellPart, part_of_assignment, part_of_command, part_of_redirect
from keen_tui.security.shell_words import Word, read_word, source
from keen_tui.security.untrusted import has_hidden

__all__ = ["Level", "ShellPart", "ShellVerdict", "classify", "matches_rule"]

LONGEST = 65_536
"""Characters; a longer command asks."""
_DEEPEST = 200
_MISREAD = re.compile(r"(?<!\\)(?:`|\$\(|[<>]\()")
_ODD_SPACE = re.compile(r"[^\S \t\n]")
_COMMENT_BEGINS = re.compile(rb"(?:\A|[\n;&|()]|(?<!\\)[ \t])\Z")
_TEXT_NODES = frozenset({"word", "string_content", "heredoc_content", "regex", "number", "extglob_pattern"})
_EVALUATES = re.compile(r"\$\(|`|\[")


@dataclass(frozen=True, slots=True)
class ShellVerdict:
    """The parts of a command in their order."""

    parts: tuple[ShellPart, ...]

    @property
    def level(self) -> Level:
        """The worst level of all parts."""
        return worst(*(part.level for part in self.parts))

    @property
    def destructive_git(self) -> bool:
        return any(part.destructive_git for part in self.parts)

    @property
    def writes(self) -> tuple[str, ...]:
        """Files that are written for sure: targets of redirections, arguments of cp, tee and the like."""
        return tuple(path for part in self.parts for path in part.writes)

    @property
    def changes_directory(self) -> bool:
        """Whether a part runs in another directory than the workspace, so that relative paths mislead."""
        return any(part.changes_directory for part in self.parts)


def classify(command: str) -> ShellVerdict:
    """Every simple command and redirection in `command`, however deep, with its level."""
    if problem := _unreadable(command):
        return ShellVerdict((ShellPart(command.strip(), (), "unknown", problem),))
    ascii_command = AsciiCommand.of(command)
    return ShellVerdict(tuple(map(ascii_command.restored, _Walk().run(ascii_command.text))))


def matches_rule(part: ShellPart, rule: str) -> bool:
    """Whether the rule, a prefix of whole words, covers this one part.

    No rule covers a part that is destructive, unknown or without a rule of its own.
    """
    if part.level in ("destructive", "unknown") or not part.rule:
        return False
    wanted = tuple(rule.split())
    return bool(wanted) and part.words[: len(wanted)] == wanted


class _Walk:
    """One reading of one command, with what it defines on its way."""

    def __init__(self, depth: int = 0) -> None:
        self._depth = depth
        self._known: set[str] = set()
        self._functions: set[str] = set()
        self._source = b""

    def run(self, command: str) -> Iterator[ShellPart]:
        if problem := _unreadable(command):
            yield ShellPart(command.strip(), (), "unknown", problem)
            return
        self._source = command.encode()
        tree = Parser(Language(tree_sitter_bash.language())).parse(self._source)
        if tree.root_node.has_error:
            yield ShellPart(command.strip(), (), "unknown", "can't be read as a shell command")
            return
        yield from self._visit(tree.root_node, 0)

    def _visit(self, node: Node, depth: int) -> Iterator[ShellPart]:
        if depth > _DEEPEST:
            yield ShellPart(source(node), (), "unknown", "is nested too deeply to be read")
            return
        yield from self._own_part(node)
        if node.type == "comment" or node.type == "raw_string":
            return
        for child in node.children:
            yield from self._visit(child, depth + 1)

    def _own_part(self, node: Node) -> Iterator[ShellPart]:
        text = source(node)
        match node.type:
            case "command":
                yield from self._command(node)
            case "file_redirect":
                yield from part_of_redirect(node, self._known)
            case "declaration_command" | "unset_command":
                yield from self._declaration(node)
            case "variable_assignment" if node.parent is not None and node.parent.type != "command":
                yield from self._assignment(node)
            case "for_statement" | "c_style_for_statement":
                yield from self._loop(node)
            case "function_definition":
                yield from self._function(node)
            case "expansion" if not re.fullmatch(r"\$\{[A-Za-z_]\w*\}|\$\{[?#$!]\}", text):
                if not re.fullmatch(r"\$\{#?[A-Za-z_]\w*(?:[%#:+/-][\w./*%# -]*)?\}", text):
                    yield ShellPart(text, (), "unknown", "is an expansion that may run a command")
            case "arithmetic_expansion" | "test_command" | "compound_statement" | "subscript":
                if _evaluates(node, text, self._known):
                    yield ShellPart(text, (), "unknown", "may run a command in an expression")
            case "heredoc_redirect" if not _plain_heredoc(node):
                yield ShellPart(text, (), "unknown", "has a heredoc that can't be read with certainty")
            case _ if node.type in _TEXT_NODES and _MISREAD.search(text):
                yield ShellPart(text, (), "unknown", "hides a command from the parser")
            case "comment" if not _COMMENT_BEGINS.search(self._source[: node.start_byte]):
                yield ShellPart(text, (), "unknown", "is no comment for bash")
            case "ERROR":
                yield ShellPart(text, (), "unknown", "can't be read as a shell command")

    def _command(self, node: Node) -> Iterator[ShellPart]:
        words: list[Word] = []
        assignments: list[str] = []
        for child in node.children:
            if child.type == "variable_assignment":
                assignments.append(source(child).partition("=")[0].rstrip("+"))
            elif child.type not in ("file_redirect", "herestring_redirect", "heredoc_redirect", "comment"):
                words.append(read_word(child, self._known))
        if not words:
            return
        yield from part_of_command(source(node), words, assignments, self._functions, self._inner)

    def _inner(self, command: str) -> list[ShellPart]:
        """The parts of a command that stands in a word of another: `bash -c '…'`."""
        if self._depth >= 6:
            return [ShellPart(command, (), "unknown", "is nested too deeply to be read")]
        walk = _Walk(self._depth + 1)
        walk._functions = set(self._functions)
        return list(walk.run(command))

    def _declaration(self, node: Node) -> Iterator[ShellPart]:
        text = source(node)
        words = [read_word(child, self._known) for child in node.children if child.is_named]
        names = [word.text for word in words]
        plain = [name for name in names if not name.startswith("-")]
        given = [child.type for child in node.children if child.is_named]
        if any(re.match(r"-\w*[nifF]", name) for name in names) or any("[" in name.split("=")[0] for name in plain):
            yield ShellPart(text, (), "unknown", "declares a variable in a way that can't be followed")
        elif not plain:
            yield ShellPart(text, (), "unknown", "prints the environment, which may hold keys")
        for word, kind in zip(words, given, strict=True):
            if kind == "variable_assignment" or word.text.startswith("-"):
                continue
            if word.unknown or word.loose:
                yield ShellPart(text, (), "unknown", "declares a variable that only the shell will know")
            yield from part_of_assignment(text, word.text.partition("=")[0].rstrip("+"))

    def _assignment(self, node: Node) -> Iterator[ShellPart]:
        name = source(node).partition("=")[0].rstrip("+")
        yield from part_of_assignment(source(node), name)
        child = node.child_by_field_name("value")
        word = read_word(child, self._known) if child is not None else Word("")
        if word.unknown or _EVALUATES.search(word.text):
            self._known.discard(name)
            if not word.unknown and re.search(r"\$\(|`", word.text):
                yield ShellPart(source(node), (), "unknown", "hides a command in a variable")
        else:
            self._learn(name)
            if word.text:
                # The value is a word of its own, so that a path outside the workspace is seen.
                yield ShellPart(source(node), (name, word.text), "read")

    def _learn(self, name: str) -> None:
        # The assignment may never run, and then the environment's value holds: keys have names in capitals.
        if name.islower() or name == "_":
            self._known.add(name)

    def _loop(self, node: Node) -> Iterator[ShellPart]:
        variable = node.child_by_field_name("variable")
        if variable is None:
            if re.search(r"[$`\[]", source(node).partition("))")[0]):
                yield ShellPart(source(node), (), "unknown", "may run a command in an expression")
            return
        name = source(variable)
        values = [read_word(child, self._known) for child in node.children_by_field_name("value")]
        yield from part_of_assignment(f"for {name}", name)
        if values and not any(word.unknown or _EVALUATES.search(word.text) for word in values):
            self._learn(name)
            yield ShellPart(f"for {name}", ("for", *(word.text for word in values)), "read")
        else:
            self._known.discard(name)

    def _function(self, node: Node) -> Iterator[ShellPart]:
        named = node.child_by_field_name("name")
        body = node.child_by_field_name("body")
        name = source(named) if named is not None else ""
        self._functions.add(name)
        if body is None or re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", source(body)):
            yield ShellPart(source(node), (), "unknown", "defines a function that calls itself")


def _evaluates(node: Node, text: str, known: set[str]) -> bool:
    """Whether an expression evaluates values that may hold a command: bash runs `a[$(…)]` in a number."""
    if node.type == "test_command":
        if not re.match(r"\[\[?\s", text) or not re.search(r"\s\]\]?\Z", text) or "\n" in text:
            return True
        if not text.startswith("[[") and re.search(r"[<>]", text):
            # Between single brackets these are redirections.
            return True
        numbers = re.search(r"\s-(?:eq|ne|lt|le|gt|ge|v)\s", text) if text.startswith("[[") else None
        return bool(numbers and re.search(r"\$[^?#]|[`\[]", text.strip("[]")))
    if node.type == "compound_statement" and not text.startswith("(("):
        return False
    names = set(re.findall(r"[A-Za-z_]\w*", re.sub(r"\$[?#]", "", text)))
    return bool(re.search(r"[`\[]|\$\(|\$\{", text.removeprefix("$((")) or names - known)


def _plain_heredoc(node: Node) -> bool:
    """Whether the delimiter is one plain or wholly quoted name that ends the body where bash ends it."""
    start = next((source(child) for child in node.children if child.type == "heredoc_start"), "")
    match = re.fullmatch(r"([\'\"]?)(\w+)\1", start)
    bodies = [source(child) for child in node.children if child.type == "heredoc_body"]
    if match is None or len(bodies) > 1:
        return False
    if not match.group(1) and any(_hides_command(child) for child in node.children if child.type == "heredoc_body"):
        return False
    ends = [source(child).strip() for child in node.children if child.type == "heredoc_end"]
    inside = [line.strip("\t") for body in bodies for line in body.splitlines()]
    return ends == [match.group(2)] and match.group(2) not in inside


def _hides_command(body: Node) -> bool:
    """Whether a heredoc that bash expands holds a substitution that the parser did not see."""
    rest = body.text or b""
    for child in reversed([child for child in body.children if child.is_named and child.type != "heredoc_content"]):
        rest = rest[: child.start_byte - body.start_byte] + rest[child.end_byte - body.start_byte :]
    return _MISREAD.search(rest.decode("utf-8", "replace")) is not None


def _unreadable(command: str) -> str:
    if len(command) > LONGEST:
        return "is too long to be read"
    if has_hidden(command) or _ODD_SPACE.search(command):
        return "holds invisible or control characters"
    try:
        command.encode()
    except UnicodeEncodeError:
        return "holds characters that are no text"
    return ""
