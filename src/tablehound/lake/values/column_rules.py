"""What the kinds of columns share: how many texts must fit, and how a column of texts is said."""

from __future__ import annotations

from functools import lru_cache

from tablehound.lake.table import Reading
from tablehound.lake.values.tally import Count, Tally

MIN_SHARE = 0.6
"""Share of distinct texts that must read as numbers or dates for the column to be of that kind."""
MIN_CELL_SHARE = 0.5


@lru_cache(maxsize=1024)
def text_reading(blanks: int, nulls: int, note: str = "", ambiguous: bool = False) -> Reading:
    return Reading(kind="text", note=note, ambiguous=ambiguous, blanks=blanks, nulls=nulls)


def enough(tally: Tally, fitting: Count, share: float = MIN_SHARE, cells: float = MIN_CELL_SHARE) -> bool:
    """Whether so many read as the kind; two or three distinct texts must agree, all but one of a few."""
    valued = tally.valued
    if not fitting.distinct:
        return False
    few = valued.distinct <= 3 and fitting.distinct < valued.distinct
    if few and (fitting.cells < 4 or fitting.cells < 0.8 * valued.cells):
        return False
    if few:
        return True
    return fitting.distinct >= share * valued.distinct and fitting.cells >= cells * valued.cells


def ratio(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 1.0


def ranked(styles: dict[str, int]) -> tuple[str, ...]:
    return tuple(sorted((style for style, n in styles.items() if n), key=lambda style: (-styles[style], style)))
