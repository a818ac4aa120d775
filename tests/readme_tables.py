"""The README's tables of keys and slash commands, from the registry of actions: `python -m tests.readme_tables`."""

from __future__ import annotations

from pathlib import Path

from keen_tui.ui.actions import ACTIONS, PLACES, Action, Where
from keen_tui.ui.keymap import short_key

README = Path(__file__).parent.parent / "README.md"
BEGIN, END = "<!-- keys -->", "<!-- /keys -->"


def tables() -> str:
    """Both tables as Markdown."""
    keys = ["| where | key | does |", "|---|---|---|"]
    for where, place in PLACES.items():
        keys += [f"| {place} | {_keys(action)} | {_cell(action.title)} |" for action in _with_keys(where)]
    slash = ["| command | does |", "|---|---|"]
    slash += [
        f"| `{_cell(f'{action.slash} {action.argument}'.strip())}` | {_cell(action.title)} |"
        for action in ACTIONS
        if action.slash
    ]
    return "\n".join([BEGIN, "## Keys", "", *keys, "", "## Slash commands", "", *slash, END])


def _with_keys(where: Where) -> list[Action]:
    return [action for action in ACTIONS if action.where == where and (action.keys or action.typed)]


def _keys(action: Action) -> str:
    if action.typed:
        return f"`{action.typed}`"
    return ", ".join(f"`{short_key(key.strip())}`" for key in action.keys.split(","))


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def with_tables(readme: str) -> str:
    """The README with its tables brought up to date."""
    before, _, rest = readme.partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + tables() + after


if __name__ == "__main__":
    README.write_text(with_tables(README.read_text()))
