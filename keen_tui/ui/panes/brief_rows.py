"""The rows of the Brief pane."""

from __future__ import annotations

import re

from keen_tui.domain.brief import FIELD_LIMIT, MODEL_FIELDS, RENDER_LIMIT, TITLES, Brief, render
from keen_tui.domain.brief_lines import bare
from keen_tui.domain.known_refs import ref_exists
from keen_tui.domain.refs import Ref, refs_in
from keen_tui.domain.views import TaskView
from keen_tui.ui.lines import Line, Span, line, wrap

SOURCED = ("user_constraints", "decisions")
SOURCE = re.compile(r"[\s(\[]*\bSource:\s*(?:(?:comment|transcript):\d+(?:\s*[,;]\s*)?)+[)\].]*", re.IGNORECASE)


def row_key(name: str, index: int | None = None) -> str:
    """The key of a field's title row, or of the row of one of its lines."""
    return name if index is None else f"{name}:{index}"


def parse_key(key: str) -> tuple[str, int | None]:
    """The field and the line that a row's key names; the line is None for a title row."""
    name, _, index = key.partition(":")
    return name, int(index) if index else None


def brief_rows(brief: Brief, width: int, every_field: bool, view: TaskView | None = None) -> list[Line]:
    """All fields that hold text; the empty ones on one row, or a row each to choose from.

    With a view, refs that lead nowhere are marked, and what happened since the last update is said.
    """
    rows: list[Line] = []
    empty = [name for name in MODEL_FIELDS if not brief.get(name).strip()]
    if len(empty) == len(MODEL_FIELDS) and not every_field:
        return _stale_rows(view)
    for name in MODEL_FIELDS:
        if brief.get(name).strip():
            rows += field_rows(name, brief.get(name), width, every_field, view)
    if empty and rows:
        rows.append(Line())
    if every_field:
        rows += [line(Span(f" {TITLES[name]}", "muted"), Span("  –", "muted"), key=row_key(name)) for name in empty]
    elif empty:
        joined = "  ".join(f"{TITLES[name]} –" for name in empty)
        rows += [line(Span(f" {row}", "muted")) for row in wrap(joined, width - 2)]
    if len(empty) < len(MODEL_FIELDS):
        rows += [Line(), *_stale_rows(view), *_size_rows(brief)]
    return rows


def field_rows(name: str, text: str, width: int, sizes: bool = False, view: TaskView | None = None) -> list[Line]:
    """The title and the lines of one field."""
    lines = [(index, source) for index, source in enumerate(text.splitlines()) if source.strip()]
    size = f"{len(text):,} / {FIELD_LIMIT:,} "
    right = [Span(f"{len(lines)} ", "muted")] if len(lines) > 1 else []
    if len(text) > FIELD_LIMIT:
        right = [Span(f"too long, not sent: {size}", "error")]
    elif sizes or len(text) > FIELD_LIMIT * 9 // 10:
        right = [Span(size, "warning" if len(text) > FIELD_LIMIT * 9 // 10 else "muted")]
    rows = [line(Span(f" {TITLES[name]}", "accent"), right=right, key=row_key(name))]
    for index, source in lines:
        rows += _line_rows(name, index, source, width, view)
    return rows


def _line_rows(name: str, index: int, source: str, width: int, view: TaskView | None) -> list[Line]:
    refs = refs_in(source)
    words = bare(SOURCE.sub("", source)) or source.strip()
    marks = [_mark(ref, view) for ref in refs]
    if not refs and name in SOURCED:
        marks = [Span("no source ", "warning")]
    room = width - 5 - sum(len(span.text) for span in marks)
    first, *rest = wrap(words, max(10, room))
    return [
        line(Span(f"   {first}"), right=marks, key=row_key(name, index)),
        *(line(Span(f"   {more}")) for more in rest),
    ]


def _mark(ref: Ref, view: TaskView | None) -> Span:
    short = f"{'#' if ref.source == 'comment' else 't'}{ref.number}"
    if view is None or ref_exists(view, ref):
        return Span(f"{short} ", "muted")
    return Span(f"{short} not found ", "error")


def _stale_rows(view: TaskView | None) -> list[Line]:
    if view is None or not view.staleness.stale:
        return []
    since = view.staleness.since
    when = f" since {since.astimezone():%H:%M}" if since else ""
    return [line(Span(f" stale: {view.staleness.summary()}{when}", "warning"))]


def _size_rows(brief: Brief) -> list[Line]:
    rendered = render(brief)
    left_out = " Some older lines are left out." if "left out)" in rendered else ""
    role = "warning" if left_out else "muted"
    return [line(Span(f" {len(rendered):,} of {RENDER_LIMIT:,} characters.{left_out}", role))]
