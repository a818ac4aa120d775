"""The hits of a search over the conversation, to go to one of them."""

from __future__ import annotations

from collections.abc import Sequence

from keen_tui.domain.entries import Hit
from keen_tui.ui.dialogs.list_dialog import ListDialog, matches
from keen_tui.ui.lines import Line, Role, Span, line

_ROLES: dict[str, Role] = {"user": "user", "agent": "agent"}


def hit_picker(words: str, hits: Sequence[Hit], notes: Sequence[str]) -> ListDialog:
    """Dismissed with the ref of the hit. The best hit comes first; a second row names what came later."""

    def rows(typed: str, width: int) -> list[Line]:
        made: list[Line] = []
        for hit in hits:
            if matches(typed, hit.excerpt, hit.author, hit.kind, str(hit.ref)):
                made += _rows(hit)
        return made + [line(Span(f" {note}", "warning")) for note in notes]

    return ListDialog(f"Said about “{words}”", rows, footer="Type to narrow   Enter goes there   Esc closes")


def _rows(hit: Hit) -> list[Line]:
    when = hit.time.astimezone().strftime("%m-%d %H:%M")
    first = line(
        Span(f" {hit.author:<7}", _ROLES.get(hit.author, "muted")),
        Span(hit.excerpt),
        right=[Span(f"{hit.kind}  {when}  {hit.ref} ", "muted")],
        key=str(hit.ref),
    )
    if hit.later is None:
        return [first]
    return [first, line(Span(f"         later: {hit.later} is about this too", "muted"))]
