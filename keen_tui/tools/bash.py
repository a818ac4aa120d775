"""The tool that runs a shell command."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from keen_tui.domain.exchange import ToolSpec
from keen_tui.security.bounded import bounded_command
from keen_tui.security.untrusted import visible
from keen_tui.tools import schema
from keen_tui.tools.base import Access, Arguments, Outcome, ToolContext, ToolError
from keen_tui.tools.command_output import CommandOutput
from keen_tui.tools.memory_writes import memory_states, secrets_brought_in
from keen_tui.tools.process_group import ProcessGroup

MOST_SECONDS = 3600.0
MOST_PRODUCED_BYTES = 1024 * 1024 * 1024

QUIET_ENVIRONMENT: Mapping[str, str] = {
    "TERM": "dumb",
    "NO_COLOR": "1",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": "true",
    "GIT_TERMINAL_PROMPT": "0",
    "DEBIAN_FRONTEND": "noninteractive",
    "PYTHONUNBUFFERED": "1",
}
"""Set for every command, so that nothing waits for a person: no pager, no editor, no password
prompt of git, no colours. Everything else comes from the environment that Keen was started in."""

_DESCRIPTION = """\
Runs a command with bash in the workspace and gives its output (standard output and errors together) and
its exit code. Each call is a fresh shell: cd and variables do not carry over, so chain with &&. There is
no input and no terminal: a program that asks gets end of file, so pass flags such as --yes. Processes
left in the background are ended when the call ends. Output over 30,000 characters is cut in the middle;
the whole is kept in a file until the turn ends. Prefer read_file, edit_file, glob and grep over cat, sed,
find and grep."""


class Bash:
    """`bash`: own process group, no input, a timeout, output bounded."""

    read_only = False
    spec = ToolSpec(
        "bash",
        _DESCRIPTION,
        schema.parameters(
            required=["command"],
            command=schema.text("The command, as bash would read it from a script."),
            timeout=schema.number("Seconds after which it is ended. Default 300.", 1, MOST_SECONDS),
            description=schema.text("In a few words, what it is for. Shown to the user."),
        ),
    )

    def target(self, arguments: Arguments, workspace: Path) -> str | None:
        command = arguments.get("command")
        return bounded_command(command) if isinstance(command, str) and command.strip() else None

    def access(self, arguments: Arguments, context: ToolContext) -> Access:
        return Access("command", command=_command(arguments))

    async def preview(self, arguments: Arguments, context: ToolContext) -> str:
        return _command(arguments)

    async def run(self, arguments: Arguments, context: ToolContext) -> Outcome:
        command = _command(arguments)
        seconds = min(MOST_SECONDS, float(arguments.get("timeout") or context.bash_timeout))
        before = memory_states(context)
        outcome = await _Run(command, seconds, context).outcome()
        return _with_memory_warning(outcome, secrets_brought_in(before, context))


def _with_memory_warning(outcome: Outcome, sentences: list[str]) -> Outcome:
    if not sentences:
        return outcome
    warning = " ".join(sentences)
    text = f"{outcome.text}\n[{warning} Remove it from the file, and tell the user.]"
    return replace(outcome, text=text, told=warning, warning=True)


def _command(arguments: Arguments) -> str:
    command = arguments.get("command")
    if not isinstance(command, str) or not command.strip():
        raise ToolError("The command is empty.")
    return command


class _Run:
    """One command from its start to its outcome."""

    def __init__(self, command: str, seconds: float, context: ToolContext) -> None:
        self._command = command
        self._seconds = seconds
        self._context = context
        self._output = CommandOutput(context.task_dir, context.emit)
        self._flooded = asyncio.Event()

    async def outcome(self) -> Outcome:
        environment = {**os.environ, **QUIET_ENVIRONMENT, **self._context.extra_environment}
        group = await ProcessGroup.start(self._command, self._context.workspace, environment, self._feed)
        try:
            code = await self._wait(group)
            await group.drain()
            left_behind = code is not None and group.has_members
        finally:
            try:
                await group.close()
            finally:
                self._output.close()
        if code is None:
            return self._ended_early()
        return self._finished(code, left_behind)

    def _feed(self, chunk: bytes) -> None:
        self._output.feed(chunk)
        if self._output.size > MOST_PRODUCED_BYTES:
            self._flooded.set()

    async def _wait(self, group: ProcessGroup) -> int | None:
        """The exit code; None when the command was ended because of its time or its output."""
        ending = asyncio.create_task(group.wait())
        flood = asyncio.create_task(self._flooded.wait())
        try:
            done, _ = await asyncio.wait((ending, flood), timeout=self._seconds, return_when=asyncio.FIRST_COMPLETED)
            if ending in done:
                return ending.result()
            await group.end()
            return None
        finally:
            ending.cancel()
            flood.cancel()

    def _ended_early(self) -> Outcome:
        why = f"it was not done within {self._seconds:g} s"
        advice = "Give a longer timeout, or find out why it waits (it can't be given input)."
        if self._flooded.is_set():
            why = "it printed more than 1 GB"
            advice = "Let it print less, for example through head."
        note = f"[The command was ended with all its processes, because {why}. {advice}]"
        return Outcome(self._text(note), status="error", kind="output", size=self._output.size)

    def _finished(self, code: int, left_behind: bool) -> Outcome:
        notes = []
        if left_behind:
            notes.append("[Processes left in the background were ended.]")
        if code:
            notes.append(f"[exit code {code}]")
        elif not self._output.size:
            notes.append("[exit code 0, no output]")
        return Outcome(
            self._text("\n".join(notes)),
            kind="output",
            size=self._output.size,
            failed_command=bounded_command(self._command) if code else None,
            exit_code=code or None,
        )

    def _text(self, note: str) -> str:
        output = visible(self._output.text()).rstrip("\n")
        return "\n".join(part for part in (output, note) if part)
