"""Commands in ASCII for the parser, and their parts in the person's own characters again.

The grammar's scanner looks characters up in C tables that are made for bytes; a character far beyond
them can end the process. To the shell every such character is part of a word, as a letter is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from keen_tui.security.shell_parts import ShellPart


@dataclass(frozen=True, slots=True)
class AsciiCommand:
    """`text` is what the parser gets; each character beyond ASCII stands in it as a word of its own."""

    text: str
    mark: str = ""

    @classmethod
    def of(cls, command: str) -> AsciiCommand:
        if command.isascii():
            return cls(command)
        mark = "zq"
        while mark in command:
            mark += "q"
        return cls("".join(char if char.isascii() else f"{mark}{ord(char):x}z" for char in command), mark)

    def restored(self, part: ShellPart) -> ShellPart:
        """The part with the characters of the command."""
        if not self.mark:
            return part
        return replace(
            part,
            text=self._restore(part.text),
            words=tuple(map(self._restore, part.words)),
            reason=self._restore(part.reason),
            rule=self._restore(part.rule),
            writes=tuple(map(self._restore, part.writes)),
        )

    def _restore(self, text: str) -> str:
        return re.sub(f"{self.mark}([0-9a-f]+)z", lambda match: chr(int(match[1], 16)), text)
