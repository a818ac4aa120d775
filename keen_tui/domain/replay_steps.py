"""A past turn cut at the places where its tools ran: text, the activities there, text …"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pydantic import ValidationError

from keen_tui.domain.turn_memory import Activity

_OPTIONAL_TEXTS = ("target", "server", "file_changed", "failed_command")


class ReplayStep(NamedTuple):
    """The text before a place, and the activities at that place in their order.

    The last step of a turn has no activities. Either part may be empty.
    """

    text: str
    activities: tuple[Activity, ...] = ()


def read_activity(record: object) -> Activity | None:
    """A persisted record as an activity, None when its types are wrong. An unknown status reads as error."""
    if not isinstance(record, dict):
        return None
    offset, tool, exit_code = record.get("text_offset"), record.get("tool"), record.get("exit_code")
    if type(offset) is not int or not isinstance(tool, str):
        return None
    if exit_code is not None and type(exit_code) is not int:
        return None
    if any(not isinstance(record.get(name), str | None) for name in _OPTIONAL_TEXTS):
        return None
    status = "success" if record.get("status") == "success" else "error"
    try:
        return Activity.model_validate({**record, "status": status})
    except ValidationError:
        return None


def kept_indices(prose: str, activities: Iterable[Activity | None]) -> list[int]:
    """Which activities can be placed in the prose, in order. A dropped one does not move the cursor.

    Dropped are records that could not be read (None), nameless tools, and offsets that are negative,
    behind the end, smaller than the one before, or inside a UTF-8 character.
    """
    data = encoded(prose)
    size, cursor = len(data), 0
    kept: list[int] = []
    for index, activity in enumerate(activities):
        if activity is None or not activity.tool:
            continue
        offset = activity.text_offset
        if offset < cursor or offset > size or (offset < size and data[offset] & 0xC0 == 0x80):
            continue
        kept.append(index)
        cursor = offset
    return kept


def replay_steps(prose: str, activities: Sequence[Activity]) -> list[ReplayStep]:
    """The prose cut at each distinct offset of the activities that can be placed.

    The texts of all steps joined are the prose. There is always a last step without activities.
    """
    if not activities:
        return [ReplayStep(sendable(prose))]
    data = encoded(prose)
    steps: list[ReplayStep] = []
    batch: list[Activity] = []
    start = place = 0
    for index in kept_indices(prose, activities):
        activity = activities[index]
        if batch and activity.text_offset != place:
            steps.append(ReplayStep(data[start:place].decode(), tuple(batch)))
            start, batch = place, []
        place = activity.text_offset
        batch.append(activity)
    if batch:
        steps.append(ReplayStep(data[start:place].decode(), tuple(batch)))
        start = place
    steps.append(ReplayStep(data[start:].decode()))
    return steps


def encoded(text: str) -> bytes:
    """UTF-8, the form that offsets count; half surrogate pairs become question marks of one byte."""
    return text.encode("utf-8", "replace")


def sendable(text: str) -> str:
    """The text as it can be written to a wire: unchanged, save for half surrogate pairs."""
    if text.isascii():
        return text
    return encoded(text).decode()
