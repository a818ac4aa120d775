"""The history of the brief: every revision, with what it changed."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import ndiff

from keen_tui.domain.brief import MODEL_FIELDS, TITLES
from keen_tui.domain.brief_history import BriefStep
from keen_tui.ui.dialogs.list_dialog import ListDialog, matches
from keen_tui.ui.lines import Line, Span, line, wrap

TITLE = "History of the brief"


def history_dialog(steps: Sequence[BriefStep]) -> ListDialog:
    """Dismissed with `revision:N`. The newest revision comes first."""

    def rows(words: str, width: int) -> list[Line]:
        shown: list[Line] = []
        for step in reversed(steps):
            texts = [*step.before.values(), *step.after.values()]
            if matches(words, step.author, step.movement, *step.after, *texts):
                shown += _rows(step, width)
        return shown

    if not steps:
        return ListDialog(
            "History of the brief", lambda words, width: [line(Span(" Nothing was changed yet.", "muted"))]
        )
    return ListDialog(TITLE, rows, footer="Type to search   Enter restores   Esc closes")


def _rows(step: BriefStep, width: int) -> list[Line]:
    what = f"{step.way} of {step.of}" if step.of else step.way
    rows = [
        line(
            Span(f" {step.revision:>3}  ", "accent"),
            Span(f"{step.author}", "user" if step.author == "user" else "agent"),
            Span(f"  {what}", "muted"),
            right=[Span(f"{step.movement}  {step.time.astimezone():%Y-%m-%d %H:%M:%S} ", "muted")],
            key=f"revision:{step.revision}",
        )
    ]
    for name in MODEL_FIELDS:
        if name in step.after:
            rows.append(line(Span(f"      {TITLES[name]}", "strong")))
            rows += _difference(step.before.get(name, ""), step.after[name], width)
    return rows


def _difference(before: str, after: str, width: int) -> list[Line]:
    rows = []
    for text in ndiff(before.splitlines(), after.splitlines()):
        mark, words = text[0], text[2:]
        if mark in "+-" and words.strip():
            role = "added" if mark == "+" else "removed"
            first, *rest = wrap(words, max(10, width - 11))
            rows += [line(Span(f"      {'−' if mark == '-' else mark} {first}", role))]
            rows += [line(Span(f"        {more}", role)) for more in rest]
    return rows
