"""Actions on the memory files."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from keen_tui.domain.errors import KeenError
from keen_tui.memory.report import memory_contents, memory_listing
from keen_tui.ui.dialogs.list_dialog import ListDialog
from keen_tui.ui.lines import Line, Role, Span, line, wrap

if TYPE_CHECKING:
    from keen_tui.ui.dashboard import Dashboard


async def tell_memory(dashboard: Dashboard, argument: str) -> None:
    """Say where the memory files are, or show what they hold."""
    if argument not in ("", "show"):
        raise KeenError(
            f"/memory knows show, not {argument}.",
            "To change a file, press e in the Memory pane (F5), or ask the agent to remember or forget.",
        )
    services = dashboard.services
    report = memory_contents if argument else memory_listing
    text = report(await services.memory_files(), services.workspace, Path.home())
    if "\n" in text:
        dashboard.app.push_screen(_dialog(text))
    else:
        dashboard.say(text)


def _dialog(text: str) -> ListDialog:
    def rows(words: str, width: int) -> list[Line]:
        return [line(Span(f" {row}", _role(row))) for row in wrap(text, width - 2)]

    return ListDialog("Memory", rows, footer="Up and Down scroll   Esc closes", filtered=False)


def _role(row: str) -> Role:
    return "accent" if row.startswith("## ") else "muted" if row.startswith("path: ") else "text"


HANDLERS: Mapping[str, Callable[[Dashboard, str], Awaitable[None] | None]] = {
    "memory.tell": tell_memory,
}
