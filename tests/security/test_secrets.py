"""Secret values are found and nothing else is."""

import base64
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keen_tui.security.secrets import REDACTED, find_secrets, redact

# Bodies are put together here, so that no file of this tree holds anything that looks like a key.
A = "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xYzC5vB7nM9qW1eR3tY5uI7oP9aS1dF3gH5jK7lZ9xC1vB3nM5"
HEX = "0123456789abcdef" * 8
UPPER = "ABCDEFGH23456789IJKLMNOP"


@pytest.mark.parametrize(
    "secret",
    [
        "sk-ant-" + "api03-" + A,
        "sk-" + "proj-" + A[:48],
        "sk-" + A[:48],
        "sk-" + HEX[:32],
        "sk-or-" + "v1-" + HEX[:64],
        "gsk_" + A[:52],
        "xai-" + A,
        "hf_" + A[:34],
        "r8_" + A[:37],
        "pplx-" + A[:48],
        "csk-" + A[:48],
        "nvapi-" + A[:64],
        "tvly-" + A[:32],
        "lsv2_pt_" + HEX[:32] + "_" + HEX[:10],
        "dapi" + HEX[:32],
        "AIza" + A[:35],
        "GOCSPX-" + A[:28],
        "ya29." + A[:60],
        "AKIA" + UPPER[:16],
        "ASIA" + UPPER[:16],
        "ghp_" + A[:36],
        "github_pat_" + A[:70],
        "glpat-" + A[:20],
        "xoxb-" + "123456789012-" + A[:24],
        "xapp-1-" + A[:40],
        "https://hooks.slack.com/" + "services/T0000/B0000/" + A[:24],
        "sk_live_" + A[:24],
        "rk_test_" + A[:24],
        "whsec_" + A[:32],
        "SG." + A[:22] + "." + A[:43],
        "SK" + HEX[:32],
        "key-" + HEX[:32],
        HEX[:32] + "-us12",
        "npm_" + A[:36],
        "pypi-AgE" + A[:60],
        "dckr_pat_" + A[:27],
        "dop_v1_" + HEX[:64],
        "shpat_" + HEX[:32],
        "lin_api_" + A[:40],
        "ntn_" + A[:46],
        "ATATT3" + A[:60],
        "figd_" + A[:40],
        "hvs." + A[:40],
        "glsa_" + A[:32] + "_" + HEX[:8],
        "AGE-SECRET-KEY-1" + (UPPER * 3)[:58],
        "tskey-auth-" + A[:30],
        "123456789:AA" + A[:33],
        "abc8Q~" + A[:34],
    ],
)
def test_a_key_of_a_known_format_is_found_anywhere(secret):
    for text in (secret, f"key is {secret}.", f'{{"x": "{secret}"}}', f"a\nb {secret}\nc"):
        cleaned = redact(text)
        assert secret[-16:] not in cleaned
        assert REDACTED in cleaned


def _jwt():
    parts = [
        base64.urlsafe_b64encode(p).decode().rstrip("=") for p in (b'{"alg":"HS256"}', b'{"sub":"1234"}', b"x" * 20)
    ]
    return ".".join(parts)


def test_structured_credentials_are_found():
    key = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEow" + A + "\n" + A + "\n-----END RSA PRIVATE KEY-----"
    basic = base64.b64encode(b"user:passw0rd").decode()
    cases = {
        f"before {key} after": ("private key", f"before {REDACTED} after"),
        _jwt(): ("JSON web token", REDACTED),
        "Authorization: Bearer abcdef0123456789xyz": ("bearer token", f"Authorization: Bearer {REDACTED}"),
        f"Authorization: Basic {basic}": ("basic credentials", f"Authorization: Basic {REDACTED}"),
        "postgres://app:s3cr3t@db:5432/x": ("password in a URL", f"postgres://app:{REDACTED}@db:5432/x"),
        "redis://:pa55word@h": ("password in a URL", f"redis://:{REDACTED}@h"),
        "curl -u me:hunter22 http://x": ("user and password", f"curl -u me:{REDACTED} http://x"),
        "https://h/x?api_key=a1b2c3d4e5&y=1": ("credential in a URL", f"https://h/x?api_key={REDACTED}&y=1"),
        f"AccountKey={A}==": ("Azure storage key", f"AccountKey={REDACTED}"),
    }
    for text, (kind, cleaned) in cases.items():
        assert [finding.kind for finding in find_secrets(text)] == [kind], text
        assert redact(text) == cleaned


def test_a_private_key_without_an_end_is_found():
    assert A[:20] not in redact(f"-----BEGIN OPENSSH PRIVATE KEY-----\n{A}\n{A}")


def test_a_private_key_with_escaped_line_ends_is_found():
    text = '{"private_key": "-----BEGIN PRIVATE KEY-----\\n' + A + "\\n" + A + '\\n-----END PRIVATE KEY-----\\n"}'
    assert A[:20] not in redact(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("PASSWORD=hunter2", "hunter2"),
        ("export DB_PASSWORD='s3cr3t!x'", "s3cr3t!x"),
        ("password: hunter22\n", "hunter22"),
        ('{"password": "hunter22"}', "hunter22"),
        ('{\\"password\\": \\"hunter22\\"}', "hunter22"),
        ("AWS_SECRET_ACCESS_KEY=/alrXUtnFEMI/K7MDENG/bPxRfiCYzzzzLEKEY1", "/alrXUtnFEMI/K7MDENG/bPxRfiCYzzzzLEKEY1"),
        ("OPENAI_KEY=abcdef0123456789abcdef", "abcdef0123456789abcdef"),
        ("x-api-key: 0123456789abcdefABCD", "0123456789abcdefABCD"),
        ("client_secret = 'q1w2e3r4t5'", "q1w2e3r4t5"),
        ("mysql --password hunter2x", "hunter2x"),
        ("tool --api-key=q1w2e3r4t5y6u7i8o9", "q1w2e3r4t5y6u7i8o9"),
        ("SECRET_KEY_BASE=0123abcd0123abcd0123abcd", "0123abcd0123abcd0123abcd"),
        ("auth_token => 'abc123def456ghi789xyz0'", "abc123def456ghi789xyz0"),
    ],
)
def test_a_value_given_to_a_secret_like_name_is_found(text, value):
    [finding] = find_secrets(text)
    assert text[finding.start : finding.end] == value


@pytest.mark.parametrize(
    "text",
    [
        "src/tokenizer.py",
        "the token was refused and the password is wrong",
        "max_tokens=4096 token_count=123456 tokens = tokens2",
        "password = get_password(user1)",
        "f(password=password2, token=token3)",
        "token: str = settings.token1",
        "API_KEY=$OPENAI_API_KEY2 API_KEY=${KEY1}",
        "api_key: <your-key-1>",
        "password: xxxxxxxx1",
        "secret_name = 'db-credentials-v2'",
        "SECRET_FILE=/run/secrets/key1",
        "commit 3f786850e387550fdab836ed7e6dc881de23001b",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "id: 123e4567-e89b-12d3-a456-426614174000",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
        "https://example.org/a/b?page=2&sort=name",
        "git@github.com:owner/repo.git",
        "postgres://user:$PASSWORD@host/db and mysql://u:<password>@h",
        "bearer of bad news",
        "Basic understanding of things",
        "-----BEGIN PRIVATE KEY----- is how a key begins",
        "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJRTES\n",
        "sk-fading-circle sk-spinner-wave-animation task-management-system-overview",
        "PRIMARY_KEY=abcdef0123456789abcdef",
        "nextToken: 'RW5DdDJkMWYwZjM2MzM2VHVpOHJI'",
        "key = 'abcdef0123456789abcdef'",
        REDACTED,
    ],
)
def test_ordinary_text_is_left_alone(text):
    assert find_secrets(text) == []
    assert redact(text) == text


def test_the_products_own_source_holds_no_secret():
    root = Path(__file__).parents[2]
    for path in (root / "keen_tui").rglob("*.py"):
        assert find_secrets(path.read_text(encoding="utf-8")) == [], path


def test_installed_packages_hold_no_secret():
    files = [*Path(pytest.__file__).parent.glob("*.py"), *sorted(Path(base64.__file__).parent.glob("*.py"))[:60]]
    for path in files:
        assert find_secrets(path.read_text(encoding="utf-8", errors="replace")) == [], path


def test_a_finding_names_line_and_kind_and_never_the_value():
    [finding] = find_secrets("one\ntwo\nghp_" + A[:36])
    assert finding.line == 3
    assert finding.kind == "GitHub token"
    assert A[:10] not in repr(finding)


@given(st.text(max_size=300), st.text(max_size=300))
def test_redacting_twice_changes_nothing_more(before, after):
    once = redact(f"{before} ghp_{A[:36]} {after}")
    assert A[:36] not in once
    assert redact(once) == once


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "eyJ",
        "-eyJ.",
        "sk-ant-",
        "password",
        "password=1 ",
        'password="',
        "token=",
        "token:" * 15 + " ",
        "--token ",
        "api_key:",
        "://a:",
        "Bearer ",
        "basic aaaaaaaa",
        "-----BEGIN PRIVATE KEY-----\n",
        "?key=a1",
        "\u0130",
    ],
)
def test_a_megabyte_of_hostile_text_is_read_in_linear_time(unit):
    small, large = (unit * (size // len(unit)) for size in (50_000, 1_000_000))
    started = time.process_time()
    find_secrets(small)
    between = time.process_time()
    find_secrets(large)
    # Twenty times the text, generously four times the share; a quadratic step would take 400 times as long.
    assert time.process_time() - between < 80 * max(between - started, 0.02)
