from keen_tui.agent.repeats import Repeats
from keen_tui.domain.exchange import ToolCall


def call(name: str, **arguments: object) -> ToolCall:
    return ToolCall("c", name, arguments)


def test_the_same_call_with_the_same_result_is_counted_even_with_others_in_between() -> None:
    repeats = Repeats()
    counts = []
    for _ in range(3):
        counts.append(repeats.count(call("glob", pattern="*"), "a.py"))
        repeats.count(call("grep", pattern="x"), "nothing")
    assert counts == [1, 2, 3]


def test_polling_with_changing_output_is_honest_work() -> None:
    repeats = Repeats()
    assert [repeats.count(call("bash", command="date"), str(n)) for n in range(5)] == [1, 1, 1, 1, 1]


def test_a_changed_file_makes_running_the_tests_again_useful() -> None:
    repeats = Repeats()
    assert repeats.count(call("bash", command="pytest"), "1 failed") == 1
    repeats.file_changed()
    assert repeats.count(call("bash", command="pytest"), "1 failed") == 1
