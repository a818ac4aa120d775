"""Text fields that hold nothing a terminal could take for a command, and whose cursor does not blink."""

from __future__ import annotations

from textual import events
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input, TextArea
from textual.widgets.text_area import Edit, EditResult

from keen_tui.security.untrusted import visible, visible_line


def has_own_key(widget: Widget, event: events.Key) -> bool:
    """Whether the widget binds this key itself, by default or by the person's table."""
    chain = widget.screen._binding_chain
    return any(event.key in bindings.key_to_bindings for namespace, bindings in chain if namespace is widget)


async def ran_own_key(widget: Widget, event: events.Key) -> bool:
    """Run the widget's own binding of a key at once; False when it has none.

    Textual runs bindings when a key has bubbled up to the app, and by then later keys of a burst have
    been typed: text and Enter over a slow line would send too much or too little.
    """
    for namespace, bindings in widget.screen._binding_chain:
        if namespace is widget:
            for binding in bindings.key_to_bindings.get(event.key, ()):
                if not binding.priority and await widget.app.run_action(binding.action, widget):
                    event.stop()
                    event.prevent_default()
                    return True
    return False


class TextField(TextArea):
    """Many lines."""

    def __init__(self, *, placeholder: str = "", id: str | None = None, classes: str | None = None) -> None:
        super().__init__(
            compact=True,
            highlight_cursor_line=False,
            placeholder=Content(placeholder),
            id=id,
            classes=classes,
        )
        self.cursor_blink = False

    async def _on_key(self, event: events.Key) -> None:
        await ran_own_key(self, event)

    def load_text(self, text: str) -> None:
        super().load_text(visible(text))

    def edit(self, edit: Edit) -> EditResult:
        edit.text = visible(edit.text)
        return super().edit(edit)


class LineField(Input):
    """One line."""

    def __init__(
        self, value: str = "", *, password: bool = False, id: str | None = None, classes: str | None = None
    ) -> None:
        super().__init__(visible_line(value), password=password, compact=True, id=id, classes=classes)
        self.cursor_blink = False

    async def _on_key(self, event: events.Key) -> None:
        if not event.is_printable:
            await ran_own_key(self, event)

    def validate_value(self, value: str) -> str:
        return value if value.isprintable() else visible_line(value)
