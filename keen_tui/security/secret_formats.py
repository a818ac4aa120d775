"""The formats of keys and tokens: a fixed beginning and what must follow.

Each format starts with a literal, so a search runs at the speed of a string search, and needs only a
bounded run behind it, so hostile text can't make it slow.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Format:
    """`kind` is what the person reads. A match counts only where no letter or digit touches it.

    A `weak` beginning also starts ordinary names: such a match must hold a digit to count. A text without
    `needle` holds no match, which is much quicker to see.
    """

    kind: str
    pattern: re.Pattern[str]
    weak: bool = False
    needle: str = ""


def _format(kind: str, pattern: str, weak: bool = False, needle: str = "") -> Format:
    return Format(kind, re.compile(pattern), weak, needle or _beginning(pattern))


def _beginning(pattern: str) -> str:
    """The plain characters that a pattern starts with; empty when it starts with a choice."""
    literal = re.match(r"[A-Za-z0-9_/-]*", pattern)
    return literal.group() if literal else ""


_W = "[A-Za-z0-9_-]"

FORMATS: tuple[Format, ...] = (
    _format("Anthropic key", rf"sk-ant-{_W}{{16,}}"),
    _format("OpenRouter key", r"sk-or-(?:v1-)?[A-Za-z0-9]{32,}", weak=True),
    _format("OpenAI key", rf"sk-(?:proj|svcacct|admin|None)-{_W}{{20,}}"),
    _format("Langfuse key", r"sk-lf-[0-9a-f-]{32,}"),
    _format("API key (sk-…)", r"sk-[A-Za-z0-9]{20,}", weak=True),
    _format("Stripe key", r"[sr]k_(?:live|test)_[A-Za-z0-9]{16,}", needle="k_"),
    _format("webhook signing secret", r"whsec_[A-Za-z0-9+/=]{24,}"),
    _format("Groq key", r"gsk_[A-Za-z0-9]{40,}"),
    _format("xAI key", r"xai-[A-Za-z0-9]{40,}", weak=True),
    _format("Hugging Face token", r"hf_[A-Za-z0-9]{30,}"),
    _format("Hugging Face token", r"api_org_[A-Za-z0-9]{30,}"),
    _format("Replicate token", r"r8_[A-Za-z0-9]{36,}", weak=True),
    _format("Perplexity key", r"pplx-[A-Za-z0-9]{32,}", weak=True),
    _format("Fireworks key", r"fw_[A-Za-z0-9]{22,}", weak=True),
    _format("Together key", rf"tgp_v1_{_W}{{32,}}"),
    _format("Cerebras key", r"csk-[A-Za-z0-9]{32,}", weak=True),
    _format("NVIDIA key", rf"nvapi-{_W}{{40,}}"),
    _format("Tavily key", r"tvly-(?:dev-|prod-)?[A-Za-z0-9]{20,}"),
    _format("LangSmith key", r"lsv2_(?:pt|sk)_[0-9a-f_]{32,}"),
    _format("Pinecone key", r"pcsk_[A-Za-z0-9_]{40,}"),
    _format("Databricks token", r"dapi[0-9a-f]{32}"),
    _format("Google API key", rf"AIza{_W}{{35}}"),
    _format("Google OAuth secret", rf"GOCSPX-{_W}{{20,}}"),
    _format("Google access token", rf"ya29\.{_W}{{20,}}"),
    _format("Google refresh token", rf"1//0{_W}{{40,}}", weak=True),
    _format("AWS access key", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}"),
    _format("AWS Bedrock key", r"(?:ABSK|bedrock-api-key-)[A-Za-z0-9+/=]{40,}"),
    _format("Azure storage key", r"AccountKey=[A-Za-z0-9+/]{40,}={0,2}"),
    _format("Azure shared key", r"SharedAccessKey=[A-Za-z0-9+/]{40,}={0,2}"),
    _format("Azure client secret", r"(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.-]{3}[78]Q~[A-Za-z0-9_~.-]{31,34}", needle="Q~"),
    _format("Alibaba key", r"LTAI[A-Za-z0-9]{16,20}", weak=True),
    _format("GitHub token", r"gh[pousr]_[A-Za-z0-9]{30,}"),
    _format("GitHub token", r"github_pat_[A-Za-z0-9_]{36,}"),
    _format("GitLab token", rf"gl(?:pat|dt|rt|ptt|oas|soat|cbt|ft|imt|agent)-{_W}{{20,}}"),
    _format("Slack token", r"xox[abeoprs]-[A-Za-z0-9-]{10,}"),
    _format("Slack token", r"xapp-[0-9]-[A-Za-z0-9-]{20,}"),
    _format("Slack webhook", r"hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_-]{20,}"),
    _format("Discord webhook", rf"discord(?:app)?\.com/api/webhooks/[0-9]{{10,20}}/{_W}{{40,}}"),
    _format("SendGrid key", rf"SG\.{_W}{{20,24}}\.{_W}{{39,}}"),
    _format("Twilio key", r"SK[0-9a-f]{32}"),
    _format("Mailgun key", r"key-[0-9a-f]{32}"),
    _format("npm token", r"npm_[A-Za-z0-9]{30,}"),
    _format("PyPI token", rf"pypi-AgE{_W}{{40,}}"),
    _format("RubyGems key", r"rubygems_[0-9a-f]{40,}"),
    _format("Docker token", rf"dckr_(?:pat|oat)_{_W}{{20,}}"),
    _format("DigitalOcean token", r"do[opr]_v1_[0-9a-f]{40,}"),
    _format("Shopify token", r"shp(?:at|ca|pa|ss|tka)_[0-9a-fA-F]{32}"),
    _format("Square token", rf"sq0(?:atp|csp|idp)-{_W}{{22,}}"),
    _format("Heroku key", rf"HRKU-{_W}{{36,}}"),
    _format("Linear key", r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}"),
    _format("Notion token", r"ntn_[A-Za-z0-9]{40,}"),
    _format("Atlassian token", rf"ATATT3{_W}{{40,}}"),
    _format("Figma token", rf"fig[doru]_{_W}{{36,}}"),
    _format("Postman key", r"PMAK-[0-9a-f]{20,}-[0-9a-f]{30,}"),
    _format("Doppler token", r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{36,}"),
    _format("Vault token", rf"hv[sbr]\.{_W}{{24,}}"),
    _format("Sentry token", r"sntry[su]_[A-Za-z0-9+/=_-]{40,}"),
    _format("Grafana token", r"gl(?:sa|c)_[A-Za-z0-9+/=_]{32,}"),
    _format("New Relic key", r"NRAK-[A-Z0-9]{24,}"),
    _format("age key", r"AGE-SECRET-KEY-1[A-Z0-9]{50,}"),
    _format("Supabase token", r"sb(?:p|_secret)_[A-Za-z0-9_-]{20,}"),
    _format("PlanetScale token", rf"pscale_(?:tkn|pw|oauth)_{_W}{{32,}}"),
    _format("Tailscale key", r"tskey-[a-z]{3,10}-[A-Za-z0-9-]{16,}"),
    _format("Fly token", r"fm[12][ar]?_[A-Za-z0-9+/=_]{60,}"),
    _format("1Password token", r"ops_eyJ[A-Za-z0-9_-]{60,}"),
    _format("Telegram bot token", rf"(?<![0-9])[0-9]{{8,10}}:AA{_W}{{33}}", needle=":AA"),
    _format("Dropbox token", rf"sl\.(?:u\.)?{_W}{{80,}}", weak=True),
    _format("Mailchimp key", r"(?<![0-9a-f])[0-9a-f]{32}-us[0-9]{1,2}", needle="-us"),
)
