"""Which reply the demo model gives to a request. Equal requests get equal replies."""

from __future__ import annotations

import re
from collections.abc import Callable

from keen_tui.gateway import demo_scripts as scripts
from keen_tui.gateway.demo_long import long_answer
from keen_tui.gateway.demo_memory import remember, wants_memory
from keen_tui.gateway.demo_request import DemoRequest
from keen_tui.gateway.demo_step import Step
from keen_tui.gateway.demo_survey import survey

_COMMANDS: dict[str, Callable[[DemoRequest], Step]] = {
    "edit": scripts.edit,
    "fail": scripts.fail,
    "ask": scripts.ask,
    "think": scripts.think,
    "long": long_answer,
    "help": scripts.help_text,
    "": scripts.help_text,
}
_COMMAND = re.compile(r"\s*/?demo(?:[ \t]+([a-z]+))?[ \t.!]*\Z", re.IGNORECASE)
REMINDER = "[Reminder from Keen"
"""How a reminder of a stale brief begins."""
_HELP = re.compile(
    r"\s*(?:/?help|\?|hi|hello|hey|(?:who|what) are you|what (?:can|do) you do)\b[^\n]{0,40}\Z", re.IGNORECASE
)
_LOOK_BACK = re.compile(
    r"what (?:did|have) (?:we|you|i)\b|what (?:was|has been) done|\bso far\b|\b(?:summar(?:y|ise|ize)|recap)\b",
    re.IGNORECASE,
)


def next_step(request: DemoRequest) -> Step:
    """The reply to a request."""
    text = request.user_text
    if any(note.startswith(REMINDER) for note in request.notes):
        return scripts.refresh_brief(request)
    if command := _COMMAND.match(text):
        return _COMMANDS.get((command.group(1) or "").lower(), scripts.help_text)(request)
    if note := wants_memory(text):
        return remember(request, note)
    if _HELP.match(text):
        return scripts.help_text(request)
    if len(text) < 200 and _LOOK_BACK.search(text):
        return scripts.look_back(request)
    return survey(request)
