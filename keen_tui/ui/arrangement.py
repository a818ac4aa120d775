"""Where the panes stand: pure arithmetic from a size to regions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from textual.geometry import Region, Size

PaneName = Literal["conversation", "tools", "brief", "memory", "context"]
Shape = Literal["wide", "normal", "narrow", "tiny"]
PANES: tuple[PaneName, ...] = ("conversation", "tools", "brief", "memory", "context")
SIDE: tuple[PaneName, ...] = ("tools", "brief", "memory", "context")
LOWER: tuple[PaneName, ...] = ("memory", "context")
TITLES: dict[PaneName, str] = {
    "conversation": "Conversation",
    "tools": "Tools",
    "brief": "Brief",
    "memory": "Memory",
    "context": "Context",
}
CONVERSATION_MIN = 50
SIDE_MIN = 24


def shape_of(size: Size) -> Shape:
    """The layout for a screen of this size."""
    if size.width < 40 or size.height < 10:
        return "tiny"
    if size.width < 100 or size.height < 20:
        return "narrow"
    return "normal" if size.width < 160 else "wide"


@dataclass(frozen=True, slots=True)
class Arrangement:
    """What the person chose: the pane with the focus, the side tab, a maximised pane, a moved split.

    `split` is in columns added to the conversation's share. `lower` is the pane under the brief when wide.
    """

    active: PaneName = "conversation"
    side: PaneName = "brief"
    lower: PaneName = "memory"
    maximised: bool = False
    split: int = 0

    def focused(self, pane: PaneName) -> Arrangement:
        """The arrangement after the focus went to a pane."""
        return replace(
            self,
            active=pane,
            side=pane if pane in SIDE else self.side,
            lower=pane if pane in LOWER else self.lower,
        )

    def moved(self, columns: int) -> Arrangement:
        return replace(self, split=max(-60, min(60, self.split + columns)))

    def tabs(self, shape: Shape) -> tuple[PaneName, ...]:
        """The panes named in the tab bar."""
        if shape == "narrow":
            return PANES
        if self.maximised:
            return (self.active,) if self.active == "conversation" else SIDE
        return SIDE if shape == "normal" else LOWER

    def shown(self, shape: Shape) -> PaneName:
        """The pane whose tab is the open one."""
        if shape == "narrow" or self.maximised:
            return self.active
        return self.side if shape == "normal" else self.lower

    def regions(self, shape: Shape, size: Size) -> dict[str, Region]:
        """The region of each visible pane, and of `tabs`, inside the body."""
        width, height = size
        if shape == "tiny":
            return {}
        if shape == "narrow" or self.maximised:
            if shape != "narrow" and self.active == "conversation":
                return {"conversation": Region(0, 0, width, height)}
            return {"tabs": Region(0, 0, width, 1), self.active: Region(0, 1, width, height - 1)}
        if shape == "normal":
            left = _share(width, 66, self.split, SIDE_MIN)
            return {
                "conversation": Region(0, 0, left, height),
                "tabs": Region(left, 0, width - left, 1),
                self.side: Region(left, 1, width - left, height - 1),
            }
        return self._wide(width, height)

    def _wide(self, width: int, height: int) -> dict[str, Region]:
        middle = max(CONVERSATION_MIN, min(width - 2 * SIDE_MIN, width * 50 // 100 + self.split))
        tools = (width - middle) // 2
        right = tools + middle
        upper = (height - 1) * 60 // 100
        return {
            "tools": Region(0, 0, tools, height),
            "conversation": Region(tools, 0, middle, height),
            "brief": Region(right, 0, width - right, upper),
            "tabs": Region(right, upper, width - right, 1),
            self.lower: Region(right, upper + 1, width - right, height - upper - 1),
        }


def _share(width: int, percent: int, split: int, side_min: int) -> int:
    return max(min(CONVERSATION_MIN, width - side_min), min(width - side_min, width * percent // 100 + split))
