"""What TurnMemory keeps of an argument: one short, clean line without secrets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keen_tui.security.bounded import LIMIT, bounded, bounded_command, bounded_path, bounded_url


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("", ""),
        ("pytest -q", "pytest -q"),
        ("  a \t b\n\nc\r\n d ", "a b c d"),
        ("\x1b[31mred\x1b[0m \x1b]0;t\x07x \x07bell", "red x bell"),
        ("a\x01 \x02 b", "a b"),
        ("a\u202eb\u200bc", "abc"),
        ("half \ud800 byte \udcff", "half \ufffd byte \ufffd"),
        ("a" * 256, "a" * 256),
        ("a" * 257, "a" * 253 + "..."),
        ("é" * 128, "é" * 128),
        ("é" * 129, "é" * 126 + "..."),
        ("日" * 100, "日" * 84 + "..."),
        ("curl -H 'Authorization: Bearer abcdef0123456789'", "curl -H 'Authorization: Bearer [redacted]'"),
        ("API_KEY=sk-ant-api03-abcdefghij0123456789 run", "API_KEY=[redacted] run"),
        ("PASSWORD=hunter2 ./deploy", "PASSWORD=[redacted] ./deploy"),
        ("cat src/tokenizer.py", "cat src/tokenizer.py"),
    ],
)
def test_a_kept_string_is_one_clean_bounded_line(text, kept):
    assert bounded(text) == kept
    assert bounded_command(text) == kept


def test_a_secret_is_gone_before_the_line_is_cut():
    text = "x" * 240 + " ghp_" + "a1" * 20
    assert "ghp_" not in bounded(text)


def test_a_secret_that_control_characters_split_is_still_found():
    assert "ghp_" not in bounded("ghp_a1b2c3d4e5f6g7h8\x00i9j0k1l2m3n4o5p6q7r8")


def test_a_private_key_at_the_end_of_a_huge_text_leaves_no_half():
    text = "-----BEGIN PRIVATE KEY-----\n" + "QUJD" * 40_000
    assert "QUJD" not in bounded(text)


@given(st.text(max_size=400) | st.text(st.characters(min_codepoint=0x300, max_codepoint=0x1F9FF), max_size=200))
def test_the_limit_is_in_bytes_and_characters_stay_whole(text):
    kept = bounded(text)
    assert len(kept.encode("utf-8")) <= LIMIT
    assert not any(ord(c) < 0x20 or 0x7F <= ord(c) < 0xA0 for c in kept)
    assert "  " not in kept


@pytest.fixture
def workspace(tmp_path):
    root = tmp_path / "ws"
    (root / "dir").mkdir(parents=True)
    (root / "link").symlink_to("dir")
    (root / "out").symlink_to(tmp_path / "private" / "name")
    return root


@pytest.mark.parametrize(
    ("path", "kept"),
    [
        ("dir/file.go", "dir/file.go"),
        ("{ws}/dir/file.go", "dir/file.go"),
        ("{ws}/..hidden/a", "..hidden/a"),
        ("./x/../b.go", "b.go"),
        ("link/a", "dir/a"),
        ("{ws}", "."),
        (".", "."),
        ("/etc/passwd", "…/passwd"),
        ("../secret-project/notes.md", "…/notes.md"),
        ("out", "…/out"),
        ("~/x.txt", "…/x.txt"),
        ("/", "…/"),
        ("a\nb.txt", "a b.txt"),
        ("nul\0name", "nulname"),
        ("", ""),
    ],
)
def test_a_path_is_relative_and_nothing_outside_is_told(workspace, path, kept):
    assert bounded_path(path.format(ws=workspace), workspace) == kept


def test_a_path_without_a_workspace_stays():
    assert bounded_path("/ws/a", None) == "/ws/a"


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("http://u@localhost:8080/a/b?x=1", "http://localhost:8080/a/b"),
        ("https://user:pw@example.org/p#frag", "https://example.org/p"),
        ("https://example.org", "https://example.org"),
        ("http://[::1]:80/x", "http://[::1]:80/x"),
        ("file:///etc/hosts", ""),
        ("not a url", ""),
        ("http://host:notaport/", ""),
        ("http://[broken/", ""),
        ("https://h/hooks/ghp_abcdefghij0123456789abcdefghij01", "https://h/hooks/[redacted]"),
        ("https://h/" + "a" * 400, "https://h/" + "a" * 243 + "..."),
    ],
)
def test_a_url_keeps_scheme_host_port_and_path(url, kept):
    assert bounded_url(url) == kept
