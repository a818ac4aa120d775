"""The command line: keen, and keen run, tasks, brief, memory, scrub, context, export, doctor."""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, get_args

from keen_tui import __version__
from keen_tui.domain.errors import KeenError

if TYPE_CHECKING:
    from keen_tui.agent.export import ExportFormat
    from keen_tui.agent.person import Nobody, PersonAtScreen
    from keen_tui.agent.workbench import Workbench
    from keen_tui.domain.exchange import Wire

MODES = ("ask", "accept-edits", "plan", "yolo")
FAILED, USAGE, IN_USE, INTERRUPTED = 1, 2, 4, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run Keen. Returns the exit code; every error is one sentence on standard error."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    commands = {
        "run": _run,
        "tasks": _tasks,
        "brief": _brief,
        "memory": _memory,
        "scrub": _scrub,
        "doctor": _doctor,
        "context": _context,
        "export": _export,
    }
    name = arguments[0] if arguments else ""
    try:
        if name in commands:
            return commands[name](arguments[1:])
        return _dashboard(arguments)
    except KeenError as error:
        from keen_tui.security.untrusted import visible
        from keen_tui.store.task_lock import TaskLocked

        print(visible(f"keen: {error.message}"), file=sys.stderr)
        if error.hint:
            print(visible(f"      {error.hint}"), file=sys.stderr)
        return IN_USE if isinstance(error, TaskLocked) else USAGE
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the last flush finds a reader
        return 0


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise KeenError(f"{message}.", f"`{self.prog} --help` shows what is possible.")


def _parser(prog: str, description: str) -> _Parser:
    return _Parser(prog=prog, description=description, allow_abbrev=False)


def _dashboard(arguments: list[str]) -> int:
    parser = _parser("keen", "A full-screen dashboard for long tasks with a coding agent.")
    parser.epilog = "Also: keen run, tasks, brief, memory, scrub, context, export, doctor. Each has its own --help."
    parser.add_argument("prompt", nargs="?", help="sent as soon as the dashboard is up")
    parser.add_argument("--model", help="a litellm model name, or demo")
    parser.add_argument("--mode", choices=MODES)
    parser.add_argument("--continue", dest="continue_", action="store_true", help="the newest task of this folder")
    parser.add_argument("--resume", nargs="?", const="", metavar="ID", help="a task by its id, or choose from a list")
    parser.add_argument("--low-bandwidth", action="store_true", help="write less to the terminal")
    parser.add_argument("--version", action="version", version=f"keen {__version__}")
    options = parser.parse_args(arguments)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise KeenError("The dashboard needs a terminal.", "Without one, use `keen run PROMPT`.")
    flags = {"model": options.model, "mode": options.mode}
    if options.low_bandwidth:
        flags["ui.low_bandwidth"] = "on"
    gc.disable()  # what is made before the first paint stays
    bench = _workbench(flags, at_screen=True)
    os.environ.setdefault("TEXTUAL_FPS", "120")  # read at its import: a key waits half as long for its frame

    from keen_tui.ui.app import KeenApp

    app = KeenApp(
        bench, prompt=options.prompt, resume=options.resume, continue_=options.continue_, painted=_begin_collecting
    )
    app.run(mouse=bench.settings.ui.mouse)
    return app.return_code or 0


def _begin_collecting() -> None:
    """Collect garbage from here on, and never walk through what the start made: pauses stay short."""
    gc.freeze()
    gc.enable()


def _run(arguments: list[str]) -> int:
    parser = _parser("keen run", "One turn without a screen. What would ask is refused unless --mode allows it.")
    parser.add_argument("prompt", help="the prompt; - reads standard input")
    parser.add_argument("--model", help="a litellm model name, or demo")
    parser.add_argument("--mode", choices=MODES)
    parser.add_argument("--continue", dest="continue_", action="store_true", help="the newest task of this folder")
    parser.add_argument("--task", metavar="ID", help="go on with this task")
    parser.add_argument("--piece", metavar="NAME", help="the workflow, such as work or plan-build-review")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    options = parser.parse_args(arguments)
    prompt = sys.stdin.read() if options.prompt == "-" else options.prompt
    if not prompt.strip():
        raise KeenError("The prompt is empty.", "Give it as an argument, or pipe it in: keen run - < prompt.md")
    bench = _workbench({"model": options.model, "mode": options.mode}, at_screen=False)
    return asyncio.run(_run_turn(bench, prompt, options))


async def _run_turn(bench: Workbench, prompt: str, options: argparse.Namespace) -> int:
    from keen_tui.agent.headless import run_headless

    try:
        if options.task or options.continue_:
            session = await bench.open_task(options.task, model=options.model)
            if options.mode:
                session.set_mode(options.mode)
        elif bench.settings.model is None:
            raise KeenError("No model is chosen.", "Add --model NAME; `--model demo` needs no key.")
        else:
            session = await bench.new_task(bench.settings.model)
        if options.piece and (problem := session.choose_piece(options.piece)):
            raise KeenError(problem)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, session.interrupt)
        return await run_headless(session, prompt, options.format)
    finally:
        await bench.close()


def _tasks(arguments: list[str]) -> int:
    from keen_tui.cli_tasks import tasks_command

    parser = _parser("keen tasks", "The tasks of this workspace, newest first.")
    return tasks_command(parser, arguments, lambda: _workbench({}, at_screen=False))


def _brief(arguments: list[str]) -> int:
    parser = _parser("keen brief", "Shows the Mission Brief of a task, or edits it.")
    parser.add_argument("--task", metavar="ID", help="a task's id or a unique prefix; else the newest of this folder")
    parser.add_argument("--set", metavar="FIELD=TEXT", action="append", default=[], help="an empty TEXT clears it")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    changes: dict[str, str] = {}
    for change in options.set:
        name, equals, text = change.partition("=")
        if not equals:
            raise KeenError(f"--set {change} holds no =. Nothing was changed.", "Write --set goal='Ship it.'")
        changes[name.strip()] = text
    return asyncio.run(_show_brief(options.task, changes, options.json))


async def _show_brief(task: str | None, changes: dict[str, str], as_json: bool) -> int:
    from keen_tui.domain.brief import MODEL_FIELDS, TITLES
    from keen_tui.domain.brief_json import brief_json
    from keen_tui.security.untrusted import visible

    bench = _workbench({}, at_screen=False)
    try:
        session = await bench.open_task(task, read_only=not changes)
        if changes and (problem := await session.edit_brief(changes)):
            raise KeenError(problem, "Nothing was changed.")
        brief = session.view.brief
    finally:
        await bench.close()
    if as_json:
        print(json.dumps(brief_json(brief), ensure_ascii=False))
        return 0
    for name in MODEL_FIELDS:
        if text := brief.get(name).strip():
            print(visible(f"{TITLES[name]} ({name})\n{text}\n"))
    if not any(brief.get(name).strip() for name in MODEL_FIELDS):
        print("The brief is empty.")
    return 0


def _memory(arguments: list[str]) -> int:
    from keen_tui.cli_memory import memory_command

    return memory_command(_parser("keen memory", "The memory files: where they are, and what they hold."), arguments)


def _scrub(arguments: list[str]) -> int:
    from keen_tui.cli_memory import scrub_command

    return scrub_command(_parser("keen scrub", "Removes a leaked secret from everything that Keen keeps."), arguments)


def _context(arguments: list[str]) -> int:
    from keen_tui.domain.exchange import Wire

    parser = _parser("keen context", "What the next request of a task would hold.")
    parser.add_argument("--task", metavar="ID", help="a task's id or a unique prefix; else the newest of this folder")
    parser.add_argument("--wire", choices=get_args(Wire), help="the whole body, in this wire format")
    parser.add_argument("--json", action="store_true", help="the whole body as one line of JSON")
    options = parser.parse_args(arguments)
    return asyncio.run(_show_context(options.task, options.wire, options.json))


async def _show_context(task: str | None, wire: Wire | None, as_json: bool) -> int:
    from keen_tui.security.untrusted import visible

    bench = _workbench({}, at_screen=False)
    try:
        session = await bench.open_task(task, read_only=True)
        parts, body = session.next_request(), session.native_body(wire)
    finally:
        await bench.close()
    if wire or as_json:
        print(json.dumps(body, indent=None if as_json else 2, ensure_ascii=True))
        return 0
    for part in parts:
        about = "~" if part.estimated else ""
        print(visible(f"{part.name:<28} {f'{about}{part.tokens:,}':>10}  {part.note}").rstrip())
    return 0


def _export(arguments: list[str]) -> int:
    parser = _parser("keen export", "A task as one document on standard output, without secrets and tool outputs.")
    parser.add_argument("--task", metavar="ID", help="a task's id or a unique prefix; else the newest of this folder")
    parser.add_argument("--format", choices=("md", "json"), default="md")
    options = parser.parse_args(arguments)
    return asyncio.run(_print_export(options.task, options.format))


async def _print_export(task: str | None, format: ExportFormat) -> int:
    from keen_tui.agent.export import export_task

    bench = _workbench({}, at_screen=False)
    try:
        session = await bench.open_task(task, read_only=True)
        print(export_task(session.record.id, session.view, format), end="")
    finally:
        await bench.close()
    return 0


def _doctor(arguments: list[str]) -> int:
    parser = _parser("keen doctor", "Checks the installation and says what to do.")
    parser.add_argument("--task", metavar="ID", nargs="?", const="", help="one task's records; else the installation")
    parser.add_argument("--fix", action="store_true", help="repair the task, the newest of this folder without an ID")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    return asyncio.run(_check(options.task, options.fix, options.json))


async def _check(task: str | None, fix: bool, as_json: bool) -> int:
    from keen_tui.security.untrusted import visible_line

    bench = _workbench({}, at_screen=False)
    if task is not None or fix:
        from keen_tui.cli_tasks import examine_task

        checks = list(await examine_task(bench, task or None, fix))
    else:
        from keen_tui.agent.doctor import check_all

        try:
            checks = await check_all(bench.home, bench.settings, bench.environ, bench.gateway)
        finally:
            await bench.close()
    if as_json:
        print(json.dumps([asdict(check) for check in checks]))
    for check in () if as_json else checks:
        mark = {"ok": "ok     ", "note": "note   ", "problem": "PROBLEM"}[check.state]
        print(visible_line(f"{mark}  {check.name:<14} {check.found}"))
        if check.hint:
            print(visible_line(f"{'':24} -> {check.hint}"))
    return FAILED if any(check.state == "problem" for check in checks) else 0


def _workbench(flags: dict[str, str | None], *, at_screen: bool) -> Workbench:
    """Settings, log file and gateway; nothing is started yet."""
    from keen_tui.agent.logs import log_to_file
    from keen_tui.agent.person import Nobody, PersonAtScreen
    from keen_tui.agent.workbench import Workbench
    from keen_tui.config.load import load_settings
    from keen_tui.config.paths import KeenHome
    from keen_tui.config.workspace import find_workspace
    from keen_tui.gateway.routed import routed_gateway

    environ = dict(os.environ)
    try:
        cwd = Path.cwd()
    except OSError as error:
        raise KeenError(
            "The current folder is gone or can't be read.", "Go to another folder and start again."
        ) from error
    home = KeenHome.from_environment(environ)
    workspace = find_workspace(cwd)
    loaded = load_settings(home, workspace, environ, flags)
    home.ensure()
    log_to_file(home.log_dir)
    person: PersonAtScreen | Nobody = PersonAtScreen() if at_screen else Nobody()
    return Workbench(
        home=home,
        workspace=workspace,
        cwd=cwd,
        settings=loaded.settings,
        environ=environ,
        gateway=routed_gateway(home.log_dir),
        notices=loaded.notices,
        person=person,
    )


if __name__ == "__main__":
    sys.exit(main())
