"""Runs the emulator for work by hand: `python -m tests.emulator --port 8765 --scenario work`."""

from __future__ import annotations

import argparse
import asyncio
import signal

from tests.emulator.scenarios import NAMES, scenario
from tests.emulator.server import Emulator

_WIRES = ("anthropic", "openai_responses", "openai_chat", "gemini", "ollama")


def main() -> None:
    """Serve until SIGINT or SIGTERM, with one line for each request."""
    parser = argparse.ArgumentParser(prog="python -m tests.emulator", description="Model providers on 127.0.0.1.")
    parser.add_argument("--port", type=int, default=8765, help="0 takes a free one")
    parser.add_argument("--scenario", default="echo", help=NAMES)
    parser.add_argument("--delay", type=float, default=0.02, help="seconds between deltas")
    parser.add_argument("--context-tokens", type=int, default=None, help="refuse larger requests")
    parser.add_argument("--lenient", action="store_true", help="accept every JSON object")
    arguments = parser.parse_args()
    try:
        asyncio.run(_serve(arguments))
    except ValueError as error:
        parser.error(str(error))


async def _serve(arguments: argparse.Namespace) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    emulator = Emulator(
        default=scenario(arguments.scenario, arguments.delay),
        strict=not arguments.lenient,
        port=arguments.port,
        context_tokens=arguments.context_tokens,
    )
    async with emulator:
        print(f"Scenario {arguments.scenario}. Any key but bad-key and forbidden-key; any model name.")
        for wire in _WIRES:
            print(f"  {wire:<17} {emulator.base(wire)}", flush=True)
        printing = asyncio.create_task(_print_requests(emulator))
        await stop.wait()
        printing.cancel()


async def _print_requests(emulator: Emulator) -> None:
    count = 0
    while True:
        await emulator.wait_for(count + 1, timeout=365 * 24 * 3600)
        request = emulator.requests[count]
        count += 1
        verdict = f"refused {request.status}: {request.refused}" if request.refused else "accepted"
        print(f"{count:>4} {request.wire} {request.model} {len(request.raw):,} bytes {verdict}", flush=True)


if __name__ == "__main__":
    main()
