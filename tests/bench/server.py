"""The model server of the measurements: one answer of any length at any rate, in chat completions.

`long:CHUNKS` or `long:CHUNKS:RATE` in the newest message asks for so many chunks, at so many a second or
as fast as they go. The last chunk is a word of its own. `GET /answers` tells when each answer began and ended.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import time
from collections.abc import Iterator
from itertools import pairwise

MARK = "ZZEND"
_CHUNK = 4
_PAGES = (
    "## Part {n}: what the loader does\n\n",
    "It opens the file, checks its **header** and gives back rows. An empty file is *not* an error: `rows_{n}` "
    "returns nothing then, and whoever calls it has to look at the length before dividing by it.\n\n",
    "- read `settings_{n}.toml`\n- check each key\n  - an unknown one is refused\n  - a missing one gets its "
    "default\n- write the result\n\n",
    "```python\ndef rows_{n}(path: Path) -> list[int]:\n    with path.open() as lines:\n"
    "        return [int(line) for line in lines if line.strip()]\n```\n\n",
    "| part {n} | before | after |\n| --- | ---: | ---: |\n| rows | 120 | 118 |\n| seconds | 1.2 | 0.9 |\n\n",
)
_WISH = re.compile(r"long:(\d+)(?::(\d+))?")


def chunks(count: int, mark: str) -> list[str]:
    """Markdown of whole blocks in exactly `count` pieces; the last is the mark."""
    text, number = "", 0
    while len(text) < (count - 1) * _CHUNK:
        number += 1
        for page in _PAGES:
            text += page.replace("{n}", str(number))
            if len(text) >= (count - 1) * _CHUNK:
                break
    cuts = [round(index * len(text) / max(1, count - 1)) for index in range(count)]
    return [text[start:end] for start, end in pairwise(cuts)] + [mark]


def _events(pieces: list[str]) -> Iterator[bytes]:
    for index, piece in enumerate(pieces):
        end = "stop" if index == len(pieces) - 1 else None
        choice = {"index": 0, "delta": {"role": "assistant", "content": piece}, "finish_reason": end}
        body = {"id": "bench", "object": "chat.completion.chunk", "created": 0, "model": "bench", "choices": [choice]}
        yield b"data: " + json.dumps(body).encode() + b"\n\n"
    usage = {"prompt_tokens": 100, "completion_tokens": len(pieces), "total_tokens": 100 + len(pieces)}
    body = {"id": "bench", "object": "chat.completion.chunk", "created": 0, "model": "bench", "choices": []}
    yield b"data: " + json.dumps({**body, "usage": usage}).encode() + b"\n\ndata: [DONE]\n\n"


class Server:
    """Keeps the times of its answers; times are of the monotonic clock."""

    def __init__(self) -> None:
        self.answers: list[dict[str, float | int | str]] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while request := (await reader.readuntil(b"\r\n\r\n")).decode("latin-1"):
                length = re.search(r"(?i)content-length: *(\d+)", request)
                body = await reader.readexactly(int(length[1])) if length else b""
                if request.startswith("GET"):
                    await self._reply(writer, json.dumps(self.answers).encode())
                else:
                    await self._stream(writer, body)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _reply(self, writer: asyncio.StreamWriter, body: bytes) -> None:
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        await writer.drain()

    async def _stream(self, writer: asyncio.StreamWriter, body: bytes) -> None:
        wishes = _WISH.findall(json.dumps(json.loads(body)["messages"]))
        count, rate = (int(wishes[-1][0]), int(wishes[-1][1] or 0)) if wishes else (3, 0)
        mark = MARK + "ABCDEFGHIJ"[len(self.answers) % 10]
        answer: dict[str, float | int | str] = {"mark": mark, "chunks": count}
        self.answers.append(answer)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
        answer["first"] = start = time.monotonic()
        for index, event in enumerate(_events(chunks(count, mark))):
            wait = start + index / rate - time.monotonic() if rate else 0
            if wait > 0:
                await asyncio.sleep(wait)
            writer.write(b"%x\r\n%s\r\n" % (len(event), event))
            await writer.drain()
        answer["last"] = time.monotonic()
        writer.write(b"0\r\n\r\n")
        await writer.drain()


async def _run(port: int) -> None:
    server = await asyncio.start_server(Server().serve, "127.0.0.1", port, limit=1 << 26)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one; it is printed")
    asyncio.run(_run(parser.parse_args().port))
