"""Conversations for the tests of all wire formats."""

from __future__ import annotations

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from keen_tui.domain.exchange import (
    Conversation,
    HistoryTurn,
    ModelProfile,
    PromptPart,
    Reply,
    ToolResult,
    ToolSpec,
    Wire,
)
from keen_tui.domain.turn_memory import Activity
from keen_tui.translate.base import Translator

WIRES: tuple[Wire, ...] = (
    "anthropic",
    "openai_responses",
    "openai_chat",
    "litellm",
    "gemini",
    "ollama",
)
LISTS = {
    "anthropic": "messages",
    "openai_responses": "input",
    "openai_chat": "messages",
    "litellm": "messages",
    "gemini": "contents",
    "ollama": "messages",
}
"""The key under which each body holds its messages."""


def tool(name: str, **parameters: str) -> ToolSpec:
    schema = {
        "type": "object",
        "properties": {key: {"type": kind} for key, kind in parameters.items()},
        "required": list(parameters),
        "additionalProperties": False,
    }
    return ToolSpec(name, f"{name} tool", schema)


TOOLS = (
    tool("edit_file", path="string", old_string="string", new_string="string"),
    tool("bash", command="string"),
    tool("read_file", path="string"),
    tool("grep", pattern="string", path="string"),
)

_A = "Let me update the stream handler — then run the tests.\n"
_B = "One test still fails; let me look at it.\n"
_C = "The file is not where I expected, so I stopped."
_AT_A, _AT_B = len(_A.encode()), len((_A + _B).encode())

STREAM_TURN = HistoryTurn(
    id="turn1",
    user_text="Fix the flaky stream test.",
    prose=_A + _B + _C,
    activities=(
        Activity(
            text_offset=_AT_A,
            tool="edit_file",
            status="success",
            target="internal/cli/stream_handler.go",
            file_changed="internal/cli/stream_handler.go",
        ),
        Activity(
            text_offset=_AT_A,
            tool="bash",
            status="success",
            target="go test ./...",
            failed_command="go test ./...",
            exit_code=1,
        ),
        Activity(text_offset=_AT_B, tool="read_file", status="error", target="handler_test.go"),
    ),
)


def conversation(
    *history: HistoryTurn,
    user_text: str = "Try again: it is called handler_test.go.",
    context: str = "",
    tools: tuple[ToolSpec, ...] = TOOLS,
    exchange: tuple[Any, ...] = (),
) -> Conversation:
    system = (PromptPart("base prompt", "You are a coding agent."),)
    return Conversation(system, tools, history, user_text, context, exchange)


def profile(wire: Wire, **settings: Any) -> ModelProfile:
    return ModelProfile(name="some-model", wire=wire, **{"max_output_tokens": 4096, **settings})


def read(translator: Translator, payloads: list[dict[str, Any]]) -> Reply:
    """The reply to a whole stream."""
    decoder = translator.decoder()
    for payload in payloads:
        decoder.feed(payload)
    return decoder.finish()


def answered(reply: Reply, text: str = "fine") -> list[ToolResult]:
    """A result for each call of a reply."""
    return [ToolResult(call.id, call.name, text) for call in reply.calls]


few = settings(max_examples=40, deadline=None)

texts = st.text(st.sampled_from("ab é😀\n\t\ud83d中"), max_size=12)
names = st.sampled_from(("read_file", "bash", "grep", "edit_file", "forgotten_tool"))
activities = st.builds(
    Activity,
    text_offset=st.integers(-2, 40),
    tool=st.one_of(names, st.just("")),
    status=st.sampled_from(("success", "error")),
    target=st.none() | texts,
    server=st.none() | st.just("docs"),
    file_changed=st.none() | texts,
    failed_command=st.none() | texts,
    exit_code=st.none() | st.integers(-3, 3),
)
turn_ids = st.text(st.sampled_from("ab1-_é/"), min_size=1, max_size=50)


@st.composite
def histories(draw: st.DrawFn) -> tuple[HistoryTurn, ...]:
    ids = draw(st.lists(turn_ids, max_size=4, unique=True))
    turns = []
    for turn_id in ids:
        records = draw(st.lists(activities, max_size=6))
        if draw(st.booleans()):
            records.sort(key=lambda record: record.text_offset)
        turns.append(HistoryTurn(turn_id, draw(texts), draw(texts), tuple(records)))
    return tuple(turns)


conversations = st.builds(
    Conversation,
    system=st.lists(st.builds(PromptPart, st.just("part"), texts), max_size=3),
    tools=st.sampled_from((TOOLS, TOOLS[:2], ())),
    history=histories(),
    user_text=texts,
    context=texts,
)
profiles = st.builds(
    dict,
    thinking=st.sampled_from(("off", "low", "medium", "high")),
    thinking_form=st.sampled_from(("budget", "level")),
    replay=st.sampled_from(("empty", "bounded", "note")),
    context_window=st.sampled_from((None, 4_096, 200_000)),
)
