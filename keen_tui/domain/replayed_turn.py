"""A past turn as the model sees it next, laid out for a reader."""

from __future__ import annotations

from dataclasses import dataclass

WHOLE = "everything, as it ran"
"""The form of a turn whose native messages stand in for its compact record."""


@dataclass(frozen=True, slots=True)
class SeenText:
    """Words of the assistant; `user` marks words that the person said in between."""

    text: str
    user: bool = False


@dataclass(frozen=True, slots=True)
class SeenCall:
    """A call as a later request holds it. `arguments` and `outcome` are compact JSON."""

    call_id: str
    name: str
    arguments: str
    outcome: str


@dataclass(frozen=True, slots=True)
class ReplayedTurn:
    """`form` says how calls are replayed, `tokens` estimates the whole turn in the wire format's own shape."""

    form: str
    tokens: int
    rows: tuple[SeenText | SeenCall, ...]
