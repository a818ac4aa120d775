"""One value of each kind that the detector knows, put together here so that no file holds one."""

from __future__ import annotations

import base64

A = "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xYzC5vB7nM9qW1eR3tY5uI7oP9aS1dF3gH5jK7lZ9xC1vB3nM5"
HEX = "0123456789abcdef" * 8
UPPER = "ABCDEFGH23456789IJKLMNOP"


def _jwt() -> str:
    parts = (b'{"alg":"HS256"}', b'{"sub":"1234"}', b"x" * 20)
    return ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts)


SAMPLES: dict[str, str] = {
    "Anthropic key": "sk-ant-" + "api03-" + A,
    "OpenRouter key": "sk-or-" + "v1-" + HEX[:64],
    "OpenAI key": "sk-" + "proj-" + A[:48],
    "Langfuse key": "sk-lf-" + "01234567-89ab-cdef-0123-456789abcdef",
    "API key (sk-…)": "sk-" + A[:48],
    "Stripe key": "sk_live_" + A[:24],
    "webhook signing secret": "whsec_" + A[:32],
    "Groq key": "gsk_" + A[:52],
    "xAI key": "xai-" + A,
    "Hugging Face token": "hf_" + A[:34],
    "Replicate token": "r8_" + A[:37],
    "Perplexity key": "pplx-" + A[:48],
    "Fireworks key": "fw_" + A[:24],
    "Together key": "tgp_v1_" + A[:43],
    "Cerebras key": "csk-" + A[:48],
    "NVIDIA key": "nvapi-" + A[:64],
    "Tavily key": "tvly-" + A[:32],
    "LangSmith key": "lsv2_pt_" + HEX[:32] + "_" + HEX[:10],
    "Pinecone key": "pcsk_" + A[:60],
    "Databricks token": "dapi" + HEX[:32],
    "Google API key": "AIza" + A[:35],
    "Google OAuth secret": "GOCSPX-" + A[:28],
    "Google access token": "ya29." + A[:60],
    "Google refresh token": "1//0" + A[:60],
    "AWS access key": "AKIA" + UPPER[:16],
    "AWS Bedrock key": "ABSK" + A[:60],
    "Azure storage key": "AccountKey=" + A + "==",
    "Azure shared key": "SharedAccessKey=" + A[:43] + "=",
    "Azure client secret": "abc8Q~" + A[:34],
    "Alibaba key": "LTAI" + A[:20],
    "GitHub token": "ghp_" + A[:36],
    "GitLab token": "glpat-" + A[:20],
    "Slack token": "xoxb-" + "123456789012-" + A[:24],
    "Slack webhook": "https://hooks.slack.com/" + "services/T0000/B0000/" + A[:24],
    "Discord webhook": "https://discord.com/api/" + "webhooks/123456789012345678/" + A[:68],
    "SendGrid key": "SG." + A[:22] + "." + A[:43],
    "Twilio key": "SK" + HEX[:32],
    "Mailgun key": "key-" + HEX[:32],
    "npm token": "npm_" + A[:36],
    "PyPI token": "pypi-AgE" + A[:60],
    "RubyGems key": "rubygems_" + HEX[:48],
    "Docker token": "dckr_pat_" + A[:27],
    "DigitalOcean token": "dop_v1_" + HEX[:64],
    "Shopify token": "shpat_" + HEX[:32],
    "Square token": "sq0atp-" + A[:22],
    "Heroku key": "HRKU-" + A[:60],
    "Linear key": "lin_api_" + A[:40],
    "Notion token": "ntn_" + A[:46],
    "Atlassian token": "ATATT3" + A[:60],
    "Figma token": "figd_" + A[:40],
    "Postman key": "PMAK-" + HEX[:24] + "-" + HEX[:34],
    "Doppler token": "dp.pt." + A[:43],
    "Vault token": "hvs." + A[:40],
    "Sentry token": "sntrys_" + A[:60],
    "Grafana token": "glsa_" + A[:32] + "_" + HEX[:8],
    "New Relic key": "NRAK-" + UPPER + "ABC",
    "age key": "AGE-SECRET-KEY-1" + (UPPER * 3)[:58],
    "Supabase token": "sbp_" + HEX[:40],
    "PlanetScale token": "pscale_tkn_" + A[:43],
    "Tailscale key": "tskey-auth-" + A[:30],
    "Fly token": "fm2_" + A[:70],
    "1Password token": "ops_eyJ" + A[:70],
    "Telegram bot token": "123456789:AA" + A[:33],
    "Dropbox token": "sl." + A + A[:20],
    "Mailchimp key": HEX[:32] + "-us12",
    "private key": "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEow" + A + "\n-----END RSA " + "PRIVATE KEY-----",
    "JSON web token": _jwt(),
    "bearer token": "Authorization: Bearer " + "abcdef0123456789xyz",
    "basic credentials": "Authorization: Basic " + base64.b64encode(b"user:passw0rd").decode(),
    "password in a URL": "postgres://app:" + "s3cr3t@db:5432/x",
    "user and password": "curl -u me:" + "hunter22 http://x",
    "credential in a URL": "https://h/x?api_key=" + "a1b2c3d4e5&y=1",
    "value of a secret-like name": "DB_PASSWORD=" + "s3cr3t99",
}
"""By kind."""

CORES: dict[str, str] = {
    "bearer token": "abcdef0123456789xyz",
    "basic credentials": SAMPLES["basic credentials"].rpartition(" ")[2],
    "password in a URL": "s3cr3t",
    "user and password": "hunter22",
    "credential in a URL": "a1b2c3d4e5",
    "value of a secret-like name": "s3cr3t99",
    "Azure storage key": A,
    "Azure shared key": A[:43],
    "Slack webhook": A[:24],
    "Discord webhook": A[:68],
}
"""The part that must not be seen, where that is not the whole sample."""


def core(kind: str) -> str:
    """What of a sample must never come up again."""
    return CORES.get(kind, SAMPLES[kind])
