"""One writer for each task: a lock that dies with its process."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from keen_tui.config.private_files import FILE_MODE, make_private_folder
from keen_tui.domain.errors import KeenError
from keen_tui.store.failures import StoreError

LOCK_NAME = "lock"
_UNSUPPORTED = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL}


class TaskLocked(KeenError):
    """Another process has the task open. `pid` is 0 and `since` None when it has not said so yet."""

    def __init__(self, pid: int, since: datetime | None) -> None:
        who = f"process {pid}" if pid else "another process"
        when = f" since {since.astimezone():%Y-%m-%d %H:%M}" if since else ""
        super().__init__(
            f"This task is open in {who}{when}. Nothing was changed.",
            "Close it there, or open another task.",
        )
        self.pid = pid
        self.since = since


class TaskLock:
    """A held lock. The kernel frees it when the process ends, however it ends."""

    def __init__(self, file: int) -> None:
        self._file: int | None = file

    @classmethod
    def acquire(cls, task_dir: Path) -> Self:
        """Lock a task's folder, which is made when missing; a dead process's lock is taken over.

        Raises TaskLocked when another process, or another session of this one, holds it, and StoreError
        when the folder can't be written.
        """
        path = task_dir / LOCK_NAME
        try:
            make_private_folder(task_dir)
            file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, FILE_MODE)
        except OSError as error:
            raise _unusable(path, error) from error
        try:
            _lock(file)
            _write_holder(file)
        except OSError as error:
            os.close(file)
            raise _unusable(path, error) from error
        except BaseException:
            os.close(file)
            raise
        return cls(file)

    def release(self) -> None:
        """Give the task free; a second call does nothing. The file stays, an empty one locks nothing."""
        if self._file is not None:
            file, self._file = self._file, None
            with contextlib.suppress(OSError):
                os.ftruncate(file, 0)
            os.close(file)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def _lock(file: int) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        holder = _read_holder(file)
        raise TaskLocked(_number(holder.get("pid")), _since(holder)) from error
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
        holder = _read_holder(file)
        if _alive(holder):
            raise TaskLocked(_number(holder.get("pid")), _since(holder)) from error


def _write_holder(file: int) -> None:
    holder = {"pid": os.getpid(), "started": process_start(os.getpid()), "since": time.time()}
    os.ftruncate(file, 0)
    os.pwrite(file, json.dumps(holder).encode() + b"\n", 0)


def _read_holder(file: int) -> dict[str, Any]:
    try:
        holder = json.loads(os.pread(file, 4096, 0))
    except (OSError, ValueError):
        return {}
    return holder if isinstance(holder, dict) else {}


def _alive(holder: dict[str, Any]) -> bool:
    """Whether the process that wrote this still runs; a reused pid has another start time."""
    pid = _number(holder.get("pid"))
    if not pid:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    started = process_start(pid)
    return not started or not holder.get("started") or started == holder["started"]


def process_start(pid: int) -> str:
    """When a process started, as the kernel counts it; empty where the system does not say."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
        return stat.rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""


def _number(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0


def _since(holder: dict[str, Any]) -> datetime | None:
    try:
        return datetime.fromtimestamp(holder["since"], UTC)
    except (KeyError, TypeError, ValueError, OverflowError, OSError):
        return None


def _unusable(path: Path, error: OSError) -> StoreError:
    return StoreError(
        f"The task can't be locked, {path} can't be written: {error.strerror or error}. Nothing was changed.",
        "Make the folder writable for you and make sure that the disk has room, then try again.",
    )
