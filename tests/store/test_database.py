import asyncio
import os
import sqlite3
import stat
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from keen_tui.store.database import Store, StoreError, UsageTotals
from keen_tui.store.migrations import MIGRATIONS, VERSION
from keen_tui.store.task_ids import new_task_id

WORKSPACE = Path("/repo")


@pytest.fixture
async def store(tmp_path):
    store = await Store.open(tmp_path / "keen.db")
    yield store
    await store.close()


async def test_a_task_is_kept_as_it_was_made(store, tmp_path):
    made = await store.create_task(WORKSPACE, "demo", "ask", "A title")
    await store.close()
    again = await Store.open(tmp_path / "keen.db")
    found = await again.task(made.id)
    await again.close()
    assert found == made
    assert (found.workspace, found.model, found.mode, found.title) == (WORKSPACE, "demo", "ask", "A title")
    assert (found.turns, found.draft, found.replay) == (0, "", "")
    assert abs((datetime.now(UTC) - found.created).total_seconds()) < 60


async def test_a_task_is_found_by_a_unique_prefix(store):
    one = await store.create_task(WORKSPACE, "demo", "ask")
    assert await store.task(one.id[:5]) == one
    assert await store.task(f" {one.id.upper()} ") == one
    other = await store.create_task(WORKSPACE, "demo", "ask")
    with pytest.raises(StoreError, match="Several tasks") as caught:
        await store.task(one.id[:2])
    assert one.id in caught.value.message and other.id in caught.value.message
    assert await store.task(other.id) == other


@pytest.mark.parametrize("text", ["", " ", "%", "_", "*", "zzz", "é", "a b", "'", "\0"])
async def test_no_text_finds_a_task_that_it_does_not_name(store, text):
    await store.create_task(WORKSPACE, "demo", "ask")
    assert await store.task(text) is None


async def test_the_last_touched_task_comes_first_even_when_the_clock_goes_back(store, monkeypatch):
    first = await store.create_task(WORKSPACE, "demo", "ask", "first")
    monkeypatch.setattr("keen_tui.store.database.time.time", lambda: 1_000_000_000.0)
    second = await store.create_task(WORKSPACE, "demo", "ask", "second")
    assert [task.id for task in await store.tasks(WORKSPACE)] == [second.id, first.id]
    await store.update_task(first.id, turns=1)
    assert (await store.newest_task(WORKSPACE)).id == first.id


async def test_empty_tasks_are_not_listed_unless_asked_for(store):
    empty = await store.create_task(WORKSPACE, "demo", "ask")
    assert await store.tasks(WORKSPACE) == []
    assert await store.newest_task(WORKSPACE) is None
    assert [task.id for task in await store.tasks(WORKSPACE, empty=True)] == [empty.id]
    await store.update_task(empty.id, draft="half a thought")
    assert (await store.newest_task(WORKSPACE)).draft == "half a thought"


async def test_tasks_belong_to_their_workspace(store):
    here = await store.create_task(WORKSPACE, "demo", "ask", "x")
    there = await store.create_task(Path("/other"), "demo", "ask", "y")
    assert [task.id for task in await store.tasks(WORKSPACE)] == [here.id]
    assert [task.id for task in await store.tasks(None)] == [there.id, here.id]
    assert [task.id for task in await store.tasks(None, limit=1)] == [there.id]


async def test_a_workspace_whose_name_is_not_utf8_keeps_its_tasks(store):
    strange = Path(os.fsdecode(b"/caf\xe9"))
    made = await store.create_task(strange, "demo", "ask", "x")
    assert (await store.newest_task(strange)).id == made.id
    assert made.workspace == strange


async def test_an_update_changes_only_what_is_given(store):
    task = await store.create_task(WORKSPACE, "demo", "ask", "x")
    await store.update_task(task.id, model="a/b", mode="plan", turns=3, replay="note")
    found = await store.task(task.id)
    assert (found.title, found.model, found.mode, found.turns) == ("x", "a/b", "plan", 3)
    assert found.replay == "note"
    await store.update_task(task.id, title="")
    assert (await store.task(task.id)).title == ""


async def test_comments_are_numbered_from_one_inside_their_task(store):
    one = await store.create_task(WORKSPACE, "demo", "ask")
    two = await store.create_task(WORKSPACE, "demo", "ask")
    time = datetime(2026, 6, 30, 9, 12, 44, 123456, tzinfo=UTC)
    assert await store.add_comment(one.id, "user", "request", "a", time) == 1
    assert await store.add_comment(one.id, "agent", "result", "b", time) == 2
    assert await store.add_comment(two.id, "user", "request", "c", time) == 1
    first, second = await store.comments(one.id)
    assert (first.id, first.author, first.kind, first.text, first.time) == (1, "user", "request", "a", time)
    assert second.text == "b"


async def test_comments_added_at_once_get_different_numbers(store):
    task = await store.create_task(WORKSPACE, "demo", "ask")
    numbers = await asyncio.gather(
        *(store.add_comment(task.id, "user", "comment", str(n), datetime.now(UTC)) for n in range(30))
    )
    assert sorted(numbers) == list(range(1, 31))


@pytest.mark.parametrize("text", ["\ud800 lone", "nul \0 inside", "'; DROP TABLE tasks; --", "x" * 5_000_000, "🦉"])
async def test_no_text_breaks_the_store(store, text):
    task = await store.create_task(WORKSPACE, "demo", "ask")
    await store.add_comment(task.id, "user", "request", text, datetime.now(UTC))
    await store.update_task(task.id, title=text, draft=text)
    kept = text.replace("\ud800", "?")
    assert (await store.comments(task.id))[0].text == kept
    assert (await store.task(task.id)).draft == kept


async def test_brief_revisions_are_kept_with_before_and_after(store):
    task = await store.create_task(WORKSPACE, "demo", "ask")
    assert await store.add_brief_revision(task.id, "user", ["goal"], {"goal": ""}, {"goal": "é"}, "build") == 1
    assert await store.add_brief_revision(task.id, "agent", ("goal",), {"goal": "é"}, {"goal": ""}) == 2
    first, second = await store.brief_revisions(task.id)
    assert (first.author, first.fields, first.before, first.after) == (
        "user",
        ("goal",),
        {"goal": ""},
        {"goal": "é"},
    )
    assert (first.movement, second.movement, second.revision) == ("build", "", 2)


async def test_usage_adds_up_and_an_unknown_cost_stays_unknown(store):
    task = await store.create_task(WORKSPACE, "demo", "ask")
    assert await store.usage(task.id) == UsageTotals()
    await store.add_usage(task.id, model="m", input_tokens=10, output_tokens=2, cached_tokens=4)
    assert (await store.usage(task.id)).cost is None
    await store.add_usage(task.id, model="m", input_tokens=1, output_tokens=1, cost=0.5, turn="t")
    assert await store.usage(task.id) == UsageTotals(2, 11, 3, 4, 0.5)


async def test_prompt_history_is_newest_first_without_repeats(store):
    for text in ("a", "b", "b", "  ", "c", "x" * 70_000):
        await store.add_prompt_history(WORKSPACE, text)
    await store.add_prompt_history(Path("/other"), "d")
    assert await store.prompt_history(WORKSPACE) == ["c", "b", "a"]
    assert await store.prompt_history(WORKSPACE, limit=1) == ["c"]


async def test_prompt_history_forgets_the_oldest(store, monkeypatch):
    monkeypatch.setattr("keen_tui.store.database.HISTORY_SIZE", 3)
    for number in range(6):
        await store.add_prompt_history(WORKSPACE, str(number))
    assert await store.prompt_history(WORKSPACE) == ["5", "4", "3"]


async def test_nothing_is_kept_for_a_task_that_does_not_exist(store):
    for action in (
        store.update_task("none", title="x"),
        store.add_comment("none", "user", "request", "x", datetime.now(UTC)),
        store.add_brief_revision("none", "user", [], {}, {}),
        store.add_usage("none", model="m", input_tokens=1, output_tokens=1),
    ):
        with pytest.raises(StoreError, match="no task none"):
            await action
    assert await store.comments("none") == []


async def test_a_cancelled_write_leaves_the_store_usable(store):
    task = await store.create_task(WORKSPACE, "demo", "ask")
    for pause in range(8):
        writing = asyncio.create_task(store.add_comment(task.id, "user", "comment", "x", datetime.now(UTC)))
        for _ in range(pause):
            await asyncio.sleep(0)
        writing.cancel()
        await asyncio.gather(writing, return_exceptions=True)
        await store.update_task(task.id, turns=pause)
    numbers = [comment.id for comment in await store.comments(task.id)]
    assert numbers == list(range(1, len(numbers) + 1))


async def test_foreign_keys_are_on(store):
    assert [tuple(row) for row in await store._db.read("PRAGMA foreign_keys")] == [(1,)]


def test_task_ids_are_short_safe_unique_and_sort_by_time():
    ids = [new_task_id(1_800_000_000 + n) for n in range(500)]
    assert ids == sorted(ids)
    assert len({new_task_id(1_800_000_000) for _ in range(50)}) > 45
    assert all(len(task_id) == 11 and task_id.isalnum() and task_id == task_id.lower() for task_id in ids)
    assert new_task_id(0).startswith("00000000")


async def test_files_are_private_whatever_the_umask(tmp_path):
    before = os.umask(0)
    try:
        store = await Store.open(tmp_path / "deep" / "keen.db")
        await store.create_task(WORKSPACE, "demo", "ask")
        files = list((tmp_path / "deep").iterdir())
        assert len(files) == 3
        assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
        assert stat.S_IMODE((tmp_path / "deep").stat().st_mode) == 0o700
    finally:
        os.umask(before)
    await store.close()


async def test_a_database_that_others_can_read_is_closed_to_them(tmp_path):
    (tmp_path / "keen.db").touch(mode=0o644)
    store = await Store.open(tmp_path / "keen.db")
    await store.close()
    assert stat.S_IMODE((tmp_path / "keen.db").stat().st_mode) == 0o600


async def test_every_schema_version_is_brought_up_to_date(tmp_path):
    for version in range(VERSION):
        path = tmp_path / f"{version}.db"
        old = sqlite3.connect(path)
        for step in MIGRATIONS[:version]:
            for statement in step:
                old.execute(statement)
        old.execute(f"PRAGMA user_version = {version}")
        old.commit()
        old.close()
        store = await Store.open(path)
        await store.create_task(WORKSPACE, "demo", "ask")
        await store.close()
        check = sqlite3.connect(path)
        assert check.execute("PRAGMA user_version").fetchone() == (VERSION,)
        assert check.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        check.close()


async def test_two_openings_at_once_make_one_schema(tmp_path):
    stores = await asyncio.gather(*(Store.open(tmp_path / "keen.db") for _ in range(4)))
    for store in stores:
        await store.create_task(WORKSPACE, "demo", "ask", "x")
    assert len(await stores[0].tasks(WORKSPACE)) == 4
    await asyncio.gather(*(store.close() for store in stores))


async def test_a_database_of_a_newer_keen_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "keen.db"
    newer = sqlite3.connect(path)
    newer.execute("PRAGMA user_version = 999")
    newer.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="newer Keen") as caught:
        await Store.open(path)
    assert "Update Keen" in caught.value.hint
    assert path.read_bytes() == before


async def test_a_file_that_is_no_database_is_named_and_left_alone(tmp_path):
    path = tmp_path / "keen.db"
    path.write_bytes(b"not a database at all " * 100)
    with pytest.raises(StoreError, match="damaged") as caught:
        await Store.open(path)
    assert str(path) in caught.value.message and str(tmp_path / "tasks") in caught.value.message
    assert "Move keen.db away" in caught.value.hint
    assert path.read_bytes() == b"not a database at all " * 100


async def test_damage_in_the_middle_is_reported_when_it_is_met(tmp_path):
    path = tmp_path / "keen.db"
    store = await Store.open(path)
    task = await store.create_task(WORKSPACE, "demo", "ask")
    for _ in range(20):
        await store.add_comment(task.id, "user", "comment", "x" * 3000, datetime.now(UTC))
    await store.close()
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(os.urandom(path.stat().st_size - 4096))
    with pytest.raises(StoreError, match="damaged"):
        damaged = await Store.open(path)
        try:
            await damaged.comments(task.id)
        finally:
            await damaged.close()


async def test_an_empty_file_becomes_a_database(tmp_path):
    (tmp_path / "keen.db").touch()
    store = await Store.open(tmp_path / "keen.db")
    await store.create_task(WORKSPACE, "demo", "ask")
    await store.close()


@pytest.mark.parametrize("in_the_way", ["folder", "file as parent"])
async def test_something_in_the_place_of_the_database_is_explained(tmp_path, in_the_way):
    if in_the_way == "folder":
        path = tmp_path / "keen.db"
        path.mkdir()
    else:
        (tmp_path / "home").write_text("x")
        path = tmp_path / "home" / "keen.db"
    with pytest.raises(StoreError, match="can't be opened for writing") as caught:
        await Store.open(path)
    assert "KEEN_HOME" in caught.value.hint


async def test_a_database_locked_by_another_program_is_explained_and_works_again(tmp_path):
    store = await Store.open(tmp_path / "keen.db", busy_timeout=0.05)
    task = await store.create_task(WORKSPACE, "demo", "ask", "x")
    other = sqlite3.connect(tmp_path / "keen.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="locked by another process"):
        await store.update_task(task.id, turns=1)
    assert (await store.task(task.id)).turns == 0
    other.execute("ROLLBACK")
    other.close()
    await store.update_task(task.id, turns=1)
    assert (await store.task(task.id)).turns == 1
    await store.close()


async def test_a_full_database_is_explained_and_what_was_there_stays(store):
    task = await store.create_task(WORKSPACE, "demo", "ask", "x")
    ((pages,),) = await store._db.read("PRAGMA page_count")
    await store._db.read(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreError, match="is full") as caught:
        await store.update_task(task.id, draft="x" * 1_000_000)
    assert "Make room" in caught.value.hint
    assert (await store.task(task.id)).draft == ""
    await store._db.read("PRAGMA max_page_count = 1000000")
    await store.update_task(task.id, draft="y")


READ_ONLY = """
import asyncio, os, sys
from pathlib import Path
from keen_tui.store.database import Store, StoreError
if os.geteuid() == 0:
    os.setuid(65534)
try:
    asyncio.run(Store.open(Path(sys.argv[1])))
except StoreError as error:
    print(error.message)
"""


async def test_a_read_only_database_is_explained():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        store = await Store.open(folder / "keen.db")
        await store.close()
        (folder / "keen.db").chmod(0o444)
        folder.chmod(0o555)
        done = subprocess.run(
            [sys.executable, "-c", READ_ONLY, str(folder / "keen.db")], capture_output=True, text=True, timeout=60
        )
        folder.chmod(0o755)
    assert "can't be opened for writing" in done.stdout, done.stderr


LIMITED = """
import asyncio, resource, sys
from pathlib import Path
from keen_tui.store.database import Store, StoreError
async def main():
    store = await Store.open(Path(sys.argv[1]))
    task = await store.create_task(Path("/repo"), "demo", "ask", "x")
    size = sum(file.stat().st_size for file in Path(sys.argv[1]).parent.iterdir())
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 5000, resource.RLIM_INFINITY))
    try:
        await store.update_task(task.id, draft="x" * 1_000_000)
    except StoreError as error:
        print(error.message)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    await store.update_task(task.id, draft="after")
    print((await store.task(task.id)).draft)
    await store.close()
asyncio.run(main())
"""


def test_a_disk_without_room_loses_one_change_only(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(tmp_path / "keen.db")],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    message, draft = done.stdout.splitlines()
    assert "The last change was not saved." in message and str(tmp_path) in message
    assert draft == "after"


KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from keen_tui.store.database import Store
async def main():
    store = await Store.open(Path(sys.argv[1]))
    task = await store.create_task(Path("/repo"), "demo", "ask", "x")
    await store.update_task(task.id, turns=7, draft="kept")
    os.kill(os.getpid(), signal.SIGKILL)
asyncio.run(main())
"""


async def test_a_killed_process_loses_nothing_that_was_saved(tmp_path):
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "keen.db")], timeout=60)
    assert done.returncode == -9
    store = await Store.open(tmp_path / "keen.db")
    task = await store.newest_task(Path("/repo"))
    assert (task.turns, task.draft) == (7, "kept")
    await store.close()


CRASHED = """
import asyncio, sys
from pathlib import Path
from keen_tui.store.database import Store
kept = []
async def main():
    kept.append(await Store.open(Path(sys.argv[1])))
    await kept[0].create_task(Path("/repo"), "demo", "ask", "x")
    raise SystemExit(7)
asyncio.run(main())
"""


async def test_a_process_that_never_closes_the_store_still_ends(tmp_path):
    done = subprocess.run([sys.executable, "-c", CRASHED, str(tmp_path / "keen.db")], timeout=20)
    assert done.returncode == 7
    store = await Store.open(tmp_path / "keen.db")
    assert len(await store.tasks(None)) == 1
    await store.close()
