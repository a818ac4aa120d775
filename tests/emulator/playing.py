"""Sends a reply down a connection, with the fault that was asked for."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from aiohttp import web

from tests.emulator import stream_anthropic, stream_chat, stream_gemini, stream_ollama, stream_responses
from tests.emulator.frames import Frame, Setting
from tests.emulator.replies import Call, EmulatedWire, Fault, Recorded, Say

FRAMES: Mapping[EmulatedWire, Callable[[Say, Setting], Iterable[Frame]]] = {
    "anthropic": stream_anthropic.frames,
    "openai_responses": stream_responses.frames,
    "openai_chat": stream_chat.frames,
    "gemini": stream_gemini.frames,
    "ollama": stream_ollama.frames,
}
_ERROR_EVENTS: Mapping[EmulatedWire, Callable[[str], bytes]] = {
    "anthropic": stream_anthropic.error_event,
    "openai_responses": stream_responses.error_event,
    "openai_chat": stream_chat.error_event,
    "gemini": stream_gemini.error_event,
    "ollama": stream_ollama.error_event,
}
_HTML = b"<!doctype html><html><body><h1>Sign in to the network</h1></body></html>"
_PACE = 0.002
_DELTAS = ("thinking", "text", "call")
_TALK = (
    "Let me look at that first — it won't take long. Grüße, 你好, 👩‍💻! The stream handler reads one "
    "event at a time and hands it on, so the order is kept."
)
_ESCAPES = (
    "before \x1b[2J\x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b]52;c;aGk=\x07 \x9b1m \x07\x08\x00 "
    "\u202eright to left\u202c zero\u200bwidth [link](javascript:alert) [red]markup[/red] after"
)


class Dropped(Exception):
    """The emulator itself cut the connection."""


def said_by(fault: Fault, arguments: Mapping[str, object] | None = None) -> Say:
    """What the model says under this fault, before the stream itself is touched."""
    call = Call("read_file", dict(arguments or {"path": "app.py"}))
    said = fault.say
    match fault.kind:
        case "broken_arguments":
            return said or Say("Reading.", calls=(replace(call, arguments='{"path": "app.py'),))
        case "empty_arguments":
            return said or Say("Reading.", calls=(replace(call, arguments={}),))
        case "unknown_tool":
            return said or Say("Opening.", calls=(Call("open_the_pod_bay_doors", {"door": 1}),))
        case "repeated_ids":
            twice = replace(call, id="call_repeated_1")
            return said or Say("Reading both.", calls=(twice, replace(twice, arguments={"path": "README.md"})))
        case "same_index" | "repeated_name":
            return said or Say("Reading both.", calls=(call, Call("glob", {"pattern": "*.py"})))
        case "disconnect_in_call":
            return said or Say("Reading.", calls=(call,), chunk=4)
        case "huge_text":
            return said or Say("All work and no play. **Still** more work.\n\n" * 250_000, chunk=32_768)
        case "escapes":
            return said or Say(_ESCAPES)
        case "length" | "refused":
            return replace(said or Say(_TALK), stop=fault.kind)
        case _:
            return said or Say(_TALK)


async def play(
    request: web.Request,
    response: web.StreamResponse,
    recorded: Recorded,
    say: Say,
    fault: Fault | None,
    setting: Setting,
) -> None:
    """Write the whole reply. Raises Dropped when the fault cuts the connection."""
    kind = fault.kind if fault else ""
    if kind == "silence":
        await _until_the_client_leaves()
    if kind == "disconnect":
        _cut(request)
    await response.prepare(request)
    if kind in ("empty_body", "html"):
        if kind == "html":
            await response.write(_HTML)
        await response.write_eof()
        return
    setting = replace(setting, quirk=kind if kind in ("same_index", "repeated_name") else "")
    counts = dict.fromkeys(_DELTAS, 0)
    for frame in FRAMES[recorded.wire](say, setting):
        if fault and _strikes(fault, frame, counts):
            await _strike(request, response, recorded.wire, fault)
            if kind != "not_json":
                return
            kind, fault = "", None
        await _write(response, frame.data, kind)
        if frame.kind in counts:
            counts[frame.kind] += 1
            if say.hold is not None and sum(counts.values()) == say.hold_after:
                recorded.held.set()
                await say.hold.wait()
            if say.delay:
                await asyncio.sleep(say.delay)
    await response.write_eof()


def _strikes(fault: Fault, frame: Frame, counts: Mapping[str, int]) -> bool:
    """Whether the fault comes in place of this frame."""
    match fault.kind:
        case "disconnect_in_text" | "stall" | "error_event" | "not_json":
            return counts["text"] >= fault.after or frame.kind == "end"
        case "disconnect_in_call":
            return counts["call"] >= fault.after or frame.kind == "end"
        case "no_terminal":
            return frame.kind == "end"
        case _:
            return False


async def _strike(request: web.Request, response: web.StreamResponse, wire: EmulatedWire, fault: Fault) -> None:
    match fault.kind:
        case "disconnect_in_text" | "disconnect_in_call":
            await asyncio.sleep(_PACE)
            _cut(request)
        case "stall":
            await _until_the_client_leaves()
        case "error_event":
            await response.write(_ERROR_EVENTS[wire](fault.message or "The engine stopped in mid-answer."))
            await response.write_eof()
        case "not_json":
            await response.write(b'{"half": \n' if wire == "ollama" else b'data: {"half": \n\n')
        case "no_terminal":
            await response.write_eof()


async def _write(response: web.StreamResponse, data: bytes, kind: str) -> None:
    if kind == "drip":
        for start in range(0, len(data), 5):
            await response.write(data[start : start + 5])
            await asyncio.sleep(0)
    elif kind == "split_utf8":
        for part in _inside_characters(data):
            await response.write(part)
            await asyncio.sleep(_PACE)
    else:
        await response.write(data)


def _inside_characters(data: bytes) -> list[bytes]:
    """The bytes cut behind the first byte of each character that has more than one."""
    cuts = [place + 1 for place, byte in enumerate(data) if byte >= 0xC0]
    edges = [0, *cuts, len(data)]
    return [data[start:end] for start, end in itertools.pairwise(edges) if start < end]


def _cut(request: web.Request) -> None:
    if request.transport is not None:
        request.transport.close()
    raise Dropped


async def _until_the_client_leaves() -> None:
    """Ended only by the cancellation that a lost connection brings."""
    await asyncio.Event().wait()
