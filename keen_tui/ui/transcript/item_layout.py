"""One item of a task (a turn, or a note between turns) as a list of rendered cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from textual.strip import Strip

from keen_tui.domain.events import CommentAdded
from keen_tui.domain.segments import (
    ReasoningSegment,
    Segment,
    TextSegment,
    ToolSegment,
)
from keen_tui.domain.views import NoteView, TurnView
from keen_tui.ui.transcript.blocks import (
    Block,
    Fold,
    MessageBlock,
    ProseBlock,
    ReasoningBlock,
    SpeakerBlock,
    estimated_rows,
)
from keen_tui.ui.transcript.heights import Heights
from keen_tui.ui.transcript.lines import Line
from keen_tui.ui.transcript.prose_growth import GrowingProse, ProseFeed
from keen_tui.ui.transcript.segment_blocks import comment_block, notice_block, segment_block


@dataclass(slots=True, eq=False)
class Cell:
    """A block and its rendering: `lines` for one width, `strips` for one theme. None: not rendered."""

    block: Block
    lines: list[Line] | None = None
    strips: list[Strip | None] = field(default_factory=list)

    def forget(self) -> None:
        self.lines = None
        self.strips = []


@dataclass(slots=True, eq=False)
class _Node:
    """What stands for one segment: the cells from `start` on, up to the next node's."""

    segment: Segment
    start: int
    feed: ProseFeed | None = None
    sections: int = 0


class ItemLayout:
    """The cells of one item, kept in step with the view. Rendering happens cell by cell, on demand."""

    def __init__(self, item: TurnView | NoteView, key: str, width: int) -> None:
        self.item = item
        self.key = key
        self.cells: list[Cell] = []
        self.heights = Heights()
        self.width = width
        self.renders = 0
        self._nodes: list[_Node] = []
        if isinstance(item, TurnView):
            start = item.start
            self._append(MessageBlock(f"{key}/you", "you", start.text, start.time, start.comment))
            self.sync()
        elif isinstance(item.event, CommentAdded):
            self._append(comment_block(item.event, f"{key}/note"))
        else:
            self._append(notice_block(item.event, f"{key}/note"))

    def set_width(self, width: int) -> None:
        if width != self.width:
            self.width = width
            for cell in self.cells:
                cell.forget()

    def sync(self, changed: set[str] | None = None) -> None:
        """Bring the cells in step with the turn. `changed` are calls and requests that ended; None: all."""
        if not isinstance(self.item, TurnView):
            return
        segments = self.item.segments
        known = len(self._nodes)
        while self._nodes and not self._still_there(len(self._nodes) - 1):
            self._drop_node()
        for index, node in enumerate(self._nodes):
            if changed is None or index >= known - 1 or segment_id(node.segment) in changed:
                self._sync_node(index, node)
        for index in range(len(self._nodes), len(segments)):
            self._add_node(index, segments[index])

    def forget_prose(self) -> None:
        """A retry took prose back: what stands for it at the end is laid out anew by the next `sync`."""
        while self._nodes and isinstance(self._nodes[-1].segment, TextSegment | ReasoningSegment):
            self._drop_node()

    def ensure(self, index: int, folds: Mapping[str, Fold]) -> int:
        """Render a cell if it is not; returns by how many rows it grew."""
        cell = self.cells[index]
        if cell.lines is not None:
            return 0
        self.renders += 1
        cell.lines = cell.block.lines(self.width, folds.get(cell.block.key, "auto"))
        cell.strips = [None] * len(cell.lines)
        return self.heights.change(index, cell.block.gap + len(cell.lines))

    def find(self, key: str) -> int | None:
        """The cell with this key."""
        return next((index for index, cell in enumerate(self.cells) if cell.block.key == key), None)

    def cell_of(self, segment: Segment) -> int | None:
        """The first cell that shows a segment."""
        for node in self._nodes:
            if node.segment is segment:
                return min(node.start, len(self.cells) - 1)
        return None

    def foldables(self) -> Iterator[int]:
        return (index for index, cell in enumerate(self.cells) if cell.block.foldable)

    @property
    def has_running_tool(self) -> bool:
        return any(isinstance(n.segment, ToolSegment) and n.segment.status == "running" for n in self._nodes)

    def running(self) -> set[str]:
        """The ids of calls that run."""
        segments = (node.segment for node in self._nodes)
        return {s.call_id for s in segments if isinstance(s, ToolSegment) and s.status == "running"}

    def _still_there(self, index: int) -> bool:
        assert isinstance(self.item, TurnView)
        segments = self.item.segments
        return index < len(segments) and segments[index] is self._nodes[index].segment

    def _add_node(self, index: int, segment: Segment) -> None:
        last = self.cells[-1].block
        if isinstance(last, MessageBlock) and speaks(segment):
            self._append(SpeakerBlock(f"{self.key}/{index}/keen"))
        node = _Node(segment, len(self.cells))
        if isinstance(segment, TextSegment):
            node.feed = ProseFeed(segment)
        self._nodes.append(node)
        self._sync_node(index, node)

    def _sync_node(self, index: int, node: _Node) -> None:
        if node.feed is not None:
            self._sync_prose(index, node, node.feed)
            return
        assert isinstance(self.item, TurnView)
        name = segment_id(node.segment) or str(index)
        block = segment_block(node.segment, f"{self.key}/{name}", self.item.start.time)
        if block is None:
            return
        if node.start < len(self.cells):
            self._replace(node.start, block)
        else:
            self._append(block)

    def _sync_prose(self, index: int, node: _Node, feed: ProseFeed) -> None:
        """Finished sections become cells of their own in front of the growing one, which is always last."""
        ready = feed.take()
        growing = feed.growing
        last = self.cells[-1].block if len(self.cells) > node.start else None
        block = last if isinstance(last, GrowingProse) else None
        if block is not None and (ready or growing is None):
            self._pop()
            block = None
        for section in ready:
            gap = section.gap if node.sections else self._first_gap(node)
            self._append(ProseBlock(f"{self.key}/{index}/{node.sections}", section, gap))
            node.sections += 1
        if growing is None:
            return
        if block is None:
            gap = growing.gap if node.sections else self._first_gap(node)
            self._append(GrowingProse(f"{self.key}/{index}/{node.sections}", growing, gap))
        elif growing != block.section:
            block.grow(growing)
            self.cells[-1].forget()

    def _first_gap(self, node: _Node) -> int:
        """Prose stands right below the name or the reasoning, with air below cards."""
        above = self.cells[node.start - 1].block
        return 0 if isinstance(above, SpeakerBlock | ReasoningBlock) else 1

    def _append(self, block: Block) -> None:
        self.cells.append(Cell(block))
        self.heights.append(block.gap + estimate(block, self.width))

    def _pop(self) -> None:
        self.cells.pop()
        self.heights.pop()

    def _replace(self, index: int, block: Block) -> None:
        cell = self.cells[index]
        if cell.block != block:
            cell.block = block
            cell.forget()

    def _drop_node(self) -> None:
        node = self._nodes.pop()
        while len(self.cells) > node.start:
            self._pop()
        if isinstance(self.cells[-1].block, SpeakerBlock):
            self._pop()


def speaks(segment: Segment) -> bool:
    """Whether a segment is something that the agent says or does."""
    return isinstance(segment, TextSegment | ReasoningSegment | ToolSegment)


def segment_id(segment: Segment) -> str:
    """The call or request that a segment is about, which events name; else empty."""
    if isinstance(segment, ToolSegment):
        return segment.call_id
    request = getattr(segment, "request", None)
    return str(request.request_id) if request is not None else ""


def estimate(block: Block, width: int) -> int:
    """About how many rows a block takes, without rendering it."""
    if isinstance(block, MessageBlock):
        return 1 + min(41, estimated_rows(block.text, width) + block.text.count("\n"))
    if isinstance(block, ProseBlock | GrowingProse):
        text = block.section.text
        return max(estimated_rows(text, width), text.count("\n") + 1)
    return 1


def estimate_item(item: TurnView | NoteView, width: int) -> int:
    """About how many rows an item takes that has no cells yet."""
    if isinstance(item, NoteView):
        return 1 + estimated_rows(item.event.text, width)
    rows = 3 + estimated_rows(item.start.text, width)
    for segment in item.segments:
        if isinstance(segment, TextSegment):
            rows += 1 + estimated_rows(sum(map(len, segment.parts)), width)
        else:
            rows += 1
    return rows
