"""One detector of secret values, for everything that is kept: memory files, TurnMemory, transcript, logs.

It looks for values, never for words: `token` in a file name is no secret. Every step is linear in the
length of the text, whatever the text.
"""

from __future__ import annotations

import base64
import binascii
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from keen_tui.security.secret_formats import FORMATS
from keen_tui.security.secret_names import assigned_secrets

REDACTED = "[redacted]"
_KEY_BLOCK = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_KEY_BLOCK_END = re.compile(r"-----END (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_KEY_BODY = re.compile(r"(?:\\n|\\r|[A-Za-z0-9+/=\s:,.\"'-])*")
_BEARER = re.compile(r"(?i:bearer|authorization:\s{0,3}token)\s{1,3}([A-Za-z0-9._~+/=-]{12,})")
_BASIC = re.compile(r"(?i:basic)\s{1,3}([A-Za-z0-9+/_-]{8,}={0,2})")
_USERINFO = re.compile(r"://[^\s:/?#@'\"<>()\[\]{}]{0,128}:([^\s/@'\"<>]{1,256})@[\w\[.%-]")
_CURL_USER = re.compile(r"(?:\s-u|\s--user|\s--proxy-user)[ =]{1,3}['\"]?[^\s:'\"]{1,128}:([^\s'\"]{4,256})")
_QUERY = re.compile(
    r"[?&;](?:api_?key|apikey|key|sig|signature|token|access_?token|refresh_?token|id_?token|auth|secret|"
    r"client_?secret|password|passwd|pwd|code|x-amz-(?:signature|security-token|credential)|x-goog-signature)"
    r"=([^\s&#'\"<>]{6,2048})",
    re.IGNORECASE,
)
_DOTTED = re.compile(r"[A-Za-z0-9_.-]+")
_TEMPLATE = re.compile(r"[$<{*%\[]|x{3,}|\.\.\.|your[-_]|(?:password|passwd|pass|pw|secret|token)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Finding:
    """One secret value. `line` counts from 1; `start` and `end` are character offsets of the value."""

    kind: str
    line: int
    start: int
    end: int


def find_secrets(text: str) -> list[Finding]:
    """Every secret value in the text, in order, without overlaps."""
    spans = sorted(_spans(text), key=lambda span: (span[0], -span[1]))
    findings: list[Finding] = []
    line_starts = _line_starts(text) if spans else []
    reached = -1
    for start, end, kind in spans:
        if start >= reached:
            findings.append(Finding(kind, bisect_right(line_starts, start), start, end))
            reached = end
        elif end > reached:
            last = findings[-1]
            findings[-1] = Finding(last.kind, last.line, last.start, end)
            reached = end
    return findings


def redact(text: str) -> str:
    """The text with every secret value replaced by `[redacted]`."""
    findings = find_secrets(text)
    if not findings:
        return text
    pieces: list[str] = []
    position = 0
    for finding in findings:
        pieces += (text[position : finding.start], REDACTED)
        position = finding.end
    pieces.append(text[position:])
    return "".join(pieces)


def places_of(findings: Sequence[Finding]) -> str:
    """Where secrets stand and of which kind they are, never the values: `line 3: GitHub token; line 7: …`."""
    places = list(dict.fromkeys(f"line {finding.line}: {finding.kind}" for finding in findings))
    more = f" and {len(places) - 5} more" if len(places) > 5 else ""
    return "; ".join(places[:5]) + more


def _line_starts(text: str) -> list[int]:
    return [0, *(match.end() for match in re.finditer("\n", text))]


_Span = tuple[int, int, str]


def _spans(text: str) -> Iterator[_Span]:
    yield from _formats(text)
    yield from _private_keys(text)
    yield from _tokens(text)
    yield from _credentials(text)
    yield from assigned_secrets(text)


def _formats(text: str) -> Iterator[_Span]:
    for known in FORMATS:
        if known.needle not in text:
            continue
        for match in known.pattern.finditer(text):
            start, end = match.span()
            touched = (start > 0 and _alphanumeric(text[start - 1])) or (end < len(text) and _alphanumeric(text[end]))
            if touched or (known.weak and not any(character.isdigit() for character in match.group())):
                continue
            if known.kind.startswith("Azure") and "Key=" in match.group():
                start += match.group().index("=") + 1
            yield start, end, known.kind


def _alphanumeric(character: str) -> bool:
    return character.isascii() and character.isalnum()


def _private_keys(text: str) -> Iterator[_Span]:
    position = 0
    while begin := _KEY_BLOCK.search(text, position):
        body = _KEY_BODY.match(text, begin.end())
        limit = body.end() if body else begin.end()
        end = _KEY_BLOCK_END.search(text, begin.end(), limit)
        position = end.end() if end else limit
        # The header alone, in prose or in a pattern, gives nothing away.
        if position - begin.end() > 32 and re.search(r"[A-Za-z0-9+/]{16}", text[begin.end() : position]):
            yield begin.start(), position, "private key"
        position = max(position, begin.end())


def _tokens(text: str) -> Iterator[_Span]:
    """JSON web tokens: three parts between dots, the first two of them encoded JSON objects."""
    for match in _DOTTED.finditer(text) if "eyJ" in text else ():
        if "eyJ" not in match.group():
            continue
        offset = match.start()
        parts = match.group().split(".")
        for index, part in enumerate(parts):
            head = part.find("eyJ")
            following = parts[index + 1] if index + 1 < len(parts) else ""
            if head >= 0 and following.startswith("eyJ") and len(part) - head >= 12 and len(following) >= 8:
                signature = parts[index + 2] if index + 2 < len(parts) else ""
                end = offset + len(part) + 1 + len(following) + (1 + len(signature) if signature else 0)
                yield offset + head, end, "JSON web token"
            offset += len(part) + 1


def _credentials(text: str) -> Iterator[_Span]:
    lower = text.lower()
    for match in _BEARER.finditer(text) if "bearer" in lower or "authorization" in lower else ():
        value = match.group(1)
        if any(character.isdigit() for character in value) or len(value) >= 24:
            yield *match.span(1), "bearer token"
    for match in _BASIC.finditer(text) if "basic" in lower else ():
        if _is_basic(match.group(1)):
            yield *match.span(1), "basic credentials"
    for pattern, needle, kind in (
        (_USERINFO, "://", "password in a URL"),
        (_CURL_USER, "-u", "user and password"),
        (_QUERY, "=", "credential in a URL"),
    ):
        for match in pattern.finditer(text) if needle in text else ():
            value = match.group(1)
            if _TEMPLATE.match(value) or (pattern is _QUERY and not _mixed(value)):
                continue
            yield *match.span(1), kind


def _mixed(value: str) -> bool:
    return any(character.isdigit() for character in value) and any(character.isalpha() for character in value)


def _is_basic(value: str) -> bool:
    try:
        decoded = base64.b64decode(value + "=" * (-len(value) % 4), validate=True)
    except (binascii.Error, ValueError):
        return False
    name, colon, password = decoded.partition(b":")
    return bool(colon and password) and all(0x20 < byte < 0x7F for byte in name + password)
