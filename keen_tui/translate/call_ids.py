"""The ids that tie results to calls: made for replayed calls, checked for received ones."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Collection

_PLAIN = re.compile(r"[A-Za-z0-9_-]{1,40}\Z")
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")
_OTHER = re.compile(r"[^A-Za-z0-9_-]")


def history_ids(prefix: str, turn_id: str, count: int) -> list[str]:
    """The ids of a turn's replayed calls, owned by the turn; they match [A-Za-z0-9_-]{1,64}."""
    owner = turn_id if _PLAIN.match(turn_id) else hashlib.sha256(_bytes(turn_id)).hexdigest()[:32]
    return [f"{prefix}h_{owner}_{ordinal}" for ordinal in range(count)]


def short_history_ids(turn_id: str, count: int) -> list[str]:
    """The same in nine letters and digits each: Mistral's servers accept no other call ids.

    The digest of a turn id has no end, so the first ids do not depend on how many are asked for.
    """
    digest = hashlib.shake_128(_bytes(turn_id)).digest(count * 9)
    letters = base64.b64encode(digest, altchars=b"AB").decode()
    return [letters[start : start + 9] for start in range(0, count * 9, 9)]


def no_ids(turn_id: str, count: int) -> list[str]:
    """For a format whose replayed calls and results belong together by their order."""
    return [""] * count


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def call_name(value: object) -> str:
    """A received tool name in the only form that every provider takes back."""
    name = value if isinstance(value, str) else ""
    if _NAME.match(name):
        return name
    return _OTHER.sub("_", name)[:64] or "unnamed_tool"


class CallIds:
    """Gives each received call an id of its own within the turn.

    A provider's id is kept when it is there and not used yet; else one is made from `form`, which
    takes the number of the call, so that equal streams give equal ids.
    """

    def __init__(self, taken: Collection[str], form: str) -> None:
        self._used = set(taken)
        self._form = form
        self._count = len(self._used)

    def claim(self, given: object) -> str:
        """The id for a call that came with `given`."""
        if isinstance(given, str) and given and given not in self._used:
            chosen = given
        else:
            chosen = self._form.format(self._count)
            while chosen in self._used:
                self._count += 1
                chosen = self._form.format(self._count)
        self._used.add(chosen)
        self._count += 1
        return chosen
