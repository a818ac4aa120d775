"""The one place where events enter a task: kept in the transcript, folded into the view, told to listeners."""

from __future__ import annotations

from collections.abc import Callable

from keen_tui.domain.errors import KeenError
from keen_tui.domain.events import (
    AssistantText,
    CommentAdded,
    Event,
    Notice,
    QuestionAnswered,
    TurnStarted,
)
from keen_tui.domain.views import TaskView, apply
from keen_tui.security.secrets import REDACTED, find_secrets
from keen_tui.store.prose_buffer import ProseBuffer
from keen_tui.store.transcript import Transcript

Listener = Callable[[Event], None]


class Journal:
    """Live prose comes in small fragments and is kept by the paragraph; all else is kept as it comes.

    `transcript` is None for a task that is only read. When the disk refuses to write, the task goes
    on, and a notice says that what follows is not kept.
    """

    def __init__(self, task: str, view: TaskView, transcript: Transcript | None) -> None:
        self.view = view
        self._task = task
        self._transcript = transcript
        self._prose = ProseBuffer()
        self._listeners: list[Listener] = []
        self._broken = False

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` with every event, after the view has changed. Returns how to stop it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def publish(self, event: Event, turn: str | None = None) -> Event:
        """Let an event happen. `turn` defaults to the turn that runs. Returns it as it was told."""
        if turn is None:
            running = self.view.turn
            turn = running.id if running else ""
        event = event.model_copy(update={"task": self._task, "turn": turn})
        failure = ""
        try:
            event = self._keep(event)
        except KeenError as error:
            failure = error.message
        apply(self.view, event)
        for listener in tuple(self._listeners):
            listener(event)
        if failure and not self._broken:
            self._broken = True
            self.publish(
                Notice(
                    level="error",
                    text=f"{failure} What follows is shown, but not kept.",
                    hint="Make room on the disk, then /quit and `keen --continue`.",
                )
            )
        self._tell_of_secrets(event)
        return event

    def _tell_of_secrets(self, event: Event) -> None:
        """Say so when the person's own words hold a secret: they are kept without it."""
        words = _words_of(event)
        if words and self._transcript is not None and (found := find_secrets(words)):
            kinds = ", ".join(dict.fromkeys(finding.kind for finding in found))
            self.publish(
                Notice(
                    level="warning",
                    text=f"Your words hold a secret ({kinds}). The model gets it; on the disk it reads {REDACTED}.",
                    hint="If it should not have been sent, withdraw it where it was issued.",
                )
            )

    def close(self) -> None:
        """Write what is still held back."""
        try:
            self._write(self._prose.take())
        except KeenError:
            self._broken = True
        if self._transcript is not None:
            self._transcript.close()

    def _keep(self, event: Event) -> Event:
        if self._transcript is None or not type(event).stored or self._broken:
            return event
        if isinstance(event, AssistantText):
            event = event.model_copy(update={"seq": self._transcript.next_seq})
            self._write(self._prose.add(event))
            return event
        self._write(self._prose.take())
        return self._transcript.append(event)

    def _write(self, event: AssistantText | None) -> None:
        if event is not None and self._transcript is not None:
            self._transcript.append(event)


def _words_of(event: Event) -> str:
    """What the person wrote."""
    match event:
        case TurnStarted() | QuestionAnswered() | CommentAdded(author="user"):
            return event.text
        case _:
            return ""
