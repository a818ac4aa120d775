"""The top line: the task, where it works, and with what."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rich.cells import cell_len

from keen_tui.domain.views import TaskView
from keen_tui.ui.line_view import LineBlock
from keen_tui.ui.lines import Line, Role, Span, cut, cut_left, safe


@dataclass(frozen=True, slots=True)
class TopState:
    """What the top line says. `piece` is the named workflow of the task."""

    title: str = ""
    workspace: str = ""
    branch: str = ""
    model: str = ""
    mode: str = ""
    piece: str = "work"


def piece_words(view: TaskView) -> str:
    """The piece and, when it has several, the running movement: `plan-build-review: build 2/3`."""
    running = view.movement
    if running is None or running.movements < 2:
        return view.piece
    return f"{running.piece}: {running.movement} {running.number}/{running.movements}"


def short_path(path: Path, home: Path | None = None) -> str:
    """A path with `~` for the home folder."""
    home = home or Path.home()
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) and path != home else str(path)


def short_model(name: str) -> str:
    """A model's name without its provider."""
    return name.rsplit("/", 1)[-1]


def top_row(state: TopState, width: int) -> Line:
    """The row for a width: the piece goes first, then the branch, then the workspace."""
    model = cut(safe(short_model(state.model)) or "no model", max(12, width // 3))
    right: list[Span] = [Span(model, "accent"), Span(f"   {state.mode}", _mode_role(state.mode))]
    movement = state.piece.rpartition(": ")[2]
    if width >= 100 or movement != state.piece:
        right.append(Span(f"   {safe(state.piece if width >= 100 else movement)}", "muted"))
    right.append(Span(" "))
    if width >= 80:
        branch = f"  {cut(safe(state.branch), 24)}" if state.branch else ""
        place = cut_left(safe(state.workspace), max(12, width // 4))
        if width >= 100 or cell_len(place + branch) < width // 3:
            right.insert(0, Span(f"{place}{branch}    ", "muted"))
    title = state.title or "untitled task"
    return Line(
        (Span(" keen  ", "title"), Span(title, "strong" if state.title else "muted")),
        tuple(right),
    )


def _mode_role(mode: str) -> Role:
    roles: dict[str, Role] = {"yolo": "error", "accept-edits": "warning", "plan": "ok"}
    return roles.get(mode, "text")


class TopLine(LineBlock):
    """One row at the top of the screen."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.state = TopState()

    def tell(self, state: TopState) -> None:
        self.state = state
        self.set_rows([top_row(state, self.size.width or 80)])

    def on_resize(self) -> None:
        self.tell(self.state)
