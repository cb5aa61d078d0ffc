"""Value grounding: the actual values of a column nearest to a phrase."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablehound.lake.store import Lake


@dataclass(frozen=True, slots=True)
class Grounded:
    """An actual value of a column near to a phrase. ``score`` is 0 to 1; ``how`` says by what it was found."""

    text: str
    score: float
    how: str


def ground_value(lake: Lake, table_id: str, column: int, text: str, limit: int = 5) -> list[Grounded]:
    """The column's distinct values nearest to the text, best first."""
    from rapidfuzz import fuzz, process

    values = sorted({value for value in lake.table(table_id).column(column) if value})
    found = process.extract(text.lower(), {v: v.lower() for v in values}, scorer=fuzz.WRatio, limit=limit)
    return [Grounded(value, 1.0 if value == text else score / 100, "fuzzy") for _, score, value in found]
