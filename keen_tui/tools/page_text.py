"""Turns the body of an answer into text for the model: HTML to Markdown, text as it is."""

from __future__ import annotations

import codecs
import re
import zlib
from dataclasses import dataclass

from keen_tui.tools.base import ToolError
from keen_tui.tools.text_files import NotText, understand

_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)
_TEXT_TYPES = re.compile(
    r"^(text/.*|application/(.*\+)?(json|xml|yaml|x-yaml|toml|javascript|x-javascript|x-sh|graphql|"
    r"x-ndjson|sql|x-www-form-urlencoded)|image/svg\+xml)$"
)
_WITHOUT_WORDS = ("script", "style", "noscript", "template", "svg", "iframe", "canvas", "title")


@dataclass(frozen=True, slots=True)
class PageText:
    title: str
    text: str


def unpack(body: bytes, encoding: str, limit: int) -> bytes:
    """Undo a content encoding, giving at most `limit` bytes. A body that was cut is no error."""
    if encoding in ("", "identity"):
        return body[:limit]
    if encoding not in ("gzip", "x-gzip", "deflate"):
        raise ToolError(f"The page is packed with {encoding}, which is not understood here.")
    for window in (47, -15):
        try:
            return zlib.decompressobj(window).decompress(body, limit)
        except zlib.error:
            continue
    raise ToolError("The page is packed in a way that can't be undone.")


def page_text(body: bytes, content_type: str) -> PageText:
    """The readable part of `body`. Raises ToolError for anything that is no text, naming its type."""
    kind = content_type.partition(";")[0].strip().lower()
    if kind and not _TEXT_TYPES.match(kind) and kind != "application/xhtml+xml":
        if kind != "application/octet-stream":
            raise ToolError(f"The address gives {kind}, which is no text. Fetch it through bash if needed.")
        kind = ""
    charset = _known_charset(content_type)
    if kind in ("text/html", "application/xhtml+xml") or (not kind and b"<html" in body[:2000].lower()):
        return _from_html(body, charset)
    return PageText("", _decode(body, charset))


def _known_charset(content_type: str) -> str | None:
    match = _CHARSET.search(content_type)
    try:
        return codecs.lookup(match.group(1)).name if match else None
    except LookupError:
        return None


def _decode(body: bytes, charset: str | None) -> str:
    if charset is not None:
        return body.decode(charset, "replace")
    try:
        return understand(_without_half_character(body)).text
    except NotText as found:
        raise ToolError(f"The address gives {found}, which is no text.") from None


def _without_half_character(body: bytes) -> bytes:
    """UTF-8 that was cut inside its last character, without that."""
    try:
        body.decode("utf-8")
    except UnicodeDecodeError as error:
        return body[: error.start] if len(body) - error.start < 4 else body
    return body


def _from_html(body: bytes, charset: str | None) -> PageText:
    from bs4 import BeautifulSoup
    from markdownify import MarkdownConverter

    soup = BeautifulSoup(body, "html.parser", from_encoding=charset)
    title = " ".join(soup.title.get_text().split()) if soup.title else ""
    for element in soup.find_all(_WITHOUT_WORDS):
        element.decompose()
    for image in soup.find_all("img", src=re.compile("^data:")):
        image.decompose()
    try:
        text = MarkdownConverter(heading_style="ATX", bullets="-").convert_soup(soup)
    except RecursionError:
        text = soup.get_text("\n")
    text = re.sub(r"[ \t]+\n", "\n", text)
    return PageText(title, re.sub(r"\n{3,}", "\n\n", text).strip())
