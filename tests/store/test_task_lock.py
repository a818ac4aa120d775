import json
import os
import signal
import stat
import subprocess
import sys

import pytest

from keen_tui.store.failures import StoreError
from keen_tui.store.task_lock import TaskLock, TaskLocked, process_start

HOLDER = """
import sys
from pathlib import Path
from keen_tui.store.task_lock import TaskLock
lock = TaskLock.acquire(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.readline()
lock.release()
print("released", flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def holder(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path / "task")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.communicate()


def test_a_task_open_in_another_process_is_refused_with_its_pid(tmp_path, holder):
    with pytest.raises(TaskLocked) as caught:
        TaskLock.acquire(tmp_path / "task")
    assert caught.value.pid == holder.pid
    assert caught.value.since is not None
    assert f"process {holder.pid}" in caught.value.message
    assert caught.value.hint


def test_the_lock_of_a_killed_process_is_taken_over(tmp_path, holder):
    holder.send_signal(signal.SIGKILL)
    holder.wait(10)
    lock = TaskLock.acquire(tmp_path / "task")
    assert json.loads((tmp_path / "task/lock").read_text())["pid"] == os.getpid()
    lock.release()


def test_a_released_task_can_be_opened_while_the_process_lives(tmp_path, holder):
    holder.stdin.write("\n")
    holder.stdin.flush()
    assert holder.stdout.readline() == "released\n"
    TaskLock.acquire(tmp_path / "task").release()


def test_two_sessions_of_one_process_cannot_open_one_task(tmp_path):
    with TaskLock.acquire(tmp_path), pytest.raises(TaskLocked) as caught:
        TaskLock.acquire(tmp_path)
    assert caught.value.pid == os.getpid()
    TaskLock.acquire(tmp_path).release()


def test_different_tasks_do_not_lock_each_other(tmp_path):
    with TaskLock.acquire(tmp_path / "a"), TaskLock.acquire(tmp_path / "b"):
        pass


def test_releasing_twice_frees_only_the_own_lock(tmp_path):
    first = TaskLock.acquire(tmp_path)
    first.release()
    with TaskLock.acquire(tmp_path):
        first.release()
        with pytest.raises(TaskLocked):
            TaskLock.acquire(tmp_path)


def test_a_child_process_does_not_keep_the_lock(tmp_path):
    lock = TaskLock.acquire(tmp_path)
    child = subprocess.Popen(["sleep", "60"], close_fds=False)
    try:
        lock.release()
        TaskLock.acquire(tmp_path).release()
    finally:
        child.kill()
        child.wait()


@pytest.mark.parametrize("content", [b"", b"garbage", b"[]", b'{"pid": "x", "since": 1e999}', b"\xff\0"])
def test_a_strange_lock_file_that_nobody_holds_is_no_obstacle(tmp_path, content):
    (tmp_path / "lock").write_bytes(content)
    TaskLock.acquire(tmp_path).release()


@pytest.mark.parametrize("content", [b"", b"garbage", b'{"pid": -4, "since": "x"}'])
def test_a_held_lock_without_a_readable_holder_is_still_refused(tmp_path, content):
    with TaskLock.acquire(tmp_path):
        (tmp_path / "lock").write_bytes(content)
        with pytest.raises(TaskLocked, match="another process") as caught:
            TaskLock.acquire(tmp_path)
        assert caught.value.pid == 0


def test_where_files_cannot_be_locked_a_living_holder_is_known_by_its_start_time(tmp_path, monkeypatch):
    def unsupported(*_):
        raise OSError(37, "No locks available")

    monkeypatch.setattr("keen_tui.store.task_lock.fcntl.flock", unsupported)
    me = {"pid": os.getpid(), "started": process_start(os.getpid()), "since": 1}
    (tmp_path / "lock").write_text(json.dumps(me))
    with pytest.raises(TaskLocked):
        TaskLock.acquire(tmp_path)
    (tmp_path / "lock").write_text(json.dumps({**me, "started": "12345"}))
    TaskLock.acquire(tmp_path).release()
    (tmp_path / "lock").write_text(json.dumps({**me, "pid": 2**22 + 5}))
    TaskLock.acquire(tmp_path).release()


def test_the_lock_file_is_private(tmp_path):
    with TaskLock.acquire(tmp_path / "task"):
        assert stat.S_IMODE((tmp_path / "task/lock").stat().st_mode) == 0o600
        assert stat.S_IMODE((tmp_path / "task").stat().st_mode) == 0o700


@pytest.mark.parametrize("in_the_way", ["task", "task/lock"])
def test_a_task_that_cannot_be_locked_is_explained(tmp_path, in_the_way):
    if in_the_way == "task":
        (tmp_path / "task").write_text("x")
    else:
        (tmp_path / "task/lock").mkdir(parents=True)
    with pytest.raises(StoreError, match="can't be locked"):
        TaskLock.acquire(tmp_path / "task")
