import json
import os
import stat
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from keen_tui.domain.events import (
    ApprovalRequested,
    AssistantText,
    BriefChanged,
    ModelCalled,
    QuestionAsked,
    Reasoning,
    ToolFinished,
    ToolStarted,
    TurnCompleted,
    TurnStarted,
)
from keen_tui.store.failures import StoreError
from keen_tui.store.transcript import Transcript


@pytest.fixture
def path(tmp_path):
    return tmp_path / "task" / "logs" / "transcript.jsonl"


def write(path, *events):
    transcript = Transcript(path)
    kept = [transcript.append(event) for event in events]
    transcript.close()
    return kept


def text(words):
    return AssistantText(task="t", turn="u", text=words)


def test_a_missing_transcript_is_an_empty_one(path):
    contents = Transcript.read(path)
    assert (contents.events, contents.problems, contents.last_seq) == ([], [], 0)
    assert not path.exists()


def test_events_come_back_as_they_were_numbered_from_one(path):
    kept = write(
        path,
        TurnStarted(number=1, text="do it"),
        text("a\u2028b\r\nc\0d"),
        QuestionAsked(request_id="r", call_id="c", question="?", choices=("a", "b")),
        BriefChanged(author="user", revision=1, changes={"goal": "g"}),
        TurnCompleted(comment=2),
    )
    assert [event.seq for event in kept] == [1, 2, 3, 4, 5]
    contents = Transcript.read(path)
    assert contents.events == kept
    assert (contents.problems, contents.last_seq) == ([], 5)


def test_numbers_go_on_across_reopenings(path):
    write(path, text("a"), text("b"))
    transcript = Transcript(path)
    assert transcript.append(text("c")).seq == 3
    transcript.close()
    assert transcript.append(text("d")).seq == 4
    transcript.flush()
    transcript.close()
    transcript.close()
    assert [event.text for event in Transcript.read(path).events] == ["a", "b", "c", "d"]


def test_a_line_can_be_read_as_soon_as_it_is_appended(path):
    transcript = Transcript(path)
    transcript.append(text("a"))
    assert len(Transcript.read(path).events) == 1
    transcript.close()


def test_outputs_arguments_and_passing_events_are_never_stored(path):
    canary = "canary-71c2"
    transcript = Transcript(path)
    for event in (
        ToolStarted(call_id="c", tool="bash", target="make", arguments={"command": canary}),
        ToolFinished(call_id="c", tool="bash", status="success", output=canary, diff=canary, output_size=9),
        ApprovalRequested(request_id="r", call_id="c", tool="bash", question="Run?", detail=canary),
    ):
        transcript.append(event)
    passing = Reasoning(text=canary)
    assert transcript.append(passing) is passing
    assert transcript.append(ModelCalled(iteration=1)).seq == 0
    transcript.close()
    assert canary.encode() not in path.read_bytes()
    assert Transcript.read(path).last_seq == 3


def test_files_are_private(path):
    before = os.umask(0)
    try:
        write(path, text("a"))
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(path.parent.parent.stat().st_mode) == 0o700


def test_a_torn_last_line_costs_only_itself(path):
    write(path, text("a"), text("b"), text("c"))
    path.write_bytes(path.read_bytes()[:-20])
    contents = Transcript.read(path)
    assert [event.text for event in contents.events] == ["a", "b"]
    (problem,) = contents.problems
    assert problem.line == 3 and "torn" in problem.reason
    assert write(path, text("d"))[0].seq == 4
    contents = Transcript.read(path)
    assert [(event.seq, event.text) for event in contents.events] == [(1, "a"), (2, "b"), (4, "d")]
    assert len(contents.problems) == 1


def test_a_whole_last_line_without_its_newline_is_not_lost(path):
    write(path, text("a"))
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    assert write(path, text("b"))[0].seq == 2
    contents = Transcript.read(path)
    assert [event.text for event in contents.events] == ["a", "b"]
    assert contents.problems == []


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"garbage", "not a JSON object"),
        (b"[1]", "not a JSON object"),
        (b'{"type":"assistant_text","seq":2', "not a JSON object"),
        (b"\xff\xfe\x00", "NUL"),
        (b"\0" * 4096, "NUL"),
        (b"[" * 100_000, "not a JSON object"),
        (b'{"seq":2}', "unknown type"),
        (b'{"type":"from_the_future","seq":2}', "unknown type 'from_the_future'"),
        (b'{"type":"assistant_text","seq":2}', "not a valid event: assistant_text.text"),
        (b'{"type":"assistant_text","seq":2,"text":7}', "not a valid event"),
        (b'{"type":["a"],"seq":2}', "unknown type"),
        (b'{"type":"assistant_text","seq":' + b"9" * 5000 + b',"text":"x"}', "not a JSON object"),
    ],
)
def test_a_bad_line_in_the_middle_is_reported_and_skipped(path, line, reason):
    write(path, text("a"))
    with path.open("ab") as file:
        file.write(line + b"\n")
    (last,) = write(path, text("b"))
    contents = Transcript.read(path)
    assert [event.text for event in contents.events] == ["a", "b"]
    assert {problem.line for problem in contents.problems} == {2}
    assert any(reason in problem.reason for problem in contents.problems)
    assert contents.last_seq == last.seq == (2 if not line.strip(b"\0") else 3)


def test_entries_of_an_unknown_type_are_counted_and_stay_in_the_file(path):
    write(path, text("a"))
    with path.open("ab") as file:
        file.write(b'{"type":"from_the_future","seq":2,"x":1}\n')
    write(path, text("b"))
    assert Transcript.read(path).unknown == 1
    assert b"from_the_future" in path.read_bytes()


def test_an_entry_behind_nul_bytes_is_saved_and_the_bytes_reported(path):
    write(path, text("a"))
    path.write_bytes(b"\0" * 512 + path.read_bytes())
    contents = Transcript.read(path)
    assert [event.text for event in contents.events] == ["a"]
    assert "NUL" in contents.problems[0].reason


def test_blank_lines_are_no_problem(path):
    write(path, text("a"))
    with path.open("ab") as file:
        file.write(b"\n\r\n")
    write(path, text("b"))
    assert Transcript.read(path).problems == []


def test_unknown_fields_of_a_known_type_are_ignored(path):
    path.parent.mkdir(parents=True)
    path.write_text('{"type":"assistant_text","seq":1,"text":"a","colour":"red"}\n')
    assert Transcript.read(path).events[0].text == "a"


def test_lone_surrogates_do_not_break_writing(path):
    transcript = Transcript(path)
    transcript.append(AssistantText.model_construct(text="a\ud800b", task="t", turn="", seq=0))
    event = BriefChanged(author="user", revision=1, changes={})
    transcript.append(event.model_copy(update={"changes": {"goal": "\udfff"}}))
    transcript.append(text("c"))
    transcript.close()
    contents = Transcript.read(path)
    assert contents.problems == []
    assert contents.events[0].text == "a?b"
    assert contents.events[1].changes == {"goal": "?"}


def test_a_very_long_prompt_is_kept_whole(path):
    write(path, TurnStarted(number=1, text="ü" * 2_500_000), text("a"))
    assert write(path, text("b"))[0].seq == 3
    assert len(Transcript.read(path).events[0].text) == 2_500_000


def test_numbering_goes_on_behind_a_very_long_last_line(path):
    write(path, text("a"), text("x" * 200_000))
    assert write(path, text("b"))[0].seq == 3


@pytest.mark.parametrize("size", [10, 65_000, 65_536, 70_000, 200_000])
@pytest.mark.parametrize("damage", [b"", b"damage\n" * 20_000, b"d" * 150_000 + b"\n"])
def test_the_last_number_is_found_however_far_back_it_is(path, size, damage):
    path.parent.mkdir(parents=True)
    entries = [{"type": "assistant_text", "seq": seq, "text": "x" * size} for seq in (7, 41)]
    path.write_bytes(b"".join(json.dumps(entry).encode() + b"\n" for entry in entries) + damage)
    assert write(path, text("a"))[0].seq == 42 + damage.count(b"\n")


def test_a_folder_or_link_in_the_place_of_the_file_is_explained(path, tmp_path):
    path.mkdir(parents=True)
    with pytest.raises(StoreError, match="can't be written"):
        Transcript(path).append(text("a"))
    with pytest.raises(StoreError, match="can't be read"):
        Transcript.read(path)
    path.rmdir()
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError, match="can't be written"):
        Transcript(path).append(text("a"))
    assert not (tmp_path / "elsewhere").exists()


def test_a_file_in_the_place_of_the_folder_is_explained(tmp_path):
    (tmp_path / "task").write_text("x")
    with pytest.raises(StoreError, match="the last step was not recorded") as caught:
        Transcript(tmp_path / "task" / "logs" / "t.jsonl").append(text("a"))
    assert caught.value.hint


FULL = """
import resource, sys
from pathlib import Path
from keen_tui.domain.events import AssistantText
from keen_tui.store.failures import StoreError
from keen_tui.store.transcript import Transcript
path = Path(sys.argv[1])
transcript = Transcript(path)
transcript.append(AssistantText(text="a"))
size = path.stat().st_size
resource.setrlimit(resource.RLIMIT_FSIZE, (size + 50, resource.RLIM_INFINITY))
try:
    transcript.append(AssistantText(text="b" * 100))
except StoreError as error:
    print(error.message)
print(path.stat().st_size == size)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
print(transcript.append(AssistantText(text="c")).seq)
"""


def test_a_disk_that_fills_up_in_the_middle_of_a_line_leaves_no_half_line(path):
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(path)], capture_output=True, text=True, check=True, timeout=60
    )
    message, same_size, seq = done.stdout.splitlines()
    assert "can't be written" in message and str(path) in message
    assert (same_size, seq) == ("True", "2")
    contents = Transcript.read(path)
    assert [event.text for event in contents.events] == ["a", "c"]
    assert contents.problems == []


KILLED = """
import os, signal, sys
from pathlib import Path
from keen_tui.domain.events import AssistantText
from keen_tui.store.transcript import Transcript
transcript = Transcript(Path(sys.argv[1]))
for number in range(50):
    transcript.append(AssistantText(text=str(number)))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_process_loses_nothing_that_was_appended(path):
    assert subprocess.run([sys.executable, "-c", KILLED, str(path)], timeout=60).returncode == -9
    contents = Transcript.read(path)
    assert [event.text for event in contents.events] == [str(number) for number in range(50)]
    assert contents.last_seq == 50


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.one_of(st.text(), st.binary().map(lambda raw: raw.replace(b"\n", b""))), max_size=8))
def test_whatever_stands_in_the_file_good_entries_are_read_and_numbered_upward(tmp_path, pieces):
    """A text is an entry, bytes are damage."""
    path = tmp_path / "t.jsonl"
    path.unlink(missing_ok=True)
    for piece in pieces:
        if isinstance(piece, str):
            write(path, text(piece))
        else:
            with path.open("ab") as file:
                file.write(piece)
    contents = Transcript.read(path)
    kept = [event for event in contents.events if event.task == "t"]
    damaged = len([piece for piece in pieces if isinstance(piece, bytes) and piece])
    written = [piece for piece in pieces if isinstance(piece, str)]
    assert [event.text for event in kept] == written or damaged
    assert len(kept) >= len(written) - damaged
    numbers = [event.seq for event in kept]
    assert numbers == sorted(set(numbers))


def test_lines_are_plain_json_objects(path):
    write(path, text("é"))
    (line,) = path.read_bytes().splitlines()
    assert json.loads(line)["type"] == "assistant_text"
    assert "é".encode() in line
