"""Brings a task's events to the screen: at once to the conversation, coalesced to everything else."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from textual.timer import Timer

from keen_tui.config.workspace import git_branch
from keen_tui.domain.events import (
    ApprovalAnswered,
    ApprovalRequested,
    AssistantText,
    BriefChanged,
    Event,
    ModelChanged,
    PromptQueued,
    PromptUnqueued,
    QuestionAnswered,
    QuestionAsked,
    Reasoning,
    ToolFinished,
    ToolOutput,
    ToolStarted,
    TurnCompleted,
    TurnFailed,
    TurnIncomplete,
    TurnStarted,
    UsageReported,
    now,
)
from keen_tui.domain.views import Phase, TaskView
from keen_tui.ui.arrangement import PaneName
from keen_tui.ui.beside import run_beside
from keen_tui.ui.footer_hints import hints_for
from keen_tui.ui.services import TaskSession
from keen_tui.ui.top_line import TopState, piece_words, short_path

if TYPE_CHECKING:
    from keen_tui.ui.dashboard import Dashboard

COALESCE = 0.06
"""Seconds between an event and the panes that show it."""
URGENT = (
    ApprovalRequested,
    ApprovalAnswered,
    QuestionAsked,
    QuestionAnswered,
    PromptQueued,
    PromptUnqueued,
    TurnStarted,
    TurnCompleted,
    TurnIncomplete,
    TurnFailed,
)
TIMED: tuple[Phase, ...] = ("thinking", "answering", "tool", "retrying")
"""Phases whose seconds are shown."""


class TaskDisplay:
    """One open task on one dashboard."""

    def __init__(self, dashboard: Dashboard, clock: Callable[[], datetime] = now) -> None:
        self._dashboard = dashboard
        self.clock = clock
        self.coalesce = COALESCE
        self.session: TaskSession | None = None
        self._unsubscribe: Callable[[], None] | None = None
        self._dirty: set[PaneName] = set()
        self._news: set[PaneName] = set()
        self._scheduled = False
        self._flush_timer: Timer | None = None
        self._ticker: Timer | None = None
        self._phase: Phase = "idle"
        self._branch = ""
        self._dirty_tree = False
        self._no_task = TaskView()

    @property
    def view(self) -> TaskView:
        return self.session.view if self.session else self._no_task

    def attach(self, session: TaskSession) -> None:
        """Show another task."""
        self.detach()
        self.session = session
        self._unsubscribe = session.subscribe(self._on_event)
        self._branch = git_branch(session.workspace) or ""
        self._dashboard.drafts.attach(session)
        self._dashboard.conversation.transcript.show(session.view)
        self._dirty = {"tools", "brief", "memory", "context"}
        self._flush()
        self._look_at_tree()
        self._dashboard.changed.clear()
        self._dashboard.draw_tabs()

    def detach(self) -> None:
        """Let go of the task that is shown."""
        if self._unsubscribe is not None:
            self._unsubscribe()
        self._unsubscribe = None
        self.session = None

    def _on_event(self, event: Event) -> None:
        self._dashboard.conversation.transcript.touch(event)
        if isinstance(event, AssistantText | Reasoning | ToolOutput) and self.view.phase == self._phase:
            return
        self._note(event)
        if not self._scheduled:
            self._scheduled = True
            self._flush_timer = self._dashboard.set_timer(
                0.001 if isinstance(event, URGENT) else self.coalesce, self._flush
            )
        elif isinstance(event, URGENT):
            self._dashboard.call_later(self._flush)

    def _note(self, event: Event) -> None:
        """Which panes an event changes, and which tabs should say so."""
        match event:
            case ToolStarted() | ToolFinished():
                self._dirty |= {"tools", "brief"}
                self._news.add("tools")
            case BriefChanged():
                self._dirty |= {"brief", "context"}
                self._news.add("brief")
            case UsageReported() | ModelChanged():
                self._dirty.add("context")
            case TurnStarted():
                self._dirty |= {"tools", "context"}
            case TurnCompleted() | TurnIncomplete() | TurnFailed():
                self._dirty |= {"tools", "memory", "context"}
                self._dashboard.files.forget()
                self._look_at_tree()
                if self.session is not None:
                    self._branch = git_branch(self.session.workspace) or ""

    def _look_at_tree(self) -> None:
        """Ask git, beside everything else, whether there are uncommitted changes."""
        if self._branch:
            run_beside(self._dashboard, self._ask_git(), "git", exclusive=True)

    async def _ask_git(self) -> None:
        self._dirty_tree = await self._dashboard.services.tree_is_dirty()
        self.draw_lines()

    def _flush(self) -> None:
        if self._flush_timer is not None:
            self._flush_timer.stop()
            self._flush_timer = None
        self._scheduled = False
        view = self.view
        self._phase = view.phase
        conversation = self._dashboard.conversation
        conversation.queue.tell(view.queue)
        conversation.tell_waiting(view)
        if view.approval or view.question:
            self._dashboard.mark_changed("conversation")
        for pane in self._news:
            self._dashboard.mark_changed(pane)
        self._news.clear()
        self.draw_lines()
        self.draw_panes()
        self._keep_time()

    def draw_panes(self) -> None:
        """Bring the panes on the screen up to date; the others wait until they are looked at."""
        for name in self._dashboard.visible_panes:
            if name != "conversation" and name in self._dirty:
                self._dirty.discard(name)
                if name == "memory":
                    run_beside(self._dashboard, self.read_memory(), "memory", exclusive=True)
                self._dashboard.panes[name].tell(self.view)

    async def read_memory(self) -> None:
        """Read the memory files for their pane."""
        self._dashboard.memory.tell_files(await self._dashboard.services.memory_files())

    def draw_lines(self) -> None:
        """The top and the bottom line."""
        dashboard, view = self._dashboard, self.view
        if self.session is not None:
            dashboard.top.tell(
                TopState(
                    title=view.title,
                    workspace=short_path(self.session.workspace),
                    branch=f"{self._branch}*" if self._branch and self._dirty_tree else self._branch,
                    model=view.model,
                    mode=view.mode,
                    piece=piece_words(view),
                )
            )
        dashboard.conversation.tell_comments(_comments(view))
        dashboard.bottom.tell(view, hints_for(dashboard, view), self.clock())

    def _keep_time(self) -> None:
        if self.view.phase in TIMED:
            if self._ticker is None:
                self._ticker = self._dashboard.set_interval(1.0, self.draw_lines)
        elif self._ticker is not None:
            self._ticker.stop()
            self._ticker = None


def _comments(view: TaskView) -> str:
    """The numbers of the first and the last comment of a task."""
    first = next((turn.start.comment for turn in view.turns if turn.start.comment), 0)
    if not first:
        return ""
    return f"#{first}–#{view.last_comment}" if view.last_comment > first else f"#{first}"
