"""Themes: TOML files that give Textual its colours and every role of Keen its style."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from rich.errors import StyleSyntaxError
from rich.style import Style
from textual.color import Color, ColorParseError
from textual.theme import Theme

from keen_tui.domain.errors import KeenError
from keen_tui.security.untrusted import visible_line
from keen_tui.ui.roles import ROLE_NAMES, Roles, make_roles
from keen_tui.ui.transcript.code import KINDS

DEFAULT = "keen-dark"
SHIPPED = ("keen-dark", "keen-light", "high-contrast", "ansi", "mono")
LARGEST = 256 * 1024


class ThemeError(KeenError):
    """A theme file that can't be used. The message names the file, the key and the reason."""


class _Colors(BaseModel):
    """Textual's base colours; the rest is derived from these."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    primary: str
    secondary: str | None = None
    accent: str
    foreground: str
    background: str
    surface: str
    panel: str
    success: str
    warning: str
    error: str

    @field_validator("*")
    @classmethod
    def _is_a_color(cls, value: str | None) -> str | None:
        if value is not None:
            try:
                Color.parse(value)
            except ColorParseError:
                raise ValueError(f"{visible_line(value, 40)!r} is not a colour, such as #8fb3ff") from None
        return value


class ThemeFile(BaseModel):
    """The shape of a theme file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1, max_length=40, pattern=r"^[a-z0-9][a-z0-9._-]*$")
    dark: bool = True
    ansi: bool = False
    colors: _Colors
    variables: dict[str, str] = {}
    roles: dict[str, str] = {}
    code: dict[str, str] = {}

    @field_validator("roles", "code")
    @classmethod
    def _are_styles(cls, values: dict[str, str]) -> dict[str, str]:
        for name, value in values.items():
            try:
                Style.parse(value)
            except StyleSyntaxError:
                example = "such as 'bold #8fb3ff on #14171c'"
                raise ValueError(f"{name}: {visible_line(value, 40)!r} is not a style, {example}") from None
        return values

    @field_validator("roles")
    @classmethod
    def _are_roles(cls, values: dict[str, str]) -> dict[str, str]:
        return _known(values, ROLE_NAMES, "role")

    @field_validator("code")
    @classmethod
    def _are_kinds(cls, values: dict[str, str]) -> dict[str, str]:
        return _known(values, KINDS, "kind of code")


@dataclass(frozen=True)
class KeenTheme:
    """A theme that is ready for use. `source` is the file it came from."""

    name: str
    dark: bool
    textual: Theme
    roles: Roles
    source: str


@dataclass(frozen=True)
class Themes:
    """All themes that could be read, by name, and a sentence for each that could not."""

    by_name: Mapping[str, KeenTheme]
    problems: tuple[str, ...] = ()

    def pick(self, name: str, environ: Mapping[str, str]) -> tuple[KeenTheme, str]:
        """The theme to use, and a sentence when it is not the one that was asked for.

        NO_COLOR (https://no-color.org: set and not empty) and TERM=dumb ask for `mono`.
        """
        if environ.get("NO_COLOR") or environ.get("TERM") == "dumb":
            return self.by_name["mono"], ""
        if name in self.by_name:
            return self.by_name[name], ""
        near = get_close_matches(name, self.by_name, n=1)
        meant = f" Did you mean {near[0]}?" if near else ""
        reason = f"There is no theme {visible_line(name, 40)!r}; {DEFAULT} is used instead.{meant}"
        return self.by_name[DEFAULT], reason


def load_themes(user_folder: Path | None = None) -> Themes:
    """The shipped themes, and the user's, which win over shipped ones of the same name."""
    found: dict[str, KeenTheme] = {}
    problems: list[str] = []
    for source in _files(user_folder):
        try:
            theme = read_theme(source)
        except ThemeError as error:
            problems.append(f"{error.message} {error.hint}")
            continue
        found[theme.name] = theme
    return Themes(found, tuple(problems))


def read_theme(source: Path | Traversable) -> KeenTheme:
    """One theme. Raises ThemeError with the file, the key and the reason."""
    where = visible_line(str(source))
    hint = "The other themes work; mend the file or choose another with /theme."
    try:
        data = source.read_bytes()
        if len(data) > LARGEST:
            raise ThemeError(f"The theme {where} is larger than {LARGEST // 1024} KiB.", hint)
        file = ThemeFile.model_validate(tomllib.loads(data.decode()))
    except OSError as error:
        reason = error.strerror or "it can't be read"
        raise ThemeError(f"The theme {where} can't be read: {reason}.", hint) from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ThemeError(f"The theme {where} is not TOML: {visible_line(str(error), 120)}.", hint) from None
    except ValidationError as error:
        raise ThemeError(f"The theme {where} can't be used: {_reason(error)}.", hint) from None
    return _theme(file, where)


def _theme(file: ThemeFile, where: str) -> KeenTheme:
    roles = make_roles(
        {name: Style.parse(value) for name, value in file.roles.items()},
        {name: Style.parse(value) for name, value in file.code.items()},
    )
    textual = Theme(
        name=file.name,
        dark=file.dark,
        ansi=file.ansi,
        variables=dict(file.variables),
        **file.colors.model_dump(exclude_none=True),
    )
    return KeenTheme(file.name, file.dark, textual, roles, where)


def _files(user_folder: Path | None) -> Iterator[Path | Traversable]:
    shipped = _shipped_folder()
    for name in SHIPPED:
        yield shipped / f"{name}.toml"
    if user_folder is not None and user_folder.is_dir():
        yield from sorted(user_folder.glob("*.toml"))


def _shipped_folder() -> Path | Traversable:
    """In a wheel the themes lie inside the package, in a checkout beside it."""
    package = resources.files("keen_tui")
    inside = package / "themes"
    return inside if inside.is_dir() else Path(str(package)).parent / "themes"


def _known(values: dict[str, str], names: tuple[str, ...], what: str) -> dict[str, str]:
    for name in values:
        if name not in names:
            near = get_close_matches(name, names, n=1)
            meant = f"; did you mean {near[0]}?" if near else ""
            raise ValueError(f"{visible_line(name, 40)!r} is not a {what}{meant}")
    return values


def _reason(error: ValidationError) -> str:
    first = error.errors()[0]
    key = ".".join(str(part) for part in first["loc"])
    message = first["msg"].removeprefix("Value error, ")
    return visible_line(f"{key}: {message}" if key else message, 240)
