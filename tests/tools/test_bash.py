from __future__ import annotations

import asyncio
import os
import stat
import subprocess
import time
from pathlib import Path

import pytest

from keen_tui.tools.base import ToolError
from keen_tui.tools.bash import QUIET_ENVIRONMENT, Bash
from keen_tui.tools.command_output import purge_outputs


async def run(context, command, **more):
    return await asyncio.wait_for(Bash().run({"command": command, **more}, context), 60)


def marked_processes(mark: str) -> list[str]:
    listing = subprocess.run(["ps", "-eo", "stat=,args="], capture_output=True, text=True, check=True).stdout
    return [line for line in listing.splitlines() if mark in line and not line.startswith("Z")]


async def until(condition, seconds=10.0):
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.01)


async def test_output_and_errors_come_merged_and_in_order(context):
    outcome = await run(context, "echo one; echo two >&2; echo three")
    assert outcome.text == "one\ntwo\nthree"
    assert outcome.kind == "output"
    assert outcome.size == 14
    assert (outcome.status, outcome.exit_code, outcome.failed_command) == ("success", None, None)


async def test_it_runs_in_the_workspace(context, workspace):
    assert (await run(context, "pwd")).text == str(workspace)


async def test_a_failed_command_is_a_successful_call_with_its_code(context):
    outcome = await run(context, "echo bad; TOKEN=sk-ant-api03-" + "a1B2" * 20 + " false")
    assert outcome.status == "success"
    assert outcome.exit_code == 1
    assert outcome.text == "bad\n[exit code 1]"
    assert outcome.failed_command.startswith("echo bad; TOKEN=")
    assert "a1B2" not in outcome.failed_command


async def test_a_shell_that_a_signal_ended_has_128_and_the_signal(context):
    assert (await run(context, "kill -9 $$")).exit_code == 137


async def test_silence_is_said(context):
    assert (await run(context, "true")).text == "[exit code 0, no output]"


@pytest.mark.parametrize(
    "command",
    ["read x; echo got:$x", "cat", "python3 -c 'input()'", "head -1 /dev/tty", "python3", "less /etc/passwd"],
)
async def test_a_command_that_wants_input_does_not_wait(context, command):
    began = time.monotonic()
    await run(context, command, timeout=30)
    assert time.monotonic() - began < 10


async def test_nothing_opens_a_pager_an_editor_or_a_prompt(context):
    text = (await run(context, "env")).text
    for name, value in QUIET_ENVIRONMENT.items():
        assert f"{name}={value}" in text.split("\n")


async def test_git_commit_without_a_message_does_not_wait(context):
    outcome = await run(context, "git init -q . && git -c user.name=a -c user.email=b commit --allow-empty")
    assert outcome.exit_code == 1
    assert "empty commit message" in outcome.text


async def test_extra_environment_is_passed_on(context, changed_context):
    changed = changed_context(extra_environment={"KEEN_TEST_EXTRA": "yes", "TERM": "xterm"})
    assert (await run(changed, "echo $KEEN_TEST_EXTRA $TERM")).text == "yes xterm"


async def test_output_is_streamed_while_it_runs_even_without_a_newline(changed_context, workspace):
    pieces: list[str] = []
    context = changed_context(emit=pieces.append)
    running = asyncio.create_task(run(context, "printf 'no newline'; until [ -e go ]; do sleep 0.05; done"))
    await until(lambda: "no newline" in "".join(pieces))
    assert not running.done()
    (workspace / "go").touch()
    assert (await running).text == "no newline"


async def test_characters_cut_between_two_writes_are_whole_on_the_screen(changed_context):
    pieces: list[str] = []
    context = changed_context(emit=pieces.append)
    outcome = await run(context, r"printf '\xe6\x97'; sleep 0.2; printf '\xa5\xff!'")
    assert "".join(pieces) == "日\ufffd!"
    assert outcome.text == "日\ufffd!"


async def test_escape_sequences_do_not_reach_the_model(context):
    text = (await run(context, r"printf '\033[?1049h\033]52;c;eA==\007x\x9b2J\033[31mred\033[0m\0'")).text
    assert "\x1b" not in text and "\x07" not in text and "\0" not in text
    assert "red" in text


async def test_long_output_keeps_head_and_tail_and_the_whole_on_disk(context):
    outcome = await run(context, "seq 1 20000")
    assert outcome.size == 108_894
    assert len(outcome.text) < 31_000
    assert outcome.text.startswith("1\n2\n")
    assert outcome.text.endswith("19999\n20000")
    assert "bytes left out here; the whole output is in" in outcome.text
    [kept] = (context.task_dir / "output").iterdir()
    assert str(kept) in outcome.text
    assert kept.read_bytes() == subprocess.run(["seq", "1", "20000"], capture_output=True, check=True).stdout
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700
    purge_outputs(context.task_dir)
    assert not kept.parent.exists()
    purge_outputs(context.task_dir)


@pytest.mark.parametrize("size", [29_999, 30_001, 119_999, 120_001, 120_500, 240_001, 400_000])
async def test_head_and_tail_are_whole_at_every_size(context, size):
    text = (await run(context, f"seq -s, 1 90000 | head -c {size}")).text
    whole = ",".join(map(str, range(1, 90_001)))[:size]
    if size < 30_000:
        assert text == whole
        return
    head, note, tail = text.split("\n")
    assert len(head) == len(tail) == 15_000
    assert whole.startswith(head) and whole.endswith(tail)
    assert f"[… {size - 30_000:,} bytes left out" in note
    assert [kept.read_text() for kept in (context.task_dir / "output").iterdir()] == [whole]


async def test_short_output_is_not_kept_on_disk(context):
    await run(context, "seq 1 1000")
    assert not (context.task_dir / "output").exists()


async def test_50_megabytes_stay_small_in_memory_and_on_the_screen(changed_context):
    pieces: list[str] = []
    context = changed_context(emit=pieces.append)
    outcome = await run(context, "head -c 60000000 /dev/zero | tr '\\0' x; echo; echo end")
    assert outcome.size == 60_000_005
    assert outcome.text.endswith("end")
    assert len(outcome.text) < 31_000
    assert "the first 52,428,800 bytes are in" in outcome.text
    [kept] = (context.task_dir / "output").iterdir()
    assert kept.stat().st_size == 50 * 1024 * 1024
    assert sum(map(len, pieces)) < 2_000_000
    assert "characters not shown" in "".join(pieces)
    assert pieces[-1].endswith("end\n")


async def test_a_flood_does_not_hold_up_the_loop(context):
    longest = 0.0
    running = asyncio.create_task(run(context, "head -c 30000000 /dev/urandom"))
    while not running.done():
        began = time.monotonic()
        await asyncio.sleep(0)
        longest = max(longest, time.monotonic() - began)
    assert longest < 1.0


async def test_endless_output_is_ended(context, monkeypatch):
    monkeypatch.setattr("keen_tui.tools.bash.MOST_PRODUCED_BYTES", 10_000_000)
    outcome = await run(context, "yes")
    assert outcome.status == "error"
    assert "printed more than" in outcome.text


async def test_a_full_disk_is_said_and_the_command_goes_on(changed_context, tmp_path):
    (tmp_path / "nofolder").write_text("")
    outcome = await run(changed_context(task_dir=tmp_path / "nofolder"), "seq 1 50000; echo end")
    assert "could not be kept" in outcome.text
    assert outcome.text.endswith("end")


async def test_the_time_limit_ends_every_process(context):
    began = time.monotonic()
    outcome = await run(context, "echo begun; sleep 71.4242 & sleep 71.4242", timeout=1)
    assert outcome.status == "error"
    assert outcome.text.startswith("begun\n[The command was ended")
    assert "not done within 1 s" in outcome.text
    assert time.monotonic() - began < 10
    assert marked_processes("71.4242") == []


async def test_a_command_that_ignores_sigterm_is_killed(context):
    command = "trap '' TERM; echo up; while :; do sleep 72.4242; done"
    began = time.monotonic()
    outcome = await run(context, command, timeout=1)
    assert outcome.status == "error"
    assert time.monotonic() - began < 10
    assert marked_processes("72.4242") == []


async def test_interrupting_ends_every_process(changed_context):
    pieces: list[str] = []
    context = changed_context(emit=pieces.append)
    running = asyncio.create_task(run(context, "trap '' TERM; sleep 73.4242 & echo up; sleep 73.4242"))
    await until(lambda: pieces)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert marked_processes("73.4242") == []


async def test_a_child_in_the_background_does_not_hang_the_call_and_is_ended(context):
    began = time.monotonic()
    outcome = await run(context, "sleep 74.4242 & echo started")
    assert outcome.text == "started\n[Processes left in the background were ended.]"
    assert outcome.exit_code is None
    assert time.monotonic() - began < 5
    assert marked_processes("74.4242") == []


async def test_what_a_child_writes_right_after_the_shell_ended_is_read(context):
    outcome = await run(context, "(sleep 0.05; echo late) & echo first")
    assert outcome.text.startswith("first\nlate")


async def test_a_pipeline_that_stops_early_is_fine(context):
    assert (await run(context, "yes | head -2")).text == "y\ny"


async def test_quotes_and_many_lines_reach_bash_as_they_are(context):
    outcome = await run(context, "cat <<'X'\n$HOME \"q\" 'r' `z`\nX\nprintf '%s\\n' -n")
    assert outcome.text == "$HOME \"q\" 'r' `z`\n-n"


async def test_what_can_not_be_started_is_said(context, changed_context, tmp_path):
    for command, words in (("", "empty"), ("a\0b", "NUL"), ("x" * 200_000, "could not be started")):
        with pytest.raises(ToolError, match=words):
            await run(context, command)
    with pytest.raises(ToolError, match="workspace folder is gone"):
        await run(changed_context(workspace=tmp_path / "gone"), "true")


async def test_no_file_descriptor_is_left_open(context):
    await run(context, "true")
    before = len(list(Path("/proc/self/fd").iterdir()))
    for command in ("true", "sleep 75.4 &", "false"):
        await run(context, command)
    await run(context, "sleep 9", timeout=1)
    await until(lambda: len(os.listdir("/proc/self/fd")) <= before)


async def test_preview_and_access_are_the_command(context):
    assert await Bash().preview({"command": "ls"}, context) == "ls"
    access = Bash().access({"command": "ls"}, context)
    assert (access.kind, access.command) == ("command", "ls")
    with pytest.raises(ToolError):
        Bash().access({"command": " "}, context)
