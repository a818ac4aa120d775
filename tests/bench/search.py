"""How long a search over a very long task takes, and what keeping its index in step costs."""

from __future__ import annotations

import asyncio
import itertools
import random
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from keen_tui.agent.recall import TaskRecall
from keen_tui.domain.events import AssistantText, ToolFinished, TurnStarted
from keen_tui.store.database import Store
from keen_tui.store.transcript import Transcript

SEED = 7
VOCABULARY = 20_000
"""Different words, each used in inverse proportion to its rank."""


def measure(entries: int = 100_000, queries: int = 200, singles: int = 200) -> dict[str, float]:
    """Figures by name: searches, and what one entry costs when all are read at once, and by itself."""
    return asyncio.run(_measure(entries, queries, singles))


async def _measure(entries: int, queries: int, singles: int) -> dict[str, float]:
    words = _Words()
    with tempfile.TemporaryDirectory() as folder:
        store = await Store.open(Path(folder) / "keen.db")
        record = await store.create_task(Path("/repo"), "demo", "ask")
        transcript = Transcript(Path(folder) / "transcript.jsonl")
        recall = TaskRecall(store, record.id, transcript.path)
        for number in range(entries):
            _append(transcript, number, words)
        began = time.perf_counter()
        await recall.find("warm")
        bulk = (time.perf_counter() - began) / entries
        times = sorted([await _timed(recall, query) for query in words.queries(queries)])
        alone, few = [await _kept_in_step(recall, transcript, words, singles, at_once) for at_once in (1, 5)]
        transcript.close()
        await store.close()
        size = (Path(folder) / "keen.db").stat().st_size
    return {
        f"{entries:,} entries, p50 ms": 1000 * times[len(times) // 2],
        f"{entries:,} entries, p95 ms": 1000 * times[int(0.95 * len(times))],
        "an entry indexed with others, ms": 1000 * bulk,
        "an entry indexed alone, ms": 1000 * alone,
        "an entry indexed with four more, ms": 1000 * few,
        "database, MB": size / 1e6,
    }


async def _kept_in_step(recall: TaskRecall, transcript: Transcript, words: _Words, steps: int, at_once: int) -> float:
    """Seconds an entry, where so many happen between two steps of the index."""
    seconds = 0.0
    for number in range(steps):
        for part in range(at_once):
            _append(transcript, number * at_once + part, words)
        began = time.perf_counter()
        await recall.bring_up_to_date()
        seconds += time.perf_counter() - began
    return seconds / (steps * at_once)


async def _timed(recall: TaskRecall, query: str) -> float:
    began = time.perf_counter()
    await recall.find(query)
    return time.perf_counter() - began


def _append(transcript: Transcript, number: int, words: _Words) -> None:
    text = words.text(random.Random(number).randint(8, 60))
    match number % 10:
        case 0:
            transcript.append(TurnStarted(number=number, text=text))
        case 1 | 2 | 3:
            path = f"src/{words.text(1)}/{words.text(1)}.py"
            transcript.append(ToolFinished(call_id="c", tool="read_file", status="success", target=path))
        case _:
            transcript.append(AssistantText(text=text))


class _Words:
    """Made-up words with the frequencies of a language."""

    def __init__(self) -> None:
        self._random = random.Random(SEED)
        syllables = [a + b for a in "bcdfghjklmnprstvwz" for b in "aeiou"]
        self.ranked = list(
            dict.fromkeys(
                "".join(self._random.choices(syllables, k=self._random.randint(1, 4))) for _ in range(VOCABULARY)
            )
        )
        self._weights = list(itertools.accumulate(1 / (rank + 1) for rank in range(len(self.ranked))))

    def text(self, count: int) -> str:
        return " ".join(self._random.choices(self.ranked, cum_weights=self._weights, k=count))

    def queries(self, count: int) -> Sequence[str]:
        """From the commonest word alone to three rare ones; phrases, paths and parts of words among them."""
        made = []
        for number in range(count):
            rank = int(len(self.ranked) ** self._random.random())
            word, other = self.ranked[rank % len(self.ranked)], self.text(1)
            forms = (
                word,
                f"{word} {other}",
                f'"{other} {word}"',
                f"src/{word}",
                word[:3],
                f"{word} {other} {self.text(1)}",
            )
            made.append(forms[number % len(forms)])
        return made


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name:<34} {value:8.2f}")
