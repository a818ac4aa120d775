"""Measures Keen against its budgets: `python -m tests.bench [--parts start,keys] [--json FILE]`.

Everything runs on this machine: a model server on loopback, the floor program and Keen in the same
pseudo-terminal of 120x40. Figures of different machines or moments can't be compared; ratios of one run can.
`python -m tests.bench context FILE` prints what TurnMemory saves in a recorded task.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.bench import context_size
from tests.bench.budgets import Figure, as_json, table
from tests.bench.parts import PARTS, Bench


def main(argv: list[str] | None = None) -> int:
    """Returns 0 when every part ran, whatever the verdicts."""
    arguments = sys.argv[1:] if argv is None else argv
    if arguments[:1] == ["context"]:
        return _context(arguments[1:])
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--parts", default=",".join(PARTS), help="of " + ",".join(PARTS))
    parser.add_argument("--runs", type=int, default=3, help="starts of each program; medians are printed")
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args(arguments)
    names = options.parts.split(",")
    if unknown := [name for name in names if name not in PARTS]:
        parser.error(f"no part is called {unknown[0]}; there are {', '.join(PARTS)}")
    if not Path("/proc/self/smaps_rollup").exists():
        parser.error("CPU and memory are read from /proc, which this system does not have")
    figures, failed = _measure(names, options.runs)
    print(table(figures))
    if options.json:
        options.json.write_text(json.dumps(as_json(figures, _machine()), indent=2) + "\n")
    return 1 if failed else 0


def _measure(names: list[str], runs: int) -> tuple[list[Figure], bool]:
    figures: list[Figure] = []
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen([sys.executable, "-m", "tests.bench.server"], stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            bench = Bench(Path(folder), int(server.stdout.readline()), runs)
            for name in names:
                began = time.monotonic()
                try:
                    figures += PARTS[name](bench)
                except RuntimeError as error:
                    failed = True
                    print(f"{name} failed: {error}", file=sys.stderr)
                print(f"{name}: {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
        finally:
            server.terminate()
            server.wait()
    return figures, failed


def _machine() -> dict[str, object]:
    return {
        "python": platform.python_version(),
        "system": platform.platform(),
        "cores": os.cpu_count(),
        "load": os.getloadavg(),
        "time": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
    }


def _context(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench context")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="events as `keen run --format json` prints")
    for file in parser.parse_args(arguments).files:
        found = context_size.measure(file)
        print(
            f"{file.name}: {found['calls']:.0f} tool calls; full trace {found['full']:,.0f} tokens, "
            f"kept {found['kept']:,.0f} ({found['percent']:.1f} %), at {context_size.BYTES_A_TOKEN} bytes a token"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
