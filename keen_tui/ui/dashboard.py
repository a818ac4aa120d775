"""The dashboard: the lines at the top and bottom, the panes between them, and where the focus is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.geometry import NULL_OFFSET, NULL_SPACING, Size
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.screen import Screen
from textual.widget import Widget

from keen_tui.domain.replayed_turn import ReplayedTurn
from keen_tui.domain.views import TurnView
from keen_tui.ui.approval_panel import ApprovalPanel
from keen_tui.ui.arrangement import SIDE, Arrangement, PaneName, Shape, shape_of
from keen_tui.ui.beside import run_beside
from keen_tui.ui.bottom_line import BottomLine
from keen_tui.ui.commands.brief import jump_to_ref
from keen_tui.ui.commands.prompting import act_on_queued, send
from keen_tui.ui.conversation import ConversationPane
from keen_tui.ui.drafts import Drafts
from keen_tui.ui.file_index import FileIndex
from keen_tui.ui.keymap import Keymap, bindings_for
from keen_tui.ui.line_view import LineBlock, LineList
from keen_tui.ui.lines import Span, line
from keen_tui.ui.panes.brief import BriefPane
from keen_tui.ui.panes.context import ContextPane
from keen_tui.ui.panes.memory import MemoryPane
from keen_tui.ui.panes.pane import Pane
from keen_tui.ui.panes.tools import ToolsPane
from keen_tui.ui.prompt import Prompt
from keen_tui.ui.question_panel import QuestionPanel
from keen_tui.ui.queue_strip import QueueStrip
from keen_tui.ui.quit_gate import QuitGate
from keen_tui.ui.saved_layout import LayoutKeeper
from keen_tui.ui.say import Say
from keen_tui.ui.services import Services
from keen_tui.ui.tab_bar import TabBar
from keen_tui.ui.task_display import TaskDisplay
from keen_tui.ui.top_line import TopLine
from keen_tui.ui.transcript.view import FRAME_LOW_BANDWIDTH

RunAction = Callable[["Dashboard", str, str], None]
"""Runs the action with this id, with an argument."""


SPLIT_STEP = 4
"""Rows that a following conversation moves at a time beside another pane: the terminal can't scroll half a row."""


INDEX_AFTER = 2.0
"""Seconds after the start when the names of the workspace's files are read, unless `@` asks before."""


class PaneLayout(Layout):
    """Puts each pane where the arrangement says; panes without a region are not drawn."""

    name = "panes"

    def __init__(self, body: Body) -> None:
        self._body = body

    def arrange(self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True) -> ArrangeResult:
        regions = self._body.arrangement.regions(self._body.shape, size)
        return [
            WidgetPlacement(regions[child.id], NULL_OFFSET, NULL_SPACING, child)
            for child in children
            if child.id in regions
        ]


class Body(Container):
    """The panes."""

    def __init__(self, *panes: Widget) -> None:
        super().__init__(*panes, id="body")
        self.arrangement = Arrangement()
        self.shape: Shape = "normal"
        self._pane_layout = PaneLayout(self)

    @property
    def layout(self) -> Layout:
        return self._pane_layout


class Dashboard(Screen[None], inherit_bindings=False):
    """The one screen of a task."""

    AUTO_FOCUS = "#prompt"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("global")]

    def __init__(self, services: Services, keymap: Keymap, run: RunAction, theme_names: Sequence[str] = ()) -> None:
        super().__init__()
        self.theme_names = list(theme_names)
        self.quit_gate = QuitGate()
        self._early: list[events.Key | events.Paste] | None = []
        self.early_prompts: list[str] | None = []
        """Prompts sent before the first task is open; None when nothing is being opened."""
        self.services = services
        self.keymap = keymap
        self._run = run
        self.top = TopLine(id="top")
        self.bottom = BottomLine(id="bottom")
        self.tabs = TabBar(id="tabs")
        self.too_small = LineBlock(id="too-small")
        self.files = FileIndex(services.workspace)
        self.conversation = ConversationPane(self.files)
        self.tools = ToolsPane(self._replayed)
        self.brief = BriefPane(lambda: self.display_of_task.session)
        self.memory = MemoryPane(services.home.global_memory, services.workspace)
        self.context = ContextPane(lambda: self.display_of_task.session)
        self.panes: dict[PaneName, Pane] = {
            "tools": self.tools,
            "brief": self.brief,
            "memory": self.memory,
            "context": self.context,
        }
        self.body = Body(self.conversation, self.tabs, *self.panes.values())
        self.changed: set[PaneName] = set()
        self.display_of_task = TaskDisplay(self)
        self.drafts = Drafts(self)
        self.conversation.draft_changed = self.drafts.changed
        self.layout_keeper = LayoutKeeper(self, services.home)
        self.body.arrangement = self.layout_keeper.loaded

    def compose(self) -> ComposeResult:
        yield self.top
        yield self.body
        yield self.bottom
        yield self.too_small

    def on_mount(self) -> None:
        self.too_small.set_rows([line(Span("Keen needs 40x10. Make this window larger.", "warning"))])
        self.too_small.display = False
        self.set_focus(self.conversation.prompt)
        self._typed_early()
        self.set_timer(INDEX_AFTER, self.files.refresh)

    def hold_early(self, event: events.Key | events.Paste) -> bool:
        """Keep what is typed before the prompt is there; False from then on."""
        if self._early is None:
            return False
        self._early.append(event)
        return True

    def _typed_early(self) -> None:
        early, self._early = self._early or [], None
        for event in early:
            self.conversation.prompt.post_message(event)

    def write_less(self) -> None:
        """Fewer updates a second, for slow lines."""
        self.conversation.transcript.frame_interval = FRAME_LOW_BANDWIDTH
        self.display_of_task.coalesce = FRAME_LOW_BANDWIDTH

    @property
    def arrangement(self) -> Arrangement:
        return self.body.arrangement

    @property
    def shape(self) -> Shape:
        return self.body.shape

    def on_resize(self, event: events.Resize) -> None:
        shape = shape_of(event.size)
        if shape != self.body.shape or shape == "tiny":
            self.body.shape = shape
            tiny = shape == "tiny"
            self.too_small.display = tiny
            self.top.display = self.body.display = self.bottom.display = not tiny
        self.rearrange(self.arrangement)
        if shape != "tiny" and self.focused is None:
            self.focus_pane(self.arrangement.active)

    def rearrange(self, arrangement: Arrangement) -> None:
        """Lay the panes out anew and bring those that came to the screen up to date."""
        self.body.arrangement = arrangement
        self.layout_keeper.changed()
        self.set_class(self.shape == "wide" and not arrangement.maximised, "-titled")
        self.set_class(self.shape == "narrow", "-narrow")
        self.set_class(arrangement.maximised, "-maximised")
        self.changed -= set(self.visible_panes)
        self.memory.seen("memory" in self.visible_panes)
        self.draw_tabs()
        self.conversation.transcript.follow_step = SPLIT_STEP if len(self.visible_panes) > 1 else 1
        self.tabs.refresh(layout=True)  # a child asks, else the body keeps its arrangement
        self.call_after_refresh(self.display_of_task.draw_panes)
        self.display_of_task.draw_lines()

    @property
    def visible_panes(self) -> list[PaneName]:
        """The panes that are on the screen."""
        regions = self.arrangement.regions(self.shape, self.size)
        return [name for name in ("conversation", *self.panes) if name in regions]

    def mark_changed(self, pane: PaneName) -> None:
        """A pane changed; its tab says so until it is looked at."""
        if pane not in self.visible_panes and pane not in self.changed:
            self.changed.add(pane)
            self.draw_tabs()

    def draw_tabs(self) -> None:
        arrangement = self.arrangement
        self.tabs.tell(arrangement.tabs(self.shape), arrangement.shown(self.shape), self.changed)

    def focus_pane(self, name: PaneName) -> None:
        """Show a pane and give it the focus."""
        self.rearrange(self.arrangement.focused(name))
        pane: ConversationPane | Pane = self.conversation if name == "conversation" else self.panes[name]
        pane.focus_pane()

    @property
    def focused_pane(self) -> PaneName:
        """The pane that holds the focus."""
        focused = self.focused
        if focused is not None:
            for name in SIDE:
                if self.panes[name] in focused.ancestors_with_self:
                    return name
        return "conversation"

    def on_descendant_focus(self) -> None:
        active = self.focused_pane
        if active != self.arrangement.active:
            self.rearrange(self.arrangement.focused(active))
        self.display_of_task.draw_lines()

    def on_tab_bar_picked(self, event: TabBar.Picked) -> None:
        self.focus_pane(event.pane)

    def on_prompt_sent(self, event: Prompt.Sent) -> None:
        send(self, event.text, event.steer)

    def on_queue_strip_picked(self, event: QueueStrip.Picked) -> None:
        act_on_queued(self, event.what, event.prompt_id)

    def on_approval_panel_answered(self, event: ApprovalPanel.Answered) -> None:
        if (session := self.display_of_task.session) is not None:
            session.answer_approval(event.request_id, event.answer, event.reason)

    def on_approval_panel_typed(self, event: ApprovalPanel.Typed) -> None:
        """The person writes a prompt: what waits can wait, and says how it is answered."""
        self.focus_pane("conversation")
        self.conversation.prompt.insert_text(event.character)

    def on_question_panel_answered(self, event: QuestionPanel.Answered) -> None:
        if (session := self.display_of_task.session) is not None:
            session.answer_question(event.request_id, event.text)

    def on_memory_pane_wanted(self) -> None:
        run_beside(self, self.display_of_task.read_memory(), "memory", exclusive=True)

    def on_line_list_chosen(self, event: LineList.Chosen) -> None:
        """Enter on a call in the Tools pane shows its card."""
        kind, _, call_id = event.key.partition(":")
        if kind == "call":
            self.rearrange(self.arrangement.focused("conversation"))
            self.conversation.transcript.focus()
            self.conversation.transcript.jump_to_call(call_id)

    def on_brief_pane_jump(self, event: BriefPane.Jump) -> None:
        jump_to_ref(self, event.ref)

    def on_say(self, event: Say) -> None:
        event.stop()
        self.say(event.text, event.level)

    async def close(self) -> None:
        """Keep the draft and the layout, and end what runs in the background."""
        await self.drafts.close()
        await self.layout_keeper.save()
        await self.files.close()

    def say(self, text: str, level: str = "info", seconds: float = 12.0) -> None:
        """Show a sentence above the prompt."""
        self.conversation.notice.say(text, level, seconds)  # type: ignore[arg-type]

    def say_all(self, texts: Sequence[str], level: str = "warning") -> None:
        """Show several sentences together, each on its own row; empty ones are left out."""
        if told := [" ".join(text.split("\n")) for text in texts if text]:
            self.say("\n".join(told), level, 12.0 * len(told))

    def run(self, action_id: str, argument: str = "") -> None:
        """Run an action of the registry."""
        self._run(self, action_id, argument)

    def action_run(self, action_id: str) -> None:
        """Run an action by key, after the keys that were typed before it."""
        (self.focused or self).call_later(self.run, action_id)

    def _replayed(self, turn: TurnView) -> ReplayedTurn | None:
        session = self.display_of_task.session
        return session.replayed(turn) if session else None
