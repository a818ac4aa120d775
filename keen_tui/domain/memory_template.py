"""What a memory file begins with when it is first made."""

from __future__ import annotations

import re
from typing import Literal

MemoryScope = Literal["global", "project"]

_NO_SECRETS = "Do not store secrets, tokens, passwords, private keys or credentials."
_HEADS: dict[MemoryScope, str] = {
    "project": f"""\
# Project Memory

Private memory of this project for Keen.

This file may hold private notes. Add `.keen/` to `.gitignore` if you do not want it committed.

{_NO_SECRETS}

## Notes
""",
    "global": f"""\
# Global Memory

Private memory for Keen, for everything you do.

{_NO_SECRETS}

## Notes
""",
}
_CREATED: dict[MemoryScope, str] = {
    "project": "Created .keen/MEMORY.md. Add .keen/ to .gitignore if you want it private.",
    "global": "Created the global memory file.",
}
_OWN_HEAD = re.compile(r"\A\s*# [^\n]*\n|^## Notes[ \t]*\n", re.MULTILINE)


def first_text(scope: MemoryScope, notes: str) -> str:
    """The template with these notes below; text that has the template's head already stays as it is.

    A title and a `## Notes` heading of the notes' own give way to those of the template.
    """
    head = _HEADS[scope]
    notes = notes.replace("\r\n", "\n")
    if notes.startswith(head):
        return notes
    body = _OWN_HEAD.sub("", notes).strip()
    return f"{head}\n{body or '- '}".rstrip(" ") + "\n"


def created_sentence(scope: MemoryScope) -> str:
    """What the user is told when the file was made."""
    return _CREATED[scope]
