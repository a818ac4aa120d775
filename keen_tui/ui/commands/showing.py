"""Actions that show dialogs: help, palette, themes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING

from keen_tui.config.load import save_setting
from keen_tui.domain.errors import KeenError
from keen_tui.ui.actions import PLACES, Where
from keen_tui.ui.dialogs.help import help_dialog
from keen_tui.ui.dialogs.palette import palette_dialog
from keen_tui.ui.dialogs.theme_picker import theme_picker
from keen_tui.ui.footer_hints import place_of

if TYPE_CHECKING:
    from keen_tui.ui.dashboard import Dashboard


def show_help(dashboard: Dashboard, argument: str) -> None:
    """Help for where the focus is, then for everywhere."""
    place = place_of(dashboard)
    panes: list[Where] = ["pane", "list"] if place in ("tools", "brief", "memory", "context", "conversation") else []
    more: list[Where] = ["list"] if place == "queue" else []
    dashboard.app.push_screen(help_dialog([place, *panes, *more, "global"], dashboard.keymap))


def show_keys(dashboard: Dashboard, argument: str) -> None:
    """Every key."""
    dashboard.app.push_screen(help_dialog(list(PLACES), dashboard.keymap))


def show_palette(dashboard: Dashboard, argument: str) -> None:
    """All commands."""
    waiting = dashboard.conversation.approval.request is not None

    def chosen(action_id: str | None) -> None:
        if not action_id:
            return
        if action_id.startswith("approval."):
            _answer(dashboard, action_id)
        else:
            dashboard.run(action_id)

    dashboard.app.push_screen(palette_dialog(dashboard.keymap, waiting), chosen)


def _answer(dashboard: Dashboard, action_id: str) -> None:
    panel = dashboard.conversation.approval
    if action_id == "approval.no":
        dashboard.focus_pane("conversation")
        panel.action_refuse()
    elif action_id == "approval.once":
        panel.action_answer("once")
    elif action_id == "approval.session":
        panel.action_answer("session")
    else:
        panel.action_answer("project")


async def choose_theme(dashboard: Dashboard, argument: str) -> None:
    """Switch the theme, with a live preview when none is named."""
    app = dashboard.app
    names = dashboard.theme_names
    before = app.theme

    def preview(name: str) -> None:
        if name in names:
            app.theme = name

    name = argument.strip() or await app.push_screen_wait(theme_picker(names, before, preview))
    if not name:
        app.theme = before
        return
    if name not in names:
        raise KeenError(f"There is no theme {name}.", f"There are: {', '.join(names)}.")
    app.theme = name
    save_setting(dashboard.services.home, "theme", name)


HANDLERS: Mapping[str, Callable[[Dashboard, str], Awaitable[None] | None]] = {
    "help.show": show_help,
    "keys.show": show_keys,
    "palette.show": show_palette,
    "theme.choose": choose_theme,
}
