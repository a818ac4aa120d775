from __future__ import annotations

import json
from pathlib import Path

import pytest

from keen_tui.domain.events import (
    ApprovalAnswered,
    AssistantText,
    BriefChanged,
    CommentAdded,
    Event,
    Notice,
    QuestionAsked,
    TextRewound,
    ToolStarted,
    TurnFailed,
    TurnStarted,
)
from keen_tui.domain.views import fold
from keen_tui.store.database import Store
from keen_tui.store.transcript import Transcript
from tests.security.secret_samples import SAMPLES, core

KEY = SAMPLES["GitHub token"]


@pytest.mark.parametrize(
    "event",
    [
        TurnStarted(number=1, text=f"use {KEY}"),
        AssistantText(text=f"I use {KEY}.\n"),
        CommentAdded(comment=1, author="user", kind="comment", text=KEY),
        QuestionAsked(request_id="r", call_id="c", question=f"{KEY}?", choices=(KEY, "no")),
        ApprovalAnswered(request_id="r", answer="no", reason=KEY),
        BriefChanged(author="agent", revision=1, changes={"goal": KEY}),
        ToolStarted(call_id="c", tool="bash", target=f"echo {KEY}"),
        TurnFailed(reason="server", message=f"bad header {KEY}", hint=KEY),
        Notice(text=KEY, hint=KEY),
    ],
    ids=lambda event: event.type,
)
def test_the_transcript_holds_no_secret_and_the_live_event_stays_whole(tmp_path: Path, event: Event) -> None:
    transcript = Transcript(tmp_path / "t.jsonl")
    live = transcript.append(event)
    transcript.close()
    assert live == event.model_copy(update={"seq": 1})
    kept = (tmp_path / "t.jsonl").read_text()
    assert KEY not in kept and "[redacted]" in kept
    [read] = Transcript.read(tmp_path / "t.jsonl").events
    assert type(read) is type(event)


@pytest.mark.parametrize("kind", SAMPLES)
def test_every_kind_is_kept_out_of_a_transcript(tmp_path: Path, kind: str) -> None:
    transcript = Transcript(tmp_path / "t.jsonl")
    transcript.append(AssistantText(text=f'It says "{SAMPLES[kind]}"\n'))
    transcript.close()
    line = (tmp_path / "t.jsonl").read_text()
    assert core(kind) not in json.loads(line)["text"] and core(kind) not in line


def test_ids_and_ordinary_words_are_kept_as_they_are(tmp_path: Path) -> None:
    transcript = Transcript(tmp_path / "t.jsonl")
    event = ToolStarted(task="t", turn="t1_abc", call_id="toolu_01A" + "b" * 30, tool="bash", target="make token=1")
    transcript.append(event)
    transcript.close()
    assert Transcript.read(tmp_path / "t.jsonl").events == [event.model_copy(update={"seq": 1})]


@pytest.mark.parametrize("characters", [0, 5, 45, 60, 65])
def test_a_retry_takes_back_the_same_prose_from_what_was_kept(tmp_path: Path, characters: int) -> None:
    """Redaction makes the prose shorter; what stood before the failed attempt must stay."""
    first, second = "All is well so far.\n", f"The key is {KEY}, and then\n"
    transcript = Transcript(tmp_path / "t.jsonl")
    for event in (
        TurnStarted(number=1, text="go"),
        AssistantText(text=first),
        AssistantText(text=second),
        TextRewound(characters=len(second) if characters == 60 else characters),
        AssistantText(text="Again.\n"),
    ):
        transcript.append(event)
    transcript.close()
    [turn] = fold(Transcript.read(tmp_path / "t.jsonl").events).turns
    assert turn.prose.endswith("Again.\n")
    if characters <= 60:
        assert turn.prose.startswith(first)
    if characters == 60:
        assert turn.prose == first + "Again.\n"


async def test_the_database_holds_no_secret(tmp_path: Path) -> None:
    path = tmp_path / "keen.db"
    store = await Store.open(path)
    task = (await store.create_task(tmp_path, "demo", "ask", f"title {KEY}")).id
    await store.add_comment(task, "user", "request", f'quote " and {KEY}')
    await store.add_brief_revision(task, "agent", ("goal",), {"goal": KEY}, {"goal": f'{KEY} "x"'}, KEY)
    await store.add_prompt_history(tmp_path, KEY)
    await store.update_task(task, draft=f"draft {KEY}", title=KEY)
    assert (await store.comments(task))[0].text == 'quote " and [redacted]'
    assert (await store.brief_revisions(task))[0].after == {"goal": '[redacted] "x"'}
    assert await store.prompt_history(tmp_path) == ["[redacted]"]
    await store.close()
    for file in tmp_path.iterdir():
        assert KEY.encode() not in file.read_bytes()
