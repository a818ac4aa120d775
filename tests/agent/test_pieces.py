"""Pieces from files: what is malformed is reported, and the others load."""

from __future__ import annotations

from pathlib import Path

import pytest

from keen_tui.agent.pieces import Pieces, load_pieces

TOOLS = ("read_file", "write_file", "edit_file", "glob", "grep", "bash", "web_fetch", "ask_user", "MissionUpdate")
GOOD = 'name = "mine"\n[[movements]]\nname = "one"\n'


def load(tmp_path: Path) -> Pieces:
    return load_pieces(tmp_path / "home", tmp_path / "project", TOOLS)


def put(folder: Path, name: str, text: str | bytes) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_two_pieces_come_with_keen(tmp_path: Path) -> None:
    found = load(tmp_path)
    assert set(found.pieces) == {"work", "plan-build-review"} and found.problems == ()
    review = found.pieces["plan-build-review"].movement("review")
    assert review is not None and "build" in review.leads_to and review.may_complete


def test_the_users_and_the_workspaces_pieces_are_found(tmp_path: Path) -> None:
    put(tmp_path / "home", "mine.toml", GOOD)
    put(tmp_path / "project" / ".keen" / "pieces", "ours.toml", GOOD.replace("mine", "ours"))
    assert {"mine", "ours"} < set(load(tmp_path).pieces)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("name = ", "line 1"),
        (b"\xff\xfe", "UTF-8"),
        ('name = "x"\n', "movements"),
        ('name = "X y"\n[[movements]]\nname = "one"\n', "name"),
        (GOOD + "mood = 1\n", "movements.0.mood"),
        (GOOD + 'tools = ["fly"]\n', "fly"),
        (GOOD + 'exits = [{to = "nowhere", when = "x"}]\n', "nowhere"),
        (GOOD + 'exits = [{to = "one", when = "x"}]\n', "itself"),
        (GOOD + '[[movements]]\nname = "one"\n', "two movements"),
        (GOOD.replace("one", "complete"), "complete"),
        (GOOD + "tools = 3\n", "movements.0.tools"),
    ],
)
def test_a_malformed_piece_names_file_key_and_reason_and_the_others_load(
    tmp_path: Path, text: str | bytes, key: str
) -> None:
    path = put(tmp_path / "home", "bad.toml", text)
    put(tmp_path / "home", "good.toml", GOOD)
    found = load(tmp_path)
    (problem,) = found.problems
    assert str(path) in problem and key in problem
    assert "mine" in found.pieces and "work" in found.pieces


def test_a_workspace_replaces_no_piece_and_nobody_replaces_work(tmp_path: Path) -> None:
    put(tmp_path / "home", "work.toml", GOOD.replace("mine", "work"))
    put(tmp_path / "home", "pbr.toml", GOOD.replace("mine", "plan-build-review"))
    put(
        tmp_path / "project" / ".keen" / "pieces",
        "pbr.toml",
        GOOD.replace("mine", "plan-build-review") + 'model = "x"\n',
    )
    found = load(tmp_path)
    assert len(found.problems) == 2
    assert found.pieces["work"].movements[0].name == "work"
    assert [movement.model for movement in found.pieces["plan-build-review"].movements] == [None]
