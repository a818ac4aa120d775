from keen_tui.domain.exchange import HistoryTurn, Replay
from keen_tui.domain.turn_memory import Activity
from keen_tui.translate.call_ids import history_ids
from keen_tui.translate.replay import Passage, offered_tools, outcome_text, passages
from tests.translate.conversations import STREAM_TURN, TOOLS, tool


def ids(turn_id: str, count: int) -> list[str]:
    return history_ids("call_", turn_id, count)


def replayed(turn: HistoryTurn, form: Replay = "empty", tools=TOOLS) -> list[Passage]:
    return passages(turn, offered_tools(tools), form, ids)


def turn(*activities: Activity, prose: str = "Look.") -> HistoryTurn:
    return HistoryTurn("t", "go", prose, activities)


def test_the_default_form_sends_no_arguments():
    calls = [call for passage in replayed(STREAM_TURN) for call in passage.calls]
    assert [call.arguments for call in calls] == [{}, {}, {}]
    assert [call.name for call in calls] == ["edit_file", "bash", "read_file"]


def test_the_bounded_form_fills_the_real_parameter_with_the_kept_target():
    done = turn(
        Activity(text_offset=0, tool="read_file", status="success", target="src/a.py"),
        Activity(text_offset=0, tool="bash", status="success", target="pytest -q"),
        Activity(text_offset=0, tool="grep", status="success", target="src :: TODO :: x"),
        Activity(text_offset=0, tool="grep", status="success", target="TODO"),
        Activity(text_offset=0, tool="read_file", status="success"),
    )
    calls = replayed(done, "bounded")[0].calls
    assert [call.arguments for call in calls] == [
        {"path": "src/a.py"},
        {"command": "pytest -q"},
        {"path": "src", "pattern": "TODO :: x"},
        {"pattern": "TODO"},
        {},
    ]


def test_a_parameter_that_the_tool_does_not_have_is_never_made_up():
    done = turn(Activity(text_offset=0, tool="read_file", status="success", target="src/a.py"))
    assert replayed(done, "bounded", (tool("read_file", file="string"),))[0].calls[0].arguments == {}


def test_the_note_form_writes_bracketed_lines_into_the_prose():
    done = turn(
        Activity(text_offset=5, tool="edit_file", status="success", target="a.py", file_changed="a.py"),
        Activity(text_offset=5, tool="bash", status="success", target="pytest", exit_code=2),
        Activity(text_offset=5, tool="read_file", status="error", target="b.py"),
        prose="Look. Done.",
    )
    assert replayed(done, "note") == [
        Passage(
            "Look.\n[edit_file a.py: success, changed a.py]\n[bash pytest: exit code 2]\n"
            "[read_file b.py: error]\n Done."
        )
    ]


def test_a_tool_that_is_not_offered_becomes_a_note_beside_the_native_calls():
    done = turn(
        Activity(text_offset=5, tool="web_search", status="success"),
        Activity(text_offset=5, tool="bash", status="success"),
        prose="Look. Done.",
    )
    first, last = replayed(done)
    assert first.text == "Look.\n[web_search: success]"
    assert [(call.name, call.id) for call in first.calls] == [("bash", "call_h_t_1")]
    assert last == Passage(" Done.")


def test_mcp_activities_are_replayed_as_calls_of_the_wrapper():
    done = turn(Activity(text_offset=5, tool="query-docs", server="context7", status="success"))
    wrapper = tool("call_mcp_tool", server="string", tool="string")
    assert replayed(done, tools=(wrapper,))[0].calls[0].name == "call_mcp_tool"
    bounded = replayed(done, "bounded", (wrapper,))[0].calls[0]
    assert bounded.arguments == {"server": "context7", "tool": "query-docs"}
    assert replayed(done)[0].text == "Look.\n[context7/query-docs: success]"


def test_results_are_compact_json_in_a_fixed_order_of_keys():
    def text(**fields) -> str:
        return outcome_text(Activity(text_offset=0, tool="bash", **fields))

    assert text(status="success") == '{"status":"success"}'
    assert text(status="error", file_changed="a.py", exit_code=1) == '{"status":"error"}'
    assert text(status="success", file_changed="src/日本.py") == ('{"status":"success","file_changed":"src/日本.py"}')
    assert text(status="success", exit_code=1, failed_command="pytest -q") == (
        '{"status":"success","failed_command":"pytest -q","exit_code":1}'
    )
    assert text(status="success", exit_code=137) == '{"status":"success","exit_code":137}'


def test_ids_hold_their_form_for_any_turn_id():
    for turn_id in ("t", "é/ü", "x" * 200, "\ud83d"):
        for call_id in ids(turn_id, 2):
            assert len(call_id) <= 64
            assert call_id.isascii()
    assert ids("x" * 200, 1) != ids("x" * 201, 1)
    assert ids("t", 3)[:2] == ids("t", 2)
