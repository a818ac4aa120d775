"""Which calls the Tools pane shows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from keen_tui.domain.segments import ToolSegment
from keen_tui.domain.views import TurnView


@dataclass(frozen=True, slots=True)
class ToolFilter:
    """Calls that failed, that changed files, or of one tool; an empty filter lets everything through."""

    failed: bool = False
    changed: bool = False
    tool: str = ""

    @property
    def on(self) -> bool:
        return self.failed or self.changed or bool(self.tool)

    @property
    def words(self) -> str:
        """The filter in words."""
        parts = ["failed" if self.failed else "", "changed files" if self.changed else "", self.tool]
        return ", ".join(part for part in parts if part)

    def fits(self, call: ToolSegment) -> bool:
        finish = call.finish
        if self.tool and call.tool != self.tool:
            return False
        if self.failed and not (call.status == "error" or (finish and finish.exit_code) or call.interrupted):
            return False
        return not self.changed or bool(finish and finish.file_changed)


def tools_of(turns: Iterable[TurnView]) -> list[str]:
    """The tools that ran, by name."""
    return sorted({segment.tool for turn in turns for segment in turn.segments if isinstance(segment, ToolSegment)})


def next_tool(tools: list[str], shown: str) -> str:
    """The tool after the one that is shown; behind the last one come all again."""
    after = tools.index(shown) + 1 if shown in tools else 0
    return tools[after] if after < len(tools) else ""
