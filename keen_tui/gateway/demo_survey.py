"""The demo model's main answer: it looks through the workspace and describes what it found."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import PurePosixPath

from keen_tui.gateway.demo_request import DemoRequest
from keen_tui.gateway.demo_step import INTRODUCTION, Call, Step, code, missing, one_line

_KEY_FILES = (
    "README.md",
    "README.rst",
    "README.txt",
    "README",
    "AGENTS.md",
    "pyproject.toml",
    "package.json",
    "Cargo.toml",
    "go.mod",
    "pom.xml",
    "build.gradle",
    "CMakeLists.txt",
    "Makefile",
    "setup.py",
    "composer.json",
    "Gemfile",
)
_COMMON_WORDS = (
    "about after again also and any are been before being but can could describe did does doing each "
    "explain file files find for from give has have hello here how into its just know like look make "
    "more need please show some tell that the their them then there these they thing this those use "
    "used using want was were what when where which who why will with would you your"
)
_COMMON = frozenset(_COMMON_WORDS.split())
_HIT = re.compile(r"(.+?):(\d+)[:-](.*)")
_DESCRIPTION = re.compile(r"""^\s*"?(name|description|version)"?\s*[=:]\s*"([^"]*)""", re.MULTILINE)


def survey(request: DemoRequest) -> Step:
    """The next reply on the way to an answer about the workspace."""
    if "glob" not in request.tools:
        return missing("glob")
    listed = request.called("glob")
    if not listed:
        text = f"{INTRODUCTION} I start with a look at what is here.\n\n"
        return Step(text, (Call("glob", {"pattern": "*"}),))
    files = listed[0].rows
    done = {(call.name, str(call.arguments.get("path", ""))) for call in request.calls}
    if not request.called("read_file") and not request.called("grep") and (calls := _first_look(request, files)):
        return Step(f"{_files(len(files))}. I read what describes them.\n\n", calls)
    if len(request.called("read_file")) <= len(_key_files(files)) and not request.called("MissionUpdate"):
        hits = [call for call in _read_hits(request) if ("read_file", call.arguments["path"]) not in done]
        if hits:
            return Step("Some lines fit your words, so I read around them.\n\n", tuple(hits[:2]))
    if "MissionUpdate" in request.tools and not request.called("MissionUpdate"):
        return Step("I note in the Mission Brief what this is about.\n\n", (_brief(request, files),))
    return Step(_answer(request, files))


def key_words(text: str) -> list[str]:
    """The words of a question that are worth a search, at most four."""
    words = [word for word in re.findall(r"[^\W\d_][\w-]{3,30}", text) if word.lower() not in _COMMON]
    return list(dict.fromkeys(word.lower() for word in words))[:4]


def _key_files(files: list[str]) -> list[str]:
    present = {path.lower(): path for path in files if "/" not in path}
    return [present[name.lower()] for name in _KEY_FILES if name.lower() in present][:4]


def _first_look(request: DemoRequest, files: list[str]) -> tuple[Call, ...]:
    calls: list[Call] = []
    if "read_file" in request.tools:
        chosen = _key_files(files) or files[:1]
        calls += [Call("read_file", {"path": path, "limit": 60}) for path in chosen]
    words = key_words(request.user_text)
    if "grep" in request.tools and words and files:
        calls.append(Call("grep", {"pattern": f"(?i){'|'.join(map(re.escape, words))}"}))
    return tuple(calls)


def _hits(request: DemoRequest) -> list[tuple[str, int, str]]:
    rows = [_HIT.match(row) for call in request.called("grep") for row in call.rows]
    return [(match.group(1), int(match.group(2)), match.group(3)) for match in rows if match]


def _read_hits(request: DemoRequest) -> list[Call]:
    if "read_file" not in request.tools:
        return []
    first: dict[str, int] = {}
    for path, line, _ in _hits(request):
        first.setdefault(path, line)
    return [Call("read_file", {"path": path, "offset": max(1, line - 5), "limit": 20}) for path, line in first.items()]


def _read_paths(request: DemoRequest) -> list[str]:
    paths = [str(c.arguments.get("path", "")) for c in request.called("read_file") if c.file_text is not None]
    return list(dict.fromkeys(paths))


def _brief(request: DemoRequest, files: list[str]) -> Call:
    read = ", ".join(_read_paths(request)[:6]) or "nothing"
    line = f"{one_line(request.user_text, 120)}: looked at {_files(len(files))}, read {read}"
    done = [*request.brief.get("done", "").splitlines(), line][-12:]
    arguments = {
        "done": one_line_each(done),
        "open": "Choose a real model with /model for work on the code",
        "current_focus": one_line(request.user_text, 200) or "Looking around",
    }
    if not request.brief.get("goal"):
        arguments = {"goal": one_line(request.user_text, 400) or "Look around in the workspace", **arguments}
    return Call("MissionUpdate", arguments)


def one_line_each(lines: list[str]) -> str:
    """Lines of the brief, each short enough for all of them to fit its field."""
    return "\n".join(one_line(line, 160) for line in lines)


def _answer(request: DemoRequest, files: list[str]) -> str:
    if not files:
        note = request.called("glob")[0].result or ""
        reason = f" (`{one_line(note, 100)}`)" if note and not note.startswith("[") else ""
        return (
            f"## Nothing to read yet\n\nI found no files in this workspace{reason}. Try `/demo edit`: it makes one.\n"
        )
    parts = [_headline(request), _listing(files), _table(files), _found(request), _example(request)]
    if notes := [one_line(note, 120) for note in request.notes]:
        parts.append("You said meanwhile: " + "; ".join(f"“{note}”" for note in notes) + ".")
    parts.append(_closing(request))
    return "\n\n".join(part for part in parts if part) + "\n"


def _files(count: int) -> str:
    return f"{count:,} file" + ("" if count == 1 else "s")


def _closing(request: DemoRequest) -> str:
    problems = [call.name for call in request.calls if call.refused]
    refused = f"You refused {', '.join(sorted(set(problems)))}, so I left that out. " if problems else ""
    return (
        f"{refused}That is all a demo can tell: choose a real model with `/model` to work on this, "
        "or say `/demo help` to see what else I can show."
    )


def _headline(request: DemoRequest) -> str:
    name, about = "", ""
    lines: list[str] = []
    for call in request.called("read_file"):
        path, text = str(call.arguments.get("path", "")), call.file_text
        if text is None:
            continue
        if path.lower().startswith("readme") and not about:
            heading, about = _readme(text)
            name = name or heading
            if heading or about:
                lines.append(f"{code(path)} says:\n\n> **{heading or path}**" + (f"\n>\n> {about}" if about else ""))
        else:
            fields = {key: value for key, value in reversed(_DESCRIPTION.findall(text)) if value}
            if fields and path in _KEY_FILES:
                said = ", ".join(f"{key} “{one_line(value, 160)}”" for key, value in sorted(fields.items()))
                lines.append(f"{code(path)} gives {said}.")
                name = name or fields.get("name", "")
    title = one_line(name, 80) or "This workspace"
    return "\n\n".join([f"## {title}", *lines])


def _readme(text: str) -> tuple[str, str]:
    """The first heading and the first paragraph of prose."""
    heading = previous = ""
    paragraph: list[str] = []
    for line in text.splitlines():
        bare = line.strip()
        if re.fullmatch(r"[=~-]{3,}", bare) and previous and not heading:
            heading, paragraph = previous, []
        elif bare.startswith("#") and not heading:
            heading = bare.lstrip("# ")
        elif paragraph and (not bare or bare.startswith("#")):
            break
        elif bare and not re.match(r"[#!<\[|`>-]|\.\. ", bare):
            paragraph.append(bare)
        previous = bare
    return one_line(heading, 100), one_line(" ".join(paragraph), 300)


def _listing(files: list[str]) -> str:
    folders = Counter(path.split("/", 1)[0] + "/" for path in files if "/" in path)
    top = [path for path in files if "/" not in path]
    lines = [f"- {code(folder)} with {_files(count)}" for folder, count in folders.most_common(6)]
    lines += [f"- {code(path)}" for path in top[:6]]
    rest = len(folders) + len(top) - len(lines)
    if rest > 0:
        lines.append(f"- and {rest} more")
    return f"I found **{_files(len(files))}**:\n\n" + "\n".join(lines)


def _table(files: list[str]) -> str:
    kinds = Counter(PurePosixPath(path).suffix.lower() or "no suffix" for path in files)
    examples: dict[str, str] = {}
    for path in files:
        examples.setdefault(PurePosixPath(path).suffix.lower() or "no suffix", path)
    rows = [f"| {code(kind)} | {count} | {code(examples[kind])} |" for kind, count in kinds.most_common(5)]
    return "| kind | files | for example |\n|---|---:|---|\n" + "\n".join(rows)


def _found(request: DemoRequest) -> str:
    hits = _hits(request)
    words = " or ".join(f"“{word}”" for word in key_words(request.user_text))
    if not request.called("grep"):
        return ""
    if not hits:
        return f"No line holds {words}."
    places = Counter(path for path, _, _ in hits).most_common(4)
    named = ", ".join(f"{code(path)} ({count})" for path, count in places)
    return f"{len(hits)} lines hold {words}, most of them in {named}."


def _example(request: DemoRequest) -> str:
    for call in reversed(request.called("read_file")):
        text = call.file_text
        lines = [line for line in (text or "").splitlines() if line.strip()][:4]
        path = str(call.arguments.get("path", ""))
        if lines and not path.lower().startswith("readme"):
            body = "\n".join(line[:100] for line in lines).replace("```", "'''")
            return f"A few lines of {code(path)}:\n\n```{_language(path)}\n{body}\n```"
    return ""


def _language(path: str) -> str:
    suffix = PurePosixPath(path).suffix.lower().lstrip(".")
    return {"py": "python", "js": "javascript", "ts": "typescript", "rs": "rust", "md": "markdown"}.get(
        suffix, suffix if suffix.isalnum() else ""
    )
