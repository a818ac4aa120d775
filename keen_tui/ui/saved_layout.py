"""The layout across runs: the side tab, the pane below, the split, and whether a pane is maximised."""

from __future__ import annotations

import asyncio
import json
import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from textual.timer import Timer

from keen_tui.config.private_files import write_private
from keen_tui.ui.arrangement import LOWER, SIDE, Arrangement

if TYPE_CHECKING:
    from keen_tui.config.paths import KeenHome
    from keen_tui.ui.dashboard import Dashboard

log = logging.getLogger(__name__)

SECONDS = 1.0
"""Between a change and its writing."""
MOST_BYTES = 4096


def load_layout(home: KeenHome) -> Arrangement:
    """What the last run left; the default for a file that is missing or broken. The prompt has the focus."""
    try:
        with home.layout_file.open("rb") as file:
            found = json.loads(file.read(MOST_BYTES))
    except (OSError, ValueError, RecursionError):
        return Arrangement()
    return _arrangement(found) if isinstance(found, dict) else Arrangement()


def _arrangement(found: dict[str, Any]) -> Arrangement:
    default = Arrangement()
    split = found.get("split")
    return replace(
        default,
        side=found["side"] if found.get("side") in SIDE else default.side,
        lower=found["lower"] if found.get("lower") in LOWER else default.lower,
        maximised=found.get("maximised") is True,
    ).moved(split if type(split) is int else 0)


def _content(arrangement: Arrangement) -> bytes:
    kept = {
        "side": arrangement.side,
        "lower": arrangement.lower,
        "maximised": arrangement.maximised,
        "split": arrangement.split,
    }
    return json.dumps(kept).encode()


class LayoutKeeper:
    """Writes a changed layout after a while, beside the keyboard. A disk that refuses is only logged."""

    def __init__(self, dashboard: Dashboard, home: KeenHome) -> None:
        self._dashboard = dashboard
        self._home = home
        self.loaded = load_layout(home)
        self._kept = _content(self.loaded)
        self._timer: Timer | None = None

    def changed(self) -> None:
        """The layout may be another one."""
        if self._timer is None and _content(self._dashboard.arrangement) != self._kept:
            self._timer = self._dashboard.set_timer(SECONDS, self.save)

    async def save(self) -> None:
        """Write the layout when it is not the one that was written."""
        self._timer = None
        content = _content(self._dashboard.arrangement)
        if content == self._kept:
            return
        self._kept = content
        try:
            await asyncio.to_thread(write_private, self._home.layout_file, content)
        except OSError as error:
            log.warning("the layout was not kept: %s", error)
