from __future__ import annotations

import pytest

from keen_tui.tools.ask_user import AskUser
from keen_tui.tools.base import ToolError


async def test_the_question_and_its_choices_reach_the_person(changed_context):
    asked = []

    async def ask(question, choices):
        asked.append((question, choices))
        return " blue "

    context = changed_context(ask=ask)
    outcome = await AskUser().run({"question": "Which?", "choices": ["red", " blue", ""]}, context)
    assert asked == [("Which?", ("red", "blue"))]
    assert (outcome.text, outcome.kind) == ("blue", "answer")


async def test_without_a_screen_nobody_can_be_asked(context):
    with pytest.raises(ToolError, match="Nobody can be asked"):
        await AskUser().run({"question": "Which?"}, context)


async def test_an_empty_question_is_refused(context):
    with pytest.raises(ToolError):
        await AskUser().run({"question": " "}, context)
    assert AskUser().access({}, context).kind == "none"
