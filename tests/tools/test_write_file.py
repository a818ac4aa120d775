from __future__ import annotations

import asyncio
import codecs
import contextlib
import os
import stat

import pytest

from keen_tui.tools.base import ToolError
from keen_tui.tools.read_file import ReadFile
from keen_tui.tools.write_file import WriteFile


async def write(context, path, content):
    return await WriteFile().run({"path": str(path), "content": content}, context)


async def refusal(context, path, content):
    with pytest.raises(ToolError) as caught:
        await write(context, path, content)
    return str(caught.value)


async def read(context, path):
    return await ReadFile().run({"path": str(path)}, context)


async def test_a_file_and_its_folders_are_created(context, workspace):
    outcome = await write(context, "src/deep/a.py", "x = 1\n")
    assert (workspace / "src/deep/a.py").read_text() == "x = 1\n"
    assert outcome.file_changed == "src/deep/a.py"
    assert outcome.diff == "@@ -0,0 +1 @@\n+x = 1\n"
    assert (outcome.added, outcome.removed) == (1, 0)
    assert outcome.text.startswith("Created src/deep/a.py")
    assert sorted(os.listdir(workspace / "src/deep")) == ["a.py"]


async def test_the_mode_of_a_file_made_here_follows_the_umask(context, workspace):
    before = os.umask(0o027)
    try:
        await write(context, "a", "x\n")
    finally:
        os.umask(before)
    assert stat.S_IMODE((workspace / "a").stat().st_mode) == 0o640


async def test_an_existing_file_must_have_been_read(context, workspace):
    (workspace / "a").write_text("mine\n")
    assert "was not read" in await refusal(context, "a", "yours\n")
    assert (workspace / "a").read_text() == "mine\n"
    await read(context, "a")
    assert (await write(context, "a", "yours\n")).file_changed == "a"
    assert (workspace / "a").read_text() == "yours\n"


async def test_a_file_that_was_written_here_may_be_written_again(context):
    await write(context, "a", "1\n")
    assert (await write(context, "a", "2\n")).diff


async def test_an_empty_file_needs_no_reading(context, workspace):
    (workspace / "a").touch()
    assert (await write(context, "a", "x\n")).file_changed == "a"


async def test_a_change_between_read_and_write_is_kept(context, workspace):
    (workspace / "a").write_text("one\n")
    await read(context, "a")
    (workspace / "a").write_text("one, and the user's line\n")
    assert "changed on disk" in await refusal(context, "a", "two\n")
    assert (workspace / "a").read_text() == "one, and the user's line\n"


async def test_the_same_content_changes_nothing(context, workspace):
    (workspace / "a").write_text("same\n")
    before = (workspace / "a").stat()
    outcome = await write(context, "a", "same\n")
    assert outcome.file_changed is None and outcome.diff == ""
    assert (workspace / "a").stat().st_ino == before.st_ino


async def test_the_mode_stays(context, workspace):
    (workspace / "run").write_text("#!/bin/sh\n")
    (workspace / "run").chmod(0o750)
    await read(context, "run")
    await write(context, "run", "#!/bin/sh\necho\n")
    assert stat.S_IMODE((workspace / "run").stat().st_mode) == 0o750


async def test_a_read_only_file_is_left_alone(context, workspace):
    (workspace / "a").write_text("x\n")
    await read(context, "a")
    (workspace / "a").chmod(0o444)
    assert "read-only" in await refusal(context, "a", "y\n")
    assert (workspace / "a").read_text() == "x\n"


async def test_crlf_and_mark_and_encoding_stay(context, workspace):
    path = workspace / "a"
    for start, codec in ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le")):
        path.write_bytes(start + "a\r\nb\r\n".encode(codec))
        await read(context, "a")
        outcome = await write(context, "a", "ä\nb\n")
        assert path.read_bytes() == start + "ä\r\nb\r\n".encode(codec)
        assert "CRLF" in outcome.text
        assert (outcome.added, outcome.removed) == (1, 1)


async def test_windows_1252_stays_and_refuses_what_it_can_not_hold(context, workspace):
    (workspace / "a").write_bytes(b"gr\xfcn\n")
    await read(context, "a")
    await write(context, "a", "grün, schön\n")
    assert (workspace / "a").read_bytes() == b"gr\xfcn, sch\xf6n\n"
    sentence = await refusal(context, "a", "grün\n日\n")
    assert "\\u65e5 in line 2" in sentence
    assert (workspace / "a").read_bytes() == b"gr\xfcn, sch\xf6n\n"


async def test_a_lone_surrogate_is_refused(context, workspace):
    assert "\\ud800" in await refusal(context, "a", "x\ud800")
    assert not (workspace / "a").exists()


async def test_a_binary_file_is_not_overwritten(context, workspace):
    (workspace / "a").write_bytes(b"\x00\x01")
    assert "is no text" in await refusal(context, "a", "x")


async def test_a_link_is_written_through_and_stays_a_link(context, workspace, tmp_path):
    target = tmp_path / "outside.txt"
    target.write_text("x\n")
    (workspace / "link").symlink_to(target)
    assert WriteFile().access({"path": "link", "content": ""}, context).paths == (target.resolve(),)
    await read(context, "link")
    outcome = await write(context, "link", "y\n")
    assert (workspace / "link").is_symlink()
    assert target.read_text() == "y\n"
    assert outcome.file_changed == "…/outside.txt"


async def test_a_link_to_nothing_makes_its_target(context, workspace):
    (workspace / "link").symlink_to("target")
    await write(context, "link", "x\n")
    assert (workspace / "target").read_text() == "x\n"


async def test_the_preview_shows_the_change_and_makes_none(context, workspace):
    (workspace / "a").write_text("one\n")
    await read(context, "a")
    shown = await WriteFile().preview({"path": "a", "content": "two\n"}, context)
    assert shown == "@@ -1 +1 @@\n-one\n+two\n"
    assert (workspace / "a").read_text() == "one\n"
    assert os.listdir(workspace) == ["a"]


async def test_a_full_or_closed_disk_leaves_the_file_and_no_rubbish(context, workspace):
    (workspace / "file").write_text("x")
    assert "was not written" in await refusal(context, "file/below", "y")
    assert os.listdir(workspace) == ["file"]
    assert "is a folder" in await refusal(context, ".", "y")


async def test_a_cancelled_write_is_done_or_not_begun_when_the_cancellation_returns(context, workspace):
    (workspace / "a").write_text("before\n" * 200_000)
    await read(context, "a")
    for delay in (0, 0.001, 0.01, 0.03, 0.1):
        running = asyncio.create_task(write(context, "a", f"after {delay}\n" * 200_000))
        await asyncio.wait([running], timeout=delay)
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await running
        seen = (workspace / "a").read_text()
        assert seen == seen.split("\n", 1)[0].join(["", "\n"]) * 200_000
        assert os.listdir(workspace) == ["a"]
        assert context.stamps.is_current(workspace / "a", seen.encode())


async def test_two_writes_at_once_of_one_path_lose_nothing_in_silence(context, workspace):
    results = await asyncio.gather(write(context, "a", "one\n"), write(context, "a", "two\n"), return_exceptions=True)
    content = (workspace / "a").read_text()
    done = [result for result in results if not isinstance(result, BaseException)]
    assert content in ("one\n", "two\n")
    assert done and all(isinstance(result, ToolError) for result in results if result not in done)
