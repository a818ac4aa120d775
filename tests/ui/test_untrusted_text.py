"""Whatever the model, the tools, files and names say stays text: no markup, no control characters."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from keen_tui.config.settings import Settings
from keen_tui.domain.events import (
    ApprovalRequested,
    AssistantText,
    BriefChanged,
    ModelChanged,
    Notice,
    PromptQueued,
    QuestionAsked,
    TitleChanged,
    ToolFinished,
    ToolStarted,
    TurnStarted,
)
from keen_tui.memory.memory_files import MemoryFile
from keen_tui.ui.say import Say
from tests.ui.fake_session import FakeSession, Part, Record
from tests.ui.running import Running, running

MARKUP = ("[/", "[b + ", "[x=1,state=CLOSED]", "arr[0][/tmp]", "[red]red[/red]", "[@click=app.quit]go[/]")
CONTROL = (
    "\x1b[2J", "\x1b]52;c;aGk=\x07", "\x1b]8;;http://x\x1b\\", "\x9b2J", "\x1b[?1049h", "\x1b]0;unended", "\u202eevil",
    "a\rb", "\x7f\x08", "\ud800",
)  # fmt: skip
RAW = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def poison(session: FakeSession, text: str) -> None:
    """Every field that a task can show."""
    session.parts = [Part(text, 3, note=text), Part("b", 4, text=text)]
    session.emit(
        ModelChanged(model=text, wire=text),
        TitleChanged(title=text),
        TurnStarted(number=1, text=text),
        AssistantText(text=f"{text}\n\n"),
        ToolStarted(call_id="c1", tool=text, target=text),
        ToolFinished(
            call_id="c1", tool=text, status="error", target=text, output=text, output_kind=text, output_size=9,
            failed_command=text, file_changed=text, exit_code=1,
        ),
        BriefChanged(author="agent", revision=1, changes={"goal": text, "decisions": f"- {text}"}),
        Notice(text=text, hint=text),
        PromptQueued(prompt_id="q", text=text),
        ToolStarted(call_id="c2", tool="bash", target=text),
    )  # fmt: skip


def check(run: Running) -> None:
    strips = run.app.screen._compositor.render_strips()
    for strip in strips:
        for segment in strip:
            assert not RAW.search(segment.text), repr(segment.text)
        assert strip.cell_length == run.app.size.width


@pytest.mark.parametrize("text", [*MARKUP, *CONTROL])
async def test_hostile_text_in_every_field_of_a_task_is_only_text(tmp_path: Path, text):
    files = (MemoryFile("project", Path("/x") / text.replace("\0", ""), True, 20, 10, f"a\n{text}\n", 3, 2, text),)
    async with running(tmp_path, (160, 40), files=files, history=[text]) as run:
        poison(run.session, text)
        await run.settle()
        check(run)
        for key in ("f3", "v", "f4", "f5", "f6", "b"):
            await run.press(key)
            check(run)
        await run.press("f2", "up")
        check(run)
        run.dashboard.post_message(Say(text, "error"))
        run.session.emit(
            ApprovalRequested(
                request_id="a", call_id="c2", tool=text, question=text, reasons=(text,), rule=text, detail=text
            )
        )
        await run.settle()
        check(run)
        if text in MARKUP:
            assert text.strip() in run.text


@pytest.mark.parametrize("text", [*MARKUP, *CONTROL])
async def test_hostile_diffs_and_questions_are_only_text(tmp_path: Path, text):
    async with running(tmp_path, (80, 24)) as run:
        run.session.start_turn(text)
        run.session.emit(
            ApprovalRequested(
                request_id="a", call_id="c", tool="edit_file", question=text, kind="diff",
                detail=f"@@ -1 +1 @@\n-{text}\n+{text}\n",
            )
        )  # fmt: skip
        await run.settle()
        check(run)
        run.session.answer_approval("a", "once")
        run.session.emit(QuestionAsked(request_id="q", call_id="c", question=text, choices=(text, text)))
        await run.settle()
        check(run)


@pytest.mark.parametrize("text", [*MARKUP, "\x1b[2J", "\x9b2J", "\u202eevil"])
async def test_hostile_names_in_dialogs_are_only_text(tmp_path: Path, text):
    async with running(tmp_path, records=(Record("abc", text, model=text),), notices=(text,)) as run:
        check(run)
        run.prompt.put("/resume")
        await run.press("escape", "enter")
        await run.until(lambda: run.app.screen is not run.dashboard)
        check(run)
        await run.type("[b + ")
        check(run)
        await run.press("escape")
        run.prompt.put(f"/x{text}")
        await run.press("enter")
        check(run)


async def test_a_hostile_model_name_from_the_settings_is_only_text(tmp_path: Path):
    async with running(tmp_path, settings=Settings(model="a/[/b] [x=1]")) as run:
        await run.until(lambda: "[x=1]" in run.rows[0])
        check(run)


async def test_wide_characters_never_break_a_row(tmp_path: Path):
    for size in ((80, 24), (120, 40), (161, 41)):
        async with running(tmp_path / str(size[0]), size) as run:
            poison(run.session, "① ± ログイン 👩‍👩‍👧 1️⃣ é" * 8)
            await run.settle()
            for key in ("f3", "f4", "f6", "f2"):
                await run.press(key)
                check(run)
