from hypothesis import given
from hypothesis import strategies as st

from keen_tui.domain.events import AssistantText
from keen_tui.store.prose_buffer import SIZE_LIMIT, ProseBuffer


def feed(*fragments, turn="u"):
    buffer = ProseBuffer()
    out = [buffer.add(AssistantText(turn=turn, text=fragment)) for fragment in fragments]
    out.append(buffer.take())
    return [event.text for event in out if event is not None]


markdown = st.lists(
    st.one_of(
        st.text(max_size=20),
        st.sampled_from(["\n", "\n\n", "```", "```\n", "~~~py\n", "\r\n", " ", "x" * 3000, "é" * 2500, "line\n"]),
    ),
    max_size=40,
)


@given(markdown)
def test_what_comes_out_is_exactly_what_went_in(fragments):
    assert "".join(feed(*fragments)) == "".join(fragments)


@given(markdown)
def test_nothing_is_held_beyond_the_limit(fragments):
    buffer = ProseBuffer()
    held = 0
    for fragment in fragments:
        event = buffer.add(AssistantText(text=fragment))
        held += len(fragment.encode()) - (len(event.text.encode()) if event else 0)
        assert held <= SIZE_LIMIT + len(fragment.encode())
    rest = buffer.take()
    assert held == (len(rest.text.encode()) if rest else 0)


def test_a_paragraph_comes_out_when_its_blank_line_is_there():
    assert feed("One ", "two.", "\n", "\nThree", " four.\n", "\nFive") == [
        "One two.\n\n",
        "Three four.\n\n",
        "Five",
    ]


def test_paragraphs_in_one_fragment_come_out_together():
    assert feed("a\n\nb\n\nc") == ["a\n\nb\n\n", "c"]


def test_a_code_fence_is_not_split_at_its_blank_lines():
    code = "```py\na = 1\n\nb = 2\n~~~\n\n````\n"
    assert feed("Look:\n\n", code[:9], code[9:], "\nAfter") == ["Look:\n\n", code + "\n", "After"]


def test_a_fence_that_begins_behind_a_cut_is_still_open():
    assert feed("a\n\n```\n", "x\n\ny\n", "```\n\n", "z") == ["a\n\n", "```\nx\n\ny\n```\n\n", "z"]


def test_a_fence_of_tildes_holds_backticks():
    assert feed("~~~\n```\n\nx\n~~~\n\n", "y") == ["~~~\n```\n\nx\n~~~\n\n", "y"]


def test_inline_code_opens_no_fence():
    assert feed("```a``` b\n\nc") == ["```a``` b\n\n", "c"]


def test_leading_blank_lines_wait_for_their_paragraph():
    assert feed("\n\n", "\n", "a\n\n", "b") == ["\n\n\na\n\n", "b"]


def test_a_long_paragraph_is_cut_at_a_line_end_where_there_is_one():
    lines = "x" * 99 + "\n"
    first, rest = feed(lines * 41 + "tail")
    assert first == lines * 41
    assert rest == "tail"
    assert feed("y" * 5000, "z") == ["y" * 5000, "z"]


def test_an_event_carries_the_turn_and_time_of_its_first_fragment():
    buffer = ProseBuffer()
    first = AssistantText(task="t", turn="u", text="a")
    buffer.add(first)
    event = buffer.add(AssistantText(task="t", turn="u", text="b\n\n"))
    assert event == first.model_copy(update={"text": "ab\n\n"})


def test_prose_of_two_turns_is_never_joined():
    buffer = ProseBuffer()
    buffer.add(AssistantText(turn="u", text="a"))
    assert buffer.add(AssistantText(turn="v", text="b")).turn == "u"
    rest = buffer.take()
    assert (rest.turn, rest.text) == ("v", "b")


def test_an_empty_buffer_gives_nothing():
    buffer = ProseBuffer()
    assert buffer.take() is None
    assert buffer.add(AssistantText(text="")) is None
    assert buffer.take() is None
