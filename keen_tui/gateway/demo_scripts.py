"""The short shows of the demo model: an edit, a failing command, a question, reasoning, a look back."""

from __future__ import annotations

from collections import Counter

from keen_tui.gateway.demo_request import DemoRequest, DoneCall
from keen_tui.gateway.demo_step import COMMANDS, INTRODUCTION, Call, Step, code, missing, one_line

SCRATCH = "keen-demo.md"
_FIRST = "# Keen demo\n\nThis file was written by the built-in demo. You can delete it.\n\n- colour: red\n"


def edit(request: DemoRequest) -> Step:
    """Write a scratch file, change it, look at it, explain."""
    if not {"write_file", "edit_file"} <= request.tools:
        return missing("write_file", "edit_file")
    written, edited = request.called("write_file"), request.called("edit_file")
    if not written:
        text = f"I write a scratch file, {code(SCRATCH)}. Keen asks you first, unless its mode allows it."
        return Step(f"{INTRODUCTION}\n\n{text}\n\n", (Call("write_file", {"path": SCRATCH, "content": _FIRST}),))
    if not written[-1].wrote and not _is_same(written[-1]):
        if written[-1].refused or len(written) > 1 or "read_file" not in request.tools:
            return _stopped(written[-1].result, written[-1].refused, "The file was not written")
        if not request.called("read_file"):
            return Step("It is there from before, so I read it first.\n\n", (Call("read_file", {"path": SCRATCH}),))
        return Step("Then I write it again.\n\n", (Call("write_file", {"path": SCRATCH, "content": _FIRST}),))
    if not edited:
        arguments = {"path": SCRATCH, "old_string": "- colour: red", "new_string": "- colour: green\n- size: small"}
        return Step("It is there. I change one line of it and add another.\n\n", (Call("edit_file", arguments),))
    if not edited[-1].wrote:
        return _stopped(edited[-1].result, edited[-1].refused, f"{code(SCRATCH)} stays as it was written")
    if "bash" in request.tools and not request.called("bash"):
        return Step("I check with a command.\n\n", (Call("bash", {"command": f"ls -l {SCRATCH}"}),))
    lines = [
        "## What happened",
        "",
        f"1. `write_file` made {code(SCRATCH)}: the card shows the whole file as added.",
        "2. `edit_file` replaced one exact text by another: the diff shows one line less and two more.",
    ]
    if ran := request.called("bash"):
        lines.append(f"3. `bash` said {code(_first_line(ran[-1].result))}.")
    lines += ["", f"Delete the file when you have seen enough: `rm {SCRATCH}`."]
    return Step("\n".join(lines) + "\n")


def refresh_brief(request: DemoRequest) -> Step:
    """After a reminder: note what was asked as done, then end."""
    last = request.calls[-1].name if request.calls else ""
    if "MissionUpdate" not in request.tools or last == "MissionUpdate":
        return Step("\n\nThe brief is up to date.\n")
    line = {"field": "done", "operation": "append", "text": one_line(request.user_text, 120)}
    return Step("", (Call("MissionUpdate", {"lines": [line]}),))


def _is_same(call: DoneCall) -> bool:
    return "already" in (call.result or "") and not call.refused


def _stopped(result: str | None, refused: bool, kept: str) -> Step:
    why = "You said no, or the mode did" if refused else f"The tool said {code(_first_line(result))}"
    return Step(f"{why}. {kept}, and I stop here: what is refused is not tried another way.\n")


def _first_line(text: str | None) -> str:
    lines = (text or "").strip().splitlines()
    return one_line(lines[0], 120) if lines else "nothing"


def fail(request: DemoRequest) -> Step:
    """Run a command that fails and say what is kept of it."""
    if "bash" not in request.tools:
        return missing("bash")
    ran = request.called("bash")
    if not ran:
        command = "echo 'this goes wrong on purpose' >&2; exit 3"
        return Step(f"{INTRODUCTION}\n\nI run a command that fails.\n\n", (Call("bash", {"command": command}),))
    if ran[-1].refused:
        return _stopped(ran[-1].result, True, "The command did not run")
    return Step(
        "The command ended with **exit code 3**. For Keen that is a call that worked and a command that did not:\n\n"
        "- the card shows what the command printed,\n"
        "- later turns know only the command and its exit code, not the output,\n"
        "- the Tools pane (F3) shows exactly what is kept.\n"
    )


def ask(request: DemoRequest) -> Step:
    """Ask the person something and use the answer."""
    if "ask_user" not in request.tools:
        return missing("ask_user")
    asked = request.called("ask_user")
    question = "Which colour do you like best?"
    if not asked:
        arguments = {"question": question, "choices": ["red", "green", "blue"]}
        return Step(f"{INTRODUCTION}\n\nI ask you something.\n\n", (Call("ask_user", arguments),))
    answer = one_line(asked[-1].result or "", 200)
    if "MissionUpdate" in request.tools and not request.called("MissionUpdate"):
        old = request.brief.get("clarifications", "").splitlines()
        lines = "\n".join([*old[-8:], f"{question} {answer}"])
        return Step("I note that in the brief.\n\n", (Call("MissionUpdate", {"clarifications": lines}),))
    return Step(f"You said: **{answer or 'nothing'}**. A real model would go on from there.\n")


def think(request: DemoRequest) -> Step:
    """Reasoning first, then a short answer."""
    reasoning = (
        "The user wants to see what reasoning looks like. It arrives before the answer and in pieces, "
        "as providers send it. Keen folds it, shows it while the process lives, and keeps only its size. "
        "So I think aloud for a few sentences, then answer.\n\n"
        f"The request holds about {request.size:,} bytes in its messages and {len(request.tools)} tools. "
        "None of them is needed for this."
    )
    answer = "That was reasoning: focus it and press Enter to unfold it. It is never sent to a later turn.\n"
    return Step(answer, reasoning=reasoning)


def help_text(request: DemoRequest) -> Step:
    """What the demo is and what it can show."""
    return Step(f"{INTRODUCTION} No key and no network are needed.\n\n{COMMANDS}")


def look_back(request: DemoRequest) -> Step:
    """What is left of earlier turns in this request."""
    if not request.history:
        return Step("This is the first turn of the task: there is nothing to look back on yet.\n")
    lines = ["## So far", "", "This is what the request still holds of earlier turns:", ""]
    for number, turn in enumerate(request.history[-20:], max(1, len(request.history) - 19)):
        counted = Counter(turn.tools)
        tools = ", ".join(f"`{name}`" + (f" ×{count}" if count > 1 else "") for name, count in counted.items())
        lines.append(f"{number}. “{one_line(turn.user_text, 160)}”: " + (tools or "no tools"))
    lines += ["", "What the tools returned is gone, as it is for every model: only that they ran is replayed."]
    if done := request.brief.get("done"):
        lines += ["", "The Mission Brief lists as done:", "", *(f"- {line}" for line in done.splitlines())]
    return Step("\n".join(lines) + "\n")
