"""Requests that every provider takes: a past turn with tools, then a new question.

The past turn reads: prose, two calls side by side (the second one went wrong), prose.
"""

from __future__ import annotations

from typing import Any

from tests.emulator.replies import EmulatedWire

_SCHEMA = {
    "type": "object",
    "properties": {"path": {"type": "string", "description": "Where"}, "lines": {"type": "integer"}},
    "required": ["path"],
    "additionalProperties": False,
}
_NAMES = ("read_file", "grep")
_ASK, _LOOK, _FOUND, _AGAIN = "Where is the port set?", "I look.\n", "In settings.py.", "And the host?"
_GOOD, _BAD = '{"status":"success"}', '{"status":"error"}'


def accepted(wire: EmulatedWire) -> dict[str, Any]:
    """A fresh body, so that a test may spoil it."""
    return {
        "anthropic": _anthropic,
        "openai_responses": _responses,
        "openai_chat": _chat,
        "gemini": _gemini,
        "ollama": _ollama,
    }[wire]()


def _anthropic() -> dict[str, Any]:
    calls = [
        {"type": "tool_use", "id": f"toolu_past_{place}", "name": name, "input": {}}
        for place, name in enumerate(_NAMES)
    ]
    results = [
        {"type": "tool_result", "tool_use_id": "toolu_past_0", "content": _GOOD},
        {"type": "tool_result", "tool_use_id": "toolu_past_1", "content": _BAD, "is_error": True},
    ]
    return {
        "model": "emulated-large",
        "max_tokens": 4096,
        "stream": True,
        "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
        "tools": [{"name": name, "description": name, "input_schema": _SCHEMA} for name in _NAMES],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": _ASK}]},
            {"role": "assistant", "content": [{"type": "text", "text": _LOOK}, *calls]},
            {"role": "user", "content": results},
            {"role": "assistant", "content": [{"type": "text", "text": _FOUND}]},
            {"role": "user", "content": [{"type": "text", "text": _AGAIN}]},
        ],
    }


def _function(name: str) -> dict[str, Any]:
    return {"name": name, "description": name, "parameters": _SCHEMA}


def _responses() -> dict[str, Any]:
    def message(role: str, text: str) -> dict[str, Any]:
        kind = "output_text" if role == "assistant" else "input_text"
        return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}

    calls = [
        {"type": "function_call", "call_id": f"call_past_{place}", "name": name, "arguments": "{}"}
        for place, name in enumerate(_NAMES)
    ]
    outputs = [
        {"type": "function_call_output", "call_id": f"call_past_{place}", "output": output}
        for place, output in enumerate((_GOOD, _BAD))
    ]
    return {
        "model": "emulated-large",
        "stream": True,
        "store": False,
        "include": ["reasoning.encrypted_content"],
        "instructions": "Be brief.",
        "input": [
            message("user", _ASK),
            message("assistant", _LOOK),
            *calls,
            *outputs,
            message("assistant", _FOUND),
            message("user", _AGAIN),
        ],
        "tools": [{"type": "function", **_function(name), "strict": False} for name in _NAMES],
    }


def _chat() -> dict[str, Any]:
    calls = [
        {"id": f"call_past_{place}", "type": "function", "function": {"name": name, "arguments": "{}"}}
        for place, name in enumerate(_NAMES)
    ]
    return {
        "model": "emulated-large",
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_completion_tokens": 4096,
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": _ASK},
            {"role": "assistant", "content": _LOOK, "tool_calls": calls},
            {"role": "tool", "tool_call_id": "call_past_0", "content": _GOOD},
            {"role": "tool", "tool_call_id": "call_past_1", "content": _BAD},
            {"role": "assistant", "content": _FOUND},
            {"role": "user", "content": _AGAIN},
        ],
        "tools": [{"type": "function", "function": _function(name)} for name in _NAMES],
    }


def _gemini() -> dict[str, Any]:
    calls: list[dict[str, Any]] = [{"functionCall": {"name": name, "args": {}}} for name in _NAMES]
    calls[0]["thoughtSignature"] = "skip_thought_signature_validator"
    responses = [
        {"functionResponse": {"name": name, "response": {"status": status}}}
        for name, status in zip(_NAMES, ("success", "error"), strict=True)
    ]
    declarations = [{"name": name, "description": name, "parametersJsonSchema": _SCHEMA} for name in _NAMES]
    return {
        "contents": [
            {"role": "user", "parts": [{"text": _ASK}]},
            {"role": "model", "parts": [{"text": _LOOK}, *calls]},
            {"role": "user", "parts": responses},
            {"role": "model", "parts": [{"text": _FOUND}]},
            {"role": "user", "parts": [{"text": _AGAIN}]},
        ],
        "tools": [{"functionDeclarations": declarations}],
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "generationConfig": {"maxOutputTokens": 4096},
    }


def _ollama() -> dict[str, Any]:
    calls = [{"function": {"name": name, "arguments": {}}} for name in _NAMES]
    return {
        "model": "emulated-large",
        "stream": True,
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": _ASK},
            {"role": "assistant", "content": _LOOK, "tool_calls": calls},
            {"role": "tool", "tool_name": "read_file", "content": _GOOD},
            {"role": "tool", "tool_name": "grep", "content": _BAD},
            {"role": "assistant", "content": _FOUND},
            {"role": "user", "content": _AGAIN},
        ],
        "tools": [{"type": "function", "function": _function(name)} for name in _NAMES],
        "options": {"num_predict": 4096, "num_ctx": 16384},
    }
