from __future__ import annotations

import asyncio
import codecs
import os
import socket
import zipfile

import pytest

from keen_tui.tools.base import ToolError
from keen_tui.tools.read_file import ReadFile
from tests.privileges import rights_hold


async def read(context, path, **more):
    return await asyncio.wait_for(ReadFile().run({"path": str(path), **more}, context), 10)


async def refusal(context, path, **more):
    with pytest.raises(ToolError) as caught:
        await read(context, path, **more)
    return str(caught.value)


async def test_lines_come_with_numbers_and_the_end_is_said(context, workspace):
    (workspace / "a.py").write_text("one\n\ttwo\n")
    outcome = await read(context, "a.py")
    assert outcome.text == "     1\tone\n     2\t\ttwo\n[end of file, 2 lines]"
    assert outcome.kind == "file"
    assert outcome.size == 9
    assert context.stamps.knows(workspace / "a.py")


async def test_a_long_file_says_how_many_lines_there_are_and_how_to_go_on(context, workspace):
    (workspace / "long").write_text("".join(f"line {n}\n" for n in range(1, 2501)))
    text = (await read(context, "long")).text
    assert text.endswith("[lines 1 to 1,000 of 2,500; go on with offset=1001]")
    text = (await read(context, "long", offset=2499, limit=9999)).text
    assert text == "  2499\tline 2499\n  2500\tline 2500\n[lines 2,499 to 2,500, the end of the file]"
    text = (await read(context, "long", offset=10, limit=1)).text
    assert text == "    10\tline 10\n[lines 10 to 10 of 2,500; go on with offset=11]"
    text = (await read(context, "long", offset=9000)).text
    assert text == "[long ends with line 2,500; offset 9000 is behind its end]"


async def test_a_long_line_is_cut_with_a_mark(context, workspace):
    (workspace / "min.js").write_text("x" * 5000 + "\n")
    text = (await read(context, "min.js")).text
    assert "x" * 2000 + "… [3,000 more characters in this line]" in text
    assert "x" * 2001 not in text


async def test_many_long_lines_stop_before_they_flood_the_model(context, workspace):
    (workspace / "wide").write_text(("y" * 1900 + "\n") * 900)
    text = (await read(context, "wide")).text
    assert len(text) < 125_000
    assert "of 900; go on with offset=" in text


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (codecs.BOM_UTF8 + "grün\n".encode(), "UTF-8 with a byte order mark"),
        (codecs.BOM_UTF16_LE + "grün\n".encode("utf-16-le"), "UTF-16 LE"),
        (codecs.BOM_UTF16_BE + "grün\n".encode("utf-16-be"), "UTF-16 BE"),
        (codecs.BOM_UTF32_LE + "grün\n".encode("utf-32-le"), "UTF-32 LE"),
        (b"gr\xfcn\n", "read as Windows-1252"),
        (b"gr\xfcn \x81\n", "read as Latin-1"),
        ("grün\r\n".encode(), "CRLF line endings"),
        ("grün\r\nx\n".encode(), "mixed line endings"),
        ("grün".encode(), "no newline at the end"),
        ("grün ä ö\n".encode() + b"\xff\n", "UTF-8 with 1 invalid bytes"),
    ],
)
async def test_encodings_are_read_and_what_is_special_is_said(context, workspace, content, words):
    (workspace / "f").write_bytes(content)
    text = (await read(context, "f")).text
    assert text.startswith("     1\tgrün")
    assert words in text
    assert "\r" not in text and "\ufeff" not in text


async def test_an_empty_file_says_so(context, workspace):
    (workspace / "empty").touch()
    assert (await read(context, "empty")).text == "[empty is empty]"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\x89PNG\r\n\x1a\n" + bytes(range(64)), "PNG image"),
        (b"\xff\xd8\xff\xe0" + b"a" * 64, "JPEG image"),
        (b"%PDF-1.7\n1 0 obj\n", "PDF document"),
        (b"\x7fELF\x02\x01\x01" + b"\0" * 9, "ELF program"),
        (b"\x1f\x8b\x08\0", "gzip data"),
        (b"SQLite format 3\x00", "SQLite database"),
        (b"RIFF\x10\0\0\0WEBPVP8 ", "WebP image"),
        (b"words\0words", "binary data"),
        (bytes(range(1, 32)) * 4, "binary data"),
        (codecs.BOM_UTF16_LE + b"\x00\xd8a", "binary data"),
    ],
)
async def test_binary_files_are_refused_with_their_type(context, workspace, content, words):
    (workspace / "x.txt").write_bytes(content)
    assert words in await refusal(context, "x.txt")
    assert not context.stamps.knows(workspace / "x.txt")


async def test_an_archive_is_named(context, workspace):
    with zipfile.ZipFile(workspace / "a.zip", "w") as archive:
        archive.writestr("a", "b")
    assert "zip archive" in await refusal(context, "a.zip")


async def test_a_name_does_not_make_an_image(context, workspace):
    (workspace / "x.png").write_text("<html>not an image</html>\n")
    assert "<html>" in (await read(context, "x.png")).text


async def test_a_text_that_begins_like_an_image_is_text(context, workspace):
    (workspace / "notes").write_text("GIF89a is how a GIF begins\n")
    assert "how a GIF begins" in (await read(context, "notes")).text


async def test_a_folder_leads_to_glob(context, workspace):
    (workspace / "src").mkdir()
    assert "src is a folder. List it with glob" in await refusal(context, "src")


async def test_a_pipe_a_socket_and_a_device_are_refused_without_waiting(context, workspace):
    os.mkfifo(workspace / "pipe")
    assert "is a pipe" in await refusal(context, "pipe")
    assert "is a device" in await refusal(context, "/dev/zero")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(workspace / "sock"))
        assert "is a socket" in await refusal(context, "sock")


async def test_2_gigabytes_are_refused_with_advice(context, workspace):
    with (workspace / "big").open("wb") as file:
        file.truncate(2 * 1024**3)
    sentence = await refusal(context, "big")
    assert "2,048.0 MB" in sentence and "grep" in sentence


async def test_a_missing_file_names_what_is_near(context, workspace):
    (workspace / "settings.py").touch()
    assert "Near it: settings.py" in await refusal(context, "setings.py")
    assert "Near it: settings.py" in await refusal(context, "Settings.PY")
    assert "Find the right name with glob" in await refusal(context, "zzz")
    assert "nearest folder that exists is ." in await refusal(context, "no/such/file")


async def test_odd_paths_are_refused_in_a_sentence(context):
    for path in ("", " ", "a\0b", "x" * 5000, "\ud800"):
        assert await refusal(context, path)


async def test_unreadable_is_said(context, workspace):
    (workspace / "secret").write_text("x")
    (workspace / "secret").chmod(0)
    with rights_hold():
        assert "can't be read" in await refusal(context, "secret")


async def test_access_is_the_place_behind_a_link(context, workspace, tmp_path):
    outside = tmp_path / "outside.txt"
    outside.write_text("x\n")
    (workspace / "link").symlink_to(outside)
    access = ReadFile().access({"path": "link"}, context)
    assert access.kind == "read"
    assert access.paths == (outside.resolve(),)


async def test_a_name_that_is_no_utf8_is_shown_safely(context, workspace):
    (workspace / os.fsdecode(b"f\xff.txt")).write_bytes(b"")
    sentence = await refusal(context, "f.txt")
    sentence.encode()
    assert "f\\xff.txt" in sentence
