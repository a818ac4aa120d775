"""What a turn leaves behind: one activity for each call that ran, at its place in the prose."""

from __future__ import annotations

from typing import Any

import pytest

from keen_tui.domain.events import (
    ApprovalAnswered,
    ApprovalRequested,
    AssistantText,
    Event,
    Notice,
    Reasoning,
    ReasoningEnded,
    RetryScheduled,
    TextRewound,
    ToolFinished,
    ToolOutput,
    ToolStarted,
    TurnIncomplete,
    TurnStarted,
)
from keen_tui.domain.turn_memory import Activity, collect
from keen_tui.domain.views import fold

START = TurnStarted(number=1, text="go")


def said(text: str) -> Event:
    return AssistantText(text=text)


def began(call_id: str = "c1", tool: str = "read_file", target: str | None = None) -> Event:
    return ToolStarted(call_id=call_id, tool=tool, target=target, arguments={"path": "secret"})


def ended(call_id: str = "c1", tool: str = "read_file", status: str = "success", **more: Any) -> Event:
    return ToolFinished(call_id=call_id, tool=tool, status=status, output="what it returned", **more)  # type: ignore[arg-type]


ASKED = ApprovalRequested(request_id="r", call_id="c1", tool="bash", question="Run this command?", detail="rm -rf x")
ALLOWED = ApprovalAnswered(request_id="r", answer="once")
RETRY = RetryScheduled(attempt=1, limit=5, delay=1.0, reason="overloaded")


def activities(*events: Event) -> tuple[Activity, ...]:
    return collect(fold([START, *events]).turns[0].segments)


def places(*events: Event) -> list[tuple[int, str]]:
    return [(activity.text_offset, activity.tool) for activity in activities(*events)]


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([said("Only prose.")], []),
        ([began(), ended()], [(0, "read_file")]),
        ([said("Look. "), began(), ended(), said("Found.")], [(6, "read_file")]),
        ([said("héllo 😀"), began(), ended()], [(11, "read_file")]),
        (
            [said("A"), began("c1"), began("c2", "grep"), ended("c2", "grep"), ended("c1")],
            [(1, "read_file"), (1, "grep")],
        ),
        ([said("A"), began(tool="bash"), ASKED, ALLOWED, ended(tool="bash")], [(1, "bash")]),
        ([said("A"), Reasoning(text="long thought"), ReasoningEnded(size=12), began(), ended()], [(1, "read_file")]),
        ([said("A"), Notice(text="Careful."), RETRY, said("B"), began(), ended()], [(2, "read_file")]),
        ([said("A"), began(), ToolOutput(call_id="c1", text="half")], []),
        ([said("A"), said("lost"), TextRewound(characters=4), RETRY, began(), ended()], [(1, "read_file")]),
        ([began(), ended(), said("lost"), TextRewound(characters=4), said("B")], [(0, "read_file")]),
        ([began(), ended(), began("c2"), TurnIncomplete(reason="interrupted", message="Stopped.")], [(0, "read_file")]),
        ([began(), ended(refused="input", status="error")], []),
        ([began(), ended(refused="unknown", status="error")], []),
        ([began(), ended(refused="denied", status="error")], [(0, "read_file")]),
        ([began(tool="some_new_tool"), ended(tool="some_new_tool")], [(0, "some_new_tool")]),
    ],
    ids=[
        "prose only",
        "a call before all prose",
        "a call between prose",
        "offsets are bytes",
        "parallel calls keep the order of their start",
        "a permission card loses nothing",
        "reasoning moves nothing",
        "notices move nothing",
        "an unfinished call yields nothing",
        "prose of a failed try does not count",
        "a retry never takes a call back",
        "an interrupted turn keeps what completed",
        "refused by its schema",
        "a tool that nobody knows",
        "a refusal of the person is an error that is kept",
        "a tool of any name",
    ],
)
def test_each_completed_call_is_kept_at_its_place(events: list[Event], expected: list[tuple[int, str]]):
    assert places(*events) == expected


@pytest.mark.parametrize(
    ("finish", "kept"),
    [
        ({}, {}),
        ({"file_changed": "src/a.py"}, {"file_changed": "src/a.py"}),
        ({"failed_command": "pytest -q", "exit_code": 1}, {"failed_command": "pytest -q", "exit_code": 1}),
        ({"exit_code": -9}, {"exit_code": -9}),
        ({"exit_code": 0}, {}),
        ({"status": "error", "file_changed": "src/a.py", "exit_code": 1}, {"status": "error"}),
        ({"server": "docs", "target": None}, {"server": "docs"}),
        ({"target": "src/a.py"}, {"target": "src/a.py"}),
    ],
)
def test_only_outcomes_of_calls_that_worked_are_kept_and_nothing_they_returned(
    finish: dict[str, Any], kept: dict[str, Any]
):
    (activity,) = activities(began(), ended(**finish))
    expected = {"text_offset": 0, "tool": "read_file", "status": "success"} | kept
    assert activity.model_dump(exclude_none=True) == expected
