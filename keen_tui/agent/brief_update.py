"""What a MissionUpdate asks for, worked out against the brief as it stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from keen_tui.domain.brief import MODEL_FIELDS, Brief
from keen_tui.domain.brief_lines import LineNotFound, append_line, remove_line, replace_line
from keen_tui.domain.known_refs import ref_exists
from keen_tui.domain.refs import refs_in
from keen_tui.domain.views import TaskView
from keen_tui.tools.base import ToolError

OPERATIONS = ("append", "replace_line", "remove_line")


@dataclass(frozen=True, slots=True)
class LineChange:
    """One line of one field: `text` is appended, or replaces `line`, or `line` goes."""

    field: str
    operation: str
    line: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class BriefUpdate:
    """`whole` are whole new texts by field, empty to clear; `lines` come after them, in order."""

    whole: Mapping[str, str]
    lines: Sequence[LineChange] = ()

    @classmethod
    def of(cls, arguments: Mapping[str, Any]) -> BriefUpdate:
        """From the arguments of a call. Raises ToolError when they ask for nothing, or for half a change."""
        whole = {name: cast(str, arguments[name]) for name in MODEL_FIELDS if arguments.get(name) is not None}
        lines = [_line_change(item, number) for number, item in enumerate(arguments.get("lines") or (), 1)]
        if not whole and not lines:
            raise ToolError(f"Name at least one field, or changes of lines. The fields are: {', '.join(MODEL_FIELDS)}.")
        return cls(whole, lines)

    def applied(self, brief: Brief) -> dict[str, str]:
        """The whole new texts of every field that is named. Raises ToolError when a line is not there."""
        texts = dict(self.whole)
        for change in self.lines:
            current = texts.get(change.field, brief.get(change.field))
            try:
                texts[change.field] = _changed(current, change)
            except LineNotFound as problem:
                shown = current or "(empty)"
                raise ToolError(
                    f"Nothing was changed. {change.field}: {problem} The field reads:\n{shown}"
                ) from problem
        return texts


def _line_change(item: Mapping[str, Any], number: int) -> LineChange:
    change = LineChange(item["field"], item["operation"], str(item.get("line") or ""), str(item.get("text") or ""))
    if change.operation in ("append", "replace_line") and not change.text.strip():
        raise ToolError(f"lines[{number}]: {change.operation} needs `text`. Nothing was changed.")
    if change.operation in ("replace_line", "remove_line") and not change.line.strip():
        raise ToolError(
            f"lines[{number}]: {change.operation} needs `line`, the line as it stands. Nothing was changed."
        )
    return change


def _changed(text: str, change: LineChange) -> str:
    match change.operation:
        case "append":
            return append_line(text, change.text)
        case "replace_line":
            return replace_line(text, change.line, change.text)
        case _:
            return remove_line(text, change.line)


def check_refs(view: TaskView, texts: Mapping[str, str]) -> None:
    """Raises ToolError for a ref that is not in this task; refs that stand in the field already may stay."""
    for name, text in texts.items():
        known = set(refs_in(view.brief.get(name)))
        for ref in refs_in(text):
            if ref not in known and not ref_exists(view, ref):
                last = view.last_comment if ref.source == "comment" else view.last_seq
                there = f"they go from 1 to {last}" if last else "there are none yet"
                raise ToolError(
                    f"Nothing was changed: {name} cites {ref}, which is not in this task ({there}). "
                    "Look the entry up with SearchTaskConversation, or leave the ref out."
                )
