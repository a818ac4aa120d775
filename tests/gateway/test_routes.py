"""Base URLs are taken as people write them."""

from __future__ import annotations

import pytest

from keen_tui.gateway.routes import native_request, server_name
from tests.gateway.providers import KEY, a_call

ADDRESSES = [
    ("anthropic", None, "https://api.anthropic.com/v1/messages"),
    ("anthropic", "http://h:8", "http://h:8/v1/messages"),
    ("anthropic", "http://h:8/v1/", "http://h:8/v1/messages"),
    ("anthropic", "https://h/anthropic", "https://h/anthropic/v1/messages"),
    ("anthropic", "https://h/v1/messages", "https://h/v1/messages"),
    ("openai_responses", None, "https://api.openai.com/v1/responses"),
    ("openai_responses", "http://h/v1", "http://h/v1/responses"),
    ("openai_chat", None, "https://api.openai.com/v1/chat/completions"),
    ("openai_chat", "http://h:1234", "http://h:1234/v1/chat/completions"),
    ("openai_chat", "http://h/api/v3", "http://h/api/v3/chat/completions"),
    ("openai_chat", "http://h/v1/chat/completions", "http://h/v1/chat/completions"),
    ("openai_chat", "http://h/v1?api-version=1", "http://h/v1/chat/completions?api-version=1"),
    (
        "gemini",
        None,
        "https://generativelanguage.googleapis.com/v1beta/models/some-model:streamGenerateContent?alt=sse",
    ),
    ("gemini", "http://h", "http://h/v1beta/models/some-model:streamGenerateContent?alt=sse"),
    ("gemini", "http://h/v1beta/", "http://h/v1beta/models/some-model:streamGenerateContent?alt=sse"),
    ("ollama", None, "http://127.0.0.1:11434/api/chat"),
    ("ollama", "http://0.0.0.0:11434", "http://127.0.0.1:11434/api/chat"),
    ("ollama", "myhost", "http://myhost:11434/api/chat"),
    ("ollama", "http://h:1/v1", "http://h:1/api/chat"),
    ("ollama", "https://ollama.com", "https://ollama.com/api/chat"),
    ("ollama", "http://[::1]:11434", "http://[::1]:11434/api/chat"),
]


@pytest.mark.parametrize(("wire", "base", "address"), ADDRESSES)
def test_a_base_url_leads_to_the_providers_endpoint(wire: str, base: str | None, address: str) -> None:
    assert native_request(a_call(base or "", wire, base_url=base)).url == address


def test_a_compatible_provider_has_its_usual_address() -> None:
    call = a_call("", "openai_chat", provider="mistral", base_url=None)
    assert native_request(call).url == "https://api.mistral.ai/v1/chat/completions"


def test_a_model_name_cannot_leave_its_place_in_the_path() -> None:
    url = native_request(a_call("http://h", "gemini", model="a?b=c#d e")).url
    assert url == "http://h/v1beta/models/a%3Fb%3Dc%23d%20e:streamGenerateContent?alt=sse"


def test_a_header_of_the_settings_takes_the_place_of_ours() -> None:
    headers = native_request(a_call("http://h", headers={"X-Api-Key": "other", "X-Team": "a"})).headers
    assert headers["x-api-key"] == "other"
    assert headers["x-team"] == "a"


def test_credentials_of_a_base_url_become_a_header_and_are_never_shown() -> None:
    call = a_call("http://me:se%40cret@h:8/v1", "anthropic")
    request = native_request(call)
    assert request.url == "http://h:8/v1/messages"
    assert request.headers["authorization"] == "Basic bWU6c2VAY3JldA=="
    assert request.headers["x-api-key"] == KEY
    assert server_name(call) == "h:8"


def test_a_server_is_named_by_host_and_port() -> None:
    assert server_name(a_call("http://[::1]:8/v1")) == "[::1]:8"
    assert server_name(a_call("", "anthropic", base_url=None)) == "api.anthropic.com"
    assert server_name(a_call("", "litellm", provider="bedrock", base_url=None)) == "bedrock"
