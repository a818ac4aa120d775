"""Which refs lead somewhere in a task."""

from __future__ import annotations

from keen_tui.domain.refs import Ref
from keen_tui.domain.views import TaskView


def ref_exists(view: TaskView, ref: Ref) -> bool:
    """Whether an entry with this address is in the task. Comments and entries are numbered without gaps."""
    last = view.last_comment if ref.source == "comment" else view.last_seq
    return 1 <= ref.number <= last
