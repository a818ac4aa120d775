"""Text from anywhere else, made safe for a terminal.

Model output, tool output, file names, commands and titles are data. What comes out of here holds no
C0 character but newline and tab, no DEL, no C1, no escape sequence, no bidi control, no invisible
format character outside an emoji or a script that needs it, and no lone surrogate.
"""

from __future__ import annotations

import re

_EMOJI = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u24c2\u25a0-\u27bf\u2900-\u297f"
    "\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
_JOINING = "\u0600-\u060f\u0620-\u06ff\u0750-\u077f\u08a0-\u08e1\u08e3-\u08ff\u0900-\u0dff\u1000-\u109f"
_BIDI = "\u202a-\u202e\u2066-\u2069"
_ZERO_WIDTH = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2060-\u2065\u206a-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
)
_TAGS = "\U000e0000-\U000e0fff"
_CONTROL = "\x00-\x08\x0b-\x1f\x7f-\x9f"
_SURROGATE = "\ud800-\udfff"
_LINES = "\u2028\u2029"

_SUSPECT = re.compile(f"[{_CONTROL}{_BIDI}{_ZERO_WIDTH}{_TAGS}{_SURROGATE}{_LINES}]")
_PIECE = re.compile(
    f"(?P<emoji>[{_EMOJI}][\ufe0e\ufe0f]?(?:\u200d[{_EMOJI}][\ufe0e\ufe0f]?)*|[0-9#*]\ufe0f\u20e3"
    f"|(?<=[{_JOINING}])[\u200c\u200d](?=[{_JOINING}]))"
    "|(?P<colour>(?:\x1b\\[|\x9b)[0-9;:]{0,64}m)"
    "|(?P<line>\r+\n?|[\u2028\u2029])"
    f"|(?P<tags>[{_TAGS}]+)"
    f"|(?P<one>[{_CONTROL}{_BIDI}{_SURROGATE}])"
    f"|(?P<drop>[{_ZERO_WIDTH}]+)"
)
_BIDI_NAMES = {
    0x202A: "LRE",
    0x202B: "RLE",
    0x202C: "PDF",
    0x202D: "LRO",
    0x202E: "RLO",
    0x2066: "LRI",
    0x2067: "RLI",
    0x2068: "FSI",
    0x2069: "PDI",
}

_SEQUENCE = re.compile(
    "(?:\x1b\\[|\x9b)[0-?]{0,64}[ -/]{0,16}[@-~]"
    "|(?:\x1b[\\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]{0,4096}(?:\x07|\x1b\\\\|\x9c)"
    "|\x1b[ -/]{0,16}[0-~]"
)


def visible(text: str) -> str:
    """The text with everything that could steer a terminal or hide shown as visible symbols.

    Colour sequences (SGR), zero-width characters and tags outside emoji are dropped. Other control
    characters become their Unicode pictures, 8-bit controls their 7-bit form behind `␛`, bidi controls
    `‹RLO›`, undecodable bytes `\\xNN`. A carriage return becomes a newline. Plain text is returned as
    it is, and the result is never changed by a second pass.
    """
    if _SUSPECT.search(text) is None:
        return text
    return _PIECE.sub(_shown, text)


def visible_line(text: str, limit: int = 0) -> str:
    """`visible` on one line: newlines become `␤`, tabs a space; over `limit` characters it ends in `…`."""
    cut = False
    if limit > 0 and len(text) > 8 * limit + 256:
        text, cut = text[: 8 * limit + 256], True
    line = visible(text).replace("\t", " ").replace("\n", "␤")
    if limit > 0 and (cut or len(line) > limit):
        return line[: limit - 1] + "…"
    return line


def without_controls(text: str) -> str:
    """The text with escape sequences, control and invisible characters removed; whitespace stays.

    For what is kept, not shown: lone surrogates become U+FFFD, so the result always encodes to UTF-8.
    """
    if _SUSPECT.search(text) is None:
        return text
    return _PIECE.sub(_kept, _SEQUENCE.sub("", text))


def has_hidden(text: str) -> bool:
    """Whether the text holds anything that `visible` would show differently, newline aside."""
    return _SUSPECT.search(text) is not None and visible(text) != text


def _shown(match: re.Match[str]) -> str:
    kind = match.lastgroup
    piece = match.group()
    if kind == "emoji":
        return piece
    if kind == "line":
        return _newlines(piece)
    if kind == "tags":
        return f"‹hidden ×{len(piece)}›"
    if kind == "one":
        return _symbol(ord(piece))
    return ""


def _kept(match: re.Match[str]) -> str:
    kind = match.lastgroup
    piece = match.group()
    if kind == "emoji":
        return piece
    if kind == "line":
        return "\n"
    if piece in ("\x0b", "\x0c", "\x85"):
        return " "
    return "\ufffd" if kind == "one" and 0xD800 <= ord(piece) <= 0xDFFF else ""


def _newlines(piece: str) -> str:
    # \r\n is one line end; every carriage return that stands alone overwrote something: show the line.
    return "\n" if piece.endswith("\n") else "\n" * len(piece)


def _symbol(code: int) -> str:
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    if code < 0xA0:
        return "␛" + chr(code - 0x40)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    return f"‹{_BIDI_NAMES[code]}›"
