"""What is said about a task's brief when the task is opened, and a brief that another program left there."""

from __future__ import annotations

import asyncio
from pathlib import Path

from keen_tui.agent.brief_keeper import BriefKeeper
from keen_tui.domain.brief import FIELD_LIMIT, Brief, oversized
from keen_tui.domain.brief_json import BriefError, read_brief

BRIEF_FILE = "brief.json"
"""In the task's folder: a brief as JSON, read once, while the task has none. It is never written."""


def oversize_problems(brief: Brief) -> tuple[str, ...]:
    """A sentence for each field that is too long to be sent; the field itself is kept."""
    return tuple(
        f"The brief's field {name} holds {len(brief.get(name)):,} characters. It is kept, but left out of requests "
        f"until you shorten it to {FIELD_LIMIT:,} (F4)."
        for name in oversized(brief)
    )


async def take_in(keeper: BriefKeeper, task_dir: Path) -> tuple[str, ...]:
    """Take over the task folder's brief file. Returns what is wrong with it; the file stays as it is."""
    path = task_dir / BRIEF_FILE
    try:
        text = await asyncio.to_thread(path.read_text, encoding="utf-8-sig")
    except FileNotFoundError:
        return ()
    except (OSError, UnicodeDecodeError) as error:
        return (f"The brief in {path} can't be read: {error}. The file was left as it is.",)
    try:
        brief = read_brief(text, str(path))
    except BriefError as error:
        return (f"{error.message} {error.hint}",)
    if brief.values:
        await keeper.bring_in(brief)
    return ()
