"""The tool that asks the person a question."""

from __future__ import annotations

from pathlib import Path

from keen_tui.domain.exchange import ToolSpec
from keen_tui.tools import schema
from keen_tui.tools.base import Access, Arguments, Outcome, ToolContext, ToolError

_DESCRIPTION = """\
Asks the user one question and waits for the answer. Use it only when you can't find out for yourself and
a wrong guess would cost work; otherwise decide, and say what you assumed. Short choices are quick to
answer; the user can always answer in other words."""


class AskUser:
    """`ask_user`: one question, with choices where they help."""

    read_only = False
    spec = ToolSpec(
        "ask_user",
        _DESCRIPTION,
        schema.parameters(
            required=["question"],
            question=schema.text("The question, complete in itself."),
            choices=schema.texts("Two to six short answers to choose from."),
        ),
    )

    def target(self, arguments: Arguments, workspace: Path) -> str | None:
        return None

    def access(self, arguments: Arguments, context: ToolContext) -> Access:
        return Access()

    async def preview(self, arguments: Arguments, context: ToolContext) -> str:
        return ""

    async def run(self, arguments: Arguments, context: ToolContext) -> Outcome:
        question = str(arguments.get("question") or "").strip()
        if not question:
            raise ToolError("The question is empty.")
        choices = tuple(str(choice).strip() for choice in arguments.get("choices") or ())
        answer = await context.ask(question, tuple(choice for choice in choices if choice))
        text = answer.strip() or "[The user gave no answer.]"
        return Outcome(text, kind="answer", size=len(text.encode("utf-8", "replace")))
