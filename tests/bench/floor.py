"""The least that a Textual chat can be: an input, one line-API transcript, and bare httpx.

Every budget that names the floor is a ratio to this program. It has no history, tools, themes or settings;
finished Markdown blocks are rendered once, the block that grows is rendered again at most 30 times a second.
"""

from __future__ import annotations

import json
import sys

import httpx
from rich.markdown import Markdown
from textual.app import App, ComposeResult
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widgets import Input

FRAME = 1 / 30


class Transcript(ScrollView, can_focus=False):
    """Finished lines, and the block that grows."""

    def __init__(self) -> None:
        super().__init__()
        self.done: list[Strip] = []
        self.growing = ""
        self.shown: list[Strip] = []
        self.due = False

    def add(self, text: str) -> None:
        self.growing += text
        if not self.due:
            self.due = True
            self.set_timer(FRAME, self.draw)

    def rendered(self, text: str) -> list[Strip]:
        width = self.scrollable_content_region.width
        options = self.app.console.options.update_width(width)
        lines = self.app.console.render_lines(Markdown(text), options, pad=False)
        return [Strip(line).adjust_cell_length(width) for line in lines]

    def draw(self) -> None:
        self.due = False
        while (end := self._block_end()) > 0:
            self.done += [*self.rendered(self.growing[:end]), Strip.blank(1)]
            self.growing = self.growing[end:]
        self.shown = self.rendered(self.growing) if self.growing.strip() else []
        self.virtual_size = Size(self.size.width, len(self.done) + len(self.shown))
        self.scroll_end(animate=False, immediate=True)
        self.refresh()

    def _block_end(self) -> int:
        """Where the first block ends: at an empty line outside a fence; 0 while it grows."""
        end = self.growing.find("\n\n")
        while end >= 0 and self.growing[:end].count("```") % 2:
            end = self.growing.find("\n\n", end + 1)
        return end + 2 if end >= 0 else 0

    def render_line(self, y: int) -> Strip:
        y += self.scroll_offset.y
        lines = self.done if y < len(self.done) else self.shown
        y -= 0 if y < len(self.done) else len(self.done)
        return (lines[y] if y < len(lines) else Strip.blank(0)).extend_cell_length(self.size.width)


class Floor(App[None]):
    CSS = "Transcript { height: 1fr; } Input { dock: bottom; }"
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, url: str) -> None:
        super().__init__()
        self.url = url
        self.lines = Transcript()

    def compose(self) -> ComposeResult:
        yield self.lines
        self.input = Input()
        self.input.cursor_blink = False
        yield self.input

    def on_mount(self) -> None:
        self.input.focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        text, event.input.value = event.value, ""
        self.lines.add(f"> {text}\n\n")
        self.run_worker(self.answer(text))

    async def answer(self, text: str) -> None:
        body = {"model": "bench", "stream": True, "messages": [{"role": "user", "content": text}]}
        async with httpx.AsyncClient(timeout=None) as client:
            async with client.stream("POST", f"{self.url}/chat/completions", json=body) as reply:
                async for line in reply.aiter_lines():
                    if line.startswith("data: {"):
                        choices = json.loads(line[6:])["choices"]
                        self.lines.add(choices[0]["delta"].get("content", "") if choices else "\n\n")


if __name__ == "__main__":
    Floor(sys.argv[1]).run()
