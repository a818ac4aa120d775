"""The roles of text on the screen, each with the style that a theme gives it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace

from rich.style import Style

NULL = Style.null()


@dataclass(frozen=True)
class Roles:
    """A style per role. `text` has no colour of its own: it takes the widget's.

    `style` joins several: `quote+strong` is strong text inside a quote, later ones win. `code.<kind>`
    is a token of source code on the code background, `plain.<kind>` the same on any other.
    """

    text: Style = NULL
    dim: Style = NULL
    accent: Style = NULL
    # who speaks
    user: Style = NULL
    user_text: Style = NULL
    agent: Style = NULL
    reasoning: Style = NULL
    notice: Style = NULL
    warning: Style = NULL
    error: Style = NULL
    hint: Style = NULL
    # prose
    strong: Style = NULL
    emphasis: Style = NULL
    strike: Style = NULL
    heading: Style = NULL
    subheading: Style = NULL
    inline_code: Style = NULL
    link: Style = NULL
    url: Style = NULL
    quote: Style = NULL
    quote_bar: Style = NULL
    bullet: Style = NULL
    rule: Style = NULL
    table_head: Style = NULL
    table_border: Style = NULL
    # source code
    code: Style = NULL
    code_label: Style = NULL
    # tools
    tool: Style = NULL
    tool_target: Style = NULL
    tool_ok: Style = NULL
    tool_error: Style = NULL
    tool_running: Style = NULL
    tool_output: Style = NULL
    approval: Style = NULL
    # differences: the sign and number, and the background of the row
    diff_added: Style = NULL
    diff_removed: Style = NULL
    diff_context: Style = NULL
    added_fill: Style = NULL
    removed_fill: Style = NULL
    line_number: Style = NULL
    # the brief and other panes
    brief_field: Style = NULL
    cited: Style = NULL
    stale: Style = NULL
    key: Style = NULL
    # marks over other text
    focus: Style = NULL
    focus_bar: Style = NULL
    selection: Style = NULL
    search_mark: Style = NULL
    search_current: Style = NULL
    code_kinds: Mapping[str, Style] = field(default_factory=dict)
    _joined: dict[str, Style] = field(default_factory=dict, compare=False, repr=False)

    def style(self, role: str) -> Style:
        """The style of a role or of several joined by `+`. Unknown names have none."""
        joined = self._joined.get(role)
        if joined is None:
            joined = NULL
            for name in role.split("+"):
                joined += self._one(name)
            self._joined[role] = joined
        return joined

    def _one(self, name: str) -> Style:
        base, _, kind = name.partition(".")
        if kind:
            color = self.code_kinds.get(kind, NULL)
            return color if base == "plain" else self.code + color
        found = getattr(self, base, NULL) if base in ROLE_NAMES else NULL
        return found if isinstance(found, Style) else NULL


ROLE_NAMES = tuple(item.name for item in fields(Roles) if item.name not in ("code_kinds", "_joined"))

INHERITS = {
    "user_text": "text",
    "agent": "strong",
    "hint": "dim",
    "reasoning": "dim",
    "notice": "dim",
    "subheading": "strong",
    "table_head": "strong",
    "table_border": "dim",
    "rule": "dim",
    "quote": "dim",
    "quote_bar": "dim",
    "url": "dim",
    "link": "accent",
    "heading": "accent",
    "bullet": "dim",
    "code_label": "dim",
    "tool_target": "text",
    "tool_output": "dim",
    "tool_running": "accent",
    "approval": "warning",
    "diff_context": "dim",
    "line_number": "dim",
    "brief_field": "strong",
    "cited": "accent",
    "stale": "warning",
    "key": "accent",
    "focus_bar": "accent",
    "search_current": "search_mark",
}
"""What a role looks like when a theme does not name it: like another role."""


def make_roles(styles: Mapping[str, Style], code: Mapping[str, Style]) -> Roles:
    """Roles from named styles; what is missing is inherited, then plain."""
    found: dict[str, Style] = {}
    for name in ROLE_NAMES:
        source: str | None = name
        while source is not None and source not in styles:
            source = INHERITS.get(source)
        found[name] = styles[source] if source is not None else NULL
    return replace(Roles(**found), code_kinds=dict(code))  # type: ignore[arg-type]
