"""The Memory pane: the two memory files, how full they are, what is not loaded, and their editor."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any, ClassVar, cast

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message
from textual.widgets import TextArea
from textual.worker import Worker

from keen_tui.domain.errors import KeenError
from keen_tui.domain.memory_template import MemoryScope
from keen_tui.memory.memory_files import CAPS, project_memory
from keen_tui.memory.saving import MemoryDraft, open_draft, save_draft
from keen_tui.memory.watching import memory_changes
from keen_tui.security.untrusted import visible
from keen_tui.ui.external_editor import edit_text
from keen_tui.ui.keymap import bindings_for
from keen_tui.ui.line_view import LineBlock, LineList
from keen_tui.ui.lines import Line, Span, line, wrap
from keen_tui.ui.panes.field_editor import FieldEditor
from keen_tui.ui.panes.memory_rows import OpenFile, file_rows, merged, scope_of
from keen_tui.ui.panes.pane import Pane
from keen_tui.ui.services import MemoryFile


class MemoryPane(Pane):
    """Durable facts across tasks. While it is on the screen it follows what happens to the files."""

    class Wanted(Message):
        """The files should be read again."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("memory")]
    pane = "memory"
    empty = (
        "Facts that outlive a task: one memory file for everything you do, one for this project. Each request "
        "begins with both.\n\ne writes the project's file, r reads them again; the agent adds to them when you ask "
        "it to remember."
    )

    def __init__(self, global_path: Path, workspace: Path) -> None:
        super().__init__()
        self.files: Sequence[MemoryFile] = ()
        self._global_path = global_path
        self._workspace = workspace
        self._watch: Worker[None] | None = None
        self.open: OpenFile | None = None
        """The file in the editor."""
        self.editor = FieldEditor(classes="field-editor memory-editor", placeholder="One fact a line")
        self.field_title = LineBlock(classes="field-title")

    def compose(self) -> ComposeResult:
        yield from super().compose()
        yield self.field_title
        yield self.editor

    def on_mount(self) -> None:
        super().on_mount()
        self.editor.display = self.field_title.display = False

    # What the files hold

    def tell_files(self, files: Sequence[MemoryFile]) -> None:
        """Show the files as they are on the disk."""
        self.files = files
        self.redraw()
        if self.open is not None:
            self._run(self._compare(self.open))

    def rows(self, width: int) -> Sequence[Line]:
        if not any(file.exists for file in self.files):
            return []
        return [row for file in self.files for row in file_rows(file, width)]

    def action_reload(self) -> None:
        self.post_message(self.Wanted())

    def seen(self, on_screen: bool) -> None:
        """Follow the files while the pane is on the screen, and not otherwise."""
        if on_screen and self._watch is None:
            self._watch = self.run_worker(self._follow, group="memory-watch", exit_on_error=False)
        elif not on_screen and self._watch is not None:
            self._watch.cancel()
            self._watch = None

    async def _follow(self) -> None:
        async for _ in memory_changes([self._global_path, project_memory(self._workspace)]):
            self.post_message(self.Wanted())

    # The file in the editor

    def on_line_list_chosen(self, event: LineList.Chosen) -> None:
        event.stop()
        self.action_edit()

    def action_edit(self) -> None:
        self._run(self._edit())

    def action_edit_outside(self) -> None:
        self._run(self._edit_outside())

    @property
    def _scope(self) -> MemoryScope:
        """That of the file under the cursor."""
        return cast(MemoryScope, scope_of(self.lines.key) or "project")

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        self.run_worker(self._finish(work), group="memory-file")

    async def _finish(self, work: Coroutine[Any, Any, None]) -> None:
        """What goes wrong stands in the pane itself: the conversation may be hidden."""
        if self.open is None:
            self.field_title.display = False
        try:
            await work
        except KeenError as error:
            if self.open is None:
                words = wrap(f"{error.message} {error.hint}".strip(), max(10, self.size.width - 2))
                self.field_title.set_rows([line(Span(f" {row}", "error")) for row in words])
                self.field_title.display = True

    async def _read(self, scope: MemoryScope) -> MemoryDraft:
        return await asyncio.to_thread(open_draft, scope, self._global_path, self._workspace)

    async def _edit(self) -> None:
        """Open the file under the cursor in the editor."""
        draft = await self._read(self._scope)
        if visible(draft.text) != draft.text:
            raise KeenError("The file holds control characters, which this editor can't keep.", "E opens your own.")
        self.open = OpenFile(draft)
        self._put(draft.text)
        self.editor.display = self.field_title.display = True
        self._draw_title()
        self.editor.focus()

    async def _edit_outside(self) -> None:
        """Open the file under the cursor in the person's own editor; what comes back is checked the same way."""
        draft = await self._read(self._scope)
        text = await edit_text(self.app, draft.text)
        if text == draft.text:
            return
        try:
            await asyncio.to_thread(save_draft, draft, text)
        except KeenError as error:
            if self.open is None and visible(text) == text:
                self.open = OpenFile(draft, problem=error.message, said_of=text)
                self._put(text)
                self.editor.display = self.field_title.display = True
                self._draw_title()
                self.editor.focus()
            raise
        self.action_reload()

    def _put(self, text: str) -> None:
        self.editor.text = text
        self.editor.move_cursor(self.editor.document.end)

    def _draw_title(self) -> None:
        if self.open is not None:
            scope = self.open.draft.scope
            self.field_title.set_rows(self.open.rows(self.editor.text, CAPS[scope], self.size.width or 40))

    async def _compare(self, open_file: OpenFile) -> None:
        """See whether the open file changed on the disk."""
        now = await self._read(open_file.draft.scope)
        if open_file is self.open:
            open_file.changed = now.content != open_file.draft.content
            self._draw_title()

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        if self.open is not None:
            self.open.asked = False
            if self.editor.text != self.open.said_of:
                self.open.problem = ""
            self._draw_title()

    @property
    def _untouched(self) -> bool:
        return self.open is None or self.editor.text == self.open.draft.text

    def on_field_editor_asked(self, event: FieldEditor.Asked) -> None:
        event.stop()
        if event.what == "save":
            self._run(self.save())
        elif event.what == "leave":
            self.leave()
        else:
            self._run(self._merge())

    async def save(self) -> None:
        """Write the file; a refusal is shown above the text and nothing is lost."""
        open_file = self.open
        if open_file is None:
            return
        if self._untouched and open_file.draft.content is not None:
            self._close()
            return
        try:
            await asyncio.to_thread(save_draft, open_file.draft, self.editor.text)
        except KeenError as error:
            if open_file is self.open:
                open_file.problem, open_file.said_of = error.message, self.editor.text
                await self._compare(open_file)
            return
        self._close()
        self.action_reload()

    async def _merge(self) -> None:
        """Add the lines that came to the file meanwhile; saving then stands on what it holds by now."""
        open_file = self.open
        if open_file is None:
            return
        now = await self._read(open_file.draft.scope)
        if open_file is self.open and now.content != open_file.draft.content:
            self.open = OpenFile(now)
            self._put(merged(self.editor.text, open_file.draft.text, now.text))
            self._draw_title()

    def leave(self) -> None:
        """Close the editor; changes are asked about once."""
        if self.open is not None and not self._untouched and not self.open.asked:
            self.open.asked = True
            self._draw_title()
        else:
            self._close()

    def _close(self) -> None:
        self.open = None
        self.editor.display = self.field_title.display = False
        self.lines.focus()
        self.redraw()
