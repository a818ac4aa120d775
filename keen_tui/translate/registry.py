"""Which translator speaks which wire format."""

from __future__ import annotations

from keen_tui.domain.errors import KeenError
from keen_tui.domain.exchange import Wire
from keen_tui.translate.anthropic import AnthropicTranslator
from keen_tui.translate.base import Translator
from keen_tui.translate.gemini import GeminiTranslator
from keen_tui.translate.ollama import OllamaTranslator
from keen_tui.translate.openai_chat import ChatTranslator
from keen_tui.translate.openai_responses import ResponsesTranslator


def translator_for(wire: Wire) -> Translator:
    """The translator of a wire format. Raises KeenError for a name that is none."""
    match wire:
        case "anthropic":
            return AnthropicTranslator()
        case "openai_responses":
            return ResponsesTranslator()
        case "openai_chat" | "litellm":
            return ChatTranslator(wire)
        case "gemini":
            return GeminiTranslator()
        case "ollama":
            return OllamaTranslator()
    raise KeenError(f"There is no wire format named {wire!r}.", 'Set wire = "litellm" for this model in config.toml.')
