"""The application: it opens a task, keeps the dashboard, and leaves the terminal as it was."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, ClassVar

from textual.app import App
from textual.binding import BindingType

from keen_tui.domain.errors import KeenError
from keen_tui.ui.commands.prompting import send
from keen_tui.ui.commands.run import run_action
from keen_tui.ui.commands.task import pick_model, use_model
from keen_tui.ui.dashboard import Dashboard
from keen_tui.ui.keymap import check_keys
from keen_tui.ui.roles import Roles
from keen_tui.ui.services import Services, TaskSession
from keen_tui.ui.theme import KeenTheme, load_themes


class KeenApp(App[int], inherit_bindings=False):
    """Keen on the screen.

    `prompt` is sent as soon as a task is open. `resume` opens the task with this id or unique prefix
    (an empty text shows the list), `continue_` the newest one of the workspace.
    """

    CSS_PATH = "styles/dashboard.tcss"
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
    ) -> None:
        environ = os.environ if environ is None else environ
        self._themes = load_themes(services.home.themes_dir)
        chosen, self._theme_problem = self._themes.pick(services.settings.theme, environ)
        self.roles: Roles = chosen.roles
        super().__init__(ansi_color=chosen.textual.ansi)
        self.services = services
        self.keymap = check_keys(services.settings.keys)
        self.set_keymap(dict(self.keymap.keys))
        for theme in self._themes.by_name.values():
            self.register_theme(theme.textual)
        self.theme = chosen.name
        self._prompt = prompt
        self._resume = resume
        self._continue = continue_
        self.dashboard = Dashboard(services, self.keymap, run_action, sorted(self._themes.by_name))

    @property
    def keen_theme(self) -> KeenTheme | None:
        return self._themes.by_name.get(self.theme)

    def get_default_screen(self) -> Dashboard:
        return self.dashboard

    def on_mount(self) -> None:
        self.theme_changed_signal.subscribe(self, self._use_theme)
        self._use_theme(None)
        for number in (signal.SIGTERM, signal.SIGHUP):
            with suppress(ValueError, NotImplementedError, RuntimeError):
                asyncio.get_running_loop().add_signal_handler(number, self._end_by_signal, number)
        self.call_after_refresh(self._begin)

    def _use_theme(self, _: Any) -> None:
        theme = self.keen_theme
        if theme is not None:
            self.roles = theme.roles
            self.dashboard.conversation.transcript.set_roles(theme.roles)

    def _end_by_signal(self, number: int) -> None:
        self.exit(return_code=128 + number)

    def _begin(self) -> None:
        self.services.start_gateway()
        self.run_worker(self._open(), group="open")

    async def _open(self) -> None:
        try:
            session = await self._first_task()
        except KeenError as error:
            self.dashboard.say(f"{error.message} {error.hint}".strip(), "error")
            session = None
        self.dashboard.conversation.prompt.past.load(await self.services.prompt_history())
        if session is not None:
            self.dashboard.display_of_task.attach(session)
            for problem in session.problems:
                self.dashboard.say(problem, "warning")
        for notice in (*self.services.notices, *self.keymap.notices, *self._themes.problems, self._theme_problem):
            if notice:
                self.dashboard.say(notice, "warning")
        if session is None and self.services.settings.model is None:
            if name := await pick_model(self.dashboard, first_run=True):
                await use_model(self.dashboard, name)
        if self._prompt and self.dashboard.display_of_task.session is not None:
            send(self.dashboard, self._prompt)

    async def _first_task(self) -> TaskSession | None:
        services = self.services
        if self._resume:
            return await services.open_task(self._resume)
        if self._continue:
            return await services.open_task(None)
        if services.settings.model is None:
            return None
        return await services.new_task(services.settings.model)

    async def on_unmount(self) -> None:
        session = self.dashboard.display_of_task.session
        self.dashboard.display_of_task.detach()
        if session is not None:
            await session.close()
