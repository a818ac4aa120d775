"""Where a native request goes: the address and the headers of each wire format."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from urllib.parse import SplitResult, quote, unquote, urlsplit, urlunsplit

from keen_tui.domain.errors import GatewayError
from keen_tui.domain.exchange import Wire
from keen_tui.gateway.calls import ModelCall

ANTHROPIC_VERSION = "2023-06-01"
OLLAMA_PORT = 11434

DEFAULT_BASES: Mapping[Wire, str] = MappingProxyType(
    {
        "anthropic": "https://api.anthropic.com",
        "openai_responses": "https://api.openai.com/v1",
        "openai_chat": "https://api.openai.com/v1",
        "gemini": "https://generativelanguage.googleapis.com/v1beta",
        "ollama": f"http://127.0.0.1:{OLLAMA_PORT}",
    }
)

COMPATIBLE_BASES: Mapping[str, str] = MappingProxyType(
    {
        "aihubmix": "https://aihubmix.com/v1",
        "baseten": "https://inference.baseten.co/v1",
        "cerebras": "https://api.cerebras.ai/v1",
        "dashscope": "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        "deepinfra": "https://api.deepinfra.com/v1/openai",
        "deepseek": "https://api.deepseek.com/v1",
        "docker_model_runner": "http://127.0.0.1:12434/engines/llama.cpp/v1",
        "featherless_ai": "https://api.featherless.ai/v1",
        "fireworks_ai": "https://api.fireworks.ai/inference/v1",
        "friendliai": "https://api.friendli.ai/serverless/v1",
        "groq": "https://api.groq.com/openai/v1",
        "hosted_vllm": "http://127.0.0.1:8000/v1",
        "hyperbolic": "https://api.hyperbolic.xyz/v1",
        "inception": "https://api.inceptionlabs.ai/v1",
        "lambda_ai": "https://api.lambda.ai/v1",
        "lemonade": "http://127.0.0.1:8000/api/v1",
        "litellm_proxy": "http://127.0.0.1:4000/v1",
        "llamafile": "http://127.0.0.1:8080/v1",
        "lm_studio": "http://127.0.0.1:1234/v1",
        "meta_llama": "https://api.llama.com/compat/v1",
        "minimax": "https://api.minimax.io/v1",
        "mistral": "https://api.mistral.ai/v1",
        "modelscope": "https://api-inference.modelscope.cn/v1",
        "moonshot": "https://api.moonshot.ai/v1",
        "nebius": "https://api.studio.nebius.ai/v1",
        "novita": "https://api.novita.ai/v3/openai",
        "nscale": "https://inference.api.nscale.com/v1",
        "nvidia_nim": "https://integrate.api.nvidia.com/v1",
        "openrouter": "https://openrouter.ai/api/v1",
        "perplexity": "https://api.perplexity.ai",
        "poe": "https://api.poe.com/v1",
        "sambanova": "https://api.sambanova.ai/v1",
        "together_ai": "https://api.together.xyz/v1",
        "v0": "https://api.v0.dev/v1",
        "vercel_ai_gateway": "https://ai-gateway.vercel.sh/v1",
        "volcengine": "https://ark.cn-beijing.volces.com/api/v3",
        "wandb": "https://api.inference.wandb.ai/v1",
        "xai": "https://api.x.ai/v1",
        "zai": "https://api.z.ai/api/paas/v4",
    }
)
"""Providers that speak `openai_chat`, and their usual address."""

LOCAL_PROVIDERS: frozenset[str] = frozenset(
    {
        "docker_model_runner",
        "hosted_vllm",
        "lemonade",
        "litellm_proxy",
        "llamafile",
        "lm_studio",
        "ollama",
        "ollama_chat",
    }
)
"""Providers that a person runs, which need no key and serve models of any name."""


@dataclass(frozen=True, slots=True)
class NativeRequest:
    """A POST. `headers` hold the key; they are never logged."""

    url: str
    headers: Mapping[str, str]


def native_request(call: ModelCall) -> NativeRequest:
    """The address and headers of a call on any wire format but `litellm`.

    Raises GatewayError("bad_request") when the base URL is none.
    """
    base = base_of(call)
    if call.wire == "openai_chat" or call.wire == "openai_responses":
        url = _openai_url(call, base)
    elif call.wire == "anthropic":
        url = _with_path(base, _below(base.path, ("/v1",), "/v1", "/messages"))
    elif call.wire == "gemini":
        url = _gemini_url(call.model, base)
    else:
        root = base.path.removesuffix("/v1").removesuffix("/api/chat").removesuffix("/api")
        url = _with_path(base, f"{root}/api/chat")
    return NativeRequest(url, _headers(call))


def base_of(call: ModelCall) -> SplitResult:
    """The address that the call's own path is put behind, without a slash at its end."""
    default = DEFAULT_BASES[call.wire] if call.wire != "litellm" else ""
    if call.wire == "openai_chat":
        default = COMPATIBLE_BASES.get(call.provider, default)
    text = (call.base_url or default).strip()
    if "://" not in text:
        text = f"http://{text}"
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise GatewayError(
            "bad_request",
            f"The base URL of {call.provider} is not an http address.",
            hint=f"Set base_url of [providers.{call.provider}] in ~/.keen/config.toml.",
        )
    # Credentials travel in a header: the HTTP client refuses them in an address beside a key.
    netloc = parts.netloc.rpartition("@")[2]
    if call.wire == "ollama":
        netloc = netloc.replace("0.0.0.0", "127.0.0.1")
        if port is None and call.base_url and parts.scheme == "http":
            netloc = f"{netloc}:{OLLAMA_PORT}"
    return parts._replace(netloc=netloc, path=parts.path.rstrip("/"), fragment="")


def plain_base_url(call: ModelCall) -> str | None:
    """The call's base URL without credentials; None when it has none."""
    return urlunsplit(base_of(call)) if call.base_url else None


def server_name(call: ModelCall) -> str:
    """Host and port of the call's server, for people: no scheme, no credentials, no path."""
    if call.wire == "litellm" and not call.base_url:
        return call.provider
    try:
        base = base_of(call)
    except GatewayError:
        return call.provider
    return host_and_port(base)


def host_and_port(base: SplitResult) -> str:
    host = base.hostname or ""
    host = f"[{host}]" if ":" in host else host
    return f"{host}:{base.port}" if base.port else host


def _openai_url(call: ModelCall, base: SplitResult) -> str:
    end = "/chat/completions" if call.wire == "openai_chat" else "/responses"
    # A base URL that names only a host means the usual /v1 of such servers.
    path = base.path or ("/v1" if call.base_url else "")
    return _with_path(base, path if path.endswith(end) else path + end)


def _gemini_url(model: str, base: SplitResult) -> str:
    path = base.path
    if not path.endswith(("/v1beta", "/v1", "/v1alpha")):
        path += "/v1beta"
    name = model if model.startswith(("models/", "tunedModels/")) else f"models/{model}"
    path = f"{path}/{quote(name, safe='/')}:streamGenerateContent"
    query = f"{base.query}&alt=sse" if base.query else "alt=sse"
    return urlunsplit(base._replace(path=path, query=query))


def _below(path: str, versions: tuple[str, ...], version: str, end: str) -> str:
    if path.endswith(end):
        return path
    return path + end if path.endswith(versions) else path + version + end


def _with_path(base: SplitResult, path: str) -> str:
    return urlunsplit(base._replace(path=path))


def _headers(call: ModelCall) -> dict[str, str]:
    headers = {"content-type": "application/json", "accept": _accepted(call.wire), "user-agent": "keen-tui"}
    if call.wire == "anthropic":
        headers["anthropic-version"] = ANTHROPIC_VERSION
    headers |= _basic_header(call) | _key_header(call)
    # A header of the user's settings takes the place of ours, the key's header among them.
    headers |= {name.lower(): value for name, value in call.headers.items()}
    return headers


def _accepted(wire: Wire) -> str:
    return "application/x-ndjson" if wire == "ollama" else "text/event-stream"


def _basic_header(call: ModelCall) -> dict[str, str]:
    """The user and password of the base URL, if it has any."""
    text = call.base_url or ""
    address = urlsplit(text if "://" in text else f"http://{text}")
    if address.username is None and address.password is None:
        return {}
    pair = f"{unquote(address.username or '')}:{unquote(address.password or '')}"
    return {"authorization": f"Basic {b64encode(pair.encode()).decode()}"}


def _key_header(call: ModelCall) -> dict[str, str]:
    if not call.api_key:
        return {}
    if call.wire == "anthropic":
        return {"x-api-key": call.api_key}
    if call.wire == "gemini":
        return {"x-goog-api-key": call.api_key}
    return {"authorization": f"Bearer {call.api_key}"}
