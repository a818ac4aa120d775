"""The Conversation pane: the transcript, what waits for the person, and the prompt."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import TextArea

from keen_tui.domain.views import TaskView
from keen_tui.ui.approval_panel import ApprovalPanel
from keen_tui.ui.arrangement import TITLES
from keen_tui.ui.completion import Candidate, Completion, of_commands, slash_candidates
from keen_tui.ui.file_index import FileIndex
from keen_tui.ui.keymap import bindings_for
from keen_tui.ui.line_view import LineBlock
from keen_tui.ui.lines import Span, line
from keen_tui.ui.mentions import Mention, mention_before, written
from keen_tui.ui.prompt import Prompt
from keen_tui.ui.question_panel import QuestionPanel
from keen_tui.ui.queue_strip import QueueStrip
from keen_tui.ui.say import NoticeLine
from keen_tui.ui.transcript.view import TranscriptView

TYPING_PAUSE = 1.0
"""Seconds without a typed letter before a panel takes the focus."""
MOST_FILES = 50
"""File names that are offered for what was typed behind `@`."""


class ConversationPane(Vertical):
    """The work itself."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("pane")]

    def __init__(self, files: FileIndex) -> None:
        super().__init__(id="conversation")
        self._files = files
        self.draft_changed: Callable[[], None] = lambda: None
        self._mention: Mention | None = None
        self._declined = -1
        self.title_line = LineBlock(classes="pane-title")
        self.transcript = TranscriptView()
        self.completion = Completion(id="completion")
        self.queue = QueueStrip(id="queue")
        self.approval = ApprovalPanel(id="approval")
        self.question = QuestionPanel(id="question")
        self.notice = NoticeLine(id="notice")
        self.prompt = Prompt(id="prompt")
        self.marker = LineBlock(id="prompt-marker")
        self._view = TaskView()

    def compose(self) -> ComposeResult:
        yield self.title_line
        yield self.transcript
        yield self.queue
        yield self.approval
        yield self.question
        yield self.notice
        with Horizontal(id="prompt-row"):
            yield self.marker
            yield self.prompt
        yield self.completion

    def on_mount(self) -> None:
        self.tell_comments("")
        self.marker.set_rows([line(Span(" >", "accent"))])
        self.queue.tell({})
        self.completion.display = self.notice.display = False

    def tell_comments(self, numbers: str) -> None:
        """The title row, with the numbers of the comments that the task holds."""
        right = [Span(f"{numbers} ", "muted")] if numbers else []
        self.title_line.set_rows([line(Span(f" {TITLES['conversation']}", "title"), right=right)])

    @property
    def panel_room(self) -> int:
        """Rows that a panel may take: the conversation above and the prompt below stay visible."""
        height = self.size.height or 12
        return max(4, min(height - 3, height * 6 // 10))

    @property
    def waiting(self) -> ApprovalPanel | QuestionPanel | None:
        """The panel that waits for the person."""
        if self.approval.request is not None:
            return self.approval
        return self.question if self.question.request is not None else None

    def tell_waiting(self, view: TaskView) -> None:
        """Show what the agent waits for, and give it the focus unless the person is typing."""
        self._view = view
        had = self.waiting
        self._ask_approval()
        self.question.ask(view.question if view.approval is None else None, self.panel_room)
        if self.waiting is not None:
            self.offer_focus()
        elif had is not None and had.has_focus_within:
            self.prompt.focus()

    def _ask_approval(self) -> None:
        request = self._view.approval
        call = self._view.tools.get(request.call_id) if request is not None else None
        self.approval.ask(request, self.panel_room, (call.target if call else "") or "")

    def offer_focus(self) -> None:
        """Give a waiting panel the focus; a draft keeps it, and a pause in typing is waited for."""
        if self.waiting is None or not self.prompt.has_focus or self.prompt.text:
            return
        rest = TYPING_PAUSE - self.prompt.typed_seconds_ago
        if rest > 0:
            self.set_timer(rest, self.offer_focus)
        else:
            self.focus_waiting()

    def focus_waiting(self) -> bool:
        """Give a waiting panel the focus; False when nothing waits."""
        if self.approval.request is not None:
            self.approval.focus()
        elif self.question.request is not None:
            self.question.answer.focus()
        else:
            return False
        return True

    def on_resize(self) -> None:
        self._ask_approval()
        self.question.ask(self._view.question if self._view.approval is None else None, self.panel_room)

    def action_search(self) -> None:
        """Begin a search of the conversation in the prompt."""
        self.prompt.put("/find ")
        self.prompt.focus()

    def action_search_next(self) -> None:
        self.transcript.next_match()

    def focus_pane(self) -> None:
        """Give the pane the focus: the prompt."""
        self.prompt.focus()

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self.draft_changed()
        self._offer()

    def on_text_area_selection_changed(self, event: TextArea.SelectionChanged) -> None:
        event.stop()
        if self._mention is not None:
            self._offer()

    def _offer(self) -> None:
        """Offer what fits the draft: commands at once, file names when they are found."""
        mention = mention_before(self.prompt.before_cursor)
        if mention is None or mention.column != self._declined:
            self._declined = -1
        if mention is None:
            self._mention = None
            self._complete(of_commands(slash_candidates(self.prompt.text)))
        elif mention != self._mention and mention.column != self._declined:
            self._mention = mention
            self.run_worker(self._find(mention), group="completion", exclusive=True)

    async def _find(self, mention: Mention) -> None:
        """Offer the paths that fit; while names are still being read, again and again."""
        while True:
            paths = await self._files.find(mention.words, MOST_FILES)
            if mention != self._mention:
                return
            whole = mention.words in paths and not mention.words.endswith("/")
            self._complete([] if whole else [Candidate(path) for path in paths])
            if not self._files.reading:
                return
            await self._files.wait(0.5)

    def close_completion(self) -> bool:
        """Close the completion; False when it was not open."""
        if not self.prompt.completing:
            return False
        self._declined = self._mention.column if self._mention is not None else -1
        self._complete([])
        return True

    def _complete(self, found: list[Candidate]) -> None:
        self.completion.offer(found)
        self.prompt.completing = bool(found)
        below = self.prompt.size.height or 1
        self.completion.styles.margin = (0, 0, below, 0)

    def accept_completion(self) -> None:
        """Put the chosen command or file name into the prompt; a folder goes on with what is in it."""
        chosen, mention = self.completion.chosen, self._mention
        if chosen is None:
            return
        self._complete([])
        if chosen.action is not None:
            action = chosen.action
            self.prompt.put(f"{action.slash} " if action.argument else action.slash)
            self._complete([])
        elif mention is not None:
            text = written(chosen.path)
            if chosen.path.endswith("/"):
                text = text.removesuffix('"')
            else:
                text += " "
            self.prompt.complete(mention.column, text)

    def on_prompt_completion_key(self, event: Prompt.CompletionKey) -> None:
        event.stop()
        action = self.completion.chosen.action if self.completion.chosen else None
        if event.key in ("up", "down"):
            self.completion.move(-1 if event.key == "up" else 1)
        elif action is None or action.needs_argument:
            self.accept_completion()
        else:
            self.prompt.put("")
            self._complete([])
            self.prompt.past.add(action.slash)
            self.post_message(Prompt.Sent(action.slash))
