"""Actions that move: focus, panes, layout, jump mode, and one step back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from textual.widget import Widget

from keen_tui.ui.arrangement import PaneName
from keen_tui.ui.jump import JumpScreen, JumpTarget

if TYPE_CHECKING:
    from keen_tui.ui.dashboard import Dashboard

SPLIT_STEP = 4


def go_to(dashboard: Dashboard, argument: str, *, pane: PaneName) -> None:
    """Show a pane and focus it."""
    if pane == "conversation" and dashboard.conversation.prompt.has_focus:
        dashboard.conversation.transcript.focus()
    else:
        dashboard.focus_pane(pane)


def maximise(dashboard: Dashboard, argument: str) -> None:
    """Give the focused pane all the room, or put it back."""
    arrangement = dashboard.arrangement
    dashboard.rearrange(replace(arrangement, maximised=not arrangement.maximised))


def move_split(dashboard: Dashboard, argument: str, *, columns: int) -> None:
    """Move the split between the conversation and the side panes."""
    dashboard.rearrange(dashboard.arrangement.moved(columns))


def focus_prompt(dashboard: Dashboard, argument: str) -> None:
    """Back to the prompt."""
    dashboard.focus_pane("conversation")


def focus_next(dashboard: Dashboard, argument: str) -> None:
    """Accept a completion, answer a panel, else go round: prompt, queue, conversation, panes."""
    conversation = dashboard.conversation
    prompt = conversation.prompt
    if prompt.has_focus and conversation.completion.is_open:
        conversation.accept_completion()
        return
    if prompt.has_focus and conversation.focus_waiting():
        return
    waiting = conversation.waiting
    if waiting is not None and waiting.has_focus_within:
        prompt.focus()
        return
    visible = dashboard.visible_panes
    ring: list[Widget] = []
    if "conversation" in visible:
        ring += [prompt, *([conversation.queue] if conversation.queue.display else []), conversation.transcript]
    ring += [dashboard.panes[name].lines for name in visible if name != "conversation"]
    focused = dashboard.focused
    at = ring.index(focused) if focused in ring else -1
    ring[(at + 1) % len(ring)].focus()


def answer(dashboard: Dashboard, argument: str) -> None:
    """Focus what waits for the person."""
    if dashboard.conversation.waiting is None:
        dashboard.say("Nothing waits for you.")
        return
    dashboard.focus_pane("conversation")
    dashboard.conversation.focus_waiting()


def step_back(dashboard: Dashboard, argument: str) -> None:
    """Close the completion, leave a field, interrupt the turn, else go back to the prompt."""
    conversation = dashboard.conversation
    if conversation.close_completion():
        return
    if dashboard.brief.field and dashboard.brief.editor.has_focus:
        dashboard.brief.leave()
        return
    if dashboard.memory.open and dashboard.memory.editor.has_focus:
        dashboard.memory.leave()
        return
    if conversation.approval.asking_reason:
        conversation.approval.leave_reason()
        return
    focused = dashboard.focused_pane
    if focused != "conversation" and dashboard.panes[focused].leave_search():
        return
    session = dashboard.display_of_task.session
    if session is not None and (session.stop_shell() or session.interrupt()):
        return
    conversation.notice.clear()
    dashboard.focus_pane("conversation")


def show_in_tools(dashboard: Dashboard, argument: str) -> None:
    """Put the cursor of the Tools pane on the card with the mark."""
    call_id = dashboard.conversation.transcript.focused_call
    dashboard.focus_pane("tools")
    if call_id:
        dashboard.display_of_task.draw_panes()
        dashboard.tools.show_call(call_id)


def jump(dashboard: Dashboard, argument: str) -> None:
    """Label every pane and card; the next key goes there."""
    targets = _targets(dashboard)

    def go(key: str | None) -> None:
        kind, _, name = (key or "").partition(":")
        if kind == "pane":
            dashboard.focus_pane(name)  # type: ignore[arg-type]
        elif kind == "card":
            transcript = dashboard.conversation.transcript
            transcript.focus()
            transcript.jump_to(name)

    dashboard.app.push_screen(JumpScreen(targets), go)


def _targets(dashboard: Dashboard) -> list[JumpTarget]:
    targets: list[JumpTarget] = []
    regions = dashboard.arrangement.regions(dashboard.shape, dashboard.body.size)
    top = dashboard.body.region.y
    panes = [name for name in ("conversation", *dashboard.panes) if name in regions]
    hidden = [name for name in ("conversation", *dashboard.panes) if name not in regions]
    for name in panes:
        targets.append(JumpTarget(f"pane:{name}", regions[name].x, regions[name].y + top))
    tabs = regions.get("tabs")
    if tabs is not None:
        for start, name in dashboard.tabs.starts:
            if name in hidden:
                targets.append(JumpTarget(f"pane:{name}", tabs.x + start, tabs.y + top))
    if "conversation" in regions:
        transcript = dashboard.conversation.transcript
        x, y = transcript.region.offset
        for card in transcript.jump_targets():
            targets.append(JumpTarget(f"card:{card.key}", x, y + card.y))
    return targets


HANDLERS: Mapping[str, Callable[[Dashboard, str], None]] = {
    "pane.conversation": partial(go_to, pane="conversation"),
    "pane.tools": partial(go_to, pane="tools"),
    "pane.memory": partial(go_to, pane="memory"),
    "pane.context": partial(go_to, pane="context"),
    "layout.maximise": maximise,
    "layout.split_left": partial(move_split, columns=-SPLIT_STEP),
    "layout.split_right": partial(move_split, columns=SPLIT_STEP),
    "focus.prompt": focus_prompt,
    "focus.next": focus_next,
    "task.answer": answer,
    "task.interrupt": step_back,
    "jump.start": jump,
    "tools.show_call": show_in_tools,
}
