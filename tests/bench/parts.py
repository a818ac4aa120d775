"""The parts of a measurement. Each returns figures; the floor and Keen are measured one after the other."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path

from tests.bench import formatting
from tests.bench.budgets import Figure
from tests.bench.long_task import LAST_WORDS, make_task
from tests.bench.programs import MODEL, Program, floor, keen
from tests.bench.session import Answer, Keys, Session
from tests.bench.terminal import now

MAXIMISE = b"\x1b[18~"
MANY, FEW = 10_000, 10


@dataclass(frozen=True)
class Bench:
    """`chunks` and `flood` are the lengths of answers, `runs` how often each program is started."""

    folder: Path
    port: int
    runs: int = 3
    chunks: int = 2_000
    flood: int = 8_000
    rate: int = 200
    messages: int = MANY

    @property
    def floor(self) -> Program:
        return floor(self.folder, self.port)

    @property
    def keen(self) -> Program:
        return keen(self.folder, self.port)

    @property
    def one_pane(self) -> Program:
        return keen(self.folder, self.port, "keen, one pane", keys=MAXIMISE)

    @property
    def low_bandwidth(self) -> Program:
        return keen(self.folder, self.port, "keen, low bandwidth", "--low-bandwidth", keys=MAXIMISE)

    def resumed(self, task: str) -> Program:
        return keen(self.folder, self.port, "keen, resumed", "--resume", task)

    def session(self, program: Program) -> Session:
        return Session(program, self.port)


def median(values: Iterable[float]) -> float:
    return statistics.median(values)


def start(bench: Bench) -> list[Figure]:
    """Exec until a typed character is visible; the first start of each program warms the disk."""
    times: dict[str, list[float]] = {"floor": [], "keen": []}
    paints: list[float] = []
    for run in range(bench.runs + 1):
        for program in (bench.floor, bench.keen):
            with bench.session(program) as session:
                if run:
                    times[program.name].append(1000 * session.usable)
                    if program.is_keen:
                        paints.append(1000 * session.first_paint)
    base = median(times["floor"])
    return [
        Figure("start", "to usable prompt, warm", median(times["keen"]), "ms", 1.3, base, bench.runs),
        Figure("start", "to first paint", median(paints), "ms", None, None, bench.runs),
    ]


def keys(bench: Bench) -> list[Figure]:
    """Key to echo at rest, and while the worker imports litellm."""
    base, ours, busy = [], [], []
    for _ in range(bench.runs):
        with bench.session(bench.floor) as session:
            session.rest()
            base.append(session.keys())
        with bench.session(bench.keen) as session:
            busy.append(session.keys(20, 0.03))
            session.rest()
            ours.append(session.keys())
    idle = median(k.p95_ms for k in ours)
    return [
        Figure("keys", "key to echo p95, idle", idle, "ms", 1.0, median(k.p95_ms for k in base), bench.runs),
        Figure("keys", "key to echo median, idle", _median_ms(ours), "ms", None, _median_ms(base), bench.runs),
        Figure("keys", "bytes a key", median(k.bytes_each for k in ours), "B", 150, None, bench.runs),
        Figure("keys", "p95 while the worker loads", median(k.p95_ms for k in busy), "ms", 2.0, idle, bench.runs),
        Figure("keys", "keys lost", sum(k.lost for k in (*ours, *busy)), "", 0, None, bench.runs),
    ]


def _median_ms(keys: Sequence[Keys]) -> float:
    return median(k.median_ms for k in keys)


def stream(bench: Bench) -> list[Figure]:
    """An answer at a steady rate; then the same while somebody types."""
    found: dict[str, list[Answer]] = {}
    idle: list[float] = []
    typed: list[float] = []
    typed_base: list[float] = []
    programs = {"floor": bench.floor, "one": bench.one_pane, "split": bench.keen, "low": bench.low_bandwidth}
    for _ in range(bench.runs):
        for name, program in programs.items():
            with bench.session(program) as session:
                session.rest()
                session.ask(5)
                found.setdefault(name, []).append(session.ask(bench.chunks, bench.rate))
                if name == "split":
                    idle.append(session.keys(40).p95_ms)
                if name in ("split", "floor"):
                    answer = session.ask(bench.chunks // 2, bench.rate, typed=25)
                    (typed if name == "split" else typed_base).append(answer.keys.p95_ms if answer.keys else 0.0)
    cpu = {name: median(a.cpu for a in answers) for name, answers in found.items()}
    size = {name: median(a.bytes_each for a in answers) for name, answers in found.items()}
    settled = median(1000 * answer.settle for answer in found["split"])
    what = f"{bench.chunks:,} chunks at {bench.rate}/s"
    n = bench.runs
    return [
        Figure("stream", f"{what}: CPU, one pane", cpu["one"], "s", 1.2, cpu["floor"], n),
        Figure("stream", f"{what}: CPU, split", cpu["split"], "s", 1.2, cpu["floor"], n),
        Figure("stream", "CPU, low bandwidth", cpu["low"], "s", None, cpu["floor"], n),
        Figure("stream", "bytes a chunk, one pane", size["one"], "B", 100, None, n),
        Figure("stream", "bytes a chunk, split", size["split"], "B", 230, None, n),
        Figure("stream", "bytes a chunk, low bandwidth", size["low"], "B", 50, None, n),
        Figure("stream", "settled after the last chunk", settled, "ms", 100, None, n),
        Figure("stream", "key to echo p95 meanwhile", median(typed), "ms", 2.0, median(idle), n),
        Figure("stream", "the same, against the floor's", median(typed), "ms", None, median(typed_base), n),
    ]  # fmt: skip


def flood(bench: Bench) -> list[Figure]:
    """Answers as fast as they go, of two lengths."""
    small: list[Answer] = []
    large: list[Answer] = []
    base: list[Answer] = []
    for _ in range(bench.runs):
        with bench.session(bench.floor) as session:
            session.rest()
            session.ask(5)
            base.append(session.ask(bench.flood))
        for length, answers in ((bench.flood // 8, small), (bench.flood, large)):
            with bench.session(bench.keen) as session:
                session.rest()
                session.ask(5)
                answers.append(session.ask(length))
    cpu, cpu_small = median(a.cpu for a in large), median(a.cpu for a in small)
    exponent = log(cpu / max(cpu_small, 0.01)) / log(8)
    shown, what, n = median(a.shown for a in large), f"{bench.flood:,} chunks at once", bench.runs
    return [
        Figure("flood", f"{what}: until shown", shown, "s", 2.0, median(a.shown for a in base), n),
        Figure("flood", f"{what}: CPU", cpu, "s", 2.0, median(a.cpu for a in base), n),
        Figure("flood", f"CPU growth exponent from {bench.flood // 8:,}", exponent, "", 0.6, None, n),
    ]


def idle(bench: Bench) -> list[Figure]:
    """Ten seconds of nothing."""
    with bench.session(bench.keen) as session:
        session.rest()
        written, percent = session.idle()
    return [
        Figure("idle", "bytes in 10 s", written, "B", 0),
        Figure("idle", "CPU in 10 s", percent, "%", 0.5),
    ]


def _tasks(bench: Bench) -> tuple[str, str]:
    program = bench.keen
    home, project = Path(program.environ["KEEN_HOME"]), program.folder / "project"
    return make_task(home, project, MODEL, FEW), make_task(home, project, MODEL, bench.messages)


def resume(bench: Bench) -> list[Figure]:
    """A long task opened again, and typing in it."""
    few, many = _tasks(bench)
    empty, usable, shown, typed_few, typed_many = [], [], [], [], []
    for run in range(bench.runs + 1):
        with bench.session(bench.keen) as session:
            empty.append(1000 * session.usable)
        with bench.session(bench.resumed(many)) as session:
            usable.append(1000 * session.usable)
            seen = session.terminal.wait_for(lambda text: LAST_WORDS in text, 60)
            shown.append(1000 * ((seen or now()) - session.terminal.started))
            if run:
                session.rest()
                typed_many.append(session.keys(40).p95_ms)
        if run:
            with bench.session(bench.resumed(few)) as session:
                session.rest()
                typed_few.append(session.keys(40).p95_ms)
    what, n = f"{bench.messages:,} messages", bench.runs
    return [
        Figure("resume", f"{what}: to usable prompt", median(usable[1:]), "ms", 1.3, median(empty[1:]), n),
        Figure("resume", f"{what}: until the end is shown", median(shown[1:]), "ms", None, median(empty[1:]), n),
        Figure("resume", f"key to echo p95 with {what}", median(typed_many), "ms", 1.3, median(typed_few), n),
    ]


def memory(bench: Bench) -> list[Figure]:
    """Proportional set sizes at rest, in MiB."""
    _, many = _tasks(bench)
    with bench.session(bench.floor) as session:
        session.rest()
        base, _ = session.memory()
    with bench.session(bench.keen) as session:
        session.rest()
        own, worker = session.memory()
    with bench.session(bench.resumed(many)) as session:
        session.terminal.wait_for(lambda text: LAST_WORDS in text, 60)
        session.rest()
        large, _ = session.memory()
    return [
        Figure("memory", "dashboard at rest", own, "MiB", 1.5, base),
        Figure("memory", f"dashboard with {bench.messages:,} messages", large, "MiB", 3.0, base),
        Figure("memory", "worker at rest", worker, "MiB", 240),
    ]


def format_history(bench: Bench) -> list[Figure]:
    """Request bodies of 1,000 turns with 10 activities each."""
    figures = []
    for wire, (milliseconds, exponent) in formatting.measure().items():
        figures.append(Figure("format", f"1,000 turns, {wire}", milliseconds, "ms", 50, None, 5))
        figures.append(Figure("format", f"growth exponent, {wire}", exponent, "", 1.3, None, 5))
    return figures


def search(bench: Bench) -> list[Figure]:
    """What the search measures of itself, where there is one."""
    try:
        from tests.bench import search as searching  # type: ignore[attr-defined]
    except ImportError:
        return []
    return [
        Figure("search", name, float(value), "ms" if name.endswith("ms") else "", 30 if "p95" in name else None)
        for name, value in searching.measure().items()
        if isinstance(value, int | float)
    ]


PARTS: dict[str, Callable[[Bench], list[Figure]]] = {
    "start": start,
    "keys": keys,
    "stream": stream,
    "flood": flood,
    "idle": idle,
    "resume": resume,
    "memory": memory,
    "format": format_history,
    "search": search,
}
