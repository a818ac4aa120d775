"""Makes a task of many messages in a home, as a person would find it when they resume it."""

from __future__ import annotations

import asyncio
from pathlib import Path

from keen_tui.config.paths import KeenHome
from keen_tui.domain.events import AssistantText, ToolFinished, ToolStarted, TurnCompleted, TurnStarted
from keen_tui.store.database import Store
from keen_tui.store.transcript import Transcript
from tests.bench.server import chunks

LAST_WORDS = "ZZLAST"


async def _make(home: KeenHome, workspace: Path, model: str, messages: int) -> str:
    home.ensure()
    store = await Store.open(home.database)
    task = await store.create_task(workspace, model, "ask", f"A task of {messages} messages")
    await store.update_task(task.id, turns=messages // 2)
    await store.close()
    home.task_dir(task.id).mkdir(parents=True, exist_ok=True)
    transcript = Transcript(home.transcript(task.id))
    for number in range(1, messages // 2 + 1):
        turn, call = f"t{number}", f"c{number}"
        transcript.append(TurnStarted(task=task.id, turn=turn, number=number, text=f"Question {number}?", model=model))
        transcript.append(AssistantText(task=task.id, turn=turn, text="".join(chunks(150, ""))))
        if number % 5 == 0:
            path = f"module_{number}.py"
            transcript.append(ToolStarted(task=task.id, turn=turn, call_id=call, tool="read_file", target=path))
            finished = ToolFinished(
                task=task.id, turn=turn, call_id=call, tool="read_file", status="success", target=path, output_size=999
            )
            transcript.append(finished)
        if number == messages // 2:
            transcript.append(AssistantText(task=task.id, turn=turn, text=f"\n\n{LAST_WORDS}"))
        transcript.append(TurnCompleted(task=task.id, turn=turn))
    transcript.close()
    return task.id


def make_task(home: Path, workspace: Path, model: str, messages: int) -> str:
    """A task of questions and answers, and a tool call in every fifth turn. Returns its id."""
    workspace.mkdir(parents=True, exist_ok=True)
    return asyncio.run(_make(KeenHome(home), workspace, model, messages))
