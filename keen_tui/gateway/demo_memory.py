"""How the demo model remembers: through the file tools, in a memory file, and only when asked."""

from __future__ import annotations

import re

from keen_tui.domain.memory_template import MemoryScope, created_sentence, first_text
from keen_tui.gateway.demo_request import DemoRequest
from keen_tui.gateway.demo_step import INTRODUCTION, Call, Step, code, missing, one_line
from keen_tui.security.secrets import find_secrets

PROJECT_FILE = ".keen/MEMORY.md"
_REMEMBER = re.compile(r"\s*(?:please\s+)?remember(?:\s+that|\s*:)?\s+(.+)", re.IGNORECASE | re.DOTALL)
_GLOBAL_PATH = re.compile(r"memory files: (.+?) for preferences")
_QUESTION = "Should I save that as global memory or project memory?"


def wants_memory(text: str) -> str:
    """The note that the user asks to remember, on one line, or an empty text."""
    match = _REMEMBER.match(text)
    return one_line(match.group(1), 400) if match else ""


def remember(request: DemoRequest, note: str) -> Step:
    """Read the memory file, then make it or add one line to it."""
    if not {"read_file", "write_file", "edit_file"} <= request.tools:
        return missing("read_file", "write_file", "edit_file")
    if find_secrets(note):
        return Step("That looks like a secret. Secrets never go to a memory file, so I left it out.\n")
    scope = _scope(request, note)
    if not scope:
        arguments = {"question": _QUESTION, "choices": ["project memory", "global memory"]}
        return Step("", (Call("ask_user", arguments),))
    path = _global_path(request) if scope == "global" else PROJECT_FILE
    read = request.called("read_file")
    if not read:
        return Step(f"{INTRODUCTION}\n\nI look at {code(path)} first.\n\n", (Call("read_file", {"path": path}),))
    wrote = [*request.called("write_file"), *request.called("edit_file")]
    if wrote:
        return _report(wrote[-1].wrote, wrote[-1].refused, wrote[-1].result, path, wrote[-1].name)
    text = read[-1].file_text
    if text is None:
        return Step("There is no such file yet, so I make one.\n\n", (_create(path, note, scope),))
    return Step("I add one line.\n\n", (_append(path, text, note, scope),))


def _scope(request: DemoRequest, note: str) -> MemoryScope | None:
    """None when the person must say."""
    words = request.user_text.lower()
    if re.search(r"\b(?:this (?:project|repo|repository|workspace)|the project|project memory|here)\b", words):
        return "project"
    if not _global_path(request):
        return "project"
    if re.search(r"\b(?:global(?:ly)?|everywhere|all (?:my )?projects|in every project)\b", words):
        return "global"
    if re.match(r"(?:i|my|me)\b", note, re.IGNORECASE) and "ask_user" in request.tools:
        asked = request.called("ask_user")
        if not asked:
            return None
        return "global" if "global" in (asked[-1].result or "").lower() else "project"
    return "project"


def _global_path(request: DemoRequest) -> str:
    match = _GLOBAL_PATH.search(request.system)
    return match.group(1) if match else ""


def _create(path: str, note: str, scope: MemoryScope) -> Call:
    return Call("write_file", {"path": path, "content": first_text(scope, f"- {note}")})


def _append(path: str, text: str, note: str, scope: MemoryScope) -> Call:
    last = next((line for line in reversed(text.splitlines()) if line.strip()), "")
    if not last:
        return _create(path, note, scope)
    if text.count(last) == 1:
        return Call("edit_file", {"path": path, "old_string": last, "new_string": f"{last}\n- {note}"})
    return Call("write_file", {"path": path, "content": f"{text.rstrip()}\n- {note}\n"})


def _report(wrote: bool, refused: bool, result: str | None, path: str, tool: str) -> Step:
    if refused:
        return Step("You said no, or the mode did, so nothing was remembered.\n")
    if not wrote:
        return Step(f"Nothing was remembered: {code(one_line(result or 'the tool gave no answer', 160))}\n")
    if tool == "write_file" and path == PROJECT_FILE and (result or "").startswith("Created"):
        return Step(f"{created_sentence('project')}\n")
    return Step(f"Remembered in {code(path)}. The Memory pane (F5) shows it.\n")
