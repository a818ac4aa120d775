"""Markdown as rows of text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from keen_tui.security.untrusted import has_hidden
from keen_tui.ui.transcript.lines import Line, copied_text
from keen_tui.ui.transcript.markdown import markdown_lines
from keen_tui.ui.transcript.sections import Section, Sections, split_sections

PIECES = st.sampled_from(
    [
        "word ", "a longer sentence, with commas. ", "\n", "\n\n", "# ", "## Head\n", "- ", "1. ", "2) ", "   ",
        "    ", "> ", "```", "```python\n", "```\n", "~~~\n", "| a | b |\n|---|:-:|\n| 1 | 2 |\n", "**", "*", "`",
        "[text](http://x.y)", "![i](p.png)", "<b>", "&#27;", "&#x202e;", "&amp;", "---\n", "***\n", "- [ ] todo\n",
        "日本語", "「括弧」。", "👍", "👩‍💻", "\t", "\\", "\x1b[31m", "\x1b]52;c;aGk=\x07", "\u202e", "\u200b", "\x9b",
        "averyveryverylongwordthatfitsnowhere" * 3, "e\u0301", "[/", "[b + ", "\r", "\r\n", "\ud800",
    ]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=30).map("".join)


def texts(lines: list[Line]) -> list[str]:
    return [row.text.rstrip() for row in lines]


def everything(text: str, width: int) -> list[str]:
    rows: list[str] = []
    for section in split_sections(text):
        rows.extend([""] * section.gap)
        rows.extend(texts(markdown_lines(section.text, width, section.number)))
    return rows


def test_a_paragraph_wraps_at_words() -> None:
    assert texts(markdown_lines("one two three four", 9)) == ["one two", "three", "four"]


def test_a_word_that_fits_nowhere_is_cut() -> None:
    assert texts(markdown_lines("abcdefghijkl", 8)) == ["abcdefgh", "ijkl"]


def test_japanese_breaks_anywhere_but_before_its_full_stop() -> None:
    rows = texts(markdown_lines("日本語の文です。次の文", 16))
    assert all(cell_len(row) <= 16 for row in rows)
    assert not any(row.startswith("。") for row in rows)


def test_a_link_shows_its_address_once() -> None:
    assert texts(markdown_lines("[docs](https://a.b) and <https://c.d>", 60)) == ["docs (https://a.b) and https://c.d"]


def test_html_is_shown_as_the_text_it_is() -> None:
    assert texts(markdown_lines("a <b>bold</b> claim", 40)) == ["a <b>bold</b> claim"]


def test_a_link_definition_hides_nothing() -> None:
    assert "[a]: http://x.y" in texts(markdown_lines("[a]: http://x.y", 40))[0]


def test_lists_nest_and_keep_their_numbers() -> None:
    assert everything("7. one\n8. two\n   - in\n     1. deep\n- [x] done", 40) == [
        "", "7. one", "8. two", "   – in", "     1. deep", "☑ done",
    ]  # fmt: skip


def test_items_parted_by_blank_lines_go_on_counting() -> None:
    assert everything("1. one\n\n1. two\n\n   more", 40) == ["", "1. one", "", "2. two", "", "   more"]


def test_code_shows_its_language_and_copies_without_it() -> None:
    lines = markdown_lines("```python\ndef f():\n    return 1\n```", 40)
    assert texts(lines)[0].endswith("python")
    assert copied_text(lines) == "def f():\n    return 1"


def test_a_long_line_of_code_copies_as_one_line() -> None:
    source = "value = " + "x" * 100
    lines = markdown_lines(f"```\n{source}\n```", 40)
    assert len(lines) > 1
    assert copied_text(lines) == source


def test_wrapped_prose_copies_as_one_line() -> None:
    assert copied_text(markdown_lines("one two three four", 9)) == "one two three four"


def test_a_quote_copies_without_its_bar() -> None:
    assert copied_text(markdown_lines("> said\n> so", 40)) == "said so"


def test_a_table_lines_up_by_cell_width() -> None:
    lines = markdown_lines("| name | n |\n|---|--:|\n| 日本語 | 1 |\n| 👍 x | 22 |", 60)
    bars = {cell_len(row.text[: row.text.index("│")]) for row in lines if "│" in row.text}
    assert len(bars) == 1


def test_a_wide_table_fits_the_width() -> None:
    lines = markdown_lines("| a | b |\n|---|---|\n| " + "long words " * 9 + "| " + "more of it " * 9 + "|", 40)
    assert max(row.cells for row in lines) <= 40
    assert len(lines) > 6


def test_a_table_with_too_many_columns_becomes_records() -> None:
    head = "|" + "|".join(f"c{n}" for n in range(12)) + "|"
    lines = markdown_lines(f"{head}\n|{'---|' * 12}\n|{'|'.join('1234567' for _ in range(12))}|", 30)
    assert texts(lines)[0] == "c0: 1234567"


@settings(max_examples=150, deadline=None)
@given(TEXTS, st.integers(min_value=10, max_value=90))
def test_no_row_is_wider_than_asked_and_none_can_steer_the_terminal(text: str, width: int) -> None:
    for section in split_sections(text):
        for row in markdown_lines(section.text, width, section.number):
            assert row.cells <= width
            for span in row.spans:
                assert "\n" not in span.text
                assert "\t" not in span.text
                assert not has_hidden(span.text)


@settings(max_examples=150, deadline=None)
@given(TEXTS, st.lists(st.integers(min_value=0, max_value=400), max_size=12))
def test_sections_are_the_same_however_the_text_arrives(text: str, cuts: list[int]) -> None:
    sections, got, at = Sections(), [], 0
    for cut in sorted(cuts):
        sections.feed(text[at:cut])
        got += sections.take()
        at = max(at, cut)
    sections.feed(text[at:])
    sections.close()
    assert got + sections.take() == split_sections(text)


@given(TEXTS)
def test_sections_lose_no_words(text: str) -> None:
    joined = "".join(section.text for section in split_sections(text))
    assert sorted("".join(joined.split())) == sorted("".join(text.split()))


@pytest.mark.parametrize("fence", ["```", "~~~~"])
def test_blank_lines_and_marks_inside_a_fence_do_not_end_it(fence: str) -> None:
    text = f"{fence}\n- a\n\n# b\n\n1. c\n{fence}\nafter"
    assert [section.text.split("\n")[0] for section in split_sections(text)] == [fence, "after"]


def test_a_list_is_finished_item_by_item() -> None:
    assert split_sections("Steps:\n- a\n- b\n\n  more\n- c") == [
        Section("Steps:"), Section("- a", 0), Section("- b\n\n  more", 0), Section("- c", 0),
    ]  # fmt: skip
