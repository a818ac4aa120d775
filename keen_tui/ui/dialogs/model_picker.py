"""The model picker: the demo model, models with a key, local servers, and the catalogue."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input

from keen_tui.ui.dialogs.list_dialog import ListDialog, matches
from keen_tui.ui.fields import LineField
from keen_tui.ui.line_view import LineBlock
from keen_tui.ui.lines import Line, Span, line
from keen_tui.ui.services import ChoiceGroup, ModelChoice

ADD_KEY = "add-key"
HEADS: dict[ChoiceGroup, str] = {
    "demo": "No key needed",
    "key found": "Your keys",
    "local": "Servers on this machine",
    "catalogue": "Catalogue",
}
CATALOGUE_ROWS = 200
FEW = 8
"""Models of a group that are listed before anything is typed."""


def model_rows(choices: Sequence[ModelChoice], words: str) -> list[Line]:
    """The choices that match, in groups; the catalogue only once something is typed."""
    made: list[Line] = []
    for group, head in HEADS.items():
        if group == "catalogue" and not words:
            continue
        found = [
            choice
            for choice in choices
            if choice.group == group and matches(words, choice.name, choice.title, choice.detail)
        ]
        if found:
            made += [*([Line()] if made else []), line(Span(f" {head}", "accent"))]
            limit = CATALOGUE_ROWS if words else FEW
            made += [_row(choice) for choice in found[:limit]]
            if len(found) > limit:
                made.append(line(Span(f"   … {len(found) - limit:,} more: type to search", "muted")))
    if not words:
        made += [
            Line(),
            line(Span(" Add a key for a provider …"), key=ADD_KEY),
            line(Span(" Type to search the catalogue of all models.", "muted")),
        ]
    return made


def _row(choice: ModelChoice) -> Line:
    mark = [] if choice.usable else [Span(" needs a key", "warning")]
    return line(
        Span(f"   {choice.title or choice.name}", "strong" if choice.usable else "muted"),
        *mark,
        right=[Span(f"{choice.detail} ", "muted")],
        key=f"model:{choice.name}",
    )


def model_picker(choices: Sequence[ModelChoice], first_run: bool) -> ListDialog:
    """Dismissed with `model:NAME` or ADD_KEY."""
    title = "Choose a model to begin with; /model changes it at any time" if first_run else "Choose a model"
    return ListDialog(title, lambda words, width: model_rows(choices, words))


class AddKey(ModalScreen[tuple[str, str]]):
    """Asks for a provider and its key. Dismissed with both, or with empty texts."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+c", "close", "Close", priority=True, show=False),
    ]

    def __init__(self, provider: str = "") -> None:
        super().__init__()
        self.provider = LineField(provider, id="provider", classes="dialog-words")
        self.secret = LineField(password=True, id="secret", classes="dialog-words")

    def compose(self) -> ComposeResult:
        labels = [LineBlock(classes="dialog-title") for _ in range(4)]
        labels[0].set_rows([line(Span(" Add a key", "title"))])
        labels[1].set_rows([line(Span(" Provider, such as anthropic, openai, gemini, mistral", "muted"))])
        labels[2].set_rows([line(Span(" Its key; it is kept in the keyring or in a file only you can read", "muted"))])
        labels[3].set_rows([line(Span(" Enter goes on   Esc closes", "muted"))])
        with Vertical(classes="dialog dialog-small"):
            yield labels[0]
            yield labels[1]
            yield self.provider
            yield labels[2]
            yield self.secret
            yield labels[3]

    def on_mount(self) -> None:
        (self.secret if self.provider.value else self.provider).focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        provider, secret = self.provider.value.strip().lower(), self.secret.value.strip()
        if not provider:
            self.provider.focus()
        elif not secret:
            self.secret.focus()
        else:
            self.dismiss((provider, secret))

    def action_close(self) -> None:
        self.dismiss(("", ""))
