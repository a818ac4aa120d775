"""Which checks a request of each wire format must pass."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tests.emulator import strict_anthropic, strict_chat, strict_gemini, strict_ollama, strict_responses
from tests.emulator.identity import Issued
from tests.emulator.replies import EmulatedWire

Check = Callable[[Mapping[str, Any], str, Issued], None]
"""Takes the body, the model's name and what was issued. Raises Refusal."""

CHECKS: Mapping[EmulatedWire, Check] = {
    "anthropic": strict_anthropic.check,
    "openai_responses": strict_responses.check,
    "openai_chat": strict_chat.check,
    "gemini": strict_gemini.check,
    "ollama": strict_ollama.check,
}
