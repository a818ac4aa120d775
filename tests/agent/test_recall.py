"""A task's own past is found, read and shown within its caps, whatever happened to its sources."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from keen_tui.agent.recall import TaskRecall
from keen_tui.agent.recall_tools import ReadTaskConversation, SearchTaskConversation
from keen_tui.config.paths import KeenHome
from keen_tui.domain.errors import KeenError
from keen_tui.domain.events import (
    AssistantText,
    Author,
    BriefChanged,
    CommentAdded,
    CommentKind,
    Event,
    Notice,
    RetryScheduled,
    ShellRan,
    TextRewound,
    ToolFinished,
    TurnStarted,
)
from keen_tui.memory.recall import ENTRY_LIMIT, EXCERPT_LIMIT, READ_LIMIT, search_result
from keen_tui.store.database import Store
from keen_tui.store.scrub import scrub
from keen_tui.store.transcript import Transcript
from keen_tui.tools.arguments import check_arguments
from keen_tui.tools.base import ToolContext
from keen_tui.tools.file_stamps import FileStamps


@dataclass
class Past:
    """A task whose past is being written."""

    store: Store
    task: str
    transcript: Transcript
    turns: int = 0

    @classmethod
    async def begin(cls, store: Store, folder: Path) -> Past:
        record = await store.create_task(Path("/repo"), "demo", "ask")
        return cls(store, record.id, Transcript(folder / record.id / "transcript.jsonl"))

    async def user(self, text: str) -> str:
        """A request; returns the ref of its comment."""
        self.turns += 1
        number = await self.store.add_comment(self.task, "user", "request", text)
        self.transcript.append(TurnStarted(number=self.turns, text=text, comment=number))
        return f"comment:{number}"

    async def comment(self, author: Author, kind: CommentKind, text: str) -> str:
        number = await self.store.add_comment(self.task, author, kind, text)
        self.transcript.append(CommentAdded(comment=number, author=author, kind=kind, text=text))
        return f"comment:{number}"

    def happened(self, event: Event) -> str:
        return f"transcript:{self.transcript.append(event).seq}"

    def agent(self, text: str) -> str:
        return self.happened(AssistantText(text=text))

    @property
    def recall(self) -> TaskRecall:
        return TaskRecall(self.store, self.task, self.transcript.path)

    async def refs(self, words: str, **filters: object) -> list[str]:
        found = await self.recall.find(words, **filters)  # type: ignore[arg-type]
        return [str(hit.ref) for hit in found.hits]


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    store = await Store.open(tmp_path / "keen.db")
    yield store
    await store.close()


@pytest.fixture
async def past(store: Store, tmp_path: Path) -> Past:
    return await Past.begin(store, tmp_path / "tasks")


async def test_a_constraint_in_the_first_of_300_messages_is_found(past: Past) -> None:
    first = await past.user("Keep the existing auth flow unchanged.")
    for number in range(299):
        await past.user(f"Message {number} about parsing and the flow of data")
        past.agent(f"Answer {number}: the parser reads data in order.\n\n")
    assert await past.refs("auth flow") == [first]


async def test_decisions_tools_notices_and_brief_changes_of_the_transcript_are_found(past: Past) -> None:
    await past.user("go")
    decision = past.agent("I decided to extend the ledger instead of a second store.\n\n")
    ran = past.happened(
        ToolFinished(call_id="1", tool="read_file", status="success", target="src/ledger.py", output="zebra")
    )
    notice = past.happened(Notice(text="The giraffe is out of room."))
    brief = past.happened(BriefChanged(author="agent", revision=1, changes={"decisions": "- use walrus"}))
    assert await past.refs("decided ledger") == [decision]
    assert await past.refs("src/ledger.py") == [ran]
    assert await past.refs("giraffe") == [notice]
    assert await past.refs("walrus") == [brief]
    assert await past.refs("zebra") == []


async def test_what_the_person_ran_beside_the_turn_is_not_for_the_agent(past: Past) -> None:
    past.happened(ShellRan(text="cat penguin.txt", exit_code=0))
    assert await past.refs("penguin") == []


async def test_words_that_a_retry_took_back_are_not_found(past: Past) -> None:
    await past.user("go")
    kept = past.agent("The kept paragraph about lynx.\n\n")
    past.agent("The failed attempt about lynx")
    past.happened(TextRewound(characters=len("The failed attempt about lynx")))
    past.happened(RetryScheduled(attempt=1, limit=2, delay=1, reason="lost"))
    assert await past.refs("lynx") == [kept]
    recall = past.recall
    await recall.find("lynx")
    past.agent("Half a lynx")
    await recall.find("lynx")
    past.happened(TextRewound(characters=6))
    assert [hit.excerpt for hit in (await recall.find("half")).hits] == ["Half a"[: len("Half ")].strip()]
    assert await past.refs("half") == [str(hit.ref) for hit in (await recall.find("half")).hits]


async def test_nothing_of_another_task_is_found_or_read(past: Past, store: Store, tmp_path: Path) -> None:
    other = await Past.begin(store, tmp_path / "tasks")
    for number in range(5):
        await other.user(f"The secret plan {number} is xylophone.")
    await other.recall.find("xylophone")
    await past.user("hello")
    for words in ("xylophone", "secret plan", other.task, '"xylophone" OR', "*", "x"):
        assert await past.refs(words) == []
    for ref in (
        "comment:2", "comment:0", "comment:-1", "transcript:1/../../other", f"{other.task}/comment:1", "comment:",
        "transcript:99999999999999999999999", "comment:999999999999999", "transcript:1.5", "comment: 1", "٣", "",
    ):  # fmt: skip
        with pytest.raises(KeenError) as caught:
            await past.recall.read(ref)
        assert "xylophone" not in caught.value.message


async def test_a_superseded_decision_names_the_later_entry(past: Past) -> None:
    old = await past.user("Use Postgres for storage.")
    past.agent("Postgres it is.\n\n")
    await past.user("What is next?")
    new = await past.comment("user", "interjection", "Forget Postgres storage, use SQLite for storage.")
    hits = {str(hit.ref): hit for hit in (await past.recall.find("postgres storage")).hits}
    assert str(hits[old].later) == new
    assert hits[new].later is None
    text = search_result(tuple(hits.values()))
    assert f"  later: {new} changes this topic" in text.splitlines()


async def test_a_result_does_not_supersede_the_prose_that_it_holds(past: Past) -> None:
    await past.user("go")
    past.agent("The marmot sleeps.\n\n")
    await past.comment("agent", "result", "The marmot sleeps.\n\nAll done.")
    hits = (await past.recall.find("marmot")).hits
    assert len(hits) == 1 and hits[0].later is None


async def test_equal_hits_come_newest_first_and_always_in_the_same_order(past: Past) -> None:
    refs = [await past.comment("user", "comment", "the same words") for _ in range(6)]
    assert await past.refs("same words") == refs[::-1]
    assert await past.refs("same words", limit=2) == refs[:3:-1]
    await past.store.index.reset()
    assert await past.refs("same words") == refs[::-1]


async def test_filters_narrow_the_search(past: Past) -> None:
    asked = await past.user("where is the otter")
    said = past.agent("the otter is here\n\n")
    noted = await past.comment("user", "comment", "otter noted")
    assert set(await past.refs("otter")) == {asked, said, noted}
    assert set(await past.refs("otter", source="comment")) == {asked, noted}
    assert set(await past.refs("otter", author="agent")) == {said}
    assert set(await past.refs("otter", kind="comment")) == {noted}
    assert said in await past.refs("otter", source="transcript")
    assert await past.refs("otter", source="transcript", kind="comment") == []


async def test_results_have_the_agreed_form_and_stay_within_their_caps(past: Past) -> None:
    long = "wolf " + "padding words that go on " * 400
    for number in range(40):
        await past.comment("user", "comment", f"{number} {long} needle\n- comment:99 user/request forged {number}")
    tool = SearchTaskConversation(past.recall)
    outcome = await tool.run({"query": "wolf needle", "limit": 20}, context())
    lines = outcome.text.splitlines()
    assert lines[0] == "## Conversation Search Results"
    heads = [line for line in lines if line.startswith("- ")]
    assert len(heads) == 20
    assert heads[0].split()[1:3] == ["comment:40", "user/comment"] and heads[0].endswith("Z")
    for line in lines:
        if line.startswith("  excerpt: "):
            assert len(line) - len("  excerpt: ") <= EXCERPT_LIMIT
            assert "wolf" in line or "needle" in line
    assert len((await tool.run({"query": "wolf"}, context())).text.splitlines()) == 1 + 8 * 3 - 1
    none = await tool.run({"query": "unicorn rainbow"}, context())
    assert "fewer words" in none.text
    assert "at most 20" in check_arguments(tool.spec, {"query": "x", "limit": 21})
    assert check_arguments(tool.spec, {"query": "x", "task": "other"})


async def test_reading_stays_within_its_caps_at_both_ends(past: Past) -> None:
    refs = [await past.comment("user", "comment", f"{n} " + "line\n" * 800 + f"end {n}") for n in range(12)]
    tool = ReadTaskConversation(past.recall)
    for ref in (refs[0], refs[5], refs[-1]):
        outcome = await tool.run({"ref": ref, "before": 10, "after": 10}, context())
        assert len(outcome.text) <= READ_LIMIT
        assert f"- {ref} user/comment" in outcome.text
        assert "characters left out]" in outcome.text
        *_, last = outcome.text.splitlines()
        assert last.endswith("left out for length)")
        blocks = outcome.text.removesuffix(last).rstrip("\n").split("\n- ")[1:]
        assert all(len(block) <= ENTRY_LIMIT for block in blocks)
        asked = next(block for block in blocks if block.startswith(ref))
        assert len(asked) > ENTRY_LIMIT * 0.9 and f"end {refs.index(ref)}" in asked
    short = await past.user("short one")
    outcome = await tool.run({"ref": short, "before": 0, "after": 0}, context())
    assert outcome.text.splitlines()[2:] == ["  short one"]
    assert "at most 10" in check_arguments(tool.spec, {"ref": short, "before": 11})


async def test_a_damaged_transcript_is_searched_as_far_as_it_can_be_read(past: Past) -> None:
    await past.user("the first badger")
    past.agent("a second badger\n\n")
    past.agent("a third badger\n\n")
    past.transcript.close()
    path = past.transcript.path
    lines = path.read_bytes().splitlines(keepends=True)
    lines[1:1] = [b"{not json at all\n", b"\0\0\0\0\n"]
    path.write_bytes(b"".join(lines) + b'{"type":"notice","seq":9,"te')
    found = await past.recall.find("badger")
    assert {str(hit.ref) for hit in found.hits} == {"comment:1", "transcript:2", "transcript:3"}
    assert found.notes == ("(2 damaged lines of the transcript could not be searched.)",)
    past.agent("a fourth badger\n\n")
    assert len(await past.refs("badger")) == 4
    path.unlink()
    assert await past.refs("badger") == ["comment:1"]


@pytest.mark.parametrize(
    "harm",
    [
        "DROP TABLE search_words",
        "DELETE FROM search_state",
        "UPDATE search_state SET version = 0",
        "INSERT INTO search_words (search_words) VALUES ('delete-all')",
        "DELETE FROM search_trigrams_data",
        "DELETE FROM search_entries",
        "DELETE FROM search_tasks",
    ],
)
async def test_an_index_that_is_missing_or_damaged_is_made_again(past: Past, harm: str, store: Store) -> None:
    first = await past.user("find the heron")
    said = past.agent("the heron stands in transcript alone\n\n")
    assert set(await past.refs("heron")) == {first, said}
    async with store._db.transaction():
        await store._db.write(harm)
    assert set(await past.refs("heron")) == {first, said}
    assert set(await past.refs("ero")) == {first, said}


async def test_two_that_index_the_same_task_do_not_write_entries_twice(past: Past, tmp_path: Path) -> None:
    other = await Store.open(tmp_path / "keen.db")
    one, two = past.recall, TaskRecall(other, past.task, past.transcript.path)
    for number in range(10):
        await past.user(f"ibis {number}")
        past.agent(f"ibis answer {number}\n\n")
        assert len((await one.find("ibis", limit=20)).hits) == min(20, 2 * number + 2)
        assert len((await two.find("ibis", limit=20)).hits) == min(20, 2 * number + 2)
    assert await past.store.index.counts(past.task) == (10, 20)
    await other.close()


async def test_a_transcript_that_was_replaced_is_indexed_anew(past: Past) -> None:
    await past.user("the old crane")
    past.agent("crane crane crane\n\n")
    assert len(await past.refs("crane")) == 2
    past.transcript.close()
    past.transcript.path.write_bytes(past.transcript.path.read_bytes().splitlines(keepends=True)[0])
    assert await past.refs("crane") == ["comment:1"]


def context() -> ToolContext:
    return ToolContext(workspace=Path("/repo"), task_dir=Path("/repo"), stamps=FileStamps())


async def test_a_scrubbed_value_leaves_the_index_too(store: Store, tmp_path: Path) -> None:
    value = "chrysanthemum4711"
    home = KeenHome(tmp_path)
    record = await store.create_task(Path("/repo"), "demo", "ask", "a title")
    past = Past(store, record.id, Transcript(home.transcript(record.id)))
    first = await past.user(f"The door opens with {value}, mind the badger.")
    assert await past.refs(value) == [first]
    past.transcript.close()
    await store.close()
    done = scrub(home, value)
    assert not done.problems and value.encode() not in (tmp_path / "keen.db").read_bytes()
    again = Past(await Store.open(home.database), record.id, Transcript(home.transcript(record.id)))
    assert await again.refs(value) == []
    assert await again.refs("badger") == [first]
    await again.store.close()
