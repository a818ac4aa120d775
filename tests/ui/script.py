"""A scripted task, for screenshots and tests that need a full screen."""

from __future__ import annotations

from pathlib import Path

from keen_tui.domain.events import (
    ApprovalRequested,
    AssistantText,
    BriefChanged,
    ModelChanged,
    TitleChanged,
    ToolFinished,
    ToolStarted,
    TurnStarted,
    UsageReported,
)
from keen_tui.memory.memory_files import MemoryFile
from tests.ui.fake_session import FakeSession, Part

DIFF = (
    "@@ -11,3 +11,3 @@\n async def test_order(stream):\n-    time.sleep(0.1)\n"
    "+    await stream.settled()\n     assert order == [1, 2, 3]"
)


def play(session: FakeSession) -> None:
    """A turn that waits for an approval."""
    session.parts = [
        Part("tools", 3102),
        Part("base prompt", 1204),
        Part("AGENTS.md", 410),
        Part("global memory", 92),
        Part("project memory", 518, note="12 lines not loaded (16 KiB cap)"),
        Part("history, 7 turns", 6230, note="cached up to here"),
        Part("your message", 61, estimated=True),
        Part("brief", 814),
    ]
    session.emit(
        ModelChanged(model="anthropic/claude-sonnet-5-5", wire="anthropic", context_window=200_000),
        TitleChanged(title="Flaky stream test"),
        TurnStarted(
            number=1, text="The stream test is flaky since Friday. Don't touch the parser.", comment=41
        ),
        AssistantText(text="Let me look at the test and run it a few times.\n"),
        ToolStarted(call_id="c1", tool="read_file", target="tests/test_stream.py"),
        ToolFinished(
            call_id="c1", tool="read_file", status="success", seconds=0.1, output_kind="file", output_size=3100,
            output="1  async def test_order(stream):",
        ),
        ToolStarted(call_id="c2", tool="bash", target="pytest -q tests/test_stream.py"),
        ToolFinished(
            call_id="c2", tool="bash", status="error", seconds=4.2, exit_code=1, output_kind="output",
            failed_command="pytest -q tests/test_stream.py", output_size=2400,
            output="FAILED test_order - assert 3 == 2\n" + "more\n" * 41,
        ),
        UsageReported(input_tokens=12_000, output_tokens=400, cached_tokens=9_840, cost=0.031),
        AssistantText(
            text="It fails when the second chunk arrives late, so the sleep is not long enough on a busy machine.\n"
        ),
        BriefChanged(
            author="agent",
            revision=1,
            changes={
                "goal": "Make the stream test reliable.",
                "user_constraints": "- Don't touch the parser. Source: comment:41",
                "decisions": "- Wait for the event, no sleep (Source: comment:43)\n- Keep the public API",
                "open": "- Same race in test_retry.py",
                "current_focus": "tests/test_stream.py",
            },
        ),
        ToolStarted(call_id="c3", tool="edit_file", target="tests/test_stream.py"),
        ApprovalRequested(
            request_id="a1", call_id="c3", tool="edit_file", question="Edit tests/test_stream.py?", kind="diff",
            rule="edits of files under tests/", detail=DIFF,
        ),
    )  # fmt: skip


def memory(home: Path) -> tuple[MemoryFile, ...]:
    own, project = home / "memory/global/MEMORY.md", home / "tide/.keen/MEMORY.md"
    text = "# Tide\n- Tests run with pytest -q.\n- The parser is generated.\n- Old: the CI is slow.\n"
    return (
        MemoryFile("global", own, True, 92, 8_192, "- Prefers short answers.\n"),
        MemoryFile("project", project, True, 18_100, 16_384, text, cut_line=4),
    )
