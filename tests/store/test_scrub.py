from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from keen_tui.config.paths import KeenHome
from keen_tui.domain.errors import KeenError
from keen_tui.store.database import Store
from keen_tui.store.scrub import scrub
from keen_tui.store.task_lock import TaskLock
from keen_tui.store.transcript import Transcript

VALUE = 'a plain "pass" of no known form é'


@pytest.fixture
async def home(tmp_path: Path) -> KeenHome:
    """A home with the value in two tasks, the database, a log and the memory."""
    home = KeenHome(tmp_path / "home")
    home.ensure()
    store = await Store.open(home.database)
    for _ in range(2):
        task = await store.create_task(tmp_path, "demo", "ask", f"about {VALUE}")
        await store.add_comment(task.id, "user", "request", f"{VALUE} and {VALUE}")
        await store.add_brief_revision(task.id, "user", ("goal",), {"goal": ""}, {"goal": VALUE})
        path = home.transcript(task.id)
        path.parent.mkdir(parents=True)
        path.write_text("".join(json.dumps({"text": VALUE, "seq": n}, ensure_ascii=n == 1) + "\n" for n in range(3)))
    await store.add_prompt_history(tmp_path, VALUE)
    await store.close()
    (home.log_dir / "keen.log").write_text(
        "one\nhttps://x/?q=a%20plain%20%22pass%22%20of%20no%20known%20form%20%C3%A9\n"
    )
    home.global_memory.write_text(f"- {VALUE}\n")
    return home


def traces(home: KeenHome) -> list[str]:
    """Where any part of the value is left."""
    words = (b"of no known form", b"of%20no%20known")
    files = [path for path in home.root.rglob("*") if path.is_file()]
    return [path.name for path in files if any(word in path.read_bytes() for word in words)]


def test_a_leaked_value_goes_from_everything_with_its_counts(home):
    assert len(traces(home)) >= 5
    done = scrub(home, VALUE)
    assert (done.transcripts, len(done.tasks), done.logs, done.other) == (6, 2, 1, 1)
    assert done.database == 2 * (1 + 2 + 1) + 1
    assert (done.skipped, done.keys, done.problems) == ({}, [], [])
    assert traces(home) == []
    assert scrub(home, VALUE).total == 0


async def test_what_is_left_is_whole_and_readable(home):
    sizes = {path: path.stat().st_size for path in home.tasks_dir.rglob("*.jsonl")}
    scrub(home, VALUE)
    for path, size in sizes.items():
        assert path.stat().st_size == size
        texts = [json.loads(line)["text"] for line in path.read_text().splitlines()]
        assert len(texts) == 3 and all(text.startswith("[redacted]") for text in texts)
    store = await Store.open(home.database)
    [task, _] = await store.tasks(None)
    assert task.title == "about [redacted]"
    assert (await store.comments(task.id))[0].text == "[redacted] and [redacted]"
    assert (await store.brief_revisions(task.id))[0].after == {"goal": "[redacted]"}
    await store.close()


def test_the_search_index_forgets_the_words_too(home):
    with sqlite3.connect(home.database) as connection:
        connection.execute("CREATE VIRTUAL TABLE words USING fts5(text, content=comments, content_rowid=rowid)")
        connection.execute("INSERT INTO words(words) VALUES ('rebuild')")
        assert connection.execute("SELECT COUNT(*) FROM words WHERE words MATCH 'known'").fetchone() == (2,)
    connection.close()
    assert scrub(home, VALUE).problems == []
    with sqlite3.connect(home.database) as connection:
        assert connection.execute("SELECT COUNT(*) FROM words WHERE words MATCH 'known'").fetchone() == (0,)
        assert connection.execute("SELECT COUNT(*) FROM words WHERE words MATCH 'redacted'").fetchone() == (2,)
    connection.close()


def test_deleted_rows_leave_nothing_in_the_raw_file(home):
    with sqlite3.connect(home.database) as connection:
        connection.execute("DELETE FROM comments")
    connection.close()
    scrub(home, VALUE)
    assert traces(home) == []


@pytest.mark.parametrize("value", ["", "  ", "short", "1234567", " a      b"[:7]])
def test_a_value_that_is_too_short_is_refused(home, value):
    with pytest.raises(KeenError, match="shorter than 8"):
        scrub(home, value)


def test_a_task_that_is_open_elsewhere_is_skipped_and_named(home):
    one, other = sorted(home.tasks_dir.iterdir())
    with TaskLock.acquire(one):
        done = scrub(home, VALUE)
        assert done.skipped == {one.name: f"process {os.getpid()}"}
        assert done.tasks == {other.name} and done.transcripts == 3
        assert VALUE.split('"')[0] in home.transcript(one.name).read_text()
    assert scrub(home, VALUE).tasks == {one.name}
    assert traces(home) == []


def test_files_for_keys_are_left_alone_and_named(home):
    home.credentials_file.write_text("[keys]\nopenai = 'secret-value-0001'\n")
    done = scrub(home, "secret-value-0001")
    assert done.keys == [home.credentials_file] and done.total == 0
    assert "secret-value-0001" in home.credentials_file.read_text()


def test_a_link_is_not_followed_out_of_the_home(home, tmp_path):
    (tmp_path / "mine").write_text(VALUE)
    (home.log_dir / "link.log").symlink_to(tmp_path / "mine")
    scrub(home, VALUE)
    assert (tmp_path / "mine").read_text() == VALUE


def test_a_transcript_goes_on_with_its_numbers(home):
    [path, _] = sorted(home.tasks_dir.rglob("*.jsonl"))
    scrub(home, VALUE)
    assert Transcript(path).next_seq == 3


def test_a_damaged_database_is_said_and_the_files_are_cleaned(home):
    home.database.write_bytes(b"no database" * 1000)
    done = scrub(home, VALUE)
    assert done.transcripts == 6 and "could not be cleaned" in done.problems[0]


def keen(home: KeenHome, *arguments: str, words: str = "") -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "KEEN_HOME": str(home.root)}
    command = [sys.executable, "-m", "keen_tui.cli", "scrub", *arguments]
    return subprocess.run(command, env=environ, input=words, capture_output=True, text=True, timeout=60)


def test_the_command_reads_the_value_from_standard_input_and_reports(home):
    result = keen(home, "-", words=VALUE + "\n")
    assert result.returncode == 0, result.stderr
    assert "Removed 17 occurrences:" in result.stdout and "6 (2 tasks)" in result.stdout
    assert VALUE not in result.stdout and traces(home) == []
    assert keen(home, VALUE).stdout == "Nothing that Keen keeps holds this value.\n"
    assert keen(home, "short").returncode == 2
