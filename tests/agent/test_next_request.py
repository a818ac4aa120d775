from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import pytest

from keen_tui.config.settings import Settings
from keen_tui.domain.exchange import Wire
from keen_tui.domain.replayed_turn import SeenCall
from keen_tui.gateway.demo import DemoGateway
from tests.open_tasks import opened, turn, workbench


def bench(folder: Path):
    (folder / "project").mkdir(parents=True)
    (folder / "project" / "README.md").write_text("# Tide\n")
    return workbench(folder, DemoGateway(delay=0), Settings(model="demo", mode="plan"))


async def test_what_a_turn_is_said_to_become_is_what_the_next_request_holds(tmp_path: Path):
    async with opened(bench(tmp_path)) as (session, _):
        await turn(session, "What is in this folder?")
        replayed = session.replayed(session.view.turns[0])
        calls = [row for row in replayed.rows if isinstance(row, SeenCall)]
        body = json.dumps(session.native_body(), ensure_ascii=False)
        assert calls and replayed.tokens > 10
        assert all(json.dumps(call.outcome)[1:-1] in body for call in calls)


async def test_the_last_body_is_kept_in_memory_and_the_next_one_begins_like_it(tmp_path: Path):
    async with opened(bench(tmp_path)) as (session, _):
        assert session.last_body == {}
        await turn(session, "What is in this folder?")
        last, following = session.last_body, session.native_body()
        assert last["messages"][0] == following["messages"][0]


@pytest.mark.parametrize("wire", get_args(Wire))
async def test_the_body_is_shown_in_every_wire_format(tmp_path: Path, wire):
    async with opened(bench(tmp_path)) as (session, _):
        await turn(session, "hello")
        assert "hello" in json.dumps(session.native_body(wire))


async def test_the_parts_say_where_the_cache_ends_and_what_is_dropped(tmp_path: Path):
    async with opened(bench(tmp_path)) as (session, _):
        await turn(session, "What is in this folder?")
        notes = {part.name: part.note for part in session.next_request()}
        assert "dropped" in notes["history, 1 turn"] and "cache" in notes["history, 1 turn"]
