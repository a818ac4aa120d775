"""Streams of bytes, cut anywhere, become the same payloads."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from keen_tui.gateway.payloads import EventReader, LineReader, PayloadReader

json_objects = st.dictionaries(st.text(max_size=5), st.text(max_size=20), max_size=3)


def read(reader: PayloadReader, data: bytes, cuts: list[int]) -> list[bytes]:
    found, start = [], 0
    for cut in sorted(cut % (len(data) + 1) for cut in cuts):
        found += reader.feed(data[start:cut])
        start = cut
    return [*found, *reader.feed(data[start:]), *reader.close()]


@given(st.lists(json_objects), st.lists(st.integers(0, 2000)), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_events_come_whole_however_they_are_cut(
    objects: list[dict[str, str]], cuts: list[int], end: str, pretty: bool
) -> None:
    text = ": comment" + end
    for value in objects:
        lines = json.dumps(value, ensure_ascii=False, indent=1 if pretty else None).split("\n")
        text += "event: delta" + end + "".join(f"data: {line}{end}" for line in lines) + "id: 1" + end + end
    payloads = read(EventReader(), text.encode(), cuts)
    assert [json.loads(payload) for payload in payloads] == objects
    assert not any(b"\n" in payload for payload in payloads)


@given(st.lists(json_objects), st.lists(st.integers(0, 2000)), st.booleans())
def test_lines_come_whole_however_they_are_cut(objects: list[dict[str, str]], cuts: list[int], last: bool) -> None:
    text = "\n".join(json.dumps(value) for value in objects) + ("\n" if last else "")
    assert [json.loads(payload) for payload in read(LineReader(), text.encode(), cuts)] == objects


def test_the_end_mark_is_dropped_and_ends_the_stream() -> None:
    reader = EventReader()
    assert reader.feed(b'data: {"n":1}\n\ndata: [DONE]\n\ndata: {"n":2}\n\n') == [b'{"n":1}']
    assert reader.ended


def test_an_event_that_is_the_last_of_its_format_ends_the_stream() -> None:
    reader = EventReader()
    assert reader.feed(b'event: message_stop\ndata: {"type":"message_stop"}\n\n') == [b'{"type":"message_stop"}']
    assert reader.ended


def test_a_space_behind_the_colon_may_be_missing() -> None:
    assert EventReader().feed(b'data:{"n":1}\n\n') == [b'{"n":1}']


def test_an_event_without_its_blank_line_counts_when_the_stream_ends() -> None:
    reader = EventReader()
    assert reader.feed(b'data: {"n":1}\n') == []
    assert reader.close() == [b'{"n":1}']


def test_what_is_no_event_is_kept_to_say_what_it_was() -> None:
    reader = EventReader()
    assert reader.feed(b"<html>" * 10_000 + b"\n") == []
    assert reader.noise.startswith(b"<html>") and len(reader.noise) < 5_000
    assert reader.count == 0


def test_a_line_of_10_mb_in_small_reads_takes_no_square_time() -> None:
    reader = EventReader()
    for _ in range(10_000):
        assert reader.feed(b"x" * 1_000) == []
    assert reader.feed(b"\n\n") == []
