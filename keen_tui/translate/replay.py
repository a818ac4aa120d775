"""Finished turns as later requests carry them, before any wire format."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from keen_tui.domain.exchange import HistoryTurn, Replay, ToolSpec
from keen_tui.domain.replay_steps import replay_steps, sendable
from keen_tui.domain.turn_memory import Activity
from keen_tui.translate.wire_text import compact, compact_flat, is_blank

MCP_TOOL = "call_mcp_tool"
CLOSED = "(The turn ended here.)"
UNANSWERED = "(The turn ended without an answer.)"

_ERROR_TEXT = compact({"status": "error"})
_SUCCESS_TEXT = compact({"status": "success"})
_TARGET_PARAMETERS = {
    "read_file": "path",
    "write_file": "path",
    "edit_file": "path",
    "glob": "pattern",
    "grep": "pattern",
    "bash": "command",
    "web_fetch": "url",
    "delegate_task": "agent",
}


class ReplayedCall(NamedTuple):
    """A call as it is written into a later request, and the activity that it stands for."""

    id: str
    name: str
    arguments: Mapping[str, str]
    activity: Activity

    @property
    def is_error(self) -> bool:
        return self.activity.status != "success"


class Passage(NamedTuple):
    """What the assistant said, then the calls it made there. One of the two may be empty, never both."""

    text: str
    calls: tuple[ReplayedCall, ...] = ()


def passages(
    turn: HistoryTurn,
    offered: Mapping[str, ToolSpec],
    form: Replay,
    call_ids: Callable[[str, int], Sequence[str]],
) -> list[Passage]:
    """The assistant's side of a turn. The last passage is text without calls, a fixed one if need be.

    `offered` are the tools of the request by name; calls of other tools become notes in the text.
    `call_ids` makes the ids of a turn's calls from the turn's id and the number of its activities.
    """
    found: list[Passage] = []
    ids = call_ids(turn.id, len(turn.activities))
    text, noted, ordinal = "", False, 0
    for step in replay_steps(turn.prose, turn.activities):
        if step.text:
            separator = "\n" if noted and not step.text.startswith("\n") else ""
            text, noted = f"{text}{separator}{step.text}", False
        calls: list[ReplayedCall] = []
        for activity in step.activities:
            name = MCP_TOOL if activity.server else activity.tool
            spec = offered.get(name)
            if spec is None or form == "note":
                separator = "\n" if text and not text.endswith("\n") else ""
                text, noted = f"{text}{separator}{note(activity)}", True
            else:
                arguments = bounded_arguments(activity, spec) if form == "bounded" else {}
                calls.append(ReplayedCall(ids[ordinal], name, arguments, activity))
            ordinal += 1
        if calls:
            found.append(Passage("" if is_blank(text) else text, tuple(calls)))
            text, noted = "", False
    if not is_blank(text):
        found.append(Passage(text))
    else:
        found.append(Passage(CLOSED if found else UNANSWERED))
    return found


def note(activity: Activity) -> str:
    """An activity as one bracketed line."""
    name = f"{activity.server}/{activity.tool}" if activity.server else activity.tool
    about = f"{name} {activity.target}" if activity.target else name
    outcome = "error" if activity.status != "success" else "success"
    if activity.file_changed and activity.status == "success":
        outcome = f"success, changed {activity.file_changed}"
    elif activity.exit_code and activity.status == "success":
        outcome = f"exit code {activity.exit_code}"
    return sendable(f"[{' '.join(about.split())}: {' '.join(outcome.split())}]")


def bounded_arguments(activity: Activity, spec: ToolSpec) -> dict[str, str]:
    """The kept target in the tool's own parameters; empty when it fits none."""
    known = spec.parameters.get("properties") or {}
    if activity.server:
        values = {"server": activity.server, "tool": activity.tool}
    elif not activity.target or activity.tool not in _TARGET_PARAMETERS:
        values = {}
    elif activity.tool in ("glob", "grep") and " :: " in activity.target:
        path, pattern = activity.target.split(" :: ", 1)
        values = {"path": path, "pattern": pattern}
    else:
        values = {_TARGET_PARAMETERS[activity.tool]: activity.target}
    return {name: sendable(value) for name, value in values.items() if name in known}


def outcome(activity: Activity) -> dict[str, str | int]:
    """What a replayed result says, keys in their fixed order."""
    if activity.status != "success":
        return {"status": "error"}
    result: dict[str, str | int] = {"status": "success"}
    if activity.file_changed:
        result["file_changed"] = sendable(activity.file_changed)
    if activity.failed_command:
        result["failed_command"] = sendable(activity.failed_command)
    if activity.exit_code:
        result["exit_code"] = activity.exit_code
    return result


def outcome_text(activity: Activity) -> str:
    """The outcome as compact JSON."""
    if activity.status != "success":
        return _ERROR_TEXT
    result = outcome(activity)
    return _SUCCESS_TEXT if len(result) == 1 else compact_flat(result)


def offered_tools(tools: Sequence[ToolSpec]) -> dict[str, ToolSpec]:
    """The tools of a request by name."""
    return {spec.name: spec for spec in tools}
