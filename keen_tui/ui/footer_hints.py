"""The keys that work right now, for the bottom line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from keen_tui.domain.views import TaskView
from keen_tui.ui.actions import Where, actions_of
from keen_tui.ui.bottom_line import Hint
from keen_tui.ui.keymap import short_key

if TYPE_CHECKING:
    from keen_tui.ui.dashboard import Dashboard


def place_of(dashboard: Dashboard) -> Where:
    """Where the focus is."""
    focused = dashboard.focused
    conversation = dashboard.conversation
    if focused is None or focused is conversation.prompt:
        return "prompt"
    around = focused.ancestors_with_self
    if conversation.approval in around:
        return "approval"
    if conversation.question in around:
        return "question"
    if conversation.queue in around:
        return "queue"
    if focused in (dashboard.brief.editor, dashboard.memory.editor):
        return "field"
    pane: Where = dashboard.focused_pane
    return pane


def hints_for(dashboard: Dashboard, view: TaskView) -> list[Hint]:
    """Keys and words, the most useful first."""
    keymap = dashboard.keymap
    place = place_of(dashboard)
    hints: list[Hint] = []

    def add(action_id: str, word: str) -> None:
        if key := keymap.first(action_id):
            hints.append((key, word))

    for action in actions_of(place):
        keys = keymap.of(action)
        if action.hint and keys and place != "approval":
            hints.append((short_key(keys[0]), action.hint))
    if place == "prompt" and (view.approval or view.question):
        add("focus.next", "answer")
    if view.phase != "idle" and place != "field":
        add("task.interrupt", "stop")
    elif place not in ("prompt", "field"):
        add("task.interrupt", "prompt")
    add("help.show", "help")
    add("jump.start", "jump")
    add("palette.show", "commands")
    return hints
