"""What the demo model reads in a request: the user's words, the tools, what its calls gave, the history."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

_CONTEXT = "<keen-context>"
_BRIEF_FIELD = re.compile(r"^### [^\n(]*\((\w+)\)\n(.*?)(?=^### |\n</keen-context>|\Z)", re.MULTILINE | re.DOTALL)
_NUMBERED = re.compile(r"\s*\d+(?:\t|→)(.*)")
_REFUSED = re.compile(r"refused|permission|plan mode|nobody can be asked", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class DoneCall:
    """A call of this turn with what came back; `result` is None when nothing did."""

    id: str
    name: str
    arguments: Mapping[str, Any]
    result: str | None

    @property
    def refused(self) -> bool:
        """Whether a person or the mode said no."""
        first = (self.result or "").split("\n", 1)[0]
        return bool(_REFUSED.search(first)) and self.name != "read_file" and len(first) < 400

    @property
    def wrote(self) -> bool:
        """Whether a write or an edit took place."""
        return re.match(r"(?:Created|Changed|Wrote|Written|Replaced|Updated|Edited)\b", self.result or "") is not None

    @property
    def file_text(self) -> str | None:
        """The lines of a file that was read, without their numbers; None when it could not be read."""
        lines = (self.result or "").splitlines()
        found = [match.group(1) for line in lines if (match := _NUMBERED.match(line))]
        if found:
            return "\n".join(found)
        return "" if lines and lines[0].startswith("[") else None

    @property
    def rows(self) -> list[str]:
        """The lines of a listing or a search, without notes in brackets; empty when it failed."""
        lines = [line for line in (self.result or "").splitlines() if line.strip()]
        rows = [line for line in lines if not re.match(r"\[.*\]$", line)]
        failed = len(rows) == len(lines) == 1 and " " in rows[0] and rows[0].endswith(".")
        return [] if failed or self.refused else rows


@dataclass(frozen=True, slots=True)
class PastTurn:
    """An earlier turn: what the user said, and the tools that were called."""

    user_text: str
    tools: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DemoRequest:
    """One request. `brief` holds the fields of the Mission Brief; `notes` came while the turn ran."""

    user_text: str
    tools: frozenset[str] = frozenset()
    calls: tuple[DoneCall, ...] = ()
    history: tuple[PastTurn, ...] = ()
    brief: Mapping[str, str] = field(default_factory=dict)
    system: str = ""
    notes: tuple[str, ...] = ()
    calls_before: int = 0
    size: int = 0

    def called(self, name: str) -> list[DoneCall]:
        """The calls of this turn to one tool, in order."""
        return [call for call in self.calls if call.name == name]


def read_request(body: Mapping[str, Any]) -> DemoRequest:
    """A request from a chat completions body. Never raises: what is not understood counts as absent."""
    messages = [message for message in _list(body.get("messages")) if isinstance(message, Mapping)]
    start = _turn_start(messages)
    user_text, context = "", ""
    if start < len(messages):
        text = _text(messages[start].get("content"))
        user_text, _, context = text.partition(_CONTEXT)
    running = messages[start + 1 :]
    return DemoRequest(
        user_text=user_text.strip(),
        tools=frozenset(_tool_names(body)),
        calls=tuple(_calls(running)),
        history=tuple(_history(messages[:start])),
        brief={match.group(1): match.group(2).strip() for match in _BRIEF_FIELD.finditer(context)},
        system="\n".join(_text(m.get("content")) for m in messages if m.get("role") in ("system", "developer")),
        notes=tuple(_text(m.get("content")) for m in running if m.get("role") == "user"),
        calls_before=sum(len(_list(m.get("tool_calls"))) for m in messages[:start]),
        size=sum(len(_text(message.get("content")).encode("utf-8", "replace")) for message in messages),
    )


def _turn_start(messages: Sequence[Mapping[str, Any]]) -> int:
    users = [index for index, message in enumerate(messages) if message.get("role") == "user"]
    for index in reversed(users):
        if _CONTEXT in _text(messages[index].get("content")):
            return index
    return users[-1] if users else len(messages)


def _tool_names(body: Mapping[str, Any]) -> list[str]:
    functions = [tool.get("function") for tool in _list(body.get("tools")) if isinstance(tool, Mapping)]
    return [str(function.get("name", "")) for function in functions if isinstance(function, Mapping)]


def _calls(messages: Sequence[Mapping[str, Any]]) -> list[DoneCall]:
    results = {m.get("tool_call_id"): _text(m.get("content")) for m in messages if m.get("role") == "tool"}
    done = []
    for message in messages:
        for call in _list(message.get("tool_calls")):
            if isinstance(call, Mapping) and isinstance(function := call.get("function"), Mapping):
                name, given = str(function.get("name", "")), str(call.get("id", ""))
                done.append(DoneCall(given, name, _arguments(function.get("arguments")), results.get(given)))
    return done


def _history(messages: Sequence[Mapping[str, Any]]) -> list[PastTurn]:
    turns: list[PastTurn] = []
    for message in messages:
        if message.get("role") == "user":
            turns.append(PastTurn(_text(message.get("content")).partition(_CONTEXT)[0].strip(), ()))
        elif turns and message.get("role") == "assistant":
            names = tuple(call.name for call in _calls([message]))
            turns[-1] = PastTurn(turns[-1].user_text, turns[-1].tools + names)
    return turns


def _arguments(raw: object) -> Mapping[str, Any]:
    try:
        value = json.loads(raw) if isinstance(raw, str) else raw
    except ValueError:
        return {}
    return value if isinstance(value, Mapping) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = [part.get("text") for part in _list(content) if isinstance(part, Mapping)]
    return "\n\n".join(part for part in parts if isinstance(part, str))
