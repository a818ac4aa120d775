"""Keys of the actions: Textual bindings, the person's `[keys]` table, and how a key is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from textual.binding import Binding

from keen_tui.ui.actions import ACTIONS, BY_ID, Action, Where, actions_of

NAMES = {
    "escape": "Esc",
    "enter": "Enter",
    "tab": "Tab",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "up": "Up",
    "down": "Down",
    "home": "Home",
    "end": "End",
    "delete": "Del",
    "backspace": "Backspace",
    "space": "Space",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "ctrl+underscore": "Ctrl+_",
}


def bindings_for(where: Where) -> list[Binding]:
    """The Textual bindings of one place.

    Global ones come before what the focused widget does with its keys.
    """
    return [
        Binding(
            action.keys,
            action.call or f"run('{action.id}')",
            action.title,
            show=False,
            priority=where == "global",
            id=action.id,
        )
        for action in actions_of(where)
        if action.keys
    ]


@dataclass(frozen=True, slots=True)
class Keymap:
    """The person's keys by action id, and sentences about entries that can't be used."""

    keys: Mapping[str, str]
    notices: tuple[str, ...] = ()

    def of(self, action: Action) -> list[str]:
        """The keys of an action, the first one first."""
        return [key.strip() for key in self.keys.get(action.id, action.keys).split(",") if key.strip()]

    def first(self, action_id: str) -> str:
        """The first key of an action as it is written on the screen, or an empty text."""
        keys = self.of(BY_ID[action_id])
        return short_key(keys[0]) if keys else ""


def check_keys(table: Mapping[str, str]) -> Keymap:
    """The usable part of a `[keys]` table. Unknown ids and keys that are taken are left out and said."""
    keys: dict[str, str] = {}
    notices: list[str] = []
    for action_id, wanted in table.items():
        action = BY_ID.get(action_id)
        if action is None:
            near = get_close_matches(action_id, BY_ID, 1)
            hint = f" Did you mean {near[0]}?" if near else " /keys lists all of them."
            notices.append(f"[keys] names {action_id}, which is no action.{hint}")
        elif taken := _taken(action, wanted, {**keys}):
            notices.append(f"[keys] gives {wanted} to {action_id}, but {taken} has it. The default stays.")
        else:
            keys[action_id] = wanted
    return Keymap(keys, tuple(notices))


def _taken(action: Action, wanted: str, changed: Mapping[str, str]) -> str:
    keys = {key.strip() for key in wanted.split(",")}
    for other in ACTIONS:
        if other.id == action.id or not _meet(action.where, other.where):
            continue
        if keys & {key.strip() for key in changed.get(other.id, other.keys).split(",") if key}:
            return other.id
    return ""


def _meet(one: Where, other: Where) -> bool:
    if one == other:
        return True
    panes: set[Where] = {"list", "pane", "tools", "brief", "memory", "context", "queue"}
    return bool({"list", "pane"} & {one, other}) and one in panes and other in panes


def long_key(key: str) -> str:
    """A key in words: `Ctrl+O`."""
    if key in NAMES:
        return NAMES[key]
    *modifiers, name = key.split("+") if key != "+" else ["+"]
    shown = NAMES.get(name) or (name.upper() if modifiers or (name[0] == "f" and name[1:].isdigit()) else name)
    return "+".join([*(modifier.capitalize() for modifier in modifiers), shown])


def short_key(key: str) -> str:
    """A key in few cells: `^O`."""
    return "^" + key[5:].upper() if key.startswith("ctrl+") and len(key) == 6 else long_key(key)
