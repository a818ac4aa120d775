"""Untrusted text can neither steer the terminal nor hide anything."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keen_tui.security.untrusted import has_hidden, visible, visible_line, without_controls

NEVER = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e0fff]"
)
NASTY = st.text(
    st.sampled_from(
        "\x1b[]m;0123?hP\\X^_\x07\x9b\x9d\x90\x9c\r\n\t ab"
        "\u202e\u2066\u200d\ufe0f👩👧1#\u20e3\u200b\U000e0041\udc80\ud800\u0628"
    )
)


@pytest.mark.parametrize(
    ("given_text", "shown"),
    [
        ("plain text\twith tabs\nand lines", "plain text\twith tabs\nand lines"),
        ("\x1b[31mred\x1b[0m and \x9b1;32mgreen\x9bm", "red and green"),
        ("\x1b[?1049h", "␛[?1049h"),
        ("\x1b]52;c;ZXZpbA==\x07", "␛]52;c;ZXZpbA==␇"),
        ("\x1b]8;;http://evil\x1b\\link", "␛]8;;http://evil␛\\link"),
        ("\x9b2J", "␛[2J"),
        ("\x9d0;title\x9c", "␛]0;title␛\\"),
        ("\x1b]0;never ends", "␛]0;never ends"),
        ("\x1bP1$r\x1b\\ \x1b_apc\x1b\\ \x1b^pm \x1bXsos \x1bc", "␛P1$r␛\\ ␛_apc␛\\ ␛^pm ␛Xsos ␛c"),
        ("\x1b", "␛"),
        ("a\r\nb\rc\r\r\nd", "a\nb\nc\nd"),
        ("10%\r20%\r30%\n", "10%\n20%\n30%\n"),
        ("bell\x07 nul\x00 del\x7f back\x08", "bell␇ nul␀ del␡ back␈"),
        ("evil\u202egpj.exe", "evil‹RLO›gpj.exe"),
        ("\u2066isolated\u2069", "‹LRI›isolated‹PDI›"),
        ("zero\u200bwidth\ufeff soft\u00adhyphen mark\u200f\u061c", "zerowidth softhyphen mark"),
        ("x\U000e0069\U000e0067\U000e006ey", "x‹hidden ×3›y"),
        ("family 👩‍👩‍👧 key 1️⃣ heart ❤️ flag 🇯🇵 skin 👍🏽", "family 👩‍👩‍👧 key 1️⃣ heart ❤️ flag 🇯🇵 skin 👍🏽"),
        ("a\ufe0fb \u200dc", "ab c"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("bad\udcffbyte \ud800half", "bad\\xffbyte \ufffdhalf"),
        ("a\u2028b", "a\nb"),
    ],
)
def test_what_could_steer_or_hide_is_shown_or_dropped(given_text, shown):
    assert visible(given_text) == shown


def test_plain_text_is_returned_as_it_is():
    text = "def f(x):\n\treturn '日本語 ± ① — “quoted” é'\n" * 100
    assert visible(text) is text


@given(st.text() | NASTY)
def test_nothing_that_a_terminal_obeys_ever_remains(text):
    assert NEVER.search(visible(text)) is None
    assert NEVER.search(visible_line(text)) is None
    assert "\n" not in visible_line(text)


@given(st.text() | NASTY)
def test_a_second_pass_changes_nothing(text):
    once = visible(text)
    assert visible(once) == once
    assert not has_hidden(once)


@given(
    st.text(st.characters(categories=["L", "N", "P", "Zs", "Sm", "Sc"], exclude_characters="\u3164\uffa0\u115f\u1160"))
)
def test_ordinary_text_is_untouched(text):
    assert visible(text) == text


@given(st.text() | NASTY)
def test_what_is_kept_holds_no_control_and_encodes(text):
    kept = without_controls(text)
    kept.encode("utf-8")
    assert not any(unicodedata.category(c) == "Cc" and c not in "\t\n" for c in kept)


def test_a_line_is_one_line_and_is_cut_with_a_mark():
    assert visible_line("two\nlines\tand a tab") == "two␤lines and a tab"
    assert visible_line("abcdef", 4) == "abc…"
    assert visible_line("abcd", 4) == "abcd"
    assert len(visible_line("\x1b" * 10_000_000, 80)) == 80


def test_markup_is_left_to_those_who_draw_it():
    for text in ("[/", "[b + ", "[x=1,state=CLOSED]", "arr[0][/tmp]"):
        assert visible(text) == text
