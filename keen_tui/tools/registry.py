"""The tools that a model can be offered, by name."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from keen_tui.domain.exchange import ToolSpec
from keen_tui.tools.ask_user import AskUser
from keen_tui.tools.base import Tool
from keen_tui.tools.bash import Bash
from keen_tui.tools.edit_file import EditFile
from keen_tui.tools.glob import Glob
from keen_tui.tools.grep import Grep
from keen_tui.tools.read_file import ReadFile
from keen_tui.tools.web_fetch import WebFetch
from keen_tui.tools.write_file import WriteFile


class ToolBox:
    """A fixed set of tools. Their order is the order in requests. Names are unique."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        self._tools = {tool.spec.name: tool for tool in tools}
        if len(self._tools) != len(tools):
            raise ValueError("two tools have the same name")

    def with_tool(self, tool: Tool) -> ToolBox:
        """The same tools and one more at the end."""
        return ToolBox((*self._tools.values(), tool))

    def only(self, names: Collection[str]) -> ToolBox:
        """Those of the tools that are named, in their order."""
        return ToolBox([tool for name, tool in self._tools.items() if name in names])

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        return tuple(tool.spec for tool in self._tools.values())

    def get(self, name: str) -> Tool | None:
        return self._tools.get(name)


def standard_tools() -> ToolBox:
    """The tools for files, search, commands, pages and questions."""
    return ToolBox((ReadFile(), WriteFile(), EditFile(), Glob(), Grep(), Bash(), WebFetch(), AskUser()))
