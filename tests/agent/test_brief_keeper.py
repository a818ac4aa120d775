"""Who may change what in the brief, and what is kept of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from keen_tui.agent.brief_keeper import BriefKeeper
from keen_tui.agent.brief_update import BriefUpdate
from keen_tui.agent.journal import Journal
from keen_tui.agent.mission import MissionUpdate
from keen_tui.agent.task_record import TaskKeeper
from keen_tui.domain.brief_history import brief_at
from keen_tui.domain.events import BriefChanged, CommentAdded, ToolFinished, ToolStarted, TurnStarted
from keen_tui.domain.views import TaskView, fold
from keen_tui.store.database import Store
from keen_tui.store.transcript import Transcript
from keen_tui.tools.arguments import check_arguments
from keen_tui.tools.base import ToolContext, ToolError
from keen_tui.tools.file_stamps import FileStamps


@dataclass
class Desk:
    keeper: BriefKeeper
    journal: Journal
    store: Store
    task: str
    folder: Path

    def get(self, name: str) -> str:
        return self.journal.view.brief.get(name)

    async def agent(self, **arguments: Any) -> str:
        """What MissionUpdate tells the model, checked against its own schema."""
        tool = MissionUpdate(self.keeper.update)
        if problem := check_arguments(tool.spec, arguments):
            return problem
        context = ToolContext(workspace=self.folder, task_dir=self.folder, stamps=FileStamps())
        try:
            return (await tool.run(arguments, context)).text
        except ToolError as error:
            return f"error: {error}"


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    store = await Store.open(tmp_path / "keen.db")
    record = await store.create_task(tmp_path, "demo", "ask")
    journal = Journal(record.id, TaskView(), Transcript(tmp_path / "transcript.jsonl"))
    yield Desk(BriefKeeper(journal, TaskKeeper(store, record.id)), journal, store, record.id, tmp_path)
    journal.close()
    await store.close()


async def test_a_missing_field_stays_and_an_empty_text_clears(desk: Desk):
    await desk.agent(goal="Ship", open="- test")
    told = await desk.agent(open="", risks="- none")
    assert desk.get("goal") == "Ship" and desk.get("open") == "" and desk.get("risks") == "- none"
    assert "risks: 6 of 2,000 characters" in told and "open: 0 of" in told and "goal" not in told


async def test_lines_are_added_replaced_and_removed_without_sending_the_list_again(desk: Desk):
    await desk.agent(done="- one\n- two", open="- three")
    told = await desk.agent(
        lines=[
            {"field": "done", "operation": "append", "text": "three"},
            {"field": "open", "operation": "remove_line", "line": "three"},
            {"field": "done", "operation": "replace_line", "line": "two", "text": "two, tested"},
        ]
    )
    assert desk.get("done") == "- one\n- two, tested\n- three" and desk.get("open") == ""
    assert "done:" in told and "open:" in told


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"lines": []},
        {"lines": [{"field": "done", "operation": "append"}]},
        {"lines": [{"field": "done", "operation": "remove_line", "line": "nowhere"}]},
        {"lines": [{"field": "mood", "operation": "append", "text": "x"}]},
        {"mood": "x"},
        {"done": "x" * 2_001},
        {"lines": [{"field": "done", "operation": "append", "text": "x" * 2_000}]},
    ],
)
async def test_a_bad_update_says_what_is_wrong_and_changes_nothing(desk: Desk, arguments: dict[str, Any]):
    await desk.agent(done="- one")
    told = await desk.agent(**arguments)
    assert "Brief updated" not in told and len(told) > 30
    assert desk.get("done") == "- one"


async def test_a_field_that_is_too_long_is_refused_with_limit_and_size(desk: Desk):
    told = await desk.agent(goal="x" * 2_345)
    assert "2,345" in told and "2,000" in told


async def test_a_ref_must_be_in_the_task(desk: Desk):
    assert "comment:1, which is not in this task (there are none yet)" in await desk.agent(goal="Source: comment:1")
    desk.journal.publish(CommentAdded(comment=3, author="user", kind="comment", text="Keep it"))
    assert "Brief updated" in await desk.agent(decisions="- Keep. Source: comment:3, transcript:1")
    told = await desk.agent(lines=[{"field": "decisions", "operation": "append", "text": "Go. Source: comment:4"}])
    assert "comment:4" in told and "from 1 to 3" in told
    assert "transcript:999" in await desk.agent(goal="Source: transcript:999")
    assert "comment:0" in await desk.agent(goal="Source: comment:0")


async def test_the_users_edit_is_not_overwritten_blindly(desk: Desk):
    await desk.agent(goal="Theirs")
    desk.keeper.agent_sees_all()
    assert await desk.keeper.edit({"goal": "Mine"}) == ""
    told = await desk.agent(goal="Theirs, again")
    assert told.startswith("error") and "Mine" in told and "Merge" in told
    assert desk.get("goal") == "Mine"
    assert "Brief updated" in await desk.agent(goal="Mine and theirs")


async def test_lines_can_be_added_to_what_the_user_edited_and_the_agent_hears_of_it(desk: Desk):
    await desk.agent(done="- one")
    await desk.keeper.edit({"done": "- one\n- mine"})
    told = await desk.agent(lines=[{"field": "done", "operation": "append", "text": "two"}])
    assert desk.get("done") == "- one\n- mine\n- two" and "- mine" in told


async def test_news_tell_the_agent_once_what_the_user_changed(desk: Desk):
    await desk.keeper.edit({"goal": "Mine", "risks": ""})
    await desk.keeper.edit({"risks": "none"})
    assert "### goal\nMine" in (news := desk.keeper.news()) and "### risks\nnone" in news
    assert desk.keeper.news() == ""
    assert "Brief updated" in await desk.agent(goal="Seen and changed")


@pytest.mark.parametrize("first", ["agent", "user"])
async def test_edits_in_the_same_moment_lose_no_text_and_both_sides_see_it(desk: Desk, first: str):
    await desk.agent(goal="Start")
    desk.keeper.agent_sees_all()
    agent, user = desk.agent(goal="Agent's"), desk.keeper.edit({"goal": "User's"}, base={"goal": "Start"})
    order = (agent, user) if first == "agent" else (user, agent)
    results = await asyncio.gather(*order)
    told, problem = (results[0], results[1]) if first == "agent" else (results[1], results[0])
    if first == "agent":
        assert "Brief updated" in told and "changed meanwhile" in problem and desk.get("goal") == "Agent's"
    else:
        assert problem == "" and "User's" in told and "Merge" in told and desk.get("goal") == "User's"


async def test_secrets_are_redacted_and_the_agent_is_told(desk: Desk):
    key = "sk-ant-api03-" + "aB3dE6gH9jK2" * 8
    told = await desk.agent(decisions=f"- use {key}")
    assert key not in desk.get("decisions") and "[redacted]" in told
    await desk.keeper.edit({"goal": f"use {key}"})
    assert key not in desk.get("goal")
    assert key.encode() not in (desk.folder / "transcript.jsonl").read_bytes()
    assert key not in json.dumps(
        [revision.after for revision in await desk.store.brief_revisions(desk.task)], default=dict
    )


async def test_every_change_is_a_revision_with_author_movement_before_and_after(desk: Desk):
    await desk.agent(goal="One")
    await desk.keeper.edit({"goal": "Two"})
    rows = await desk.store.brief_revisions(desk.task)
    assert [(row.revision, row.author, row.movement) for row in rows] == [(1, "agent", "work"), (2, "user", "work")]
    assert rows[1].before == {"goal": "One"} and rows[1].after == {"goal": "Two"}
    assert desk.get("last_updated_by_movement") == "work"
    steps = desk.journal.view.brief_history
    assert [(step.revision, step.author, step.before.get("goal"), step.after["goal"]) for step in steps] == [
        (1, "agent", "", "One"),
        (2, "user", "One", "Two"),
    ]


async def test_undo_redo_and_restore(desk: Desk):
    await desk.agent(goal="One")
    await desk.keeper.edit({"goal": "Two", "risks": "some"})
    assert await desk.keeper.undo() == "" and desk.get("goal") == "One" and desk.get("risks") == ""
    assert await desk.keeper.undo() == "" and desk.get("goal") == ""
    assert "nothing to undo" in await desk.keeper.undo()
    assert await desk.keeper.redo() == "" and await desk.keeper.redo() == ""
    assert desk.get("goal") == "Two" and "nothing to redo" in await desk.keeper.redo()
    assert await desk.keeper.restore(1) == "" and desk.get("goal") == "One" and desk.get("risks") == ""
    assert "no revision 99" in await desk.keeper.restore(99)
    assert await desk.keeper.undo() == "" and desk.get("risks") == "some"
    assert await desk.keeper.edit({"goal": "Three"}) == "" and "nothing to redo" in await desk.keeper.redo()


async def test_undo_reads_the_same_after_a_resume(desk: Desk):
    await desk.agent(goal="One")
    await desk.keeper.edit({"goal": "Two"})
    await desk.keeper.undo()
    contents = Transcript.read(desk.folder / "transcript.jsonl")
    view = fold(contents.events)
    assert view.brief.values == desk.journal.view.brief.values
    again = BriefKeeper(Journal(desk.task, view, None), TaskKeeper(desk.store, desk.task))
    assert await again.redo() == "" and view.brief.get("goal") == "Two"
    assert (old := brief_at(view.brief_history, 1)) is not None and old.get("goal") == "One"


async def test_keens_own_changes_are_not_undone_and_an_undo_never_loses_them(desk: Desk):
    await desk.keeper.edit({"touched_files": "- notes.md  mine"})
    work(desk, "a.py")
    await desk.keeper.note_touched_files(desk.journal.view.turns[-1].segments)
    assert desk.get("touched_files") == "- notes.md  mine\n- a.py"
    assert "touched_files was changed since" in await desk.keeper.undo()
    assert desk.get("touched_files").endswith("- a.py")


def work(desk: Desk, *files: str) -> None:
    if desk.journal.view.turn is None:
        desk.journal.publish(TurnStarted(number=1, text="go"), turn="t1")
    for number, path in enumerate(files):
        desk.journal.publish(ToolStarted(call_id=f"c{number}{path}", tool="write_file"))
        desk.journal.publish(
            ToolFinished(call_id=f"c{number}{path}", tool="write_file", status="success", file_changed=path)
        )


async def test_touched_files_stay_true_whatever_the_agent_writes(desk: Desk):
    work(desk, "a.py", "b.py")
    await desk.keeper.note_touched_files(desk.journal.view.turns[-1].segments)
    await desk.agent(touched_files="- b.py  the parser")
    assert desk.get("touched_files") == "- a.py\n- b.py  the parser"
    await desk.keeper.note_touched_files(desk.journal.view.turns[-1].segments)
    assert desk.get("touched_files") == "- a.py\n- b.py  the parser"
    await desk.agent(touched_files="")
    assert desk.get("touched_files") == "- a.py"


async def test_when_the_list_of_files_is_full_the_oldest_give_way_to_their_number(desk: Desk):
    work(desk, *(f"src/{number:03}{'x' * 40}.py" for number in range(60)))
    await desk.keeper.note_touched_files(desk.journal.view.turns[-1].segments)
    text = desk.get("touched_files")
    assert len(text) <= 2_000 and text.endswith(f"- src/059{'x' * 40}.py")
    assert text.startswith("- (") and "older files left out" in text.splitlines()[0]


async def test_a_brief_that_another_program_left_keeps_its_unknown_keys(desk: Desk):
    from keen_tui.agent.brief_intake import take_in

    (desk.folder / "brief.json").write_text('{"goal": "Old", "done": "- a", "mood": "calm"}')
    assert await take_in(desk.keeper, desk.folder) == ()
    await desk.agent(goal="New")
    assert desk.get("done") == "- a" and desk.get("mood") == "calm"


@pytest.mark.parametrize("text", ["no json", json.dumps({"goal": "x" * 1_000_000}), "[]"])
async def test_a_broken_brief_file_is_reported_and_left_as_it_is(desk: Desk, text: str):
    from keen_tui.agent.brief_intake import take_in

    (desk.folder / "brief.json").write_text(text)
    (problem,) = await take_in(desk.keeper, desk.folder)
    assert "brief.json" in problem and "left as it is" in problem
    assert (desk.folder / "brief.json").read_text() == text and desk.journal.view.brief.values == {}


def test_a_revision_with_a_megabyte_in_a_field_is_kept_but_not_sent():
    view = fold([BriefChanged(author="agent", revision=1, changes={"goal": "x" * 1_000_000, "open": "- test"})])
    from keen_tui.agent.brief_intake import oversize_problems
    from keen_tui.domain.brief import render

    assert len(view.brief.get("goal")) == 1_000_000
    assert "goal" in oversize_problems(view.brief)[0] and "1,000,000" in oversize_problems(view.brief)[0]
    assert len(render(view.brief)) < 300 and "- test" in render(view.brief)


def test_an_update_without_anything_is_refused():
    with pytest.raises(ToolError):
        BriefUpdate.of({"goal": None})
