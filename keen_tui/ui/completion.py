"""Completion of slash commands."""

from __future__ import annotations

from dataclasses import dataclass

from keen_tui.ui.actions import BY_SLASH, Action
from keen_tui.ui.line_view import LineBlock
from keen_tui.ui.lines import Line, Span, line

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


class Completion(LineBlock):
    """The commands that match, over the end of the conversation."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._found: list[Action] = []
        self._at = 0

    @property
    def is_open(self) -> bool:
        return bool(self._found)

    @property
    def chosen(self) -> Action | None:
        return self._found[self._at] if self._found else None

    def offer(self, found: list[Action]) -> None:
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
            [self._row(action, top + row == self._at) for row, action in enumerate(self._found[top : top + ROWS])]
        )

    def _row(self, action: Action, chosen: bool) -> Line:
        name = f"{action.slash} {action.argument}".strip()
        return line(
            Span("▸ " if chosen else "  ", "accent"),
            Span(f"{name:<34}", "strong" if chosen else "accent"),
            Span(action.title, "text" if chosen else "muted"),
        )
