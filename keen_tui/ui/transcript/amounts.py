"""Sizes, seconds and times of day as the transcript writes them."""

from __future__ import annotations

from datetime import datetime


def size_text(size: int) -> str:
    """Bytes as `512 B`, `2.4 kB`, `31 kB`, `1.2 MB`."""
    if size < 1000:
        return f"{size} B"
    for unit in ("kB", "MB"):
        size_in_unit = size / 1000 if unit == "kB" else size / 1_000_000
        if size_in_unit < 999.5:
            return f"{size_in_unit:.1f} {unit}" if size_in_unit < 9.95 else f"{size_in_unit:.0f} {unit}"
    return f"{size / 1_000_000_000:.1f} GB"


def seconds_text(seconds: float) -> str:
    """`0.1s`, `12s`, `2m05s`, `1h02m`."""
    seconds = max(0.0, seconds)
    if seconds < 9.95:
        return f"{seconds:.1f}s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole}s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes}m{rest:02}s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h{minutes:02}m"


def whole_seconds(seconds: float) -> str:
    """Seconds that are counting: no fraction."""
    return seconds_text(float(max(10, int(seconds)))) if seconds >= 10 else f"{max(0, int(seconds))}s"


def clock(time: datetime) -> str:
    """The local time of day."""
    return time.astimezone().strftime("%H:%M")


def plural(count: int, word: str) -> str:
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"
