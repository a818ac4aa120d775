"""How what is found in a task's past reads: excerpts, search results and the surroundings of an entry."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from keen_tui.domain.entries import Entry, Hit
from keen_tui.domain.folding import places
from keen_tui.domain.refs import Ref
from keen_tui.security.untrusted import visible, visible_line

EXCERPT_LIMIT = 240
"""Characters of an excerpt, its marks included."""
ENTRY_LIMIT = 1_200
"""Characters of one entry that is read."""
READ_LIMIT = 4_000
"""Characters of everything that is read at once."""
_LEAD = 60
"""Characters of an excerpt in front of the first hit."""
_CUT_ROOM = 60
"""Characters that the mark of a cut may take."""


def excerpt(text: str, needles: Sequence[str]) -> str:
    """One line around the place where most of the needles stand, at most EXCERPT_LIMIT characters."""
    line = visible_line(" ".join(text.split()))
    if len(line) <= EXCERPT_LIMIT:
        return line
    start = max(0, _best_place(line, needles) - _LEAD)
    room = EXCERPT_LIMIT - 4
    if start and (space := line.find(" ", start, start + 20)) >= 0:
        start = space + 1
    start = min(start, len(line) - room) if start + room >= len(line) else start
    inside = line[start : start + room]
    return f"{'… ' if start else ''}{inside.strip()}{' …' if start + room < len(line) else ''}"


def _best_place(line: str, needles: Sequence[str]) -> int:
    """Where the stretch with the most different needles begins; the first one counts most."""
    found = sorted(
        (start, index) for index, needle in enumerate(needles) for start, _ in places(line, needle, limit=20)
    )
    best, best_score = 0, 0.0
    for start, _ in found:
        inside = {index for at, index in found if start <= at < start + EXCERPT_LIMIT - _LEAD}
        score = sum(1.0 / (1 + index / 8) for index in inside)
        if score > best_score:
            best, best_score = start, score
    return best


def moment(time: datetime) -> str:
    """A time in UTC to the second."""
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def search_result(hits: Sequence[Hit], notes: Sequence[str] = ()) -> str:
    """The hits for the agent, or a sentence that there are none."""
    if not hits:
        none = "Nothing in this task's conversation matches. Try fewer words, or other words for the same thing."
        return "\n".join([none, *notes])
    lines = ["## Conversation Search Results"]
    for hit in hits:
        lines += [f"- {_head(hit.ref, hit.author, hit.kind, hit.time)}", f"  excerpt: {hit.excerpt}"]
        if hit.later is not None:
            lines.append(f"  later: {hit.later} changes this topic")
    return "\n".join([*lines, *notes])


def _head(ref: Ref, author: str, kind: str, time: datetime) -> str:
    who = f"{author}/{kind}" if ref.source == "comment" else author
    return f"{ref} {who} {moment(time)}"


def surroundings(entries: Sequence[Entry], asked: Ref) -> str:
    """Entries in order, at most READ_LIMIT characters; the one asked for has its room before the others."""
    title = f"## Conversation around {asked}"
    at = next(index for index, entry in enumerate(entries) if entry.ref == asked)
    texts: dict[int, str] = {at: _whole(entries[at], ENTRY_LIMIT)}
    room = READ_LIMIT - len(title) - len(texts[at]) - _CUT_ROOM
    left_out = 0
    for index in sorted(range(len(entries)), key=lambda index: (abs(index - at), index)):
        if index == at:
            continue
        text = _whole(entries[index], min(ENTRY_LIMIT, room - 1))
        if not text or left_out:
            left_out += 1
            continue
        texts[index] = text
        room -= len(text) + 1
    lines = [title, *(texts[index] for index in sorted(texts))]
    if left_out:
        lines.append(f"({left_out} more {'entry' if left_out == 1 else 'entries'} left out for length)")
    return "\n".join(lines)


def _whole(entry: Entry, limit: int) -> str:
    """Head and indented text of an entry; a long text is cut in the middle. Empty when there is no room."""
    head = f"- {_head(entry.ref, entry.author, entry.kind, entry.time)}\n"
    body = "\n".join(f"  {line}".rstrip() for line in visible(entry.text).strip().splitlines()) or "  (empty)"
    room = limit - len(head)
    if len(body) <= room:
        return head + body
    if room < 2 * _CUT_ROOM:
        return ""
    side = (room - _CUT_ROOM) // 2
    return f"{head}{body[:side]} … [{len(body) - 2 * side:,} characters left out] … {body[-side:]}"
