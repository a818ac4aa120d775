from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keen_tui.domain.brief import FIELD_LIMIT, MODEL_FIELDS, RENDER_LIMIT, Brief, oversized, render, too_long
from keen_tui.domain.brief_json import BriefError, brief_json, read_brief
from keen_tui.domain.brief_lines import (
    LineNotFound,
    append_line,
    bare,
    find_line,
    moved_line,
    remove_line,
    replace_line,
    without_line,
)
from keen_tui.domain.refs import Ref, refs_in

OLD = {"goal": "Ship it.", "done": "- read", "open": "- test", "clarifications": "Tabs? Spaces."}
TEXT = st.text(alphabet=st.sampled_from("ab \n-é漢"), max_size=FIELD_LIMIT)


def test_a_brief_with_only_the_four_old_fields_loads_unchanged():
    brief = read_brief(json.dumps(OLD), "x")
    assert brief_json(brief) == OLD
    assert all(text in render(brief) for text in OLD.values())


def test_unknown_keys_are_kept_and_never_rendered():
    brief = read_brief(json.dumps(OLD | {"mood": "secret plans", "votes": [1, 2], "flag": True}), "x")
    assert brief_json(brief)["mood"] == "secret plans" and brief_json(brief)["votes"] == "[1, 2]"
    changed = brief.changed({"goal": "Other"})
    assert changed.get("mood") == "secret plans"
    assert "secret plans" not in render(changed) and "votes" not in render(changed)


def test_old_lists_become_lines():
    assert read_brief('{"done": ["a", "b"]}', "x").get("done") == "- a\n- b"


@pytest.mark.parametrize("text", ["", "not json", "[1]", '"goal"', "{" * 5000, '{"goal": "' + "x" * 1_000_000 + '"}'])
def test_what_is_no_brief_gives_a_clear_error_that_names_the_source(text):
    with pytest.raises(BriefError) as raised:
        read_brief(text, "old/brief.json")
    assert "old/brief.json" in raised.value.message and "left as it is" in raised.value.message
    assert raised.value.hint


def test_a_field_over_its_limit_is_named_with_limit_and_size():
    problem = too_long({"goal": "ok", "done": "x" * 2_400})
    assert "done" in problem and "2,400" in problem and "2,000" in problem


def test_an_oversized_field_is_left_out_and_said():
    brief = Brief({"done": "x" * 1_000_000, "user_constraints": "Keep it."})
    assert oversized(brief) == ("done",)
    assert len(render(brief)) < 500 and "1,000,000 characters" in render(brief) and "Keep it." in render(brief)


def test_the_oldest_lines_of_done_go_first_and_the_number_is_said():
    done = "\n".join(f"- step {number} {'x' * 30}" for number in range(45))
    full = dict.fromkeys(("goal", "user_constraints", "decisions"), "y" * 1900)
    text = render(Brief({**full, "done": done, "touched_files": "- a.py\n- b.py"}))
    assert "step 44" in text and "- a.py" in text
    longer = render(Brief({**full, "open": "z" * 1_900, "done": done, "touched_files": "- a.py\n- b.py"}))
    assert len(longer) <= RENDER_LIMIT
    assert "step 0 " not in longer and "step 44" in longer and "- a.py" in longer
    assert "older lines left out" in longer


def test_touched_files_go_after_done():
    full = dict.fromkeys(("goal", "user_constraints", "decisions"), "y" * 1990)
    files = "\n".join(f"- src/{number:03}{'f' * 30}.py" for number in range(40))
    text = render(Brief({**full, "open": "z" * 1_500, "done": "- read\n- wrote", "touched_files": files}))
    assert len(text) <= RENDER_LIMIT
    assert "- wrote" not in text and "(2 older lines left out)" in text
    assert "src/039" in text and "src/000" not in text


@given(st.dictionaries(st.sampled_from(MODEL_FIELDS), TEXT))
def test_the_rendered_brief_keeps_its_bound_and_every_constraint_word_for_word(values):
    text = render(Brief(values))
    assert len(text) <= RENDER_LIMIT
    constraints = values.get("user_constraints", "")
    assert not constraints.strip() or constraints.rstrip() in text


def test_all_fields_full_keep_the_constraints():
    brief = Brief({name: f"{name} " * (FIELD_LIMIT // (len(name) + 1)) for name in MODEL_FIELDS})
    assert brief.get("user_constraints").rstrip() in render(brief) and len(render(brief)) <= RENDER_LIMIT


@given(TEXT, st.text(alphabet="xyz ", min_size=1, max_size=20))
def test_a_line_that_is_appended_can_be_removed_again(text, line):
    if not line.strip():
        return
    longer = append_line(text, line)
    assert longer.splitlines()[:-1] == text.splitlines()
    assert without_line(longer, len(longer.splitlines()) - 1) == "\n".join(text.splitlines())


@given(TEXT, st.integers(0, 50), st.sampled_from([-1, 1]))
def test_moving_a_line_keeps_every_line(text, index, by):
    moved = moved_line(text, index, by)
    assert sorted(moved.splitlines()) == sorted(text.splitlines())


def test_lines_are_named_by_their_words_with_or_without_bullets():
    text = "- Keep the API\n- Keep the parser  Source: comment:3"
    assert append_line(text, "Use tabs").endswith("\n- Use tabs")
    assert remove_line(text, "Keep the API") == "- Keep the parser  Source: comment:3"
    assert replace_line(text, "the parser", "Drop it").splitlines()[1] == "- Drop it"
    assert moved_line(text, 1, -1).startswith("- Keep the parser")
    assert append_line("", "First") == "First"


@pytest.mark.parametrize("wanted", ["Keep", "nothing like it", "  ", "-"])
def test_a_line_that_is_not_clear_is_not_guessed(wanted):
    with pytest.raises(LineNotFound):
        find_line("- Keep a\n- Keep b", wanted)


def test_refs_are_found_inside_lines():
    text = "Keep auth. Source: comment:17, Transcript:42 (not mycomment:1, commentary:2)"
    assert refs_in(text) == [Ref("comment", 17), Ref("transcript", 42)]


def test_only_a_bullet_at_the_beginning_is_one():
    assert bare("- a ** b - c") == "a ** b - c" and bare("path: a/** is read-only") == "path: a/** is read-only"
