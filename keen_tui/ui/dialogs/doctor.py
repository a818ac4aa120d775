"""The report of `keen doctor` in a dialog."""

from __future__ import annotations

from collections.abc import Sequence

from keen_tui.ui.dialogs.list_dialog import ListDialog
from keen_tui.ui.lines import Line, Role, Span, line, wrap
from keen_tui.ui.services import Check

_NAME = 16
_MARKS: dict[str, tuple[str, Role]] = {"ok": ("ok", "ok"), "note": ("note", "muted"), "problem": ("PROBLEM", "error")}


def doctor_dialog(checks: Sequence[Check]) -> ListDialog:
    """Every check with what was found and what to do."""

    def rows(words: str, width: int) -> list[Line]:
        made: list[Line] = []
        for check in checks:
            mark, role = _MARKS[check.state]
            room = max(10, width - _NAME - 10)
            first, *more = wrap(check.found, room)
            made.append(line(Span(f" {mark:<8}", role), Span(f"{check.name:<{_NAME}}", "strong"), Span(first)))
            made += [line(Span(f"{'':{_NAME + 9}}{row}")) for row in more]
            if check.hint:
                made += [line(Span(f"{'':{_NAME + 9}}{row}", "accent")) for row in wrap(check.hint, room)]
        return made

    return ListDialog("Checks of the installation", rows, footer="j k scroll   Esc closes", filtered=False)
