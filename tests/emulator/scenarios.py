"""Ready-made models for work by hand: `python -m tests.emulator --scenario NAME`."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import PurePosixPath

from tests.emulator.reading import Reading, read
from tests.emulator.replies import FAULT_KINDS, Call, Fault, Recorded, Say

Scenario = Callable[[Recorded], Say | Fault]
NAMES = "echo, work, long:CHUNKS, long:CHUNKS:RATE, faults"
_DELTA = 6
_NUMBERED = re.compile(r"^\s*\d+\s*[\t|:→]\s?(.*)$")
_FILE = re.compile(r"[\w./-]*\w\.[A-Za-z]\w{0,5}\b")
_COMMAND = re.compile(r"`([^`]+)`")
_FAULT = re.compile(r"\bfault\s+(\w+)(\s+always\b)?")
_COMMENTS = {".py": "#", ".sh": "#", ".toml": "#", ".yml": "#", ".yaml": "#", ".js": "//", ".ts": "//", ".go": "//"}
_PAGES = (
    "## Part {n}\n\nThe loader opens the file, checks its **header** and gives a list of rows back. An empty "
    "file is *not* an error; whoever calls it must look at the length first.\n\n",
    "- read `settings_{n}.toml`\n- check every key\n  - nobody knows it: say so\n  - it is missing: use the "
    "default\n- write the result\n\n",
    "```python\ndef rows_{n}(path: Path) -> list[int]:\n    with path.open() as lines:\n"
    "        return [int(line) for line in lines if line.strip()]\n```\n\n",
    "| part {n} | before | after |\n| --- | ---: | ---: |\n| rows | 120 | 118 |\n| seconds | 1.2 | 0.9 |\n\n",
)


def scenario(name: str, delay: float = 0.0) -> Scenario:
    """The scenario of this name; `delay` is the seconds between deltas. Raises ValueError."""
    kind, _, rest = name.partition(":")
    match kind:
        case "echo":
            return lambda request: _echo(read(request), delay)
        case "work":
            return lambda request: _work(read(request), delay)
        case "faults":
            return Faults(delay)
        case "long" if re.fullmatch(r"\d+(:\d+)?", rest):
            count, _, rate = rest.partition(":")
            return lambda request: long_answer(int(count), int(rate or 0))
    raise ValueError(f"No scenario is called {name!r}. There are: {NAMES}.")


def long_answer(count: int, rate: int = 0) -> Say:
    """Markdown in exactly `count` deltas, `rate` of them a second; 0 is as fast as it goes."""
    parts: list[str] = []
    size = number = 0
    while size < count * _DELTA:
        number += 1
        page = "".join(_PAGES).replace("{n}", str(number))
        parts.append(page)
        size += len(page)
    return Say("".join(parts)[: count * _DELTA], chunk=_DELTA, delay=1 / rate if rate else 0.0)


class Faults:
    """`fault KIND` in the user's words strikes once, so that a retry gets through.

    `fault KIND always` strikes on every retry. Other words are echoed.
    """

    def __init__(self, delay: float = 0.0) -> None:
        self._delay = delay
        self._struck: set[bytes] = set()

    def __call__(self, request: Recorded) -> Say | Fault:
        reading = read(request)
        wish = _FAULT.search(reading.user_text)
        if wish is None or reading.results:
            return _echo(reading, self._delay)
        kind, always = wish.group(1), bool(wish.group(2))
        if kind not in FAULT_KINDS:
            return Say(f"No fault is called `{kind}`. There are: {', '.join(FAULT_KINDS)}.")
        if request.raw in self._struck and not always:
            return Say(f"The fault `{kind}` struck, and this is the answer to the next try.")
        self._struck.add(request.raw)
        return Fault(kind, retry_after=3 if kind in ("429", "503") else None)


def _echo(reading: Reading, delay: float) -> Say:
    quote = "\n".join(f"> {line}" for line in reading.user_text.splitlines())
    text = f"You said:\n\n{quote}\n\nThat is **{len(reading.user_text)}** characters."
    if reading.results:
        text += f"\n\nTool results in this turn: {len(reading.results)}. The last one:\n\n"
        text += "\n".join(f"    {line}" for line in reading.results[-1].splitlines()[:8])
    return Say(text, thinking="The user wants their words back.", delay=delay)


def _work(reading: Reading, delay: float) -> Say:
    """Look around and read side by side, edit, run a command, answer: the next step by what came back."""
    found = _FILE.search(_COMMAND.sub("", reading.user_text))
    target = found.group() if found else "app.py"
    left = len(reading.results)
    for text, calls in _steps(reading, target):
        offered = tuple(call for call in calls if call.name in reading.tools)
        if left < len(offered):
            return Say(text, thinking="What comes next? " + text, calls=offered, delay=delay)
        left -= len(offered)
    return Say(_summary(reading, target), delay=delay)


def _steps(reading: Reading, target: str) -> list[tuple[str, tuple[Call, ...]]]:
    look = (
        Call("glob", {"pattern": "**/*"}),
        Call("read_file", {"path": target}),
        Call("MissionUpdate", {"goal": f"Mark {target} as checked.", "open": "- edit\n- run the check"}),
    )
    steps: list[tuple[str, tuple[Call, ...]]] = [(f"I look around first and read `{target}`.\n\n", look)]
    line = next(filter(None, map(_unique_line, reading.results[:3])), "")
    if line:
        mark = _COMMENTS.get(PurePosixPath(target).suffix, "--")
        change = {"path": target, "old_string": line, "new_string": f"{line}  {mark} checked"}
        steps.append(("One line gets a mark.\n\n", (Call("edit_file", change),)))
    wish = _COMMAND.search(reading.user_text)
    command = wish.group(1) if wish else f"wc -l {target}"
    steps.append((f"I run `{command}` to check it.\n\n", (Call("bash", {"command": command}),)))
    return steps


def _unique_line(result: str) -> str:
    """The first line of a numbered listing that holds text and stands in the file once."""
    lines = [match.group(1) for match in map(_NUMBERED.match, result.splitlines()) if match]
    whole = "\n".join(lines)
    return next((line for line in lines if line.strip() and whole.count(line) == 1), "")


def _summary(reading: Reading, target: str) -> str:
    last = reading.results[-1].strip().splitlines() if reading.results else []
    shown = "\n".join(last[:6]) or "(nothing)"
    return (
        f"## Done\n\n- read `{target}`\n- tool results in this turn: **{len(reading.results)}**\n\n"
        f"The last one began:\n\n```\n{shown}\n```\n"
    )
