from __future__ import annotations

import pytest

from keen_tui.domain.events import (
    ApprovalAnswered,
    ApprovalRequested,
    AssistantText,
    BriefChanged,
    CommentAdded,
    Event,
    ModeChanged,
    ModelCalled,
    Notice,
    PromptQueued,
    PromptUnqueued,
    Reasoning,
    ReasoningEnded,
    ShellRan,
    TextRewound,
    TitleChanged,
    ToolFinished,
    ToolOutput,
    ToolStarted,
    TurnCompleted,
    TurnIncomplete,
    TurnStarted,
    UsageReported,
    parse,
    stored_form,
)
from keen_tui.domain.segments import PermissionSegment, TextSegment, ToolSegment
from keen_tui.domain.turn_memory import collect
from keen_tui.domain.views import TurnView, close_open_turn, fold

START = TurnStarted(turn="t1", number=1, text="hello")


def finished(call_id: str, **more: object) -> ToolFinished:
    return ToolFinished.model_validate({"call_id": call_id, "tool": "bash", "status": "success"} | more)


def test_a_permission_card_does_not_lose_the_activity() -> None:
    view = fold(
        [
            START,
            AssistantText(text="Grüße. "),
            ToolStarted(call_id="a", tool="bash", target="rm x"),
            ApprovalRequested(request_id="r", call_id="a", tool="bash", question="Run?"),
            ApprovalAnswered(request_id="r", answer="once"),
            finished("a", target="rm x", exit_code=1, failed_command="rm x"),
            TurnCompleted(),
        ]
    )
    (activity,) = collect(view.turns[0].segments)
    assert activity.model_dump(exclude_none=True) == {
        "text_offset": len("Grüße. ".encode()),
        "tool": "bash",
        "status": "success",
        "target": "rm x",
        "failed_command": "rm x",
        "exit_code": 1,
    }


@pytest.mark.parametrize("refused", ["input", "unknown", "interrupted"])
def test_calls_that_never_ran_leave_no_activity(refused: str) -> None:
    start = ToolStarted(call_id="a", tool="bash")
    view = fold([START, start, finished("a", status="error", refused=refused), ToolStarted(call_id="b", tool="glob")])
    assert collect(view.turns[0].segments) == ()


def test_parallel_calls_keep_their_own_results() -> None:
    view = fold(
        [
            START,
            ToolStarted(call_id="a", tool="read_file"),
            ToolStarted(call_id="b", tool="glob"),
            ToolOutput(call_id="a", text="from a"),
            finished("b", tool="glob", output="from b"),
        ]
    )
    first, second = (segment for segment in view.turns[0].segments if isinstance(segment, ToolSegment))
    assert (first.output, first.status) == ("from a", "running")
    assert (second.output, second.status) == ("from b", "success")
    assert view.phase == "tool"


def test_a_retry_takes_back_only_what_the_failed_attempt_said() -> None:
    view = fold(
        [
            START,
            AssistantText(text="Kept. "),
            Reasoning(text="hm"),
            ReasoningEnded(size=2),
            AssistantText(text="Half an ans"),
            TextRewound(characters=len("Half an ans")),
            AssistantText(text="A whole answer."),
        ]
    )
    assert view.turns[0].prose == "Kept. A whole answer."


def test_a_retry_never_rewinds_past_a_tool() -> None:
    view = fold([START, AssistantText(text="One."), ToolStarted(call_id="a", tool="glob"), TextRewound(characters=99)])
    assert view.turns[0].prose == "One."


LIVE: list[Event] = [
    ModeChanged(mode="plan"),
    START,
    ModelCalled(iteration=1),
    Reasoning(text="think"),
    ReasoningEnded(size=5, seconds=1.5),
    AssistantText(text="I look. "),
    ToolStarted(call_id="a", tool="bash", target="ls", arguments={"command": "ls"}),
    ToolOutput(call_id="a", text="secret output"),
    finished("a", target="ls", output="secret output", output_size=13, output_kind="output"),
    CommentAdded(comment=3, author="user", kind="interjection", text="and quickly"),
    Notice(level="warning", text="careful", hint="do this"),
    UsageReported(input_tokens=100, output_tokens=20, cached_tokens=50, cost=0.5),
    BriefChanged(author="agent", revision=1, changes={"goal": "win"}),
    PromptQueued(prompt_id="q", text="next"),
    PromptQueued(prompt_id="p", text="later"),
    PromptUnqueued(prompt_id="q"),
    TurnIncomplete(reason="x", message="It broke.", hint="Again."),
    TitleChanged(title="A title"),
]


def test_a_resumed_task_is_the_live_one_without_what_is_never_kept() -> None:
    live = fold(LIVE)
    resumed = fold(parse(stored_form(event)) for event in LIVE if type(event).stored)
    assert "secret output" not in str([stored_form(event) for event in LIVE if type(event).stored])
    assert (resumed.title, resumed.mode, resumed.queue, resumed.brief) == (
        live.title,
        live.mode,
        live.queue,
        live.brief,
    )
    assert (resumed.input_tokens, resumed.cost, resumed.phase) == (live.input_tokens, live.cost, "idle")
    kinds = [type(segment) for segment in live.turns[0].segments]
    assert [type(segment) for segment in resumed.turns[0].segments] == kinds
    assert resumed.turns[0].prose == live.turns[0].prose
    tool = next(segment for segment in resumed.turns[0].segments if isinstance(segment, ToolSegment))
    assert tool.output == "" and tool.finish is not None and tool.finish.output_size == 13


def test_a_turn_left_open_by_a_crash_is_closed_with_all_it_did() -> None:
    view = fold([START, AssistantText(text="I beg"), ToolStarted(call_id="a", tool="bash")])
    close_open_turn(view)
    (turn,) = view.turns
    assert turn.end is not None and turn.prose == "I beg"
    tool = next(segment for segment in turn.segments if isinstance(segment, ToolSegment))
    assert tool.status == "interrupted"
    assert view.turn is None


def test_prose_of_one_stretch_is_one_segment() -> None:
    view = fold([START, *(AssistantText(text=f"{n} ") for n in range(1000))])
    (item,) = view.items
    assert isinstance(item, TurnView)
    (segment,) = item.segments
    assert isinstance(segment, TextSegment) and segment.text.startswith("0 1 2 ")


def test_a_question_that_nobody_answered_does_not_wait_for_ever() -> None:
    request = ApprovalRequested(request_id="r", call_id="a", tool="bash", question="Run?")
    view = fold([START, ToolStarted(call_id="a", tool="bash"), request, TurnIncomplete(reason="x", message="Stopped.")])
    permission = next(segment for segment in view.turns[0].segments if isinstance(segment, PermissionSegment))
    assert permission.interrupted
    assert view.approval is None and view.phase == "idle"


def test_a_shell_line_of_the_person_does_not_stop_a_retry_from_taking_prose_back():
    view = fold(
        [
            START,
            AssistantText(turn="t1", text="kept. "),
            AssistantText(turn="t1", text="half an"),
            ShellRan(turn="t1", text="ls", exit_code=0),
            AssistantText(turn="t1", text=" answer"),
            TextRewound(turn="t1", characters=len("half an answer")),
        ]
    )
    turn = view.turns[0]
    assert turn.prose == "kept. "
    assert any(getattr(segment, "event", None) is not None for segment in turn.segments)
