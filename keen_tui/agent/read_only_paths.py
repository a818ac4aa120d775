"""Whether a path falls under a glob that the brief calls read-only."""

from __future__ import annotations

from collections.abc import Callable

from keen_tui.tools.base import ToolError
from keen_tui.tools.glob_pattern import compile_glob


def read_only_matcher(glob: str) -> Callable[[str], bool]:
    """Tells for a path relative to the workspace whether the glob covers it, or something below it.

    A folder covers all that is in it. A glob that can't be read covers the whole workspace: better one
    question too many.
    """
    plain = glob.removeprefix("./").rstrip("/")
    try:
        patterns = [compile_glob(plain), compile_glob(f"{plain}/**")]
    except ToolError:
        return lambda path: True
    fixed = _fixed_part(plain)

    def holds(path: str) -> bool:
        below = path == "." or fixed == path or fixed.startswith(f"{path}/")
        return (bool(fixed) and below) or any(pattern.matches(path) for pattern in patterns)

    return holds


def _fixed_part(glob: str) -> str:
    """The folders in front of the first wildcard: `src/parser` of `src/parser/**`."""
    names: list[str] = []
    for name in glob.split("/"):
        if any(character in name for character in "*?[{"):
            break
        names.append(name)
    return "/".join(names)
