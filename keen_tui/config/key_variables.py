"""The environment variables that usually hold a provider's key."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

KEY_VARIABLES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "ai21": ("AI21_API_KEY",),
        "aiml": ("AIML_API_KEY",),
        "anthropic": ("ANTHROPIC_API_KEY",),
        "anyscale": ("ANYSCALE_API_KEY",),
        "azure": ("AZURE_API_KEY",),
        "azure_ai": ("AZURE_AI_API_KEY",),
        "baseten": ("BASETEN_API_KEY",),
        "cerebras": ("CEREBRAS_API_KEY",),
        "codestral": ("CODESTRAL_API_KEY",),
        "cohere": ("COHERE_API_KEY", "CO_API_KEY"),
        "cohere_chat": ("COHERE_API_KEY", "CO_API_KEY"),
        "dashscope": ("DASHSCOPE_API_KEY",),
        "databricks": ("DATABRICKS_API_KEY",),
        "deepinfra": ("DEEPINFRA_API_KEY",),
        "deepseek": ("DEEPSEEK_API_KEY",),
        "featherless_ai": ("FEATHERLESS_AI_API_KEY",),
        "fireworks_ai": ("FIREWORKS_API_KEY", "FIREWORKS_AI_API_KEY", "FIREWORKSAI_API_KEY"),
        "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        "github": ("GITHUB_API_KEY",),
        "groq": ("GROQ_API_KEY",),
        "huggingface": ("HUGGINGFACE_API_KEY", "HF_TOKEN"),
        "hyperbolic": ("HYPERBOLIC_API_KEY",),
        "inception": ("INCEPTION_API_KEY",),
        "lambda_ai": ("LAMBDA_API_KEY",),
        "litellm_proxy": ("LITELLM_PROXY_API_KEY",),
        "meta_llama": ("LLAMA_API_KEY",),
        "mistral": ("MISTRAL_API_KEY",),
        "moonshot": ("MOONSHOT_API_KEY",),
        "nebius": ("NEBIUS_API_KEY",),
        "novita": ("NOVITA_API_KEY",),
        "nscale": ("NSCALE_API_KEY",),
        "nvidia_nim": ("NVIDIA_NIM_API_KEY",),
        "openai": ("OPENAI_API_KEY",),
        "openrouter": ("OPENROUTER_API_KEY",),
        "perplexity": ("PERPLEXITY_API_KEY", "PERPLEXITYAI_API_KEY"),
        "replicate": ("REPLICATE_API_KEY",),
        "sambanova": ("SAMBANOVA_API_KEY",),
        "text-completion-openai": ("OPENAI_API_KEY",),
        "together_ai": ("TOGETHERAI_API_KEY", "TOGETHER_AI_API_KEY", "TOGETHER_API_KEY"),
        "v0": ("V0_API_KEY",),
        "vercel_ai_gateway": ("VERCEL_AI_GATEWAY_API_KEY",),
        "volcengine": ("VOLCENGINE_API_KEY", "ARK_API_KEY"),
        "watsonx": ("WATSONX_API_KEY", "WATSONX_APIKEY"),
        "xai": ("XAI_API_KEY",),
        "zai": ("ZAI_API_KEY",),
    }
)
"""litellm's provider name to variables, the usual one first."""
