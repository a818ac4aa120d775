"""Shell lines typed into the prompt: `!` runs one for the person, `!!` hands its output to the next prompt."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from keen_tui.domain.events import ShellRan
from keen_tui.domain.segments import NoticeSegment
from keen_tui.domain.views import NoteView, TaskView, TurnView
from keen_tui.security.secrets import redact
from keen_tui.ui.beside import run_beside
from keen_tui.ui.lines import cut, safe

if TYPE_CHECKING:
    from keen_tui.ui.dashboard import Dashboard
    from keen_tui.ui.services import TaskSession

MOST_HANDED = 30_000
"""Characters of an output that `!!` puts into the prompt; its end is what counts."""
SHOWN_EVERY = 0.25
"""Seconds between two looks at what a running line prints."""


def is_shell_line(text: str) -> bool:
    return text.startswith("!")


def run_shell_line(dashboard: Dashboard, session: TaskSession, text: str) -> None:
    """Run `!line`, or `!!line` whose output goes into the prompt; `!!` alone takes the last output."""
    handed, line = text.startswith("!!"), text.lstrip("!").strip()
    if line:
        dashboard.conversation.transcript.follow()
        run_beside(dashboard, dashboard.services.remember_prompt(text), "history")
        run_beside(dashboard, _run(dashboard, session, line, handed), "shell")
    elif not handed:
        dashboard.say("Write a shell line behind !, for example !git status. The model does not see it.")
    elif (last := last_shell_line(session.view)) is not None:
        hand_over(dashboard, last)
    else:
        dashboard.say("No shell line has run yet. !! hands the output of the last one to your next prompt.")


async def _run(dashboard: Dashboard, session: TaskSession, line: str, handed: bool) -> None:
    shown = _LastLine(dashboard, line)
    ran = await session.shell(line, shown.add)
    dashboard.conversation.notice.clear()
    if ran is not None and handed:
        hand_over(dashboard, ran)


class _LastLine:
    """Shows the last line that a running shell line printed."""

    def __init__(self, dashboard: Dashboard, line: str) -> None:
        self._dashboard = dashboard
        self._line = cut(safe(line), 40)
        self._told = monotonic()
        self._say("")

    def add(self, text: str) -> None:
        if monotonic() - self._told >= SHOWN_EVERY:
            self._told = monotonic()
            last = text.rstrip().rpartition("\n")[2]
            self._say(cut(safe(last[-400:]), 120))

    def _say(self, last: str) -> None:
        about = f": {last}" if last else ""
        self._dashboard.say(f"! {self._line} runs, Esc stops it{about}", seconds=3600.0)


def hand_over(dashboard: Dashboard, ran: ShellRan) -> None:
    """Put a line and its output into the prompt, where it can be read and cut before it is sent."""
    if ran.output_size and not ran.output:
        dashboard.say("The output of that line was not kept. Run it again with !!.")
        return
    output = redact(ran.output).rstrip("\n")
    if len(output) > MOST_HANDED:
        output = f"[… {len(output) - MOST_HANDED:,} characters left out …]\n{output[-MOST_HANDED:]}"
    ended = f"\n[exit code {ran.exit_code}]" if ran.exit_code else ""
    prompt = dashboard.conversation.prompt
    before = "\n" if prompt.text else ""
    prompt.move_cursor(prompt.document.end)
    prompt.insert_text(f"{before}$ {ran.text}\n{output}{ended}\n")
    dashboard.focus_pane("conversation")


def last_shell_line(view: TaskView) -> ShellRan | None:
    """The newest shell line of a task."""
    for item in reversed(view.items):
        if isinstance(item, NoteView):
            if isinstance(item.event, ShellRan):
                return item.event
        elif (found := _last_in(item)) is not None:
            return found
    return None


def _last_in(turn: TurnView) -> ShellRan | None:
    for segment in reversed(turn.segments):
        if isinstance(segment, NoticeSegment) and isinstance(segment.event, ShellRan):
            return segment.event
    return None
