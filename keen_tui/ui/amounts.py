"""Amounts as people read them."""

from __future__ import annotations


def tokens(count: int) -> str:
    """`814`, `12.4k`, `200k`, `1.05M`."""
    if count < 1_000:
        return str(count)
    if count < 1_000_000:
        return f"{count / 1_000:.1f}k".replace(".0k", "k")
    return f"{count / 1_000_000:.2f}M".replace(".00M", "M")


def size(count: int) -> str:
    """Bytes: `61 B`, `3.1 kB`, `2.4 MB`."""
    if count < 1_000:
        return f"{count} B"
    if count < 1_000_000:
        return f"{count / 1_000:.1f} kB"
    return f"{count / 1_000_000:.1f} MB"


def duration(seconds: float) -> str:
    """`3s`, `1m 12s`, `1h 4m`."""
    whole = max(0, int(seconds))
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m {whole % 60}s"
    return f"{whole // 3600}h {whole % 3600 // 60}m"


def dollars(cost: float) -> str:
    """`$0.031`, `$12.40`."""
    return f"${cost:.2f}" if cost >= 1 else f"${cost:.3f}"


def bar(part: float, width: int) -> str:
    """A bar for a part between 0 and 1."""
    return "█" * max(0, min(width, round(part * width)))
