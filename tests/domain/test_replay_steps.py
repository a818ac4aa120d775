import json

from hypothesis import given
from hypothesis import strategies as st

from keen_tui.domain.replay_steps import kept_indices, read_activity, replay_steps
from keen_tui.domain.turn_memory import Activity


def at(*offsets: int) -> tuple[Activity, ...]:
    return tuple(Activity(text_offset=offset, tool="read_file", status="success") for offset in offsets)


def cut(prose: str, *offsets: int) -> list[tuple[str, int]]:
    return [(step.text, len(step.activities)) for step in replay_steps(prose, at(*offsets))]


def test_prose_is_cut_at_each_distinct_place_and_calls_there_stay_together():
    assert cut("Let me inspect. Found it.", 15, 15) == [("Let me inspect.", 2), (" Found it.", 0)]


def test_offsets_count_utf8_bytes():
    assert cut("héllo 😀 fin", 3, 7, 11) == [("hé", 1), ("llo ", 1), ("😀", 1), (" fin", 0)]


def test_a_turn_of_tools_only_has_one_batch_and_an_empty_rest():
    assert cut("", 0, 0) == [("", 2), ("", 0)]


def test_no_activity_leaves_the_prose_in_one_piece():
    assert cut("é", 1) == [("é", 0)]
    assert cut("") == [("", 0)]


def test_the_start_and_the_exact_end_are_places_and_nothing_beyond():
    assert kept_indices("done", at(-1, 0, 4, 5)) == [1, 2]
    assert kept_indices("", at(0, 1)) == [0]


def test_an_offset_inside_a_character_is_dropped():
    assert kept_indices("é", at(1)) == []


def test_a_dropped_record_does_not_move_the_cursor():
    assert kept_indices("abcdef", at(99, 1)) == [1]
    assert kept_indices("abcdef", at(3, 2, 4)) == [0, 2]


def test_a_nameless_tool_is_dropped():
    nameless = Activity(text_offset=1, tool="", status="success")
    assert kept_indices("abc", (nameless, *at(2))) == [1]


def test_records_of_wrong_types_are_dropped_one_by_one():
    records = [
        {"text_offset": "1", "tool": "read_file", "status": "success"},
        {"text_offset": True, "tool": "read_file", "status": "success"},
        {"text_offset": 1.5, "tool": "read_file", "status": "success"},
        None,
        {"tool": "read_file", "status": "success"},
        {"text_offset": 2, "tool": 5, "status": "success"},
        {"text_offset": 2, "tool": "bash", "status": "success", "target": ["x"]},
        {"text_offset": 2, "tool": "bash", "status": "success", "exit_code": "1"},
        {"text_offset": 3, "tool": "bash", "status": "success"},
    ]
    assert kept_indices("abc", map(read_activity, records)) == [8]


def test_an_unknown_status_reads_as_error():
    for status in ("done", None, 1):
        activity = read_activity({"text_offset": 0, "tool": "bash", "status": status})
        assert activity is not None
        assert activity.status == "error"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
keys = ("text_offset", "tool", "status", "target", "server", "file_changed", "failed_command", "exit_code")
records = json_values | st.dictionaries(st.sampled_from(keys), json_values | st.integers(0, 6))


@given(st.text(max_size=8), st.lists(records, max_size=5))
def test_no_garbage_in_kept_records_harms_the_prose_or_its_neighbours(prose, garbage):
    good = {"text_offset": len(prose.encode("utf-8", "replace")), "tool": "bash", "status": "success"}
    read = [read_activity(json.loads(json.dumps(record))) for record in [*garbage, good]]
    found = [activity for activity in read if activity is not None]
    steps = replay_steps(prose, found)
    assert "".join(step.text for step in steps) == prose.encode("utf-8", "replace").decode()
    assert steps[-1].activities == ()
    assert sum(len(step.activities) for step in steps) == len(kept_indices(prose, found))
    assert len(found) - 1 in kept_indices(prose, found)
