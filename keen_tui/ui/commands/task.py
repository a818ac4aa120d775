"""Actions on the task: its model, mode, title, queue, and other tasks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, get_args

from keen_tui.domain.errors import KeenError
from keen_tui.domain.events import Mode
from keen_tui.store.task_lock import TaskLocked
from keen_tui.ui.amounts import dollars
from keen_tui.ui.dialogs.confirm import confirm_dialog
from keen_tui.ui.dialogs.model_picker import ADD_KEY, AddKey, model_picker
from keen_tui.ui.dialogs.task_picker import TaskPicker
from keen_tui.ui.services import TaskSession

if TYPE_CHECKING:
    from keen_tui.ui.dashboard import Dashboard

MODES: tuple[Mode, ...] = get_args(Mode)


def open_session(dashboard: Dashboard) -> TaskSession:
    """The open task. Raises KeenError when there is none."""
    session = dashboard.display_of_task.session
    if session is None:
        raise KeenError("No task is open.", "Choose a model with /model to start one.")
    return session


def change_mode(dashboard: Dashboard, argument: str) -> None:
    """The next mode, or the one that is named."""
    session = open_session(dashboard)
    if not argument:
        at = MODES.index(session.view.mode) if session.view.mode in MODES else -1
        session.set_mode(MODES[(at + 1) % len(MODES)])
    elif argument in MODES:
        session.set_mode(argument)
    else:
        raise KeenError(f"There is no mode {argument}.", f"There are: {', '.join(MODES)}.")


async def choose_model(dashboard: Dashboard, argument: str) -> None:
    """Choose a model for this task and the next ones; the first choice starts a task."""
    name = argument or await pick_model(dashboard, first_run=False)
    if name:
        await use_model(dashboard, name)


async def use_model(dashboard: Dashboard, name: str) -> None:
    """Make a model the default, and the open task's."""
    await dashboard.services.choose_model(name)
    session = dashboard.display_of_task.session
    if session is None:
        dashboard.display_of_task.attach(await dashboard.services.new_task(name))
    else:
        await session.switch_model(name)


async def pick_model(dashboard: Dashboard, first_run: bool) -> str:
    """The name of the chosen model, or an empty text."""
    app, services = dashboard.app, dashboard.services
    while True:
        choices = await services.model_choices()
        chosen = await app.push_screen_wait(model_picker(choices, first_run))
        name = chosen.removeprefix("model:")
        choice = next((choice for choice in choices if choice.name == name), None)
        if chosen != ADD_KEY and (choice is None or choice.usable):
            return name
        provider = name.split("/", 1)[0] if choice is not None and "/" in name else ""
        wanted, (provider, key) = provider, await app.push_screen_wait(AddKey(provider))
        if provider:
            try:
                dashboard.say(f"The key for {provider} is in {await services.add_key(provider, key)}.")
            except KeenError as error:
                dashboard.say(f"{error.message} {error.hint}".strip(), "error")
            else:
                if provider == wanted:
                    return name


async def new_task(dashboard: Dashboard, argument: str) -> None:
    """An empty task with the same model."""
    session = open_session(dashboard)
    await switch_to(dashboard, await dashboard.services.new_task(session.view.model or session.record.model))


async def resume(dashboard: Dashboard, argument: str) -> None:
    """Open an earlier task: the one that is named, or one of the list."""
    task_id = argument or await pick_task(dashboard)
    session = dashboard.display_of_task.session
    if not task_id or (session is not None and session.record.id == task_id):
        return
    if await may_leave(dashboard) and (opened := await open_task(dashboard, task_id)) is not None:
        await switch_to(dashboard, opened)


async def pick_task(dashboard: Dashboard) -> str:
    """The id of a task of the list, or an empty text."""
    session = dashboard.display_of_task.session
    tasks = await dashboard.services.tasks()
    picker = TaskPicker(tasks, session.record.id if session else "", dashboard.services.find_tasks)
    chosen = await dashboard.app.push_screen_wait(picker)
    return chosen.removeprefix("task:")


async def open_task(dashboard: Dashboard, task_id: str | None) -> TaskSession | None:
    """The task; one that another process has open is offered to be read. None when that is declined."""
    try:
        return await dashboard.services.open_task(task_id)
    except TaskLocked as error:
        answers = (("no", "Leave it"), ("read", "Open it to read only"))
        if await dashboard.app.push_screen_wait(confirm_dialog(error.message, answers)) != "read":
            return None
        return await dashboard.services.open_task(task_id, read_only=True)


async def may_leave(dashboard: Dashboard) -> bool:
    """Whether the open task may be left; asks while a turn runs."""
    session = dashboard.display_of_task.session
    if session is None or session.view.turn is None:
        return True
    answers = (("stay", "Stay"), ("leave", "Stop the turn and leave; everything done so far is kept"))
    return await dashboard.app.push_screen_wait(confirm_dialog("A turn is running.", answers)) == "leave"


async def switch_to(dashboard: Dashboard, session: TaskSession) -> None:
    """Show another task and close the one before."""
    before = dashboard.display_of_task.session
    dashboard.display_of_task.attach(session)
    if before is not None and before is not session:
        await before.close()
    dashboard.say_all(session.problems)
    dashboard.focus_pane("conversation")


async def rename(dashboard: Dashboard, argument: str) -> None:
    """Give the task a title."""
    await open_session(dashboard).rename(argument)


async def note(dashboard: Dashboard, argument: str) -> None:
    """Add a comment without a turn."""
    await open_session(dashboard).note(argument)


def steer(dashboard: Dashboard, argument: str) -> None:
    """Hand words to the running turn: those given, else the first queued prompt."""
    session = open_session(dashboard)
    text = argument
    if not text and session.view.queue:
        text = session.remove_queued(next(iter(session.view.queue))) or ""
    if not text:
        raise KeenError("There is nothing to hand over.", "Write it behind /steer, or queue a prompt first.")
    if session.view.turn is None:
        session.send(text)
    else:
        session.steer(text)


def set_tool_history(dashboard: Dashboard, argument: str) -> None:
    """Keep the results of coming turns for the model, in memory only, or drop them as usual."""
    match argument:
        case "full":
            open_session(dashboard).set_tool_history("full")
            dashboard.say("Results of coming turns stay in the context, in this session only.")
        case "none":
            open_session(dashboard).set_tool_history("none")
            dashboard.say("Results are dropped at the end of each turn.")
        case _:
            raise KeenError(f"There is no tool history “{argument}”.", "It is none or full.")


def cost(dashboard: Dashboard, argument: str) -> None:
    """What the task cost so far."""
    view = dashboard.display_of_task.view
    price = "price unknown" if view.cost is None else dollars(view.cost)
    dashboard.say(
        f"{price}: {view.input_tokens:,} tokens in ({view.cached_tokens:,} of them cached), "
        f"{view.output_tokens:,} out, {view.turn_count} turn{'s' if view.turn_count != 1 else ''}."
    )


def focus_queue(dashboard: Dashboard, argument: str) -> None:
    """Put the focus on the queued prompts."""
    if not dashboard.display_of_task.view.queue:
        dashboard.say("Nothing is queued. A prompt sent while a turn runs waits here.")
        return
    dashboard.focus_pane("conversation")
    dashboard.conversation.queue.focus()


async def quit_app(dashboard: Dashboard, argument: str) -> None:
    """Leave Keen; asks first while a turn runs, unless the person insisted."""
    if argument or await may_leave(dashboard):
        dashboard.app.exit()


def suspend(dashboard: Dashboard, argument: str) -> None:
    """Stop the process until the shell's `fg`."""
    dashboard.app.action_suspend_process()


HANDLERS: Mapping[str, Callable[[Dashboard, str], Awaitable[None] | None]] = {
    "mode.cycle": change_mode,
    "model.choose": choose_model,
    "task.new": new_task,
    "task.list": resume,
    "task.resume": resume,
    "task.rename": rename,
    "task.note": note,
    "task.steer": steer,
    "task.tool_history": set_tool_history,
    "task.cost": cost,
    "queue.focus": focus_queue,
    "app.quit": quit_app,
    "app.suspend": suspend,
}
