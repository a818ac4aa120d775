"""The demo model works on the real workspace with the real tools, offline, the same every time."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from keen_tui.domain.exchange import (
    Conversation,
    HistoryTurn,
    ModelProfile,
    NativeMessage,
    PromptPart,
    Reply,
    ToolResult,
)
from keen_tui.domain.turn_memory import Activity
from keen_tui.gateway.calls import ModelCall
from keen_tui.gateway.demo import DemoGateway
from keen_tui.tools.base import ToolContext, ToolError
from keen_tui.tools.file_stamps import FileStamps
from keen_tui.tools.registry import standard_tools
from keen_tui.translate.registry import translator_for

PROFILE = ModelProfile(name="demo", wire="openai_chat")


@dataclass
class Turn:
    """One turn of the demo: every reply, every call with its result."""

    prose: str = ""
    reasoning: str = ""
    calls: list[tuple[str, Mapping[str, Any], str]] = field(default_factory=list)
    replies: list[Reply] = field(default_factory=list)

    def of(self, tool: str) -> list[tuple[Mapping[str, Any], str]]:
        return [(arguments, result) for name, arguments, result in self.calls if name == tool]


async def run(
    text: str,
    workspace: Path,
    *,
    refuse: Callable[[str], bool] = lambda tool: False,
    without: tuple[str, ...] = (),
    history: tuple[HistoryTurn, ...] = (),
    context: str = "<keen-context>\nMode: ask.\n</keen-context>",
    system: str = "You are Keen.",
    answer: str = "green",
) -> Turn:
    """Let the demo take a turn as the engine does, with the real translator and the real tools."""
    box, translator, turn = standard_tools(), translator_for("openai_chat"), Turn()

    async def ask(question: str, choices: tuple[str, ...]) -> str:
        return answer

    tools = ToolContext(workspace, workspace.parent / "task", FileStamps(), ask=ask)
    mission = type(box.specs[0])("MissionUpdate", "The brief.", {"type": "object", "properties": {}})
    specs = [spec for spec in (*box.specs, mission) if spec.name not in without]
    exchange: list[NativeMessage] = []
    for _ in range(12):
        conversation = Conversation(
            (PromptPart("base prompt", system),), specs, history, text, context, tuple(exchange)
        )
        call = ModelCall("openai_chat", "demo", "demo", translator.body(conversation, PROFILE))
        decoder = translator.decoder()
        async for payload in DemoGateway(0).stream(call):
            json.dumps(payload)
            for choice in payload["choices"]:
                turn.reasoning += choice["delta"].get("reasoning_content", "")
            decoder.feed(payload)
        reply = decoder.finish()
        turn.replies.append(reply)
        turn.prose += reply.text
        if not reply.calls:
            assert reply.usage is not None and reply.usage.output_tokens > 0
            return turn
        exchange += reply.messages
        results = []
        for made in reply.calls:
            assert made.arguments is not None
            if refuse(made.name):
                result = "The user refused this call."
            elif made.name == "MissionUpdate":
                result = "The brief is updated."
            else:
                tool = box.get(made.name)
                assert tool is not None
                try:
                    result = (await tool.run(made.arguments, tools)).text
                except ToolError as error:
                    result = str(error)
            turn.calls.append((made.name, made.arguments, result))
            results.append(ToolResult(made.id, made.name, result))
        exchange += translator.results(results)
    raise AssertionError("the demo does not come to an end")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    root = tmp_path / "ws"
    (root / "src").mkdir(parents=True)
    (root / "README.md").write_text("# Tide Tables\n\nPrints tides for `any` harbour.\n\nMore text.\n")
    (root / "pyproject.toml").write_text('[project]\nname = "tides"\ndescription = "Harbour tides"\n')
    (root / "src" / "harbour.py").write_text("def depth():\n    return 'harbour depth'\n")
    return root


async def test_a_question_is_answered_from_the_real_files(workspace: Path) -> None:
    turn = await run("What is this project about?", workspace)
    assert "offline demo" in turn.prose
    for name in ("README.md", "pyproject.toml", "src/"):
        assert name in turn.prose
    assert "Tide Tables" in turn.prose
    assert "Prints tides for `any` harbour." in turn.prose
    assert "3 files" in turn.prose
    assert {arguments["path"] for arguments, _ in turn.of("read_file")} >= {"README.md", "pyproject.toml"}


async def test_the_files_are_read_in_one_reply_side_by_side(workspace: Path) -> None:
    turn = await run("Where is the harbour depth computed?", workspace)
    names = [call.name for call in turn.replies[1].calls]
    assert names.count("read_file") == 2
    assert "grep" in names
    assert "src/harbour.py" in {arguments["path"] for arguments, _ in turn.of("read_file")}
    ids = [call.id for reply in turn.replies for call in reply.calls]
    assert len(set(ids)) == len(ids)


async def test_the_brief_is_filled_with_the_request(workspace: Path) -> None:
    turn = await run("What is this project about?", workspace)
    [(arguments, _)] = turn.of("MissionUpdate")
    assert arguments["goal"] == "What is this project about?"
    assert all(isinstance(value, str) for value in arguments.values())


async def test_a_goal_that_stands_in_the_brief_is_left_alone(workspace: Path) -> None:
    fields = "## Mission Brief\n\n### Goal (goal)\nShip it\n\n### Done (done)\nfirst"
    brief = f"<keen-context>\nMode: ask.\n\n{fields}\n</keen-context>"
    turn = await run("And the tests?", workspace, context=brief)
    [(arguments, _)] = turn.of("MissionUpdate")
    assert "goal" not in arguments
    assert arguments["done"].startswith("first\n")


async def test_the_answer_is_markdown_with_heading_list_table_and_code(workspace: Path) -> None:
    prose = (await run("Where is the harbour depth computed?", workspace)).prose
    for mark in ("\n## ", "\n- `", "|---|", "```python\n"):
        assert mark in prose


async def test_an_empty_workspace_is_said_to_be_empty(tmp_path: Path) -> None:
    root = tmp_path / "empty"
    root.mkdir()
    turn = await run("What is this project about?", root)
    assert "no files" in turn.prose
    assert not turn.of("read_file")


async def test_odd_names_and_contents_do_no_harm(tmp_path: Path) -> None:
    root = tmp_path / "odd"
    root.mkdir()
    (root / "a|b`c.md").write_text("```\nx\n```\n")
    (root / "[x].txt").write_bytes(b"caf\xe9 \xff\n")
    (root / "package.json").write_text('{"name": "odd", "description": "[/bold] ```"}')
    turn = await run("(.*+?[ explain brackets", root)
    assert "3 files" in turn.prose


@pytest.mark.parametrize("tool", ["glob", "read_file", "grep", "MissionUpdate"])
async def test_a_refused_call_is_respected(workspace: Path, tool: str) -> None:
    turn = await run("Where is the harbour depth computed?", workspace, refuse=lambda name: name == tool)
    assert turn.replies[-1].text
    assert len(turn.of(tool)) <= 3


@pytest.mark.parametrize("tool", ["glob", "read_file", "grep", "MissionUpdate"])
async def test_a_tool_that_is_not_offered_is_not_called(workspace: Path, tool: str) -> None:
    turn = await run("Where is the harbour depth computed?", workspace, without=(tool,))
    assert not turn.of(tool)
    assert turn.replies[-1].text


async def test_equal_requests_give_equal_streams(workspace: Path) -> None:
    first = await run("What is this project about?", workspace)
    second = await run("What is this project about?", workspace)
    assert first == second


async def test_the_edit_show_writes_changes_and_lists_the_scratch_file(workspace: Path) -> None:
    turn = await run("/demo edit", workspace)
    assert [name for name, _, _ in turn.calls] == ["write_file", "edit_file", "bash"]
    assert "- colour: green\n- size: small\n" in (workspace / "keen-demo.md").read_text()
    assert "keen-demo.md" in turn.replies[-1].text


async def test_the_edit_show_works_a_second_time(workspace: Path) -> None:
    await run("/demo edit", workspace)
    turn = await run("/demo edit", workspace)
    assert "- colour: green" in (workspace / "keen-demo.md").read_text()
    assert "What happened" in turn.prose


@pytest.mark.parametrize("tool", ["write_file", "edit_file", "bash"])
async def test_the_edit_show_stops_where_it_is_refused(workspace: Path, tool: str) -> None:
    turn = await run("/demo edit", workspace, refuse=lambda name: name == tool)
    assert len(turn.of(tool)) == 1
    if tool != "bash":
        assert "You said no" in turn.prose
        assert not turn.of("bash")


async def test_the_failing_command_exits_with_3(workspace: Path) -> None:
    turn = await run("/demo fail", workspace)
    [(_, result)] = turn.of("bash")
    assert "3" in result
    assert "exit code 3" in turn.prose


async def test_the_question_uses_the_answer(workspace: Path) -> None:
    turn = await run("/demo ask", workspace, answer="purple")
    assert "purple" in turn.replies[-1].text
    assert "purple" in turn.of("MissionUpdate")[0][0]["clarifications"]


async def test_reasoning_comes_before_the_answer(workspace: Path) -> None:
    turn = await run("/demo think", workspace)
    assert len(turn.reasoning) > 100
    assert turn.prose


async def test_the_long_answer_has_code_tables_wide_text_and_emoji(workspace: Path) -> None:
    prose = (await run("/demo long", workspace)).prose
    for mark in ("```python", "```rust", "```bash", "|:--|", "日本語", "👩‍👩‍👧", "1️⃣"):
        assert mark in prose
    assert prose.count("```") % 2 == 0
    assert len(prose.splitlines()) > 150


@pytest.mark.parametrize("text", ["/demo", "/demo help", "help", "hello", "what can you do?", "/demo nonsense"])
async def test_help_says_what_it_is_and_what_there_is(workspace: Path, text: str) -> None:
    turn = await run(text, workspace)
    assert not turn.calls
    for words in ("offline demo", "no language model", "/demo edit", "/demo long", "/model"):
        assert words in turn.prose


async def test_remembering_makes_the_project_file_from_the_template(workspace: Path) -> None:
    turn = await run("Remember that the tests need TZ=UTC", workspace)
    text = (workspace / ".keen" / "MEMORY.md").read_text()
    assert text.startswith("# ")
    assert "\n## Notes\n\n- the tests need TZ=UTC\n" in text
    assert "Do not store secrets" in text
    assert "Created .keen/MEMORY.md. Add .keen/ to .gitignore if you want it private." in turn.prose
    assert not (workspace / ".gitignore").exists()


async def test_remembering_adds_a_line_and_loses_none(workspace: Path) -> None:
    memory = workspace / ".keen" / "MEMORY.md"
    memory.parent.mkdir()
    for before in ("# Mine\n\n## Notes\n\n- one\n", "# Mine\n\n- one\n- one\n", ""):
        memory.write_text(before)
        await run("please remember: use tabs", workspace)
        after = memory.read_text()
        assert after.endswith("- use tabs\n")
        assert after.startswith(before.rstrip())


async def test_a_preference_asks_for_its_scope(workspace: Path, tmp_path: Path) -> None:
    path = tmp_path / "home" / "MEMORY.md"
    system = f"The user keeps two memory files: {path} for preferences in all projects, and x for facts."
    turn = await run("remember that I like short answers", workspace, system=system, answer="global memory")
    assert turn.of("ask_user")[0][0]["question"] == "Should I save that as global memory or project memory?"
    assert "- I like short answers" in path.read_text()


async def test_a_secret_is_never_remembered(workspace: Path) -> None:
    turn = await run("remember my password=hunter2", workspace)
    assert not turn.calls
    assert "hunter2" not in turn.prose


async def test_a_refused_memory_stays_unwritten(workspace: Path) -> None:
    turn = await run("remember that x", workspace, refuse=lambda name: name == "write_file")
    assert "nothing was remembered" in turn.prose
    assert not (workspace / ".keen").exists()


async def test_looking_back_tells_what_is_left_of_earlier_turns(workspace: Path) -> None:
    ran = (
        Activity(text_offset=0, tool="glob", status="success"),
        Activity(text_offset=0, tool="glob", status="success"),
    )
    history = (HistoryTurn("t1", "List it", "Here.", ran), HistoryTurn("t2", "Thanks", "Welcome."))
    turn = await run("What did we do so far?", workspace, history=history)
    assert "“List it”: `glob` ×2" in turn.prose
    assert "“Thanks”: no tools" in turn.prose
    assert not turn.calls


async def test_looking_back_on_nothing_says_so(workspace: Path) -> None:
    assert "first turn" in (await run("what did we do?", workspace)).prose


async def test_call_ids_do_not_meet_those_of_earlier_turns(workspace: Path) -> None:
    history = (HistoryTurn("t1", "List it", "Here.", (Activity(text_offset=0, tool="glob", status="success"),)),)
    turn = await run("What is this project about?", workspace, history=history)
    assert turn.replies[0].calls[0].id == "demo00002"


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"messages": []},
        {"messages": None, "tools": "x"},
        {
            "messages": [
                {"role": "user", "content": None},
                3,
                {"role": "assistant", "tool_calls": [None, {"function": 3}]},
            ]
        },
        {"messages": [{"role": "user", "content": [{"type": "text", "text": "help"}, {"type": "image"}]}]},
        {"messages": [{"role": "user", "content": "x" * 5_000_000}], "tools": [{"function": {"name": "glob"}}, {}]},
        {"messages": [{"role": "user", "content": "\ud800 half"}]},
    ],
)
async def test_any_body_gets_a_whole_stream(body: dict[str, Any]) -> None:
    chunks = [chunk async for chunk in DemoGateway(0).stream(ModelCall("openai_chat", "demo", "demo", body))]
    assert chunks[-1]["usage"]["total_tokens"] >= 0
    assert chunks[-2]["choices"][0]["finish_reason"] in ("stop", "tool_calls")


async def test_a_stream_takes_its_time_and_can_be_cancelled() -> None:
    body = {"messages": [{"role": "user", "content": "/demo long"}]}
    seen: list[Mapping[str, Any]] = []
    begun = asyncio.Event()

    async def read() -> None:
        async for chunk in DemoGateway(0.01).stream(ModelCall("openai_chat", "demo", "demo", body)):
            seen.append(chunk)
            begun.set()

    task = asyncio.create_task(read())
    await asyncio.wait_for(begun.wait(), 5)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert 0 < len(seen) < 50


async def test_tokens_are_estimated_from_bytes() -> None:
    assert await DemoGateway(0).count("demo", ["", "abcd", "é" * 4]) == [0, 1, 2]
