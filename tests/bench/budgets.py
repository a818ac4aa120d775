"""The figures and their budgets, as rows of a table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Figure:
    """One measured figure. `reference` is what the ratio is to; `limit` bounds the ratio, or the value without one."""

    part: str
    what: str
    value: float
    unit: str
    limit: float | None = None
    reference: float | None = None
    runs: int = 1

    @property
    def measured(self) -> float:
        """What the budget bounds."""
        return self.value if self.reference is None else self.value / self.reference if self.reference else math.inf

    @property
    def verdict(self) -> str:
        if self.limit is None:
            return ""
        return "ok" if self.measured <= self.limit else "missed"


def number(value: float) -> str:
    """At most three digits that say something."""
    if math.isnan(value):
        return "-"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def table(figures: Sequence[Figure]) -> str:
    """A table for people: figure, reference, ratio, budget, verdict."""
    rows = [("part", "what", "measured", "against", "ratio", "budget", "", "runs")]
    for figure in figures:
        ratio = figure.reference is not None
        rows.append(
            (
                figure.part,
                figure.what,
                f"{number(figure.value)} {figure.unit}".strip(),
                f"{number(figure.reference)} {figure.unit}".strip() if figure.reference is not None else "",
                f"{figure.measured:.2f}" if ratio else "",
                "" if figure.limit is None else f"{'x ' if ratio else ''}{number(figure.limit)}",
                figure.verdict,
                str(figure.runs),
            )
        )
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([lines[0], "-" * len(lines[0]), *lines[1:]])


def as_json(figures: Sequence[Figure], machine: Mapping[str, Any]) -> dict[str, Any]:
    rows = [{**asdict(figure), "ratio": figure.measured, "verdict": figure.verdict} for figure in figures]
    return {"machine": dict(machine), "figures": rows}
