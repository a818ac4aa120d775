"""The application: it opens a task, keeps the dashboard, and leaves the terminal as it was."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

from textual import events
from textual.binding import BindingType
from textual.messages import TerminalSupportsSynchronizedOutput

from keen_tui.domain.events import Level
from keen_tui.ui.beside import sentence
from keen_tui.ui.commands.prompting import send
from keen_tui.ui.commands.run import run_action
from keen_tui.ui.commands.task import open_task, pick_model, pick_task, use_model
from keen_tui.ui.dashboard import Dashboard
from keen_tui.ui.frame_diff import LeanApp, erases_background
from keen_tui.ui.keymap import check_keys
from keen_tui.ui.roles import Roles
from keen_tui.ui.round_trip import RoundTrip
from keen_tui.ui.services import Services, TaskSession
from keen_tui.ui.theme import KeenTheme, load_themes

log = logging.getLogger(__name__)


class KeenApp(LeanApp, inherit_bindings=False):
    """Keen on the screen.

    `prompt` is sent as soon as a task is open. `resume` opens the task with this id or unique prefix
    (an empty text shows the list), `continue_` the newest one of the workspace. `painted` is called
    once, after the first paint.
    """

    CSS_PATH = Path(__file__).parent / "styles" / "dashboard.tcss"
    BINDINGS: ClassVar[list[BindingType]] = []
    ENABLE_COMMAND_PALETTE = False
    ESCAPE_TO_MINIMIZE = False
    TITLE = "keen"

    def __init__(
        self,
        services: Services,
        *,
        prompt: str | None = None,
        resume: str | None = None,
        continue_: bool = False,
        environ: Mapping[str, str] | None = None,
        painted: Callable[[], None] = lambda: None,
    ) -> None:
        environ = os.environ if environ is None else environ
        self._themes = load_themes(services.home.themes_dir)
        chosen, self._theme_problem = self._themes.pick(services.settings.theme, environ)
        self.roles: Roles = chosen.roles
        super().__init__(erases_background=erases_background(environ), ansi_color=chosen.textual.ansi)
        self.writes_differences = services.settings.ui.frame_diff
        self.services = services
        self.keymap = check_keys(services.settings.keys)
        self.set_keymap(dict(self.keymap.keys))
        for theme in self._themes.by_name.values():
            self.register_theme(theme.textual)
        self.theme = chosen.name
        self._painted = painted
        self._prompt = prompt
        self._resume = resume
        self._continue = continue_
        self._low_bandwidth = services.settings.ui.low_bandwidth
        self._round_trip = RoundTrip(self, self._write_less)
        self.dashboard = Dashboard(services, self.keymap, run_action, sorted(self._themes.by_name))

    @property
    def keen_theme(self) -> KeenTheme | None:
        return self._themes.by_name.get(self.theme)

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.Key | events.Paste) and self.dashboard.hold_early(event):
            return
        await super().on_event(event)

    def get_default_screen(self) -> Dashboard:
        return self.dashboard

    def on_mount(self) -> None:
        if self._low_bandwidth == "on":
            self.dashboard.write_less()
        elif self._low_bandwidth == "auto":
            self._round_trip.measure_soon()
        self.theme_changed_signal.subscribe(self, self._use_theme)
        self._use_theme(None)
        for number in (signal.SIGTERM, signal.SIGHUP):
            with suppress(ValueError, NotImplementedError, RuntimeError):
                asyncio.get_running_loop().add_signal_handler(number, self._end_by_signal, number)
        self.call_after_refresh(self._begin)

    def on_terminal_supports_synchronized_output(self, message: TerminalSupportsSynchronizedOutput) -> None:
        self._round_trip.answered(message)

    def _write_less(self) -> None:
        self.dashboard.write_less()
        self.dashboard.say("The line to this terminal is slow: the screen is updated less often.")

    def _use_theme(self, _: Any) -> None:
        theme = self.keen_theme
        if theme is not None:
            self.roles = theme.roles
            self.dashboard.conversation.transcript.set_roles(theme.roles)

    def _end_by_signal(self, number: int) -> None:
        self.exit(return_code=128 + number)

    def _begin(self) -> None:
        self._painted()
        self.services.start_gateway()
        self.run_worker(self._open(), group="open")

    async def _open(self) -> None:
        dashboard, services = self.dashboard, self.services
        told = [*services.notices, *self.keymap.notices, *self._themes.problems, self._theme_problem]
        dashboard.say_all(told)
        level: Level = "warning"
        try:
            await self._open_first_task()
            dashboard.conversation.prompt.past.load(await services.prompt_history())
        except Exception as error:  # noqa: BLE001 - the dashboard comes up, whatever is wrong with the first task
            told.append(sentence(error))
            level = "error"
        session = dashboard.display_of_task.session
        early, dashboard.early_prompts = dashboard.early_prompts or [], None
        for text in filter(None, [self._prompt, *early]):
            send(dashboard, text)
        dashboard.say_all([*told, *(session.problems if session is not None else ())], level)

    async def _open_first_task(self) -> None:
        dashboard, services = self.dashboard, self.services
        session: TaskSession | None = None
        if self._resume is not None or self._continue:
            task_id = self._resume or (None if self._continue else await pick_task(dashboard))
            if task_id or self._continue:
                session = await open_task(dashboard, task_id)
        if session is None and services.settings.model is not None:
            session = await services.new_task(services.settings.model)
        if session is not None:
            dashboard.display_of_task.attach(session)
        elif name := await pick_model(dashboard, first_run=True):
            await use_model(dashboard, name)

    def _print_error_renderables(self) -> None:
        """After a crash: a sentence for the person, and everything else for the log."""
        if self._exception is None:
            return
        log.error("the dashboard crashed", exc_info=self._exception)
        self._exit_renderables.clear()
        sys.stderr.write(
            f"Keen stopped because of a fault of its own ({type(self._exception).__name__}). The task was kept: "
            f"`keen --continue` opens it. Details are in {self.services.home.log_dir}.\n"
        )

    async def on_unmount(self) -> None:
        self.dashboard.display_of_task.detach()
        await self.dashboard.close()
        await self.services.close()
