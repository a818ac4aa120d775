"""A task told event by event, and an app that shows it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from textual.app import App, ComposeResult

from keen_tui.domain.events import (
    AssistantText,
    Event,
    Reasoning,
    ReasoningEnded,
    ToolFinished,
    ToolStarted,
    TurnCompleted,
    TurnStarted,
)
from keen_tui.domain.views import TaskView, apply
from keen_tui.ui.theme import load_themes
from keen_tui.ui.transcript.view import TranscriptView

START = datetime(2026, 3, 2, 9, 12, tzinfo=UTC)
DIFF = """@@ -10,4 +10,5 @@
 
 async def test_order(stream):
-    time.sleep(0.1)
+    # the event itself
+    await stream.settled()
     assert stream.items == [1, 2]
"""


class Recording:
    """Applies events to a view and tells listeners, as a task session does."""

    def __init__(self) -> None:
        self.view = TaskView()
        self.turn = "t1"
        self.listeners: list[Callable[[Event], None]] = []
        self._count = 0

    def __call__(self, event_type: type[Any], **fields: Any) -> Event:
        self._count += 1
        fields.setdefault("time", START + timedelta(seconds=self._count))
        event: Event = event_type(turn=self.turn, seq=self._count, **fields)
        apply(self.view, event)
        for listener in self.listeners:
            listener(event)
        return event

    def begin(self, number: int = 1, text: str = "Make it reliable.") -> None:
        self.turn = f"t{number}"
        self(TurnStarted, number=number, text=text, comment=2 * number - 1)

    def say(self, text: str) -> None:
        self(AssistantText, text=text)

    def think(self, text: str) -> None:
        self(Reasoning, text=text)
        self(ReasoningEnded, size=len(text), seconds=3.0)

    def run(self, call_id: str, tool: str = "bash", target: str = "pytest -q", **fields: Any) -> None:
        self(ToolStarted, call_id=call_id, tool=tool, target=target)
        self(ToolFinished, call_id=call_id, tool=tool, **{"status": "success", "seconds": 0.1, **fields})

    def end(self, number: int = 1) -> None:
        self(TurnCompleted, comment=2 * number)


def recorded_turn() -> Recording:
    """One turn with a bit of everything."""
    record = Recording()
    record.begin()
    record.think("The test sleeps.\nIt should wait.")
    record.say("Let me look at the test.")
    output = "\n".join(f"line {number}" for number in range(60))
    record.run("read", "read_file", "tests/test_stream.py", output=output, output_size=400)
    record.run("fail", exit_code=1, failed_command="pytest", output=output, output_size=400)
    record.run("edit", "edit_file", "tests/test_stream.py", diff=DIFF, added=2, removed=1)
    record.say("It waits for the **event** now.")
    record.end()
    return record


class Stage(App[None]):
    """Nothing but a transcript. `messages` holds what it posted."""

    def __init__(self, record: Recording, theme: str = "keen-dark") -> None:
        super().__init__()
        self.record = record
        self.keen_theme = load_themes().by_name[theme]
        self.transcript = TranscriptView(self.keen_theme.roles)
        self.messages: list[Any] = []

    def compose(self) -> ComposeResult:
        yield self.transcript

    def on_mount(self) -> None:
        self.register_theme(self.keen_theme.textual)
        self.theme = self.keen_theme.name
        self.transcript.frame_interval = 0.005
        self.transcript.show(self.record.view)
        self.record.listeners.append(self.transcript.touch)
        self.transcript.focus()

    def on_transcript_view_card_focused(self, message: TranscriptView.CardFocused) -> None:
        self.messages.append(message)

    def on_document_window_follow_changed(self, message: TranscriptView.FollowChanged) -> None:
        self.messages.append(message)

    @property
    def rows(self) -> list[str]:
        """What stands on the screen, row by row."""
        height = self.transcript.size.height
        return [self.transcript.render_line(y).text.rstrip() for y in range(height)]

    @property
    def text(self) -> str:
        return "\n".join(self.rows)
