"""One start of one program, and what can be measured in it."""

from __future__ import annotations

import json
import random
import statistics
import string
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from tests.bench.emulation import EmulatedScreen
from tests.bench.processes import cpu_seconds, family, proportional_mib
from tests.bench.programs import Program
from tests.bench.terminal import Terminal, now

PROBES = "ZJXQVK"
FIRST_KEY, NEXT_KEY = 1.0, 0.15
"""Seconds after the first chunk, and between keys, when somebody types during an answer."""


def p95(values: Sequence[float]) -> float:
    """The 95th percentile, NaN without values."""
    ordered = sorted(values)
    return ordered[round(0.95 * (len(ordered) - 1))] if ordered else float("nan")


def letters(count: int, seed: int) -> str:
    """Letters of which no two neighbours are the same."""
    choice, text = random.Random(seed), ""
    while len(text) < count:
        text += choice.choice(string.ascii_lowercase.replace(text[-1:], "") if text else string.ascii_lowercase)
    return text


def contains(words: str, text: str) -> bool:
    return words in text


@dataclass
class Keys:
    """Milliseconds from key to echo, and bytes a key."""

    p95_ms: float
    median_ms: float
    bytes_each: float
    lost: int

    @classmethod
    def of(cls, seconds: Sequence[float], written: int, count: int) -> Keys:
        median = statistics.median(seconds) if seconds else float("nan")
        return cls(p95(seconds) * 1000, median * 1000, written / count, count - len(seconds))


@dataclass
class Answer:
    """An answer that was shown. Seconds; `settle` is from the last chunk to the mark, `shown` from the first."""

    cpu: float
    bytes_each: float
    settle: float
    shown: float
    keys: Keys | None = None


class Session:
    """Close it at the end."""

    def __init__(self, program: Program, port: int) -> None:
        self.program, self.port = program, port
        self.terminal: Terminal = program.start()
        self.first_paint = self.usable = float("nan")

    def __enter__(self) -> Session:
        try:
            self._start()
        except BaseException:
            self.terminal.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.terminal.close()

    def _start(self) -> None:
        """Seconds to the first character on the screen, and to the first typed one."""
        terminal = self.terminal
        painted = terminal.wait_for(lambda text: bool(text.strip()), 30)
        while painted and not terminal.is_raw:
            terminal.read(0.002)
        before, shown = terminal.screen.text, None
        for probe in PROBES:
            terminal.write(probe.encode())
            if shown := terminal.wait_for(lambda text: any(text.count(p) > before.count(p) for p in PROBES), 0.25):
                break
        if not painted or not shown:
            raise RuntimeError(f"{self.program.name} did not start:\n{terminal.screen.text}")
        self.first_paint, self.usable = painted - terminal.started, shown - terminal.started
        terminal.read_for(0.3)
        self.erase(len(PROBES))
        if self.program.keys:
            terminal.write(self.program.keys)
            terminal.wait_until_quiet(0.5, 5)

    def erase(self, count: int) -> None:
        self.terminal.write(b"\x7f" * count)
        self.terminal.wait_until_quiet(0.3, 3)

    def rest(self, limit: float = 40) -> None:
        """Wait until the program and its children do nothing."""
        end = now() + limit
        while now() < end:
            before = cpu_seconds(self.terminal.pid)
            self.terminal.read_for(1.0)
            if cpu_seconds(self.terminal.pid) - before < 0.03:
                break
        self.terminal.emulate()

    def keys(self, count: int = 60, pause: float = 0.06) -> Keys:
        """Each key is typed when the one before stands on the screen and a pause has passed."""
        terminal, text, latencies = self.terminal, letters(count, 1), []
        terminal.wait_until_quiet(0.5, 5)
        written = terminal.bytes_written
        for index in range(count):
            typed = text[max(0, index - 19) : index + 1]
            sent = terminal.write(text[index].encode())
            shown = terminal.wait_for(partial(contains, typed), 3)
            if shown is not None:
                latencies.append(shown - sent)
            terminal.read_for(pause)
            terminal.emulate()
        result = Keys.of(latencies, terminal.bytes_written - written, count)
        self.erase(count)
        return result

    def ask(self, count: int, rate: int = 0, typed: int = 0, limit: float = 180) -> Answer:
        """Ask for an answer and watch it until all is quiet. Nothing is emulated meanwhile."""
        terminal = self.terminal
        known = len(self._answers())
        terminal.write(f"long:{count}:{rate}".encode())
        terminal.wait_until_quiet(0.3, 5)
        began, cpu = len(terminal.written), cpu_seconds(terminal.pid)
        before = EmulatedScreen(terminal.columns, terminal.rows_high)
        for written in terminal.written:
            before.feed(written.data)
        sent = terminal.write(b"\r")
        answer, keys = self._watch(sent, known, letters(typed, 7), limit)
        cpu = cpu_seconds(terminal.pid) - cpu
        return self._read_back(before, began, count, answer, keys, cpu)

    def _watch(self, sent: float, known: int, text: str, limit: float) -> tuple[dict[str, Any], list[float]]:
        terminal, asked = self.terminal, sent
        keys: list[float] = []
        answer: dict[str, Any] = {}
        while now() - sent < limit and not terminal.ended:
            terminal.read(0.005)
            time = now()
            if time - asked > 0.1 and "last" not in answer:
                asked, answer = time, next(iter(self._answers()[known:]), {})
            streaming = "first" in answer and "last" not in answer
            if streaming and len(keys) < len(text) and time >= answer["first"] + FIRST_KEY + NEXT_KEY * len(keys):
                keys.append(terminal.write(text[len(keys)].encode()))
            if "last" in answer and (time - max(terminal.last_write, answer["last"]) > 1 or time - answer["last"] > 20):
                return answer, keys
        raise RuntimeError(f"{self.program.name} gave no whole answer:\n{terminal.emulate().text}")

    def _read_back(
        self, screen: EmulatedScreen, began: int, count: int, answer: dict[str, Any], keys: list[float], cpu: float
    ) -> Answer:
        """Emulate the recording: when the mark and each key came to the screen."""
        text, written = letters(len(keys), 7), 0
        shown: list[float] = []
        mark: float | None = None
        for piece in self.terminal.written[began:]:
            screen.feed(piece.data)
            written += len(piece.data)
            rows = screen.text if len(shown) < len(keys) or mark is None else ""
            while len(shown) < len(keys) and text[max(0, len(shown) - 19) : len(shown) + 1] in rows:
                shown.append(piece.time)
            if mark is None and piece.time >= answer["first"] and answer["mark"] in rows:
                mark = piece.time
        if mark is None:
            raise RuntimeError(f"{self.program.name} never showed the end of the answer:\n{screen.text}")
        latencies = [seen - sent for seen, sent in zip(shown, keys, strict=False)]
        result = Answer(cpu, written / count, mark - answer["last"], mark - answer["first"])
        if keys:
            result.keys = Keys.of(latencies, 0, len(keys))
            self.erase(len(keys))
        return result

    def _answers(self) -> list[dict[str, Any]]:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/answers", timeout=10) as reply:
            answers: list[dict[str, Any]] = json.load(reply)
            return answers

    def idle(self, seconds: float = 10) -> tuple[int, float]:
        """Bytes written and CPU percent of the program itself while nothing happens."""
        terminal = self.terminal
        terminal.wait_until_quiet(1.0, 10)
        written, cpu = terminal.bytes_written, cpu_seconds(terminal.pid, alone=True)
        terminal.read_for(seconds)
        used = cpu_seconds(terminal.pid, alone=True) - cpu
        return terminal.bytes_written - written, 100 * used / seconds

    def memory(self) -> tuple[float, float]:
        """MiB of the program itself, and of its children."""
        own, *children = family(self.terminal.pid)
        return proportional_mib(own), sum(proportional_mib(pid) for pid in children)
