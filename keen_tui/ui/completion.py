"""Completion of slash commands and of file names."""

from __future__ import annotations

from dataclasses import dataclass

from keen_tui.ui.actions import BY_SLASH, Action
from keen_tui.ui.line_view import LineBlock
from keen_tui.ui.lines import Line, Span, cut_left, line, safe

ROWS = 8


def slash_candidates(draft: str) -> list[Action]:
    """The commands that a draft may become: those that begin with it, then those that hold its word."""
    if not draft.startswith("/") or any(character.isspace() for character in draft):
        return []
    word = draft[1:].lower()
    first = [action for slash, action in BY_SLASH.items() if slash[1:].startswith(word)]
    rest = [action for slash, action in BY_SLASH.items() if word in slash[1:] or word in action.title.lower()]
    return first + [action for action in rest if action not in first]


@dataclass(frozen=True, slots=True)
class SlashCommand:
    """A command line: the action, or None, the word as it was typed, and the argument."""

    action: Action | None
    word: str
    argument: str


def parse_slash(text: str) -> SlashCommand | None:
    """The command of a prompt, or None when it is none: a path such as `/etc/hosts` is talk."""
    if not text.startswith("/") or text.startswith("//"):
        return None
    word, _, argument = text.partition(" ")
    if "\n" in word or "/" in word[1:] or len(word) < 2:
        return None
    return SlashCommand(BY_SLASH.get(word.lower()), word, argument.strip())


@dataclass(frozen=True, slots=True)
class Candidate:
    """One row of the completion: a slash command with its action, or the path of a file."""

    name: str
    detail: str = ""
    action: Action | None = None

    @property
    def path(self) -> str:
        return "" if self.action else self.name


def of_commands(actions: list[Action]) -> list[Candidate]:
    """The candidates of some actions."""
    return [Candidate(f"{action.slash} {action.argument}".strip(), action.title, action) for action in actions]


class Completion(LineBlock):
    """What matches, over the end of the conversation."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._found: list[Candidate] = []
        self._at = 0

    @property
    def is_open(self) -> bool:
        return bool(self._found)

    @property
    def chosen(self) -> Candidate | None:
        return self._found[self._at] if self._found else None

    def offer(self, found: list[Candidate]) -> None:
        """Show candidates; an empty list closes."""
        if found != self._found:
            self._found, self._at = found, 0
        self._draw()

    def move(self, by: int) -> None:
        self._at = (self._at + by) % len(self._found) if self._found else 0
        self._draw()

    def _draw(self) -> None:
        self.display = self.is_open
        top = max(0, min(self._at - ROWS + 1, len(self._found) - ROWS)) if self._at >= ROWS else 0
        self.set_rows(
            [self._row(found, top + row == self._at) for row, found in enumerate(self._found[top : top + ROWS])]
        )

    def _row(self, found: Candidate, chosen: bool) -> Line:
        mark = Span("▸ " if chosen else "  ", "accent")
        role = "strong" if chosen else "accent"
        if found.action is None:
            return line(mark, Span(cut_left(safe(found.name), max(8, (self.size.width or 80) - 3)), role))
        return line(mark, Span(f"{found.name:<34}", role), Span(found.detail, "text" if chosen else "muted"))
