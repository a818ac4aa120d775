from __future__ import annotations

import codecs
import os
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from keen_tui.tools.base import ToolError
from keen_tui.tools.edit_file import EditFile
from keen_tui.tools.edit_match import find_matches
from keen_tui.tools.read_file import ReadFile
from keen_tui.tools.text_files import NotText, understand


async def edit(context, path, old, new, **more):
    arguments = {"path": str(path), "old_string": old, "new_string": new, **more}
    return await EditFile().run(arguments, context)


async def refusal(context, path, old, new, **more):
    with pytest.raises(ToolError) as caught:
        await edit(context, path, old, new, **more)
    return str(caught.value)


async def test_a_unique_piece_is_replaced(context, workspace):
    (workspace / "a.py").write_text("x = 1\ny = 2\nz = 3\n")
    outcome = await edit(context, "a.py", "y = 2\n", "y = 20\n")
    assert (workspace / "a.py").read_text() == "x = 1\ny = 20\nz = 3\n"
    assert outcome.file_changed == "a.py"
    assert (outcome.added, outcome.removed) == (1, 1)
    assert outcome.diff == "@@ -1,3 +1,3 @@\n x = 1\n-y = 2\n+y = 20\n z = 3\n"


@pytest.mark.parametrize(
    ("head", "end", "tail"),
    [
        (b"a\r\n", b"\r\n", b"b\r\n"),
        (b"a\r\nb\n", b"\n", b"c\r\n"),
        (codecs.BOM_UTF8 + b"a\n", b"\n", b"b"),
        (b"\xfa\xff\xfe\n", b"\n", b"b"),
        (b"caf\xe9\n", b"\n", b""),
        (b"\xc3\xa4\xc3\xb6 \xff\n", b"\n", b"\x0c\r"),
    ],
)
async def test_every_byte_outside_the_change_stays(context, workspace, head, end, tail):
    (workspace / "f").write_bytes(head + b"old" + end + tail)
    await edit(context, "f", "old\n", "new\nnewer\n")
    assert (workspace / "f").read_bytes() == head + b"new" + end + b"newer" + end + tail


async def test_line_breaks_of_the_model_match_crlf_and_are_written_as_crlf(context, workspace):
    (workspace / "f").write_bytes(b"a\r\nb\r\nc\r\n")
    await edit(context, "f", "a\nb\n", "a\nx\nb\n")
    assert (workspace / "f").read_bytes() == b"a\r\nx\r\nb\r\nc\r\n"


async def test_utf16_is_matched_at_whole_characters(context, workspace):
    content = codecs.BOM_UTF16_LE + "āĀ old Āā\n".encode("utf-16-le")
    (workspace / "f").write_bytes(content)
    await edit(context, "f", "old", "néw")
    assert (workspace / "f").read_bytes() == codecs.BOM_UTF16_LE + "āĀ néw Āā\n".encode("utf-16-le")
    assert "is not in f" in await refusal(context, "f", "\u0001", "x")


async def test_a_piece_that_stands_several_times_names_the_lines(context, workspace):
    (workspace / "f").write_text("x\ny\nx\nx\n")
    sentence = await refusal(context, "f", "x", "z")
    assert "3 times, at lines 1, 3, 4" in sentence and "replace_all" in sentence
    outcome = await edit(context, "f", "x", "z", replace_all=True)
    assert "3 places" in outcome.text
    assert (workspace / "f").read_text() == "z\ny\nz\nz\n"


async def test_no_match_shows_the_nearest_lines_with_numbers(context, workspace):
    (workspace / "f").write_text("import os\n\ndef total(values):\n    return sum(values)\n")
    sentence = await refusal(context, "f", "def totals(value):\n", "x")
    assert "is not in f" in sentence
    assert "     3\tdef total(values):" in sentence


async def test_no_match_because_of_spaces_says_so(context, workspace):
    (workspace / "f").write_text("if x:\n\treturn 1\n")
    sentence = await refusal(context, "f", "if x:\n    return 1\n", "pass\n")
    assert "only in spaces or tabs" in sentence
    assert "     2\t\treturn 1" in sentence


async def test_line_numbers_in_the_old_text_are_pointed_out(context, workspace):
    (workspace / "f").write_text("alpha\nbeta\n")
    sentence = await refusal(context, "f", "     1\talpha\n     2\tbeta", "x")
    assert "Leave out the line numbers" in sentence


async def test_nothing_alike_says_to_read_again(context, workspace):
    (workspace / "f").write_text("alpha\n")
    assert "read the file again" in await refusal(context, "f", "0123456789", "x")


async def test_useless_edits_are_refused(context, workspace):
    (workspace / "f").write_text("a\n")
    assert "the same" in await refusal(context, "f", "a", "a")
    assert "empty" in await refusal(context, "f", "", "a")
    assert "There is no g" in await refusal(context, "g", "a", "b")


async def test_a_file_changed_since_it_was_read_is_refused(context, workspace):
    (workspace / "f").write_text("a\nb\n")
    await ReadFile().run({"path": "f"}, context)
    (workspace / "f").write_text("a\nb\nuser\n")
    assert "changed on disk" in await refusal(context, "f", "a\n", "c\n")
    assert (workspace / "f").read_text() == "a\nb\nuser\n"
    await ReadFile().run({"path": "f"}, context)
    await edit(context, "f", "a\n", "c\n")
    await edit(context, "f", "c\n", "d\n")
    assert (workspace / "f").read_text() == "d\nb\nuser\n"


async def test_the_preview_makes_no_change(context, workspace):
    (workspace / "f").write_text("a\n")
    arguments = {"path": "f", "old_string": "a", "new_string": "b"}
    assert await EditFile().preview(arguments, context) == "@@ -1 +1 @@\n-a\n+b\n"
    assert (workspace / "f").read_text() == "a\n"
    with pytest.raises(ToolError):
        await EditFile().preview({**arguments, "old_string": "zz"}, context)
    assert os.listdir(workspace) == ["f"]


async def test_24_megabytes_are_edited_quickly(context, workspace):
    (workspace / "f").write_text("some line of text\n" * 1_300_000 + "the one place\n")
    began = time.process_time()
    outcome = await edit(context, "f", "the one place", "the other place")
    assert outcome.diff.startswith("@@ -1299998,4 +1299998,4 @@\n")
    assert "nearest lines" in await refusal(context, "f", "some line of txt that is not there", "x")
    assert time.process_time() - began < 15


async def test_a_file_that_may_not_be_edited_is_left_alone(context, workspace):
    (workspace / "f").write_text("a\n")
    (workspace / "f").chmod(0o444)
    assert "read-only" in await refusal(context, "f", "a", "b")
    (workspace / "bin").write_bytes(b"\0a")
    assert "is no text" in await refusal(context, "bin", "a", "b")


async def test_edits_follow_links_and_keep_the_mode(context, workspace):
    (workspace / "real").write_text("a\n")
    (workspace / "real").chmod(0o751)
    (workspace / "link").symlink_to("real")
    outcome = await edit(context, "link", "a", "b")
    assert outcome.file_changed == "real"
    assert (workspace / "link").is_symlink()
    assert (workspace / "real").read_text() == "b\n"
    assert (workspace / "real").stat().st_mode & 0o777 == 0o751


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(
    before=st.binary(max_size=40),
    after=st.binary(max_size=40),
    old=st.text("abcäé\n", min_size=1, max_size=8),
    new=st.text("xyzü\n", max_size=8),
    codec=st.sampled_from(["utf-8", "cp1252"]),
)
def test_an_edit_keeps_all_bytes_outside_the_change(before, after, old, new, codec):
    content = before + b"<" + old.encode(codec) + b">" + after
    try:
        file = understand(content)
        match = find_matches(file, old, new)
    except (NotText, ToolError):
        return
    changed = match.apply(content)
    position, rebuilt = 0, b""
    for offset in match.offsets:
        assert content[offset : offset + len(match.old)] == match.old
        rebuilt += content[position:offset] + match.new
        position = offset + len(match.old)
    assert changed == rebuilt + content[position:]
    if file.codec == codec and content.count(match.old) == 1:
        assert match.offsets == (content.index(match.old),)


@settings(max_examples=100, deadline=None)
@given(
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=30),
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=30),
    st.sampled_from(["", "\r\n", "\n"]),
    st.sampled_from([(b"", "utf-8"), (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_BE, "utf-16-be")]),
)
def test_a_marked_place_is_changed_in_every_encoding(head, tail, end, encoding):
    mark, codec = encoding
    content = mark + f"{head}OLD«PIECE»{tail}{end}".encode(codec)
    try:
        file = understand(content)
    except NotText:
        return
    if file.mark != mark:
        return
    match = find_matches(file, "OLD«PIECE»", "ne")
    assert match.apply(content) == mark + f"{head}ne{tail}{end}".encode(codec)
