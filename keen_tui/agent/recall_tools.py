"""The tools with which the agent looks into the conversation of its task."""

from __future__ import annotations

from pathlib import Path

from keen_tui.agent.recall import DEFAULT_AROUND, DEFAULT_LIMIT, MOST_AROUND, MOST_HITS, TaskRecall
from keen_tui.domain.exchange import ToolSpec
from keen_tui.domain.refs import parse_ref
from keen_tui.memory.recall import search_result, surroundings
from keen_tui.tools import schema
from keen_tui.tools.base import Access, Arguments, Outcome, ToolContext

_SEARCH = f"""\
Search everything that was said in this task, from its first message on: the user's requests, notes and \
interjections, your own answers, and what ran. Use it when an earlier constraint, decision or answer may matter \
and you can't see it. The query is plain words, which must all be in an entry, or a phrase in double quotes; one \
or two telling words find most. Results are short excerpts with their refs, the best first; `later` names a newer \
entry on the same words, which may have changed them. At most {MOST_HITS} results, {DEFAULT_LIMIT} unless told."""
_READ = """\
Read an entry of this task's conversation and what stands around it, by the ref that SearchTaskConversation or \
the Mission Brief gives."""


class _RecallTool:
    """What both have in common: they only read, and ask nobody."""

    read_only = True

    def __init__(self, recall: TaskRecall) -> None:
        self._recall = recall

    def target(self, arguments: Arguments, workspace: Path) -> str | None:
        return None

    def access(self, arguments: Arguments, context: ToolContext) -> Access:
        return Access()

    async def preview(self, arguments: Arguments, context: ToolContext) -> str:
        return ""


class SearchTaskConversation(_RecallTool):
    """Finds entries by words, in this task alone."""

    spec = ToolSpec(
        "SearchTaskConversation",
        _SEARCH,
        schema.parameters(
            required=["query"],
            query=schema.text('Plain words, or a "phrase in quotes".'),
            source={
                "type": "string",
                "enum": ["comments", "transcript", "both"],
                "description": "comments are what user and agent said to each other; the transcript has all else too.",
            },
            author={"type": "string", "enum": ["user", "agent", "system"], "description": "Only of this author."},
            kind={
                "type": "string",
                "enum": ["request", "comment", "interjection", "result", "ask", "progress", "handoff"],
                "description": "Only comments of this kind.",
            },
            limit=schema.whole_number(f"How many results, {DEFAULT_LIMIT} unless told.", 1, MOST_HITS),
        ),
    )

    async def run(self, arguments: Arguments, context: ToolContext) -> Outcome:
        source = {"comments": "comment", "transcript": "transcript"}.get(str(arguments.get("source")), "")
        found = await self._recall.find(
            str(arguments["query"]),
            source=source,
            author=str(arguments.get("author") or ""),
            kind=str(arguments.get("kind") or ""),
            limit=int(arguments.get("limit") or DEFAULT_LIMIT),
        )
        text = search_result(found.hits, found.notes)
        return Outcome(text, kind="matches", size=len(text.encode("utf-8", "replace")))


class ReadTaskConversation(_RecallTool):
    """Reads around one entry, in this task alone."""

    spec = ToolSpec(
        "ReadTaskConversation",
        _READ,
        schema.parameters(
            required=["ref"],
            ref=schema.text("For example comment:17 or transcript:42."),
            before=schema.whole_number(f"Entries in front of it, {DEFAULT_AROUND} unless told.", 0, MOST_AROUND),
            after=schema.whole_number(f"Entries behind it, {DEFAULT_AROUND} unless told.", 0, MOST_AROUND),
        ),
    )

    async def run(self, arguments: Arguments, context: ToolContext) -> Outcome:
        before, after = (arguments.get(name) for name in ("before", "after"))
        entries = await self._recall.read(
            str(arguments["ref"]),
            DEFAULT_AROUND if before is None else int(before),
            DEFAULT_AROUND if after is None else int(after),
        )
        asked = parse_ref(str(arguments["ref"]))
        assert asked is not None
        text = surroundings(entries, asked)
        return Outcome(text, kind="matches", size=len(text.encode("utf-8", "replace")))
