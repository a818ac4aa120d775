"""TurnMemory: the compact record of the tools that ran in a turn."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from pydantic import BaseModel, ConfigDict

from keen_tui.domain.events import ToolFinished
from keen_tui.domain.segments import Segment, TextSegment, ToolSegment


class Activity(BaseModel):
    """One completed tool call. `text_offset` is in UTF-8 bytes of the turn's assistant prose."""

    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)

    text_offset: int
    tool: str
    status: Literal["success", "error"]
    target: str | None = None
    server: str | None = None
    file_changed: str | None = None
    failed_command: str | None = None
    exit_code: int | None = None


_NOT_RUN = frozenset({"input", "unknown", "interrupted"})


def collect(segments: Iterable[Segment]) -> tuple[Activity, ...]:
    """The activities of a turn's surviving segments, in order.

    Prose moves the offset by its UTF-8 length; each completed call yields one activity there. Nothing
    else yields or moves anything. Results belong to calls by id, so cards in between change nothing.
    """
    offset = 0
    activities: list[Activity] = []
    for segment in segments:
        if isinstance(segment, TextSegment):
            offset += len(segment.text.encode("utf-8", "replace"))
        elif isinstance(segment, ToolSegment):
            finish = segment.finish
            if finish is not None and finish.refused not in _NOT_RUN:
                activities.append(_activity(offset, finish, segment.target))
    return tuple(activities)


def _activity(offset: int, finish: ToolFinished, target: str | None) -> Activity:
    worked = finish.status == "success"
    return Activity(
        text_offset=offset,
        tool=finish.tool,
        status=finish.status,
        target=target,
        server=finish.server,
        file_changed=finish.file_changed if worked else None,
        failed_command=finish.failed_command if worked else None,
        exit_code=finish.exit_code or None if worked else None,
    )
