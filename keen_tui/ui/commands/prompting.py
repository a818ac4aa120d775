"""Actions on the prompt and the clipboard."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from textual.widgets import TextArea

from keen_tui.domain.errors import KeenError
from keen_tui.ui.actions import BY_SLASH
from keen_tui.ui.beside import run_beside
from keen_tui.ui.clipboard import code_blocks, copy_text
from keen_tui.ui.commands import shell
from keen_tui.ui.completion import SlashCommand, parse_slash
from keen_tui.ui.external_editor import edit_text

if TYPE_CHECKING:
    from keen_tui.ui.dashboard import Dashboard
    from keen_tui.ui.services import TaskSession

AGAIN = 1.0
"""Seconds in which a second Ctrl+C quits."""


def send(dashboard: Dashboard, text: str, steer: bool = False) -> None:
    """Send a prompt, or run it when it is a slash command; without a task it stays in the prompt."""
    dashboard.conversation.notice.clear()
    session = dashboard.display_of_task.session
    command = parse_slash(text)
    if command is not None and not _is_for_the_demo(command, session):
        run_slash(dashboard, command)
        return
    if session is None and dashboard.early_prompts is not None:
        dashboard.early_prompts.append(text)
        return
    if session is None:
        dashboard.conversation.prompt.put(text)
        dashboard.say("No task is open yet: choose a model with /model.", "warning")
        return
    if shell.is_shell_line(text):
        shell.run_shell_line(dashboard, session, text)
        return
    if steer and session.view.turn is not None:
        session.steer(text)
    else:
        session.send(text)
    dashboard.conversation.transcript.follow()
    run_beside(dashboard, dashboard.services.remember_prompt(text), "history")


def _is_for_the_demo(command: SlashCommand, session: TaskSession | None) -> bool:
    """The demo model has commands of its own, which are prompts to everybody else."""
    return command.word == "/demo" and session is not None and session.view.model == "demo"


def run_slash(dashboard: Dashboard, command: SlashCommand) -> None:
    """Run a slash command; an unknown one is answered with the nearest."""
    if command.action is not None:
        dashboard.run(command.action.id, command.argument)
        return
    near = get_close_matches(command.word.lower(), BY_SLASH, 1, 0.5)
    hint = f"Did you mean {near[0]}?" if near else "/help lists all of them."
    dashboard.say(f"{command.word} is no command. {hint}", "warning")
    dashboard.conversation.prompt.put(f"{command.word} {command.argument}".strip())


def act_on_queued(dashboard: Dashboard, what: str, prompt_id: str) -> None:
    """Edit, remove or hand over a queued prompt."""
    session = dashboard.display_of_task.session
    text = session.remove_queued(prompt_id) if session is not None else None
    if session is None or text is None:
        return
    prompt = dashboard.conversation.prompt
    if what == "remove":
        prompt.past.add(text)
        dashboard.say("Removed. Up brings it back.", seconds=4.0)
    elif what == "edit":
        prompt.clear_draft()
        prompt.put(text)
        prompt.focus()
    elif session.view.turn is not None:
        session.steer(text)
    else:
        session.send(text)
    if not session.view.queue:
        prompt.focus()


async def open_editor(dashboard: Dashboard, argument: str) -> None:
    """Edit the prompt, or the brief field with the focus, in the person's editor."""
    focused = dashboard.focused
    prompt = dashboard.conversation.prompt
    if isinstance(focused, TextArea) and focused is not prompt:
        focused.text = await edit_text(dashboard.app, focused.text)
        return
    prompt.put((await edit_text(dashboard.app, prompt.whole_text)).rstrip("\n"))
    dashboard.focus_pane("conversation")


def copy_or_clear(dashboard: Dashboard, argument: str) -> Awaitable[None] | None:
    """Copy a selection; else clear the draft, at once; else quit on the second press."""
    if selected := _selection(dashboard):
        return _copy(dashboard, selected)
    if dashboard.conversation.prompt.clear_draft():
        dashboard.say("The draft is cleared. Up brings it back.", seconds=4.0)
    elif dashboard.quit_gate.again():
        dashboard.run("app.quit", "at once")
    else:
        dashboard.say("Ctrl+C again quits", seconds=AGAIN)
    return None


async def _copy(dashboard: Dashboard, text: str) -> None:
    dashboard.say(await copy_text(dashboard.app, text))


def _selection(dashboard: Dashboard) -> str:
    focused = dashboard.focused
    if isinstance(focused, TextArea) and focused.selected_text:
        return focused.selected_text
    return dashboard.get_selected_text() or ""


async def copy_answer(dashboard: Dashboard, argument: str) -> None:
    """Copy the last answer, its code, or write it to a file."""
    turns = dashboard.display_of_task.view.turns
    answer = next((turn.prose.strip() for turn in reversed(turns) if turn.prose.strip()), "")
    if not answer:
        raise KeenError("There is no answer yet.", "Send a prompt first.")
    what, _, name = argument.partition(" ")
    if what == "file":
        path = _write_new(dashboard.services.workspace, name.strip() or "answer.md", answer + "\n")
        dashboard.say(f"The answer is in {path}.")
        return
    if what == "code":
        blocks = code_blocks(answer)
        if not blocks:
            raise KeenError("The last answer holds no code block.", "/copy takes all of it.")
        answer = "\n".join(blocks)
    elif what:
        raise KeenError(f"/copy knows code and file, not {what}.", "/copy alone takes the whole answer.")
    dashboard.say(await copy_text(dashboard.app, answer))


def _write_new(workspace: Path, name: str, text: str) -> Path:
    """Write a file that was not there, by a path from the workspace. Raises KeenError for any other."""
    other = "Give another name: /copy file NAME."
    try:
        path = (workspace / Path(name).expanduser()).resolve()
        with path.open("x", encoding="utf-8", errors="replace") as file:
            file.write(text)
    except FileExistsError:
        raise KeenError(f"{path} exists; nothing was written.", other) from None
    except FileNotFoundError:
        raise KeenError(f"{path.parent} is no folder; nothing was written.", other) from None
    except (OSError, RuntimeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise KeenError(f"{name} can't be written: {reason}.", other) from None
    return path


HANDLERS: Mapping[str, Callable[[Dashboard, str], Awaitable[None] | None]] = {
    "prompt.editor": open_editor,
    "app.copy": copy_or_clear,
    "copy.answer": copy_answer,
}
