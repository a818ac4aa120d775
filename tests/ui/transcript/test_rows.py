"""The parts below the widget: sums, wrapping, diffs, cards, prose that grows."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from keen_tui.domain.events import AssistantText, ToolOutput, ToolStarted, now
from keen_tui.ui.transcript.amounts import seconds_text, size_text
from keen_tui.ui.transcript.cards import ToolCard
from keen_tui.ui.transcript.diff import diff_lines
from keen_tui.ui.transcript.document import Document, Place
from keen_tui.ui.transcript.heights import Heights
from keen_tui.ui.transcript.lines import Span, copied_text
from keen_tui.ui.transcript.segment_blocks import tool_card
from keen_tui.ui.transcript.wrap import crop, wrap_lines

from .recording import DIFF, Recording, recorded_turn


@given(st.lists(st.integers(min_value=0, max_value=9), max_size=60), st.data())
def test_sums_of_heights_agree_with_counting(values: list[int], data: st.DataObject) -> None:
    heights = Heights(values)
    for _ in range(5):
        if values and data.draw(st.booleans()):
            index = data.draw(st.integers(0, len(values) - 1))
            values[index] = data.draw(st.integers(0, 9))
            heights.change(index, values[index])
        elif values and data.draw(st.booleans()):
            assert heights.pop() == values.pop()
        else:
            values.append(data.draw(st.integers(0, 9)))
            heights.append(values[-1])
    assert heights.total == sum(values)
    for index in range(len(values) + 1):
        assert heights.before(index) == sum(values[:index])
    for row in range(sum(values)):
        index, rest = heights.find(row)
        assert sum(values[:index]) + rest == row
        assert rest < values[index]


@settings(deadline=None)
@given(st.text(max_size=200), st.integers(min_value=2, max_value=40))
def test_wrapping_keeps_the_width_and_every_character(text: str, width: int) -> None:
    text = "".join(char for char in text if char.isprintable())
    rows = wrap_lines((Span(text[:70]), Span(text[70:], "strong")), width)
    assert all(row.cells <= width for row in rows)
    assert "".join(row.text for row in rows).replace(" ", "") == text.replace(" ", "")


def test_cropping_says_that_something_is_missing() -> None:
    assert crop("tests/test_stream.py", 10) == "tests/tes…"
    assert crop("tests/test_stream.py", 10, keep_end=True) == "…stream.py"
    assert cell_len(crop("日本語日本語", 6)) <= 6


def test_a_diff_shows_numbers_and_signs_and_copies_as_code() -> None:
    lines = diff_lines(DIFF, "test_stream.py", 60)
    assert [row.text.rstrip() for row in lines][2:5] == [
        "12 −     time.sleep(0.1)", "12 +     # the event itself", "13 +     await stream.settled()",
    ]  # fmt: skip
    assert copied_text(lines).split("\n")[3] == "    # the event itself"
    assert any("+added_fill" in span.role and "comment" in span.role for span in lines[3].spans)


def test_a_wide_diff_stands_side_by_side() -> None:
    lines = diff_lines(DIFF, "test_stream.py", 130)
    changed = next(row for row in lines if "sleep" in row.text)
    assert "# the event itself" in changed.text
    assert max(row.cells for row in lines) <= 130
    bars = {cell_len(row.text[: row.text.index("│")]) for row in lines}
    assert len(bars) == 1


@settings(deadline=None, max_examples=60)
@given(st.text(alphabet="+- @\\\nab日👍1,", max_size=120), st.sampled_from([20, 40, 130]))
def test_any_text_in_place_of_a_diff_keeps_the_width(text: str, width: int) -> None:
    for row in diff_lines(f"@@ -1,2 +1,3 @@\n{text}", "a.py", width):
        assert row.cells <= width


def card(**fields: object) -> ToolCard:
    base = {
        "key": "k", "call_id": "c", "tool": "bash", "target": "pytest -q tests", "status": "ok",
        "status_role": "tool_ok", "took": "0.1s",
    }  # fmt: skip
    return ToolCard(**{**base, **fields})  # type: ignore[arg-type]


def test_a_card_is_one_row_with_the_status_at_the_right() -> None:
    (row,) = card().lines(60, "auto")
    assert row.text.startswith("  · bash  pytest -q tests")
    assert row.text.endswith("ok  0.1s")
    assert row.cells == 60


@pytest.mark.parametrize("width", [28, 38, 79, 160])
def test_a_card_fits_any_width(width: int) -> None:
    long = card(tool="a_tool_with_a_long_name", target="日本語/" * 40, status="interrupted", output="x" * 500)
    for fold in ("auto", "open", "closed"):
        assert all(row.cells <= width for row in long.lines(width, fold)[:1])  # type: ignore[arg-type]


def test_an_opened_card_is_bounded_and_says_what_is_left() -> None:
    lines = card(output="\n".join(map(str, range(1000)))).lines(80, "open")
    assert len(lines) == 202
    assert lines[-1].text.strip() == "… 800 more lines"


def test_a_failed_command_shows_its_last_lines_by_itself() -> None:
    lines = card(status="exit 1", output="\n".join(map(str, range(45))), preview="tail").lines(80, "auto")
    assert [row.text.strip() for row in lines[1:]] == ["… 41 more lines", "41", "42", "43", "44"]


def test_an_output_that_was_not_kept_says_its_size() -> None:
    lines = card(known=False, size=2400).lines(80, "open")
    assert lines[1].text.strip() == "output not kept (2.4 kB)"


def test_hostile_names_and_output_stay_text() -> None:
    hostile = card(tool="b\x1b[2Jad", target="\x1b]52;c;aGk=\x07[red]x[/]", output="\x1b[31m\x9b2J\u202e")
    text = "".join(row.text for row in hostile.lines(80, "open"))
    assert not any(char in text for char in "\x1b\x9b\x07\u202e")
    assert "[red]x[/]" in text


def test_a_running_card_shows_the_end_of_its_output() -> None:
    record = Recording()
    record.begin()
    record(ToolStarted, call_id="c", tool="bash", target="make", time=now())
    for number in range(100):
        record(ToolOutput, call_id="c", text=f"step {number}\n")
    lines = tool_card(record.view.tools["c"], "k").lines(80, "auto")
    assert "running" in lines[0].text
    assert [row.text.strip() for row in lines[1:]] == ["step 96", "step 97", "step 98", "step 99"]


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.1, "0.1s"), (12.2, "12s"), (125, "2m05s"), (3725, "1h02m"), (-4, "0.0s")]
)
def test_seconds_are_short(seconds: float, text: str) -> None:
    assert seconds_text(seconds) == text


@pytest.mark.parametrize(("size", "text"), [(512, "512 B"), (2400, "2.4 kB"), (31_000, "31 kB"), (1_200_000, "1.2 MB")])
def test_sizes_are_short(size: int, text: str) -> None:
    assert size_text(size) == text


def all_rows(document: Document) -> list[str]:
    rows: list[str] = []
    for item in range(len(document.view.items)):
        for index in range(len(document.layout(item).cells)):
            place = Place(item, index)
            document.ensure(place)
            cell = document.cell(place)
            rows.extend([""] * cell.block.gap)
            rows.extend(line.text for line in cell.lines or ())
    return rows


ANSWER = (
    "# Head\n\nSome *prose* here.\n\n- one\n- two\n\n| a | b |\n|---|---|\n"
    + "".join(f"| {n} | cell {n} |\n" for n in range(150))
    + "\n```python\n"
    + "".join(f"def f{n}(x):\n    return x + {n}\n" for n in range(150))
    + "```\n\nDone."
)


def test_an_answer_that_came_in_pieces_looks_like_one_that_came_at_once() -> None:
    whole, pieces = Recording(), Recording()
    whole.begin()
    whole.say(ANSWER)
    whole.end()
    pieces.begin()
    document = Document(pieces.view, 78)
    for start in range(0, len(ANSWER), 7):
        pieces.say(ANSWER[start : start + 7])
        document.update(set())
        if start % 5 == 0:
            all_rows(document)
    pieces.end()
    document.update(None)
    assert all_rows(document) == all_rows(Document(whole.view, 78))


def test_a_chunk_costs_the_same_however_long_the_answer_is() -> None:
    record = Recording()
    record.begin()
    document = Document(record.view, 78)

    def blocks_rendered(paragraphs: int) -> int:
        before = document.renders
        for number in range(paragraphs):
            record.say(f"Paragraph {number} of the answer.\n\n")
            document.update(set())
            last = document.last
            assert last is not None
            document.ensure(last)
            document.render_up(last, 40)
        return document.renders - before

    early = blocks_rendered(100)
    blocks_rendered(800)
    assert blocks_rendered(100) <= early


def test_text_that_somebody_read_in_between_is_not_fed_twice() -> None:
    record = Recording()
    record.begin()
    document = Document(record.view, 78)
    for word in ("one ", "two\n\n", "three ", "four\n\n", "five"):
        record(AssistantText, text=word)
        document.update(set())
        assert record.view.turns[0].prose
    record.end()
    document.update(None)
    assert [row for row in all_rows(document) if row][-3:] == ["one two", "three four", "five"]


def test_a_resumed_task_looks_like_a_live_one() -> None:
    live = recorded_turn()
    assert all_rows(Document(live.view, 78))[:3] == ["", all_rows(Document(live.view, 78))[1], "Make it reliable."]
