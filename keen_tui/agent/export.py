"""A task as one document for people or programs, without secrets."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Literal

from keen_tui.domain.brief import FIELDS
from keen_tui.domain.events import CommentAdded
from keen_tui.domain.segments import CommentSegment, TextSegment, ToolSegment
from keen_tui.domain.turn_memory import collect
from keen_tui.domain.views import NoteView, TaskView, TurnView
from keen_tui.security.secrets import redact
from keen_tui.security.untrusted import visible

ExportFormat = Literal["md", "json"]


def export_task(task_id: str, view: TaskView, format: ExportFormat) -> str:
    """Words, what ran, and the brief; tool outputs are never part of it. Secrets are redacted."""
    text = _json(task_id, view) if format == "json" else "\n".join(_markdown(task_id, view)) + "\n"
    return redact(text) if format == "md" else text


def _markdown(task_id: str, view: TaskView) -> Iterator[str]:
    yield f"# {visible(view.title) or 'Untitled task'}"
    yield f"\nTask `{task_id}`, model `{visible(view.model)}`, {view.turn_count} turns."
    brief = [(name, view.brief.get(name)) for name in FIELDS if view.brief.get(name)]
    if brief:
        yield "\n## Brief"
    for name, text in brief:
        yield f"\n**{name.replace('_', ' ')}**\n\n{visible(text)}"
    for item in view.items:
        if isinstance(item, TurnView):
            yield from _turn(item)
        elif isinstance(item.event, CommentAdded):
            yield f"\n## Note #{item.event.comment}\n\n{visible(item.event.text)}"


def _turn(turn: TurnView) -> Iterator[str]:
    time = turn.start.time.strftime("%Y-%m-%d %H:%M UTC")
    yield f"\n## Turn {turn.start.number} ({time}, #{turn.start.comment})\n\n{_quoted(turn.start.text)}\n"
    for segment in turn.segments:
        if isinstance(segment, TextSegment) and segment.text.strip():
            yield f"\n{visible(segment.text).strip()}"
        elif isinstance(segment, CommentSegment):
            yield f"\n{_quoted(segment.event.text)}"
        elif isinstance(segment, ToolSegment):
            code = segment.finish.exit_code if segment.finish else None
            ended = f"exit {code}" if code else segment.status
            yield f"\n- `{visible(segment.tool)}` {visible(segment.target or '')} ({ended})"


def _quoted(text: str) -> str:
    return "\n".join(f"> {row}" for row in visible(text).split("\n"))


def _json(task_id: str, view: TaskView) -> str:
    whole = {
        "task": task_id,
        "title": view.title,
        "model": view.model,
        "brief": {name: view.brief.get(name) for name in FIELDS},
        "turns": [_turn_object(turn) for turn in view.turns],
        "comments": [
            {"comment": item.event.comment, "author": item.event.author, "text": item.event.text}
            for item in view.items
            if isinstance(item, NoteView) and isinstance(item.event, CommentAdded)
        ],
    }
    return json.dumps(_redacted(whole), ensure_ascii=True, indent=2) + "\n"


def _turn_object(turn: TurnView) -> dict[str, Any]:
    return {
        "turn": turn.id,
        "number": turn.start.number,
        "time": turn.start.time.isoformat(),
        "comment": turn.start.comment,
        "user": turn.start.text,
        "prose": turn.prose,
        "activities": [activity.model_dump(exclude_none=True) for activity in collect(turn.segments)],
        "end": turn.end.type if turn.end else None,
    }


def _redacted(value: Any) -> Any:
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {key: _redacted(part) for key, part in value.items()}
    return [_redacted(part) for part in value] if isinstance(value, list) else value
