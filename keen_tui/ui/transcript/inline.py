"""The inside of a Markdown paragraph: emphasis, code, links, breaks, as spans."""

from __future__ import annotations

from typing import TYPE_CHECKING

from keen_tui.security.untrusted import visible_line
from keen_tui.ui.transcript.lines import Span, Spans

if TYPE_CHECKING:
    from markdown_it.token import Token

_STYLES = {"strong_open": "strong", "em_open": "emphasis", "s_open": "strike", "link_open": "link"}
_ENDS = {"strong_close", "em_close", "s_close"}


def inline_spans(token: Token) -> Spans:
    """The spans of an inline token. A hard break is a newline; a link shows its address behind its text."""
    spans: list[Span] = []
    roles: list[str] = []
    links: list[tuple[str, int]] = []
    for child in token.children or []:
        match child.type:
            case "text" | "text_special" | "html_inline":
                _add(spans, child.content, roles)
            case "code_inline":
                _add(spans, child.content, [*roles, "inline_code"])
            case "softbreak":
                _add(spans, " ", roles)
            case "hardbreak":
                spans.append(Span("\n", "text"))
            case "image":
                address = str(child.attrs.get("src", ""))
                _add(spans, child.content or "image", [*roles, "link"])
                _add(spans, f" ({address})", [*roles, "url"])
            case "link_open":
                links.append((str(child.attrs.get("href", "")), len(spans)))
                roles.append("link")
            case "link_close":
                roles.pop()
                address, start = links.pop()
                text = "".join(span.text for span in spans[start:])
                if _differs(text, address):
                    _add(spans, f" ({address})", [*roles, "url"])
            case kind if kind in _STYLES:
                roles.append(_STYLES[kind])
            case kind if kind in _ENDS:
                roles.pop()
    return tuple(spans)


def _add(spans: list[Span], text: str, roles: list[str]) -> None:
    if text:
        spans.append(Span(visible_line(text), "+".join(["text", *roles])))


def _differs(text: str, address: str) -> bool:
    return bool(address) and text not in (address, address.removeprefix("mailto:"), address.rstrip("/"))
