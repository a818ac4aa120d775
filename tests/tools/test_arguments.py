from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keen_tui.domain.exchange import ToolSpec
from keen_tui.tools.arguments import check_arguments
from keen_tui.tools.registry import standard_tools

READ = standard_tools().get("read_file").spec
BASH = standard_tools().get("bash").spec
EDIT = standard_tools().get("edit_file").spec
ASK = standard_tools().get("ask_user").spec
LEVEL = ToolSpec(
    "level",
    "",
    {"type": "object", "properties": {"level": {"type": "string", "enum": ["low", "high"]}}, "required": []},
)


def test_good_arguments_have_no_problem():
    assert check_arguments(READ, {"path": "a", "offset": 3, "limit": 10}) == ""
    assert check_arguments(BASH, {"command": "ls", "timeout": 2.5}) == ""
    assert check_arguments(ASK, {"question": "?", "choices": ["a", "b"]}) == ""
    assert check_arguments(READ, {"path": "a", "offset": None}) == ""
    assert check_arguments(LEVEL, {"anything": 1, "level": "low"}) == ""


@pytest.mark.parametrize(
    ("spec", "arguments", "words"),
    [
        (READ, {}, '"path" is missing'),
        (EDIT, {"path": "a"}, '"old_string" and "new_string" are missing'),
        (READ, {"file_path": "a"}, 'no parameter "file_path". Did you mean "path"?'),
        (EDIT, {"path": "a", "oldString": "x", "new_string": "y"}, 'Did you mean "old_string"?'),
        (READ, {"path": None}, '"path" must be a text, not null'),
        (READ, {"path": 7}, '"path" must be a text, not 7'),
        (READ, {"path": "a", "offset": 0}, '"offset" must be at least 1'),
        (READ, {"path": "a", "offset": 1.5}, '"offset" must be a whole number'),
        (READ, {"path": "a", "offset": True}, '"offset" must be a whole number'),
        (BASH, {"command": "x", "timeout": 99999}, '"timeout" must be at most 3600'),
        (BASH, {"command": "x", "timeout": float("nan")}, '"timeout" must be a number'),
        (ASK, {"question": "?", "choices": ["a", 2]}, '"choices[1]" must be a text, not 2'),
        (ASK, {"question": "?", "choices": "a"}, '"choices" must be a list'),
        (LEVEL, {"level": "middle"}, '"level" must be one of "low", "high"'),
        (READ, None, "must be a JSON object"),
        (READ, ["path"], "must be a JSON object"),
    ],
)
def test_a_problem_is_said_in_one_sentence_with_what_the_tool_takes(spec, arguments, words):
    sentence = check_arguments(spec, arguments)
    assert words in sentence
    assert spec is LEVEL or "It takes: " in sentence


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["path", "offset", "limit", "x"]) | st.text(), json_values))
def test_any_json_object_is_judged_without_an_error(arguments):
    sentence = check_arguments(READ, arguments)
    assert len(sentence) < 600
    json.dumps(sentence).encode()
