"""Everything the person can do, as data: the footer, the help, the palette, the slash commands and the
`[keys]` table read this one registry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Where = Literal[
    "global", "prompt", "list", "pane", "conversation", "tools", "brief", "field", "memory", "context",
    "approval", "question", "queue",
]  # fmt: skip

PLACES: dict[Where, str] = {
    "global": "Everywhere",
    "prompt": "Prompt",
    "list": "Lists and panes",
    "pane": "Panes",
    "conversation": "Conversation",
    "tools": "Tools",
    "brief": "Brief",
    "field": "Field or file",
    "memory": "Memory",
    "context": "Context",
    "approval": "Approval",
    "question": "Question",
    "queue": "Queue",
}


@dataclass(frozen=True, slots=True)
class Action:
    """One thing to do.

    `keys` are Textual key names, comma separated. `call` is the widget's own action for keys that belong
    to one place; actions without it are run by id. `slash` is its command with `argument` behind it, and
    `needs_argument` says that it does nothing without. `hint` is the short word of the bottom line.
    """

    id: str
    title: str
    keys: str = ""
    where: Where = "global"
    call: str = ""
    slash: str = ""
    argument: str = ""
    needs_argument: bool = False
    hint: str = ""
    typed: str = ""
    """What is typed into the prompt for it, where it is no key and no slash command."""


ACTIONS: tuple[Action, ...] = (
    Action("help.show", "Help for where you are", "f1", slash="/help", hint="help"),
    Action("pane.conversation", "Conversation: the prompt, and again for its cards", "f2"),
    Action("pane.tools", "Tools: what ran, and what the model still knows", "f3", slash="/tools"),
    Action("pane.brief", "Brief: the facts that stay pinned", "f4", slash="/brief", argument="[history]"),
    Action("pane.memory", "Memory: the memory files", "f5"),
    Action("pane.context", "Context: the next request, part by part", "f6", slash="/context"),
    Action("layout.maximise", "Maximise this pane, or put it back", "f7"),
    Action("layout.split_left", "Move the split to the left"),
    Action("layout.split_right", "Move the split to the right"),
    Action("task.answer", "Answer what the agent waits for", "f8", hint="answer"),
    Action("jump.start", "Jump to a pane or a card", "ctrl+o", hint="jump"),
    Action("palette.show", "All commands", "ctrl+p", hint="commands"),
    Action("prompt.editor", "Edit the prompt or field in your editor", "ctrl+g"),
    Action("mode.cycle", "Next mode", "shift+tab", slash="/mode", argument="[ask|accept-edits|plan|yolo]"),
    Action("task.interrupt", "One step back; stops a running turn", "escape", hint="stop"),
    Action("app.copy", "Copy the selection, else clear the draft, else quit", "ctrl+c"),
    Action("app.suspend", "Suspend Keen, as a shell does", "ctrl+z"),
    Action("focus.prompt", "Back to the prompt"),
    Action("tools.show_call", "The marked card's call in the Tools pane"),
    Action("focus.next", "Next part of the screen", "tab"),
    Action("model.choose", "Choose a model", slash="/model", argument="[name]"),
    Action("task.new", "New task", slash="/new"),
    Action("task.list", "Tasks of this workspace", slash="/tasks"),
    Action("task.resume", "Open an earlier task", slash="/resume", argument="[id]"),
    Action("task.rename", "Rename the task", slash="/rename", argument="title", needs_argument=True),
    Action("memory.tell", "Where the memory files are, or what they hold", slash="/memory", argument="[show]"),
    Action("task.note", "Add a comment without a turn", slash="/note", argument="text", needs_argument=True),
    Action("task.steer", "Hand words to the agent while it works", slash="/steer", argument="[text]"),
    Action("task.tool_history", "What coming turns keep of results, in this session", slash="/tool-history",
           argument="none|full", needs_argument=True),
    Action("task.piece", "Choose the piece that the task works by", slash="/piece", argument="[name]"),
    Action("task.cost", "What the task cost", slash="/cost"),
    Action("task.find", "Search the conversation", slash="/find", argument="words", needs_argument=True),
    Action("queue.focus", "Edit the queued prompts", slash="/queue"),
    Action("copy.answer", "Copy the last answer", slash="/copy", argument="[code|file NAME]"),
    Action("theme.choose", "Choose a theme", slash="/theme", argument="[name]"),
    Action("keys.show", "All keys", slash="/keys"),
    Action("doctor.show", "Check the installation", slash="/doctor"),
    Action("task.export", "Write the task to a file, without secrets", slash="/export", argument="[md|json] [NAME]"),
    Action("app.quit", "Quit", slash="/quit"),
    Action("prompt.send", "Send, or queue while a turn runs", "enter", "prompt", "send"),
    Action("prompt.newline", "New line (`\\` and Enter too)", "ctrl+j,shift+enter,alt+enter", "prompt", "newline"),
    Action("prompt.steer", "Send at once to the running turn", "ctrl+enter", "prompt", "steer"),
    Action("prompt.mention", "Name a file of the workspace", where="prompt", typed="@letters"),
    Action("prompt.shell", "Run a shell line; the model does not see it", where="prompt", typed="!line"),
    Action("prompt.shell_shown", "Run it and put its output into the prompt; !! alone: the last output",
           where="prompt", typed="!!line"),
    Action("prompt.undo", "Undo", "ctrl+underscore", "prompt", "undo"),
    Action("prompt.history_back", "Earlier prompt, from the first line", "up", "prompt", "history_back"),
    Action("prompt.history_forward", "Later prompt, from the last line", "down", "prompt", "history_forward"),
    Action("list.up", "Up", "up,k", "list", "move(-1)"),
    Action("list.down", "Down", "down,j", "list", "move(1)"),
    Action("list.page_up", "Page up", "pageup", "list", "page(-1)"),
    Action("list.page_down", "Page down", "pagedown", "list", "page(1)"),
    Action("list.first", "First", "g,home", "list", "edge(-1)"),
    Action("list.last", "Last", "G,end", "list", "edge(1)"),
    Action("list.choose", "Choose", "enter", "list", "choose"),
    Action("pane.maximise", "Maximise, or put back", "z", "pane", "screen.run('layout.maximise')"),
    Action("pane.split_left", "Move the split to the left", "<", "pane", "screen.run('layout.split_left')"),
    Action("pane.split_right", "Move the split to the right", ">", "pane", "screen.run('layout.split_right')"),
    Action("pane.search", "Search here", "/", "pane", "search", hint="search"),
    Action("pane.search_next", "Next hit", "n", "pane", "search_next"),
    Action("pane.leave", "Back to the prompt", "i", "pane", "screen.run('focus.prompt')"),
    Action("transcript.up", "Scroll up", "k,up", "conversation", "scroll_up"),
    Action("transcript.down", "Scroll down", "j,down", "conversation", "scroll_down"),
    Action("transcript.first", "First message", "g,home", "conversation", "scroll_home"),
    Action("transcript.last", "Last message, and follow", "G,end", "conversation", "follow", hint="follow"),
    Action("transcript.page_up", "Page up", "pageup", "conversation", "page_up"),
    Action("transcript.page_down", "Page down", "pagedown,space", "conversation", "page_down"),
    Action("transcript.previous_card", "Previous card", "left_square_bracket", "conversation", "card(-1)"),
    Action("transcript.next_card", "Next card", "right_square_bracket", "conversation", "card(1)", hint="card"),
    Action("transcript.toggle", "Fold or unfold the card", "enter", "conversation", "toggle_card", hint="unfold"),
    Action("transcript.tools", "This call in the Tools pane, and back to it from there", "t", "conversation",
           "screen.run('tools.show_call')"),
    Action("transcript.expand_all", "Fold or unfold all cards", "E", "conversation", "expand_all"),
    Action("transcript.next_match", "Next match", "n", "conversation", "match(1)"),
    Action("transcript.previous_match", "Previous match", "N", "conversation", "match(-1)"),
    Action("tools.view", "What ran, or what the model sees next", "v", "tools", "switch_view", hint="view"),
    Action("tools.failed", "Only calls that failed, or all again", "f", "tools", "failed", hint="failed"),
    Action("tools.changed", "Only calls that changed files, or all again", "c", "tools", "changed", hint="changed"),
    Action("tools.by_tool", "Only calls of one tool, the next one with each press", "t", "tools", "by_tool",
           hint="by tool"),
    Action("brief.edit", "Edit the field; Enter does so too, or jumps to what a line cites", "e", "brief", "edit",
           hint="edit"),
    Action("brief.add", "Add a line", "a", "brief", "add", hint="add"),
    Action("brief.cite", "Cite where a line comes from", "c", "brief", "cite", hint="cite"),
    Action("brief.undo", "Undo the last change", "u", "brief", "undo", hint="undo"),
    Action("brief.redo", "Redo", "r", "brief", "redo"),
    Action("brief.delete", "Delete the line", "d", "brief", "delete", hint="delete"),
    Action("brief.line_down", "Move the line down", "J", "brief", "move_line(1)"),
    Action("brief.line_up", "Move the line up", "K", "brief", "move_line(-1)"),
    Action("brief.history", "History, with what each change did", "h", "brief", "history", hint="history"),
    Action("brief.rule", "Make a rule from a constraint: a path that is read-only", "p", "brief", "rule"),
    Action("field.save", "Save", "f9,ctrl+enter", "field", "save", hint="save"),
    Action("field.merge", "Add what the agent wrote meanwhile", "ctrl+t", "field", "merge"),
    Action("field.leave", "Leave, asks if changed", "escape", "field", "leave", hint="leave"),
    Action("memory.edit", "Edit the file here", "e", "memory", "edit", hint="edit"),
    Action("memory.editor", "Edit the file in your editor", "E", "memory", "edit_outside", hint="your editor"),
    Action("memory.reload", "Read the files again", "r", "memory", "reload", hint="reload"),
    Action("context.body", "The request in the provider's own shape", "b", "context", "switch_body", hint="body"),
    Action("context.wire", "The body in the next wire format", "w", "context", "next_wire", hint="wire format"),
    Action("context.difference", "Difference to the last request", "d", "context", "difference", hint="difference"),
    Action("approval.once", "Yes, once", "y", "approval", "answer('once')", hint="once"),
    Action("approval.session", "Yes, for this session", "s", "approval", "answer('session')", hint="session"),
    Action("approval.project", "Yes, for this project", "p", "approval", "answer('project')", hint="project"),
    Action("approval.no", "No, and tell it why", "n", "approval", "refuse", hint="no"),
    Action("queue.edit", "Edit this prompt", "e", "queue", "edit", hint="edit"),
    Action("queue.remove", "Remove this prompt", "x,delete", "queue", "remove", hint="remove"),
    Action("queue.steer", "Hand it to the agent at once", "s", "queue", "steer", hint="steer"),
)  # fmt: skip

BY_ID: dict[str, Action] = {action.id: action for action in ACTIONS}
BY_SLASH: dict[str, Action] = {action.slash: action for action in ACTIONS if action.slash}


def actions_of(*places: Where) -> list[Action]:
    """The actions of some places, in order."""
    return [action for action in ACTIONS if action.where in places]
