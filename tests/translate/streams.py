"""What providers stream: a thought, some text and calls, in each wire format."""

from __future__ import annotations

import json
from typing import Any

from keen_tui.domain.exchange import Wire

Payload = dict[str, Any]
Call = tuple[str, str, dict[str, Any]]
"""Id, tool name and arguments."""

TWO_CALLS: tuple[Call, ...] = (
    ("id_1", "read_file", {"path": "a.py"}),
    ("id_2", "read_file", {"path": "dir/b é.py"}),
)


def stream(wire: Wire, thought: str = "", text: str = "", calls: tuple[Call, ...] = ()) -> list[Payload]:
    """The payloads of a reply that ends properly."""
    match wire:
        case "anthropic":
            return anthropic(thought, text, calls)
        case "openai_responses":
            return openai_responses(thought, text, calls)
        case "gemini":
            return gemini(thought, text, calls)
        case "ollama":
            return ollama(thought, text, calls)
        case _:
            return openai_chat(thought, text, calls)


def halves(text: str) -> list[str]:
    middle = len(text) // 2
    return [piece for piece in (text[:middle], text[middle:]) if piece]


def anthropic(thought: str, text: str, calls: tuple[Call, ...]) -> list[Payload]:
    usage = {
        "input_tokens": 10,
        "cache_creation_input_tokens": 20,
        "cache_read_input_tokens": 300,
        "output_tokens": 1,
    }
    payloads: list[Payload] = [
        {"type": "message_start", "message": {"role": "assistant", "content": [], "usage": usage}},
        {"type": "ping"},
    ]
    blocks: list[tuple[Payload, list[Payload]]] = []
    if thought:
        grown: list[Payload] = [{"type": "thinking_delta", "thinking": piece} for piece in halves(thought)]
        grown.append({"type": "signature_delta", "signature": "c2lnbmVk"})
        blocks.append(({"type": "thinking", "thinking": "", "signature": ""}, grown))
        blocks.append(({"type": "redacted_thinking", "data": "aGlkZGVu"}, []))
    if text:
        blocks.append(({"type": "text", "text": ""}, [{"type": "text_delta", "text": part} for part in halves(text)]))
    for call_id, name, arguments in calls:
        pieces = ["", *halves(json.dumps(arguments))]
        deltas: list[Payload] = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
        blocks.append(({"type": "tool_use", "id": call_id, "name": name, "input": {}}, deltas))
    for index, (start, deltas) in enumerate(blocks):
        payloads.append({"type": "content_block_start", "index": index, "content_block": start})
        payloads += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        payloads.append({"type": "content_block_stop", "index": index})
    reason = "tool_use" if calls else "end_turn"
    payloads.append({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 40}})
    payloads.append({"type": "message_stop"})
    return payloads


def chat_chunk(delta: Payload | None, reason: str | None = None) -> Payload:
    choices = [{"index": 0, "delta": delta, "finish_reason": reason}] if delta is not None else []
    return {"id": "c1", "object": "chat.completion.chunk", "choices": choices}


def chat_call(index: int | None, call_id: str | None, name: str | None, arguments: Any) -> Payload:
    function = {"name": name, "arguments": arguments}
    return chat_chunk({"tool_calls": [{"index": index, "id": call_id, "function": function}]})


def openai_chat(thought: str, text: str, calls: tuple[Call, ...]) -> list[Payload]:
    payloads = [chat_chunk({"role": "assistant", "content": None})]
    payloads += [chat_chunk({"reasoning_content": piece}) for piece in halves(thought)]
    payloads += [chat_chunk({"content": piece}) for piece in halves(text)]
    for index, (call_id, name, _) in enumerate(calls):
        payloads.append(chat_call(index, call_id, name, ""))
    for index, (_, _, arguments) in enumerate(calls):
        payloads += [chat_call(index, None, None, piece) for piece in halves(json.dumps(arguments))]
    payloads.append(chat_chunk({}, "tool_calls" if calls else "stop"))
    usage = {
        "prompt_tokens": 330,
        "completion_tokens": 40,
        "prompt_tokens_details": {"cached_tokens": 300},
    }
    return [*payloads, {**chat_chunk(None), "usage": usage}]


def openai_responses(thought: str, text: str, calls: tuple[Call, ...]) -> list[Payload]:
    payloads: list[Payload] = [{"type": "response.created", "response": {"status": "in_progress"}}]
    items: list[Payload] = []
    if thought:
        summary = [{"type": "summary_text", "text": thought}]
        item = {"type": "reasoning", "id": "rs_1", "summary": summary, "encrypted_content": "c2VjcmV0"}
        items.append(item)
        payloads.append({"type": "response.output_item.added", "output_index": 0, "item": item})
        for piece in halves(thought):
            payloads.append({"type": "response.reasoning_summary_text.delta", "output_index": 0, "delta": piece})
        payloads.append({"type": "response.output_item.done", "output_index": 0, "item": item})
    if text:
        index = len(items)
        content = [{"type": "output_text", "text": text, "annotations": []}]
        item = {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "status": "completed",
            "content": content,
        }
        items.append(item)
        for piece in halves(text):
            payloads.append({"type": "response.output_text.delta", "output_index": index, "delta": piece})
        payloads.append({"type": "response.output_item.done", "output_index": index, "item": item})
    first = len(items)
    for call_id, name, arguments in calls:
        raw = json.dumps(arguments)
        items.append(
            {"type": "function_call", "id": f"fc_{call_id}", "call_id": call_id, "name": name, "arguments": raw}
        )
    for index, item in list(enumerate(items))[first:]:
        payloads.append(
            {"type": "response.output_item.added", "output_index": index, "item": {**item, "arguments": ""}}
        )
    for index, item in list(enumerate(items))[first:]:
        for piece in halves(item["arguments"]):
            payloads.append({"type": "response.function_call_arguments.delta", "output_index": index, "delta": piece})
        payloads.append({"type": "response.output_item.done", "output_index": index, "item": item})
    usage = {"input_tokens": 330, "output_tokens": 40, "input_tokens_details": {"cached_tokens": 300}}
    payloads.append({"type": "response.completed", "response": {"output": items, "usage": usage}})
    return payloads


def gemini_payload(*parts: Payload, reason: str | None = None) -> Payload:
    candidate: Payload = {"index": 0, "content": {"role": "model", "parts": list(parts)}}
    if reason:
        candidate["finishReason"] = reason
    return {"candidates": [candidate]}


def gemini(thought: str, text: str, calls: tuple[Call, ...]) -> list[Payload]:
    payloads = [gemini_payload({"text": piece, "thought": True}) for piece in halves(thought)]
    payloads += [gemini_payload({"text": piece}) for piece in halves(text)]
    parts: list[Payload] = [{"functionCall": {"name": name, "args": args}} for _, name, args in calls]
    if parts:
        parts[0]["thoughtSignature"] = "c2lnbmVk"
    payloads.append(gemini_payload(*parts, reason="STOP"))
    payloads[-1]["usageMetadata"] = {
        "promptTokenCount": 330,
        "cachedContentTokenCount": 300,
        "candidatesTokenCount": 30,
        "thoughtsTokenCount": 10,
    }
    return payloads


def ollama(thought: str, text: str, calls: tuple[Call, ...]) -> list[Payload]:
    messages: list[Payload] = [{"content": "", "thinking": piece} for piece in halves(thought)]
    messages += [{"content": piece} for piece in halves(text)]
    messages += [
        {"content": "", "tool_calls": [{"function": {"name": name, "arguments": arguments}}]}
        for _, name, arguments in calls
    ]
    payloads: list[Payload] = [{"message": {"role": "assistant", **message}, "done": False} for message in messages]
    end = {"done": True, "done_reason": "stop", "prompt_eval_count": 330, "eval_count": 40}
    return [*payloads, {"message": {"role": "assistant", "content": ""}, **end}]
