"""Frames carry calls and payloads unchanged, and refuse what is no frame."""

from __future__ import annotations

import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keen_tui.domain.errors import GatewayError
from keen_tui.gateway.protocol import (
    LENGTH_BYTES,
    FrameError,
    body_bytes,
    call_frame,
    call_of,
    decode,
    encode,
    error_frame,
    error_of,
    read_frame,
)
from tests.gateway.providers import a_call

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda v: st.lists(v, max_size=3) | st.dictionaries(st.text(max_size=5), v, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=5), json_values, max_size=4))
def test_a_call_comes_out_as_it_went_in(body: dict[str, object]) -> None:
    call = a_call("http://x", body=body, headers={"A": "b"})
    frame = decode(call_frame(7, call)[LENGTH_BYTES:])
    back, sent = call_of(frame)
    assert frame.id == 7
    assert json.loads(sent) == body
    assert (back.wire, back.api_key, back.headers, back.timeouts) == (
        call.wire,
        call.api_key,
        call.headers,
        call.timeouts,
    )


def test_an_error_comes_out_as_it_went_in() -> None:
    error = GatewayError("rate_limited", "Slow.\nDown", status=429, retry_after=1.5, hint="Wait.")
    back = error_of(decode(error_frame(1, error)[LENGTH_BYTES:]))
    assert (back.kind, back.message, back.status, back.retry_after, back.hint) == (
        "rate_limited",
        "Slow.\nDown",
        429,
        1.5,
        "Wait.",
    )


@given(st.text(alphabet=st.characters(), max_size=20))
def test_any_text_can_be_written(text: str) -> None:
    assert json.loads(body_bytes({"text": text}))["text"] is not None


def test_what_json_cannot_hold_is_a_bad_request() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    for value in (float("nan"), object(), deep):
        with pytest.raises(GatewayError) as failed:
            body_bytes({"x": value})
        assert failed.value.kind == "bad_request"


async def test_the_end_of_the_pipe_is_no_frame_even_in_the_middle_of_one() -> None:
    for cut in (0, 2, 6):
        reader = asyncio.StreamReader()
        reader.feed_data(encode({"type": "ready"})[:cut])
        reader.feed_eof()
        assert await read_frame(reader) is None


@pytest.mark.parametrize("content", [b"\xff\xff\xff\xff", b"\x00\x00\x00\x03abc", b"\x00\x00\x00\x02[]"])
async def test_what_is_no_frame_is_refused(content: bytes) -> None:
    reader = asyncio.StreamReader()
    reader.feed_data(content)
    reader.feed_eof()
    with pytest.raises(FrameError):
        await read_frame(reader)
