"""Values given to secret-like names: `API_KEY=…`, `"password": "…"`, `--token …`."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator

_KIND = "value of a secret-like name"

_STRONG = r"passw(?:or)?ds?|passwd|passphrase|secret|credentials?"
_KEYED = (
    r"(?:api|secret|access|private|auth|encryption|signing|master|account|service|deploy|admin|storage|"
    r"shared|client|app|application|webhook|jwt|hmac|license|subscription|consumer)[_.-]?key"
)
_NAME = re.compile(
    rf"(?P<word>(?:{_STRONG})|(?:{_KEYED})|(?:auth[_.-]?)?token|(?<![a-z])pwd|(?<=[A-Z0-9]_)KEY)"
    r"(?P<suffix>(?:[_.-][A-Za-z0-9]{1,16}){0,3})"
    r"(?:[\"']?\]?\s{0,4}(?P<sign>:=|=>|={1,3}|:(?!:))\s{0,4}|(?P<space>[ \t]{1,3}))"
    r"(?P<value>\"[^\"\r\n]{4,4096}\"|'[^'\r\n]{4,4096}'|[^\s\"'`,;<>(){}\[\]|&]{6,4096})",
    re.IGNORECASE,
)
_KEY_PREFIX_INNOCENT = re.compile(
    r"(?:PRIMARY|PUBLIC|FOREIGN|CACHE|SORT|PARTITION|IDEMPOTENCY|HOT|REGISTRY|UNIQUE|INDEX|GROUP|ROUTING|"
    r"OBJECT|FIELD|DICT|MAP|ORDER|LOOKUP|SESSION|CONTEXT|STATE|TABLE|ROW|COLUMN|ESCAPE)_$",
    re.IGNORECASE,
)
_INNOCENT_SUFFIX = re.compile(
    r"[_.-](?:id|ids|name|names|path|file|dir|folder|len|length|size|count|limit|budget|max|min|type|kind|"
    r"types|url|uri|endpoint|env|var|variable|field|fields|header|prefix|suffix|pattern|regex|re|class|"
    r"index|usage|cost|price|ttl|expiry|expires|expiration|timeout|format|version|arn|ref|hint|label|"
    r"placeholder|manager|store|provider|generator|policy|rules?|reset|required|enabled|scope|scopes|"
    r"algorithm|alg|bytes|bits|encoding|separator|sep|delimiter|map|list|set|test|tests)$",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"(?:[$%<{*\[#/~.]|x{4,}|\.\.\.|your|example|changeme|change[-_ ]me|placeholder|redacted|dummy|"
    r"insert|replace|none$|null$|true$|false$|undefined$|todo|fixme|os\.|self\.|env\.|process\.|config\.|"
    r"settings\.|args\.|this\.|ctx\.|secrets\.|https?://)",
    re.IGNORECASE,
)
_CODE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*\Z")
_WORDS = re.compile(r"[A-Za-z][a-z]*(?:[ _./:-][A-Za-z]?[a-z]*)*\Z")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def assigned_secrets(text: str) -> Iterator[tuple[int, int, str]]:
    """`(start, end, kind)` of each value that is given to a secret-like name and looks like a secret."""
    for match in _NAME.finditer(text):
        start, end = match.span("value")
        value = match.group("value")
        quoted = value[0] in "\"'"
        if quoted:
            start, end, value = start + 1, end - 1, value[1:-1]
        if _is_assignment(text, match) and _is_secret(match, value, quoted):
            yield start, end, _KIND


def _is_assignment(text: str, match: re.Match[str]) -> bool:
    word, suffix = match.group("word"), match.group("suffix")
    if suffix and _INNOCENT_SUFFIX.search(suffix):
        return False
    before = text[max(0, match.start() - 40) : match.start()]
    if word.upper() == "KEY" and _KEY_PREFIX_INNOCENT.search(before):
        return False
    if word.lower() in ("pwd", "token") and before[-1:].isalnum() and before[-1:].islower() and word.islower():
        return False
    if match.group("space"):
        # Only an option takes its value behind a space: `--password …`.
        return re.search(r"(?<![\w-])--?[A-Za-z0-9_-]{0,30}\Z", before + word) is not None
    return True


def _is_secret(match: re.Match[str], value: str, quoted: bool) -> bool:
    if _PLACEHOLDER.match(value) or "${" in value or "{{" in value or _DATE.match(value):
        return False
    digits = sum(character.isdigit() for character in value)
    letters = sum(character.isalpha() for character in value)
    if not digits or not letters:
        return False
    if any(character.isspace() for character in value) and len(value.split()) > 3:
        return False
    strong = re.match(r"passw|passphrase|pwd|secret|credential", match.group("word"), re.IGNORECASE)
    if not quoted and _CODE.match(value) and not _random(value):
        # A bare name in program code. In a shell line, `NAME=value` without spaces, it is a value.
        shell = match.group("sign") == "=" and "_" not in value and match.group(0).find(" ") < 0
        return bool(strong) and shell and len(value) >= 6 and match.group("word").isupper()
    if strong:
        return len(value) >= 6 and not _WORDS.match(value)
    return _random(value)


def _random(value: str) -> bool:
    """Whether a value is too irregular for a name, a path or a number: bits a character, and digits."""
    if len(value) < 16 or value.count("/") > 3 and "." in value:
        return False
    counts = Counter(value)
    entropy = -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())
    digits = sum(character.isdigit() for character in value)
    return entropy >= 3.0 and digits >= 2
