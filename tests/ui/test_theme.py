"""Theme files: what ships, what people write themselves, and whether it can be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.style import Style
from textual.color import Color

from keen_tui.ui.roles import ROLE_NAMES
from keen_tui.ui.theme import DEFAULT, SHIPPED, KeenTheme, ThemeError, load_themes, read_theme
from keen_tui.ui.transcript.code import KINDS

READABLE = ("keen-dark", "keen-light", "high-contrast")
DECORATION = {"quote_bar", "table_border", "rule"}
"""Lines, not text."""

MINE = """
name = "mine"
[colors]
primary = "#88aaff"
accent = "#88aaff"
foreground = "#dddddd"
background = "#101010"
surface = "#141414"
panel = "#1c1c1c"
success = "#88cc88"
warning = "#ddbb77"
error = "#ee8888"
[roles]
user = "bold #88aaff"
"""


def luminance(color: Color) -> float:
    def linear(value: int) -> float:
        share = value / 255
        return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4

    return 0.2126 * linear(color.r) + 0.7152 * linear(color.g) + 0.0722 * linear(color.b)


def contrast(one: Color, other: Color) -> float:
    """The contrast ratio of WCAG 2."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def ratio(theme: KeenTheme, style: Style) -> float:
    front = style.color and Color.from_rich_color(style.color)
    back = style.bgcolor and Color.from_rich_color(style.bgcolor)
    assert theme.textual.foreground
    assert theme.textual.background
    return contrast(front or Color.parse(theme.textual.foreground), back or Color.parse(theme.textual.background))


@pytest.mark.parametrize("name", SHIPPED)
def test_every_shipped_theme_loads(name: str) -> None:
    themes = load_themes()
    assert themes.problems == ()
    assert themes.by_name[name].textual.name == name


@pytest.mark.parametrize("name", READABLE)
def test_every_role_can_be_read(name: str) -> None:
    theme = load_themes().by_name[name]
    names = [role for role in ROLE_NAMES if role not in DECORATION]
    names += [f"code.{kind}" for kind in KINDS]
    names += [f"plain.{kind}+{fill}" for kind in KINDS for fill in ("added_fill", "removed_fill")]
    names += [f"{role}+focus" for role in ("tool", "tool_ok", "tool_error", "tool_target", "dim", "reasoning")]
    names += [f"line_number+{fill}" for fill in ("added_fill", "removed_fill")]
    faint = {role: round(ratio(theme, theme.roles.style(role)), 2) for role in names}
    assert {role: value for role, value in faint.items() if value < 4.5} == {}


@pytest.mark.parametrize("name", READABLE)
def test_panels_can_be_read(name: str) -> None:
    colors = load_themes().by_name[name].textual
    backs = [colors.background, colors.surface, colors.panel]
    fronts = [colors.foreground, colors.accent, colors.warning, colors.error, colors.success]
    assert all(contrast(Color.parse(front or ""), Color.parse(back or "")) >= 4.5 for front in fronts for back in backs)


def test_mono_has_no_colour_and_ansi_only_the_terminals_own() -> None:
    themes = load_themes().by_name
    for role in (*ROLE_NAMES, *(f"code.{kind}" for kind in KINDS)):
        mono, ansi = themes["mono"].roles.style(role), themes["ansi"].roles.style(role)
        assert mono.color is None or mono.color.is_default
        assert mono.bgcolor is None or mono.bgcolor.is_default
        for color in (ansi.color, ansi.bgcolor):
            assert color is None or color.is_system_defined or color.is_default


def test_no_color_and_dumb_terminals_get_mono() -> None:
    themes = load_themes()
    assert themes.pick("keen-light", {"NO_COLOR": "1"})[0].name == "mono"
    assert themes.pick("keen-light", {"TERM": "dumb"})[0].name == "mono"
    assert themes.pick("keen-light", {"NO_COLOR": "", "TERM": "xterm"})[0].name == "keen-light"


def test_an_unknown_theme_falls_back_and_says_so() -> None:
    theme, problem = load_themes().pick("keen-drak", {})
    assert theme.name == DEFAULT
    assert "keen-drak" in problem
    assert "keen-dark" in problem


def test_a_theme_of_ones_own_is_found_and_wins(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(MINE)
    (tmp_path / "dark.toml").write_text(MINE.replace('"mine"', '"keen-dark"'))
    themes = load_themes(tmp_path)
    assert themes.problems == ()
    assert themes.by_name["mine"].roles.user == Style.parse("bold #88aaff")
    assert themes.by_name["mine"].roles.hint == themes.by_name["mine"].roles.dim
    assert themes.by_name["keen-dark"].textual.background == "#101010"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("[roles]", "[rolls]"), "rolls"),
        (('user = "bold', 'user = "bald'), "roles: user: 'bald #88aaff' is not a style"),
        (("user =", "usr ="), "'usr' is not a role; did you mean user?"),
        (('accent = "#88aaff"', 'accent = "bluish"'), "colors.accent: 'bluish' is not a colour"),
        (('accent = "#88aaff"', ""), "colors.accent"),
        (('name = "mine"', 'name = "../x"'), "name"),
        (("[colors]", "[colors"), "is not TOML"),
    ],
)
def test_a_broken_theme_names_file_key_and_reason(tmp_path: Path, change: tuple[str, str], words: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(MINE.replace(*change))
    with pytest.raises(ThemeError) as caught:
        read_theme(file)
    assert str(file) in caught.value.message
    assert words in caught.value.message
    themes = load_themes(tmp_path)
    assert len(themes.problems) == 1
    assert set(SHIPPED) <= set(themes.by_name)


def test_a_theme_that_is_no_text_or_too_large_harms_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "b.toml").write_bytes(b"#" * 300_000)
    (tmp_path / "c.toml").mkdir()
    assert len(load_themes(tmp_path).problems) == 3
