"""Reads pieces from TOML files: those that come with Keen, the user's, and the workspace's."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

import keen_tui
from keen_tui.config.toml_files import read_toml
from keen_tui.domain.errors import KeenError
from keen_tui.domain.pieces import WORK, Piece
from keen_tui.security.untrusted import visible_line


@dataclass(frozen=True, slots=True)
class Pieces:
    """The usable pieces by name, and a sentence for each file that was left out."""

    pieces: Mapping[str, Piece]
    problems: tuple[str, ...] = ()


def load_pieces(user_folder: Path, workspace: Path, tools: Collection[str]) -> Pieces:
    """All pieces. A file that is malformed is reported and left out; the others load.

    The user may replace a piece that comes with Keen, but not `work`. A workspace, which may come from
    anybody, adds pieces and replaces none. `tools` are the names that a movement may list.
    """
    found: dict[str, Piece] = {}
    problems: list[str] = []
    builtin = Path(keen_tui.__file__).parent / "pieces"
    for folder in (builtin, user_folder, workspace / ".keen" / "pieces"):
        fixed = {WORK} if folder == user_folder else set(found)
        for path in _files(folder, problems):
            try:
                piece = _read(path, tools)
            except KeenError as error:
                problems.append(visible_line(error.message))
                continue
            if folder != builtin and piece.name in fixed:
                problems.append(f"{path}: name: the piece {piece.name} exists already and stays as it is.")
            else:
                found[piece.name] = piece
    return Pieces(found, tuple(problems))


def _files(folder: Path, problems: list[str]) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.suffix == ".toml")
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        problems.append(f"The pieces in {folder} can't be read: {error.strerror or error}.")
        return []


def _read(path: Path, tools: Collection[str]) -> Piece:
    """Raises KeenError, which names the file, the key and the reason."""
    table = read_toml(path)
    try:
        piece = Piece.model_validate(table)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        key = ".".join(str(part) for part in first["loc"]) or "movements"
        reason = first["msg"].removeprefix("Value error, ")
        raise KeenError(f"{path}: {key}: {reason}. The piece was left out.") from error
    for movement in piece.movements:
        for name in movement.tools or ():
            if name not in tools:
                raise KeenError(
                    f"{path}: movements.{movement.name}.tools: there is no tool {name}. The piece was left out."
                )
    return piece
