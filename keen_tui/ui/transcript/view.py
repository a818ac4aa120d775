"""The transcript widget: a task in a window, with its cards, jumps and search."""

from __future__ import annotations

from time import monotonic
from typing import ClassVar, NamedTuple

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.timer import Timer

from keen_tui.domain.events import Event, TextRewound, TurnCompleted, TurnFailed, TurnIncomplete
from keen_tui.domain.views import TaskView
from keen_tui.ui.roles import Roles
from keen_tui.ui.transcript import finding
from keen_tui.ui.transcript.cards import ToolCard
from keen_tui.ui.transcript.document import START, Document, Place, changed_id
from keen_tui.ui.transcript.lines import Line
from keen_tui.ui.transcript.paint import Mark
from keen_tui.ui.transcript.search import Search, search_task
from keen_tui.ui.transcript.window import DocumentWindow

FRAME = 1 / 30
FRAME_LOW_BANDWIDTH = 1 / 8
TICK = 1.0


class Target(NamedTuple):
    """A card on the screen: its key, and its row inside the widget."""

    key: str
    y: int


class TranscriptView(DocumentWindow):
    """Shows a task and follows it while it runs.

    Updates are collected for `frame_interval` seconds. `follow_step` rows are moved at a time while
    following, so that a terminal beside another pane redraws less often.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("k,up", "scroll_up", "Up", show=False, id="transcript.up"),
        Binding("j,down", "scroll_down", "Down", show=False, id="transcript.down"),
        Binding("g,home", "scroll_home", "First", show=False, id="transcript.first"),
        Binding("G,end", "follow", "Last", show=False, id="transcript.last"),
        Binding("pageup", "page_up", "Page up", show=False, id="transcript.page_up"),
        Binding("pagedown,space", "page_down", "Page down", show=False, id="transcript.page_down"),
        Binding("left_square_bracket", "card(-1)", "Previous card", show=False, id="transcript.previous_card"),
        Binding("right_square_bracket", "card(1)", "Next card", show=False, id="transcript.next_card"),
        Binding("enter", "toggle_card", "Fold or unfold", show=False, id="transcript.toggle"),
        Binding("t", "screen.run('tools.show_call')", "In the Tools pane", show=False, id="transcript.tools"),
        Binding("E", "expand_all", "Fold or unfold all", show=False, id="transcript.expand_all"),
        Binding("n", "match(1)", "Next match", show=False, id="transcript.next_match"),
        Binding("N", "match(-1)", "Previous match", show=False, id="transcript.previous_match"),
    ]

    class CardFocused(Message):
        """A card got the mark, by key or mouse."""

        def __init__(self, call_id: str) -> None:
            super().__init__()
            self.call_id = call_id

    def __init__(self, roles: Roles | None = None, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(roles, id=id, classes=classes)
        self.frame_interval = FRAME
        self._changed: set[str] | None = set()
        self._due: Timer | None = None
        self._flushed = 0.0
        self._ticking: Timer | None = None
        self._all_open = False
        self._search = Search("")
        self._match: Place | None = None

    def show(self, view: TaskView) -> None:
        """Show a whole task, at its end. Blocks are made when they come into sight."""
        self._document = Document(view, self._text_width)
        self._search, self._match, self.focused_block = Search(""), None, None
        self._place, self._changed, self._all_open = START, set(), False
        self._set_following(True)
        self._settle()
        self._watch_tools()

    def touch(self, event: Event) -> None:
        """Take in an event that the view has already applied; drawn with the next frame."""
        if isinstance(event, TextRewound):
            self._document.rewind()
        elif isinstance(event, TurnCompleted | TurnIncomplete | TurnFailed):
            self._changed = None
        elif self._changed is not None and (name := changed_id(event)):
            self._changed.add(name)
        self._schedule()

    def text_of(self, key: str = "") -> str:
        """The text of a block by its key; of the focused block when there is no key. Empty: no such block."""
        place = self._document.find(key or self.focused_block or "")
        return self._document.cell(place).block.source if place is not None else ""

    def _schedule(self) -> None:
        if self._due is None and self.is_mounted:
            wait = self.frame_interval - (monotonic() - self._flushed)
            self._due = self.set_timer(max(0.001, wait), self._flush)

    def _flush(self) -> None:
        self._due = None
        self._flushed = monotonic()
        changed, self._changed = self._changed, set()
        self._document.update(changed)
        self._settle()
        self._watch_tools()

    def _watch_tools(self) -> None:
        """Count seconds while a tool runs, and only then."""
        last = self._document.last
        running = last is not None and self._document.layout(last.item).has_running_tool
        if running and self._ticking is None and self.is_mounted:
            self._ticking = self.set_interval(TICK, self._tick)
        elif not running and self._ticking is not None:
            self._ticking.stop()
            self._ticking = None

    def _tick(self) -> None:
        last = self._document.last
        if last is not None and self._changed is not None:
            self._changed |= self._document.layout(last.item).running()
            self._schedule()

    def line_marks(self, place: Place, index: int, line: Line) -> list[Mark]:
        if not self._search.words:
            return []
        current = self._match is not None and self._match[:2] == place[:2] and self._match.row == index
        return self._search.marks(line, current=current)

    def focus_next_card(self, step: int) -> None:
        """Mark the next thing that can be opened, or with -1 the one before."""
        document = self._document
        if document.last is None:
            return
        at = document.find(self.focused_block) if self.focused_block else None
        if at is not None and not self._is_in_sight(at):
            at = None
        found = finding.next_foldable(document, at or self._edge(step), step, included=at is None)
        if found is not None:
            self._mark(found)
            self._bring_into_sight(found)

    def toggle(self, key: str | None = None) -> None:
        """Open or close a card or reasoning: the focused one without a key."""
        key = key or self.focused_block
        place = self._document.find(key) if key else None
        if key is None or place is None or not self._document.cell(place).block.foldable:
            return
        self._hold(place)
        opened = self._document.folds.get(key, "auto") == "open"
        self._document.folds[key] = "closed" if opened else "open"
        self._document.refold(key)
        self._settle()

    def expand_all(self) -> None:
        """Open everything that can be opened; a second time, close it."""
        self._all_open = not self._all_open
        finding.fold_all(self._document, "open" if self._all_open else "closed")
        self._settle()

    def jump_targets(self) -> list[Target]:
        """The cards in sight, from top to bottom."""
        targets = []
        top, height = self.scroll_offset.y, self.scrollable_content_region.height
        place = self._document.locate(top)
        while place is not None:
            block = self._document.cell(place).block
            y = self._document.top(place) + block.gap - top
            if y >= height:
                break
            if block.foldable and y >= 0:
                targets.append(Target(block.key, y))
            place = self._document.after(place)
        return targets

    def jump_to(self, key: str) -> bool:
        """Bring a block to the top of the view and mark it. False: there is no such block."""
        return self._jump(self._document.find(key))

    def jump_to_call(self, call_id: str) -> bool:
        """Go to the card of a call, the newest of that id."""
        return self._jump(finding.place_of_call(self._document, call_id))

    def jump_to_seq(self, seq: int) -> bool:
        """Go to what stands at, or last before, an entry of the transcript (`transcript:42`)."""
        return self._jump(finding.place_of_seq(self._document, seq))

    def jump_to_comment(self, number: int) -> bool:
        """Go to a comment (`comment:17`)."""
        return self._jump(finding.place_of_comment(self._document, number))

    def search(self, words: str) -> int:
        """Mark words and go to their last place above the end of the view; returns how often they stand there."""
        self._search, self._match = search_task(self._document.view, words), None
        if self._search.count:
            self.next_match(-1)
        self._refresh_changed()
        return self._search.count

    def next_match(self, step: int = 1) -> bool:
        """Go to the next place of the searched words, or with -1 to the one before; round at the ends."""
        found = finding.next_match(self._document, self._search, self._match or self._edge(step), step)
        if found is None:
            return False
        self._match = found
        self._bring_into_sight(found)
        self._refresh_changed()
        return True

    def _jump(self, place: Place | None) -> bool:
        if place is None:
            return False
        self._place = Place(place.item, place.cell)
        self._set_following(False)
        self._settle()
        self._set_following(self.scroll_offset.y >= self.max_scroll_y)
        self._mark(place)
        return True

    def _mark(self, place: Place) -> None:
        block = self._document.cell(place).block
        self.focused_block = block.key
        if isinstance(block, ToolCard):
            self.post_message(self.CardFocused(block.call_id))

    @property
    def focused_call(self) -> str:
        """The id of the call whose card has the mark, or an empty text."""
        place = self._document.find(self.focused_block or "")
        block = self._document.cell(place).block if place is not None else None
        return block.call_id if isinstance(block, ToolCard) else ""

    def _edge(self, step: int) -> Place:
        """The first place in sight, or the last."""
        height = self.scrollable_content_region.height
        row = self.scroll_offset.y + (0 if step > 0 else height - 1)
        return self._document.locate(row) or START

    def _is_in_sight(self, place: Place) -> bool:
        top = self._document.top(place) + self._document.cell(place).block.gap
        return self.scroll_offset.y <= top < self.scroll_offset.y + self.scrollable_content_region.height

    def _bring_into_sight(self, place: Place) -> None:
        """Move as little as needed for the place's line to be in sight, held a little off the edges."""
        document, height = self._document, self.scrollable_content_region.height
        top = document.locate(self.scroll_offset.y) or START
        shown = document.is_rendered(place)
        document.ensure(place)
        inside = document.cell(place).block.gap + place.row
        if shown and self.scroll_offset.y <= document.top(place) + inside < self.scroll_offset.y + height - 1:
            return
        # What lies around it is rendered first, so that the rows between are true.
        document.render_up(place, height)
        document.render_down(place, height)
        row, air = document.top(place) + inside, min(3, height // 4)
        y = row - air if place[:2] <= top[:2] else row - height + 1 + air
        self._place = document.locate(max(0, y)) or START
        self._set_following(False)
        self._settle()

    def _hold(self, place: Place) -> None:
        """Keep the view where it is while a block changes: what is opened grows downwards."""
        top = self._document.locate(self.scroll_offset.y)
        if top is not None:
            self._place = top if top[:2] <= place[:2] else Place(place.item, place.cell)
        self._set_following(False)

    def action_follow(self) -> None:
        self.follow()

    def action_card(self, step: int) -> None:
        self.focus_next_card(step)

    def action_toggle_card(self) -> None:
        self.toggle()

    def action_expand_all(self) -> None:
        self.expand_all()

    def action_match(self, step: int) -> None:
        self.next_match(step)

    def on_click(self, event: events.Click) -> None:
        if event.button != 1 or self.text_selection is not None:
            return
        place = self._document.locate(self.scroll_offset.y + event.y)
        if place is None or self.scroll_offset.y + event.y >= self._document.rows:
            return
        block = self._document.cell(place).block
        if block.foldable and place.row == block.gap:
            self._mark(place)
            self.toggle(block.key)
            event.stop()
