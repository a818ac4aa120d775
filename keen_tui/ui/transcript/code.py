"""Source text to coloured lines, by Pygments."""

from __future__ import annotations

from functools import lru_cache
from pathlib import PurePath
from typing import TYPE_CHECKING

from keen_tui.ui.transcript.lines import Span, Spans
from keen_tui.ui.transcript.wrap import TAB

if TYPE_CHECKING:
    from pygments.lexer import Lexer  # type: ignore[import-untyped]

COLOURED = 100_000
"""Characters up to which source is coloured; beyond that, colour costs more than it tells."""

LONGEST_LINE = 4_000

KINDS = (
    "keyword",
    "type",
    "function",
    "builtin",
    "string",
    "number",
    "comment",
    "operator",
    "decorator",
    "tag",
    "attribute",
    "inserted",
    "deleted",
    "heading",
)
"""The kinds of code tokens that a theme colours, as roles `code.<kind>`."""

_KINDS = {
    "Token.Keyword": "keyword",
    "Token.Keyword.Type": "type",
    "Token.Keyword.Constant": "number",
    "Token.Operator.Word": "keyword",
    "Token.Operator": "operator",
    "Token.Name.Class": "type",
    "Token.Name.Exception": "type",
    "Token.Name.Function": "function",
    "Token.Name.Function.Magic": "function",
    "Token.Name.Builtin": "builtin",
    "Token.Name.Builtin.Pseudo": "builtin",
    "Token.Name.Decorator": "decorator",
    "Token.Name.Tag": "tag",
    "Token.Name.Attribute": "attribute",
    "Token.Name.Variable": "attribute",
    "Token.Literal.String": "string",
    "Token.Literal.Number": "number",
    "Token.Literal": "string",
    "Token.Comment": "comment",
    "Token.Generic.Inserted": "inserted",
    "Token.Generic.Deleted": "deleted",
    "Token.Generic.Heading": "heading",
    "Token.Generic.Subheading": "heading",
    "Token.Generic.Prompt": "comment",
}


def code_lines(source: str, language: str = "", filename: str = "") -> list[Spans]:
    """The lines of a source text. Its language is known by name, or by the file's name; else it is plain."""
    source = source.expandtabs(TAB)
    lexer = _lexer_by_name(language.lower()) if language else _lexer_by_file(PurePath(filename).name)
    lines = source.split("\n")
    if lexer is None or len(source) > COLOURED or any(len(row) > LONGEST_LINE for row in lines):
        return [(Span(row, "code"),) if row else () for row in lines]
    return _coloured(source, lexer)


def _coloured(source: str, lexer: Lexer) -> list[Spans]:
    rows: list[list[Span]] = [[]]
    for token, text in lexer.get_tokens(source):
        role = _role(str(token))
        head, *others = text.split("\n")
        for number, part in enumerate((head, *others)):
            if number:
                rows.append([])
            if part:
                row = rows[-1]
                if row and row[-1].role == role:
                    row[-1] = Span(row[-1].text + part, role)
                else:
                    row.append(Span(part, role))
    return [tuple(row) for row in rows]


@lru_cache(256)
def _role(token: str) -> str:
    name = token
    while name and name != "Token":
        if kind := _KINDS.get(name):
            return f"code.{kind}"
        name = name.rpartition(".")[0]
    return "code"


@lru_cache(64)
def _lexer_by_name(language: str) -> Lexer | None:
    from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]
    from pygments.util import ClassNotFound  # type: ignore[import-untyped]

    if language in ("", "text", "plain", "plaintext", "txt"):
        return None
    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


@lru_cache(256)
def _lexer_by_file(name: str) -> Lexer | None:
    from pygments.lexers import get_lexer_for_filename
    from pygments.util import ClassNotFound

    if not name or name.endswith(".txt"):
        return None
    try:
        return get_lexer_for_filename(name, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
