"""The Brief pane: the facts of the task, edited in place."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message
from textual.widgets import TextArea

from keen_tui.domain.brief_lines import moved_line, without_line
from keen_tui.domain.constraints import rule_for
from keen_tui.domain.refs import Ref, refs_in
from keen_tui.domain.views import TaskView
from keen_tui.ui.dialogs.brief_history import history_dialog
from keen_tui.ui.dialogs.cite_picker import cite_picker
from keen_tui.ui.keymap import bindings_for
from keen_tui.ui.line_view import LineBlock, LineList
from keen_tui.ui.lines import Line, Role, Span, line, wrap
from keen_tui.ui.panes.brief_rows import brief_rows, parse_key, row_key
from keen_tui.ui.panes.field_editor import Draft, FieldEditor
from keen_tui.ui.panes.pane import Pane
from keen_tui.ui.services import TaskSession

PROSE = ("goal", "current_focus")
"""Fields that are a sentence; the others are lists."""
NO_TASK = "No task is open."


class BriefPane(Pane):
    """The Mission Brief."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("brief")]
    pane = "brief"
    empty = (
        "Goal, constraints, decisions and what is open: facts that stay in every request, however long the "
        "task gets. The agent keeps them up to date, and you can.\n\nF4, then Enter, writes the first one."
    )

    class Jump(Message):
        """The person wants to see the entry that a line cites."""

        def __init__(self, ref: Ref) -> None:
            super().__init__()
            self.ref = ref

    def __init__(self, session: Callable[[], TaskSession | None]) -> None:
        super().__init__()
        self._session = session
        self.draft: Draft | None = None
        self.editor = FieldEditor(classes="field-editor", placeholder="One fact a line")
        self.field_title = LineBlock(classes="field-title")

    @property
    def field(self) -> str:
        """The field that is open in the editor, or an empty text."""
        return self.draft.field if self.draft else ""

    def compose(self) -> ComposeResult:
        yield from super().compose()
        yield self.field_title
        yield self.editor

    def on_mount(self) -> None:
        super().on_mount()
        self.editor.display = self.field_title.display = False

    def rows(self, width: int) -> Sequence[Line]:
        return brief_rows(self.view.brief, width, self.lines.has_focus, self.view)

    def tell(self, view: TaskView) -> None:
        if view is not self.view and self.draft is not None:
            self._close()
        super().tell(view)
        self._draw_title()

    def on_descendant_focus(self) -> None:
        self.redraw()

    def on_descendant_blur(self) -> None:
        self.call_after_refresh(self.redraw)

    def _tell(self, text: str, role: Role) -> None:
        """Say something at the foot of the pane, until the cursor moves or a field is opened."""
        if self.draft is None:
            self.field_title.set_rows([line(Span(f" {row}", role)) for row in wrap(text, max(10, self.size.width - 2))])
            self.field_title.display = True

    def on_line_list_moved(self, event: LineList.Moved) -> None:
        event.stop()
        if self.draft is None:
            self.field_title.display = False

    # The field that is open

    def on_line_list_chosen(self, event: LineList.Chosen) -> None:
        event.stop()
        name, index = parse_key(event.key)
        refs = refs_in(self._line(name, index)) if index is not None else []
        if refs:
            self.post_message(self.Jump(refs[0]))
        else:
            self.edit(name, index)

    def action_edit(self) -> None:
        if self.lines.key:
            self.edit(*parse_key(self.lines.key))

    def action_add(self) -> None:
        """Open the field with an empty line at its end."""
        if self.lines.key:
            name, _ = parse_key(self.lines.key)
            self.edit(name)
            self._add_line(name, "")

    def _add_line(self, name: str, words: str) -> None:
        text = self.editor.text.rstrip("\n")
        bulleted = "\n- " in f"\n{text}" if text else name not in PROSE
        bullet = "- " if bulleted else ""
        self._put(f"{text}\n{bullet}{words}" if text else f"{bullet}{words}")

    def _put(self, text: str) -> None:
        self.editor.text = text
        self.editor.move_cursor(self.editor.document.end)

    def edit(self, name: str, index: int | None = None) -> None:
        """Open a field for editing, with the cursor at the end of a line."""
        text = self.view.brief.get(name)
        self.draft = Draft(name, base=text, theirs=text)
        self.editor.display = self.field_title.display = True
        self._put(text)
        if index is not None:
            self.editor.move_cursor((index, len(self.editor.document.get_line(index))))
        self._draw_title()
        self.editor.focus()

    def _draw_title(self) -> None:
        if self.draft is not None:
            self.draft.theirs = self.view.brief.get(self.draft.field)
            self.field_title.set_rows(self.draft.rows(self.editor.text, self.size.width or 40))

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        if self.draft is not None:
            self.draft.asked, self.draft.problem = False, ""
            self._draw_title()

    def on_field_editor_asked(self, event: FieldEditor.Asked) -> None:
        event.stop()
        if event.what == "save":
            self._run(self.save())
        elif event.what == "leave":
            self.leave()
        elif self.draft is not None and self.draft.conflict:
            self._put(self.draft.merged(self.editor.text))
            self.draft.base = self.draft.theirs
            self._draw_title()

    async def save(self) -> None:
        """Write the field; a refusal is shown and nothing is lost."""
        draft, session = self.draft, self._session()
        if draft is None:
            return
        if self.editor.text in (draft.base, draft.theirs) and not draft.conflict:
            self._close()
            return
        if session is None:
            problem = NO_TASK
        else:
            problem = await session.edit_brief({draft.field: self.editor.text}, {draft.field: draft.theirs})
        if problem:
            draft.problem = problem
            self._draw_title()
        else:
            row = self.editor.cursor_location[0]
            self._close()
            self.lines.select(row_key(draft.field, row))

    def leave(self) -> None:
        """Close the editor; changes are asked about once."""
        draft = self.draft
        if draft is not None and self.editor.text != draft.base and not draft.asked:
            draft.asked = True
            self._draw_title()
        else:
            self._close()

    def _close(self) -> None:
        self.draft = None
        self.editor.display = self.field_title.display = False
        if self.editor.has_focus:
            self.lines.focus()
        self.redraw()

    # Lines of the list

    def _line(self, name: str, index: int | None) -> str:
        lines = self.view.brief.get(name).splitlines()
        return lines[index] if index is not None and index < len(lines) else ""

    def _on_line(self, what: str) -> tuple[str, int] | None:
        """The line under the cursor; says what to do when there is none."""
        name, index = parse_key(self.lines.key) if self.lines.key else ("", None)
        if index is None:
            self._tell(f"Go to a line to {what} it; e edits the whole field.", "warning")
            return None
        return name, index

    def action_delete(self) -> None:
        if (at := self._on_line("delete")) is not None:
            name, index = at
            self._change(name, without_line(self.view.brief.get(name), index), "Deleted. u brings it back.")

    def action_move_line(self, by: int) -> None:
        if (at := self._on_line("move")) is not None:
            name, index = at
            text = self.view.brief.get(name)
            moved = moved_line(text, index, by)
            if moved != text:
                line = text.splitlines()[index]
                places = [number for number, other in enumerate(moved.splitlines()) if other == line]
                nearest = min(places, key=lambda number: abs(number - index - by))
                self._change(name, moved, go_to=row_key(name, nearest))

    def action_cite(self) -> None:
        """Choose a comment; the line under the cursor then says where it comes from."""
        if (at := self._on_line("cite a source for")) is None:
            return
        name, index = at
        line = self._line(name, index)

        def chosen(key: str | None) -> None:
            ref = (key or "").removeprefix("cite:")
            lines = self.view.brief.get(name).splitlines()
            if not ref or index >= len(lines) or lines[index] != line:
                return
            lines[index] = f"{line.rstrip()}, {ref}" if refs_in(line) else f"{line.rstrip()} Source: {ref}"
            self._change(name, "\n".join(lines))

        self.app.push_screen(cite_picker(self.view), chosen)

    def action_rule(self) -> None:
        """Make a line that Keen can check from a constraint that names a path."""
        name, index = parse_key(self.lines.key) if self.lines.key else ("", None)
        if name != "user_constraints":
            self._tell("Go to a line of the constraints: it becomes a rule for a path.", "warning")
            return
        self.edit(name)
        self._add_line(name, rule_for(self._line(name, index)) or "path: FILES/** is read-only")

    def _change(self, name: str, text: str, said: str = "", go_to: str = "") -> None:
        base = self.view.brief.get(name)

        async def write() -> None:
            session = self._session()
            problem = await session.edit_brief({name: text}, {name: base}) if session else NO_TASK
            if problem or said:
                self._tell(problem or said, "warning" if problem else "muted")
            self.redraw()
            if go_to:
                self.lines.select(go_to)

        self._run(write())

    # The past

    def action_undo(self) -> None:
        self._turn(lambda session: session.undo_brief(), "Undone. r brings it back.")

    def action_redo(self) -> None:
        self._turn(lambda session: session.redo_brief(), "Done again.")

    def action_history(self) -> None:
        """Every revision with its differences; Enter restores one."""

        def chosen(key: str | None) -> None:
            revision = (key or "").removeprefix("revision:")
            if revision:
                self._turn(lambda session: session.restore_brief(int(revision)), f"As of revision {revision}.")

        self.app.push_screen(history_dialog(self.view.brief_history), chosen)

    def _turn(self, step: Callable[[TaskSession], Awaitable[str]], said: str) -> None:
        async def run() -> None:
            session = self._session()
            problem = await step(session) if session else NO_TASK
            self._tell(problem or said, "warning" if problem else "muted")
            self.redraw()

        self._run(run())

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        self.run_worker(work, group="brief")
