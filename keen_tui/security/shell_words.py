"""The words of a shell command, as far as they can be known without running it."""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass

from tree_sitter import Node


@dataclass(frozen=True, slots=True)
class Word:
    """`text` is the word after quoting, with expansions left as written (`$HOME` reads `~`).

    `unknown`: a value that only the shell will know is part of it. `computed`: that value comes from
    a command substitution alone, which is classified by itself. `loose`: it may turn into an option
    or into several words.
    """

    text: str
    unknown: bool = False
    computed: bool = False
    loose: bool = False


_ESCAPE = re.compile(r"\\(\n|.)", re.DOTALL)
_STRING_ESCAPE = re.compile(r"\\([\"\\$`\n])")
_LITERAL_HEREDOC = re.compile(r"\$\(cat <<'(\w+)'\n(.*?)\n?\1\n?\s*\)\Z", re.DOTALL)
_DOT_GLOB = re.compile(r"(?:^|/)\.[^/]*[*?\[]")
_BRACE = re.compile(r"(?<!\\)\{[^{}\s]*(?:,|\.\.)[^{}\s]*\}|(?<!\\)\{.*\{")
_TAME_BRACE = re.compile(r"\{[A-Za-z0-9_][\w.*-]*(?:,[A-Za-z0-9_][\w.*-]*)*\}|\{[0-9]+\.\.[0-9]+\}")
_HARMLESS = frozenset({"?", "#", "$", "!", "RANDOM", "SECONDS", "PWD", "LINENO", "HOME"})
_PLAIN_NUMBERS = re.compile(r"\$\(\([\s0-9+*/%()-]*\)\)\Z")
_BUILDS_DOTS = re.compile(
    r"\.[\"']*\$[A-Za-z_{]|\$(?:\w+|\{\w+\})[\"']*(?:\.(?:[/\"'$.]|\Z)|[\"']*\$[A-Za-z_{])"
    r"|\$(?:(?:PWD|HOME)\b|\{(?:PWD|HOME)\})[\"']*[^/\"'\s]"
)
"""A value next to a dot or to another value could make `..` of it, a name behind a folder its neighbour."""
_SIMPLE_EXPANSION = re.compile(r"\$(?:\{([A-Za-z_]\w*|[?#$!])\}|([A-Za-z_]\w*|[?#$!]))\Z")


def source(node: Node) -> str:
    """The text of a node."""
    return (node.text or b"").decode("utf-8", "replace")


def read_word(node: Node, known: Set[str], quoted: bool = False) -> Word:
    """The word that a node stands for. `known` are variables whose values stand in the same command."""
    text = source(node)
    match node.type:
        case "raw_string":
            return Word(text[1:-1])
        case "word" | "number" | "variable_name" | "regex" | "extglob_pattern":
            return _bare(text)
        case "string":
            return _string(node, known)
        case "concatenation" | "command_name":
            return _joined([read_word(child, known, quoted) for child in node.children], text)
        case "ansi_c_string":
            return Word(text[2:-1], unknown="\\" in text, loose="\\" in text)
        case "simple_expansion" | "expansion":
            return _variable(text, known, quoted)
        case "command_substitution" if (literal := _quoted_heredoc(node)) is not None:
            return Word(literal)
        case "command_substitution":
            return Word(text, unknown=True, computed=True, loose=True)
        case "process_substitution":
            return Word(text)
        case "arithmetic_expansion":
            tame = _PLAIN_NUMBERS.match(text) is not None
            return Word(text, unknown=not tame)
        case "brace_expression":
            return Word(text, unknown=_TAME_BRACE.fullmatch(text) is None)
        case _ if not node.is_named:
            return _bare(text)
        case _:
            return Word(text, unknown=True, loose=True)


def _bare(text: str) -> Word:
    unknown = bool(_DOT_GLOB.search(text))
    if _BRACE.search(text):
        unknown = unknown or "{" in _TAME_BRACE.sub("", text)
    loose = (text[:1] in "*?[{" and len(text) > 1) or text in ("*", "?")
    return Word(_ESCAPE.sub(lambda m: "" if m.group(1) == "\n" else m.group(1), text), unknown, loose=loose)


def _string(node: Node, known: Set[str]) -> Word:
    content = source(node)[1:-1]
    inner = [child for child in node.children if child.is_named and child.type != "string_content"]
    words = [read_word(child, known, quoted=True) for child in inner]
    text = _STRING_ESCAPE.sub(lambda m: "" if m.group(1) == "\n" else m.group(1), content)
    for child, word in zip(inner, words, strict=True):
        text = text.replace(source(child), word.text, 1)
    unknown = any(word.unknown for word in words) or bool(inner and _BUILDS_DOTS.search(content))
    computed = unknown and any(word.unknown for word in words) and all(w.computed for w in words if w.unknown)
    first = source(node)[1:].startswith("$") or source(node)[1:].startswith("`")
    return Word(text, unknown, computed, loose=unknown and first)


def _joined(words: list[Word], text: str) -> Word:
    unknown = any(word.unknown for word in words) or (len(words) > 1 and bool(_BUILDS_DOTS.search(text)))
    computed = unknown and all(word.computed for word in words if word.unknown)
    # A brace may be spread over several nodes: `{a,b}` arrives as three words.
    bare = _BRACE.search(text) is not None
    if bare and "{" in _TAME_BRACE.sub("", text):
        unknown, computed = True, False
    loose = bool(words) and (words[0].loose or any(word.loose and word.unknown for word in words))
    return Word("".join(word.text for word in words), unknown, computed, loose)


def _variable(text: str, known: Set[str], quoted: bool) -> Word:
    match = _SIMPLE_EXPANSION.match(text)
    name = (match.group(1) or match.group(2)) if match else ""
    if name == "HOME":
        return Word("~", loose=False)
    if name in ("PWD",):
        return Word(".")
    if name in _HARMLESS:
        return Word("0")
    if name and name in known:
        return Word(text, loose=True)
    return Word(text, unknown=True, loose=True)


def _quoted_heredoc(node: Node) -> str | None:
    """The text of `$(cat <<'EOF' … EOF)`, a common way to write a long word; None for anything else."""
    match = _LITERAL_HEREDOC.match(source(node))
    return match.group(2) if match and f"\n{match.group(1)}\n" not in f"\n{match.group(2)}\n" else None
