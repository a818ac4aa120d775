"""The draft in the prompt: kept with its task while it is typed, and there again when the task is opened."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from textual.timer import Timer

from keen_tui.domain.errors import KeenError
from keen_tui.ui.beside import run_beside

if TYPE_CHECKING:
    from keen_tui.ui.dashboard import Dashboard
    from keen_tui.ui.services import TaskSession

log = logging.getLogger(__name__)

SECONDS = 1.0
"""Between two times that a draft is written; so much of it a crash may take."""
MOST_CHARACTERS = 8_000_000
"""A larger draft is not kept."""


class Drafts:
    """Writes beside the keyboard, and only what changed."""

    def __init__(self, dashboard: Dashboard) -> None:
        self._dashboard = dashboard
        self._session: TaskSession | None = None
        self._kept = ""
        self._timer: Timer | None = None

    def attach(self, session: TaskSession) -> None:
        """Keep the draft with the task before, and bring the one of this task back.

        What was typed before the first task was open stays; the draft then is one Up away.
        """
        prompt = self._dashboard.conversation.prompt
        first = self._session is None
        self._save()
        self._session, self._kept = session, session.record.draft
        if not first or not prompt.text:
            prompt.put(self._kept)
        elif self._kept:
            prompt.past.add(self._kept)

    def changed(self) -> None:
        """The draft is another one; it is written soon."""
        if self._timer is None and self._session is not None:
            self._timer = self._dashboard.set_timer(SECONDS, self._save)

    async def close(self) -> None:
        """Write what is not written yet."""
        session, text = self._session, self._fresh()
        if session is not None and text is not None:
            try:
                await session.keep_draft(text)
            except KeenError as error:
                log.warning("the draft was not kept: %s", error.message)

    def _save(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        session, text = self._session, self._fresh()
        if session is not None and text is not None:
            self._kept = text
            run_beside(self._dashboard, session.keep_draft(text), "drafts")

    def _fresh(self) -> str | None:
        """The draft when it is not the one that was kept."""
        text = self._dashboard.conversation.prompt.whole_text
        return None if text == self._kept or len(text) > MOST_CHARACTERS else text
