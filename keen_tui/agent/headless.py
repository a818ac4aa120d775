"""One turn without a screen: prose on standard output, or every event as a line of JSON."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import Literal, TextIO

from keen_tui.agent.session import TaskSession
from keen_tui.domain.events import (
    AssistantText,
    Event,
    Notice,
    RetryScheduled,
    ToolFinished,
    ToolStarted,
    TurnCompleted,
    TurnFailed,
    TurnIncomplete,
)
from keen_tui.security.untrusted import visible, visible_line

Format = Literal["text", "json"]
DONE, FAILED, REFUSED, INTERRUPTED = 0, 1, 3, 130


@dataclass(slots=True)
class HeadlessOutput:
    """Writes events as they happen. Text of models and tools is made safe for a terminal."""

    format: Format
    out: TextIO
    err: TextIO
    end: TurnCompleted | TurnIncomplete | TurnFailed | None = None
    _line_open: bool = False

    def event(self, event: Event) -> None:
        """Print one event. Nothing follows the event that ends the turn."""
        if self.end is not None:
            return
        if isinstance(event, TurnCompleted | TurnIncomplete | TurnFailed):
            self.end = event
        if self.format == "json":
            print(json.dumps(event.model_dump(mode="json", exclude_none=True)), file=self.out, flush=True)
        else:
            self._text(event)

    def _text(self, event: Event) -> None:
        match event:
            case AssistantText():
                self.out.write(visible(event.text))
                self.out.flush()
                self._line_open = not event.text.endswith("\n")
            case ToolStarted():
                self._aside(f"· {event.tool} {event.target or ''}".rstrip())
            case ToolFinished(status="error"):
                self._aside(f"  {event.tool}: {event.output}")
            case ToolFinished(exit_code=int(code)) if code:
                self._aside(f"  exit {code}")
            case Notice():
                self._aside(f"{event.level}: {event.text} {event.hint}".rstrip())
            case RetryScheduled():
                self._aside(f"{event.reason} Trying again in {event.delay:g} s ({event.attempt} of {event.limit}).")
            case TurnIncomplete() | TurnFailed():
                self._aside(f"error: {event.message} {event.hint}".rstrip())
            case TurnCompleted():
                self._close_line()
            case _:
                pass

    def _aside(self, text: str) -> None:
        self._close_line()
        print(visible_line(text), file=self.err, flush=True)

    def _close_line(self) -> None:
        if self._line_open:
            print(file=self.out, flush=True)
            self._line_open = False


async def run_headless(session: TaskSession, prompt: str, format: Format) -> int:
    """One turn to its end. Returns the exit code."""
    output = HeadlessOutput(format, sys.stdout, sys.stderr)
    unsubscribe = session.subscribe(output.event)
    session.send(prompt)
    await session.idle()
    unsubscribe()
    match output.end:
        case TurnCompleted(refused=refused):
            return REFUSED if refused else DONE
        case TurnIncomplete(reason="interrupted") | TurnFailed(reason="interrupted"):
            return INTERRUPTED
        case _:
            return FAILED
