"""The rows of the Memory pane: each file with its gauge and the cut, and what stands above the editor."""

from __future__ import annotations

from dataclasses import dataclass

from keen_tui.memory.saving import MemoryDraft
from keen_tui.ui.amounts import bar, size
from keen_tui.ui.lines import Line, Role, Span, cut_left, line, safe, wrap
from keen_tui.ui.services import MemoryFile
from keen_tui.ui.top_line import short_path

GAUGE = 20
SHOWN = 5_000
"""Lines of a file that are shown."""
LINE = 5_000
"""Characters of one line that are shown."""


def file_rows(file: MemoryFile, width: int) -> list[Line]:
    """Title, path, gauge and text of one file; the cut is marked where it falls."""
    part = file.size / file.cap if file.cap else 0.0
    role: Role = "error" if part > 1 else "warning" if part > 0.8 else "bar"
    gauge = bar(min(1.0, part), GAUGE)
    title = file.scope.capitalize()
    path = cut_left(safe(short_path(file.path)), max(10, width - len(title) - 4))
    changed = f"{file.changed.astimezone():%Y-%m-%d %H:%M} " if file.changed else ""
    rows = [
        line(Span(f" {title}", "accent"), right=[Span(f"{path} ", "muted")], key=_key(file, 0)),
        line(
            Span(f"   {gauge}", role),
            Span("░" * (GAUGE - len(gauge)), "muted"),
            Span(f" {size(file.size)} of {size(file.cap)}"),
            right=[Span(changed, "muted")] if changed and width >= 60 else [],
        ),
    ]
    if file.problem:
        rows += [line(Span(f"   {row}", "warning")) for row in wrap(file.problem, width - 4)]
    return [*rows, *_text_rows(file, width), Line()]


def scope_of(key: str) -> str:
    """The scope that a row's key belongs to, or an empty text."""
    kind, _, rest = key.partition(":")
    return rest.partition(":")[0] if kind == "memory" else ""


def _key(file: MemoryFile, number: int) -> str:
    return f"memory:{file.scope}:{number}"


def _text_rows(file: MemoryFile, width: int) -> list[Line]:
    if not file.text.strip():
        return [line(Span("   empty" if file.exists else "   no file yet: e makes it", "muted"))]
    cut = file.cut_line or 0
    rows: list[Line] = []
    for number, source in enumerate(file.text.splitlines()[:SHOWN], 1):
        if number == cut:
            rows.append(line(Span("   from here on it is not loaded", "warning")))
        out = 0 < cut <= number
        mark, role = Span(" ~ " if out else "   ", "warning"), "muted" if out else "text"
        first, *more = wrap(source[:LINE], width - 4)
        rows.append(line(mark, Span(first, role), key=_key(file, number)))
        rows += [line(mark, Span(row, role)) for row in more]
    return rows


@dataclass(slots=True)
class OpenFile:
    """A file in the editor: `draft` as it was opened, `changed` whether it reads otherwise on the disk by now."""

    draft: MemoryDraft
    changed: bool = False
    asked: bool = False
    problem: str = ""
    said_of: str = ""
    """The text that the problem is about."""

    def rows(self, mine: str, cap: int, width: int) -> list[Line]:
        """What stands above the editor."""
        length = len(mine.encode("utf-8", "replace"))
        amount = Span(f"{size(length)} of {size(cap)} ", "error" if length > cap else "muted")
        rows = [line(Span(f" {self.draft.scope.capitalize()} memory", "title"), right=[amount])]
        if self.problem:
            rows += [line(Span(f" {row}", "error")) for row in wrap(self.problem, width - 2)]
        if self.changed:
            words = "It changed on the disk while you edit it. ^T adds the new lines to yours, then F9 saves."
            rows += [line(Span(f" {row}", "warning")) for row in wrap(words, width - 2)]
        if self.asked:
            rows.append(line(Span(" Changed. F9 saves, Esc again drops it.", "warning")))
        elif not self.problem and not self.changed:
            rows.append(line(Span(" F9 saves, Esc leaves", "muted")))
        return rows


def merged(mine: str, base: str, theirs: str) -> str:
    """Mine, and behind it the lines of theirs that neither mine nor the text before had."""
    known = {row.strip() for row in (*mine.splitlines(), *base.splitlines())}
    more = [row for row in theirs.splitlines() if row.strip() and row.strip() not in known]
    return "\n".join([*mine.splitlines(), *more]) + "\n"
