"""What the demo model answers with: reasoning, words and calls of one reply."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

INTRODUCTION = (
    "I am Keen's built-in offline demo: no language model, just a small program that uses the real tools "
    "on your workspace."
)
COMMANDS = """\
| say | and I |
|---|---|
| `What is this project about?` | look through the workspace and describe it |
| `/demo edit` | write and change a scratch file, after you allow it |
| `/demo fail` | run a command that fails |
| `/demo ask` | ask you something |
| `/demo think` | show reasoning before the answer |
| `/demo long` | stream a long answer with code, tables and emoji |
| `remember …` | keep a note in the project's memory file |
| `what did we do?` | say what is left of earlier turns |

For real work choose a model with `/model`.
"""


@dataclass(frozen=True, slots=True)
class Call:
    """A call to make."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Step:
    """One reply. Without calls it ends the turn."""

    text: str
    calls: tuple[Call, ...] = ()
    reasoning: str = ""


def one_line(text: str, limit: int) -> str:
    """The text on one line, cut to `limit` characters."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def code(text: str) -> str:
    """A name as a code span that can stand in a table cell."""
    return f"`{one_line(text, 120).replace('`', chr(39)).replace('|', '¦')}`"


def missing(*tools: str) -> Step:
    """The reply when a request offers no tool that the demo needs."""
    names = ", ".join(f"`{tool}`" for tool in tools)
    return Step(f"{INTRODUCTION}\n\nThis request does not offer {names}, so there is nothing I can show here.\n")
