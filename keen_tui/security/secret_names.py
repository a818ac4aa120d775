"""Values given to secret-like names: `API_KEY=…`, `"password": "…"`, `--token …`."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator

_KIND = "value of a secret-like name"

_HINT = re.compile(r"[pPsScCtTkK][aAeErRoOwW][sScCeEkKyYdD]")
"""The first letters of the words below: a quick search, so that the long pattern is tried at few places."""
_NAME = re.compile(
    r"(?P<word>passw(?:or)?ds?|passwd|passphrase|secret|credentials?|token|pwd|key)"
    r"(?P<suffix>(?:[_.-][A-Za-z0-9]{1,16}){0,3})"
    r"(?:\\?[\"']?\]?\s{0,4}(?P<sign>:=|=>|={1,3}|:(?!:))\s{0,4}|(?P<space>[ \t]{1,3}))"
    r"(?P<value>\"[^\"\r\n]{4,4096}\"|'[^'\r\n]{4,4096}'|\\\"[^\"\\\r\n]{4,4096}\\\""
    r"|[^\s\"'`,;<>(){}\[\]|&\\]{6,4096})",
    re.IGNORECASE,
)
_LONG = 96
_KEYED = re.compile(
    r"(?:api|secret|access|private|auth|encryption|signing|master|account|service|deploy|admin|storage|"
    r"shared|client|app|application|webhook|jwt|hmac|license|subscription|consumer)[_.-]?$",
    re.IGNORECASE,
)
_VARIABLE_KEY = re.compile(r"[A-Z0-9]_$")
_PAGING = re.compile(r"(?:next|page|pagination|continuation|cursor|sync|delta)[_.-]?$", re.IGNORECASE)
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
    r"(?:[$%<{*\[#~]|\.{1,3}(?:/|\Z|\.)|(?-i:/[a-z0-9._-]+(?:/|\Z))|x{4,}|your|example|"
    r"changeme|change[-_ ]me|placeholder|redacted|dummy|"
    r"insert|replace|none$|null$|true$|false$|undefined$|todo|fixme|os\.|self\.|env\.|process\.|config\.|"
    r"settings\.|args\.|this\.|ctx\.|secrets\.|https?://)",
    re.IGNORECASE,
)
_CODE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*\Z")
_WORDS = re.compile(r"[A-Za-z][a-z]*(?:[ _./:-][A-Za-z]?[a-z]*)*\Z")
_TYPE = re.compile(r"[a-z]{1,6}(?:8|16|32|64|128|256)\Z|[A-Z]\w*[a-z]\d?[A-Z]")
_DIGIT = re.compile(r"[0-9]")
_LETTER = re.compile(r"[A-Za-z]")
_OPTION = re.compile(r"(?:\A|[^\w-])--?[A-Za-z0-9_-]{0,37}\Z")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def assigned_secrets(text: str) -> Iterator[tuple[int, int, str]]:
    """`(start, end, kind)` of each value that is given to a secret-like name and looks like a secret."""
    reached = 0
    for hint in _HINT.finditer(text):
        if hint.start() < reached or (match := _NAME.match(text, hint.start())) is None:
            continue
        start, end = match.span("value")
        value = match.group("value")
        mark = 2 if value.startswith('\\"') else 1 if value[0] in "\"'" else 0
        if mark:
            start, end, value = start + mark, end - mark, value[mark:-mark]
        mixed = _DIGIT.search(value) and _LETTER.search(value)
        if mixed and _is_assignment(text, match) and _is_secret(text, match, value, mark > 0):
            yield start, end, _KIND
            reached = end
        elif not mark and len(value) > _LONG:
            # Words inside a long bare value are passed over, or a hostile text would be read again and again.
            reached = end


def _is_assignment(text: str, match: re.Match[str]) -> bool:
    word, suffix = match.group("word"), match.group("suffix")
    if suffix and _INNOCENT_SUFFIX.search(suffix):
        return False
    before = text[max(0, match.start() - 40) : match.start()]
    kind = word.lower()
    if kind == "key" and not _is_key(word, before):
        return False
    if kind == "token" and _PAGING.search(before):
        return False
    if kind in ("pwd", "token") and word.islower() and before[-1:].isalnum() and not before.lower().endswith("auth"):
        return False
    if match.group("space"):
        # Only an option takes its value behind a space: `--password …`.
        return _OPTION.search(before) is not None
    return True


def _is_key(word: str, before: str) -> bool:
    """Whether this `key` opens something: `api_key`, `OPENAI_KEY`; not `PRIMARY_KEY` or a key of a mapping."""
    if _KEYED.search(before):
        return True
    return word.isupper() and bool(_VARIABLE_KEY.search(before)) and not _KEY_PREFIX_INNOCENT.search(before)


def _is_secret(text: str, match: re.Match[str], value: str, quoted: bool) -> bool:
    if _PLACEHOLDER.match(value) or "${" in value or "{{" in value or _DATE.match(value):
        return False
    if len(value.split()) > 3:
        return False
    strong = match.group("word").lower() not in ("token", "key")
    if not quoted and _CODE.match(value) and not _random(value):
        return strong and _is_setting(text, match, value)
    if strong:
        return len(value) >= 6 and not _WORDS.match(value)
    return _random(value)


def _is_setting(text: str, match: re.Match[str], value: str) -> bool:
    """Whether a bare word is a value, as in a shell line or a settings file, and no name in program code."""
    if _TYPE.match(value) or "_" in value or "." in value:
        return False
    following = text[match.end() : match.end() + 1]
    if match.group("space"):
        return True
    if match.group("sign") == ":":
        return following in ("", "\n", "\r") and value[0].islower()
    return match.group("sign") == "=" and following not in (",", ")") and " " not in match.group()


def _random(value: str) -> bool:
    """Whether a value is too irregular for a name, a path or a number: bits a character, and digits."""
    if len(value) < 16 or (value.count("/") > 3 and "." in value):
        return False
    counts = Counter(value)
    entropy = -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())
    digits = sum(character.isdigit() for character in value)
    return entropy >= 3.0 and digits >= 2
