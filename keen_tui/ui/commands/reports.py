"""Actions that report: the checks of `keen doctor`, and the task as a document."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, get_args

from keen_tui.config.private_files import write_private
from keen_tui.domain.errors import KeenError
from keen_tui.ui.commands.task import open_session
from keen_tui.ui.dialogs.doctor import doctor_dialog

if TYPE_CHECKING:
    from keen_tui.ui.dashboard import Dashboard


async def show_checks(dashboard: Dashboard, argument: str) -> None:
    """Check the installation, then show what was found."""
    dashboard.say("Checking; the model worker may take some seconds.", seconds=60.0)
    checks = await dashboard.services.checks()
    dashboard.conversation.notice.clear()
    await dashboard.app.push_screen_wait(doctor_dialog(checks))


async def export(dashboard: Dashboard, argument: str) -> None:
    """Write the task to a file of the workspace, without secrets and without tool outputs."""
    from keen_tui.agent.export import ExportFormat, export_task

    session = open_session(dashboard)
    format, _, name = argument.partition(" ")
    if format not in ("", *get_args(ExportFormat)):
        raise KeenError(f"/export knows md and json, not {format}.", "Write /export md NAME.")
    format = format or "md"
    path = dashboard.services.workspace / (name.strip() or f"keen-{session.record.id}.{format}")
    if path.exists():
        raise KeenError(f"{path} exists; nothing was written.", f"Give another name: /export {format} NAME.")
    text = export_task(session.record.id, session.view, "json" if format == "json" else "md")
    try:
        await asyncio.to_thread(write_private, path, text.encode("utf-8", "replace"))
    except OSError as error:
        raise KeenError(f"{path} can't be written: {error.strerror}.", "Give another name.") from error
    dashboard.say(f"The task is in {path}.")


HANDLERS: Mapping[str, Callable[[Dashboard, str], Awaitable[None] | None]] = {
    "doctor.show": show_checks,
    "task.export": export,
}
