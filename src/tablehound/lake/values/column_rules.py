"""What the kinds of columns share: how many texts must fit, and the reading of a column of texts."""

from __future__ import annotations

from functools import lru_cache

from tablehound.lake.table import Mark, Reading
from tablehound.lake.values.tally import Count, Tally

# When a column is of a kind. Chosen by hand.
MIN_SHARE = 0.6
"""Share of distinct texts that must read as numbers or dates for the column to be of that kind."""
MIN_CELL_SHARE = 0.5
"""The same, of cells."""
FEW_TEXTS = 3
"""Up to so many distinct texts must all agree, unless one that differs is rare among the cells:"""
MIN_CELLS_OF_FEW = 4
MIN_CELL_SHARE_OF_FEW = 0.8


@lru_cache(maxsize=1024)
def text_reading(
    blanks: int, nulls: int, note: str = "", ambiguous: bool = False, marks: tuple[Mark, ...] = ()
) -> Reading:
    return Reading(kind="text", note=note, ambiguous=ambiguous, marks=marks, blanks=blanks, nulls=nulls)


def has_majority(tally: Tally, fitting: Count, share: float = MIN_SHARE, cells: float = MIN_CELL_SHARE) -> bool:
    """Whether so many read as the kind; two or three distinct texts must agree, all but one of a few."""
    valued = tally.valued
    if not fitting.distinct:
        return False
    if tally.native:
        return True
    few = valued.distinct <= FEW_TEXTS and fitting.distinct < valued.distinct
    if few and (fitting.cells < MIN_CELLS_OF_FEW or fitting.cells < MIN_CELL_SHARE_OF_FEW * valued.cells):
        return False
    if few:
        return True
    return fitting.distinct >= share * valued.distinct and fitting.cells >= cells * valued.cells


def rounded_share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 1.0


AFTER_COUNTED = -1
"""For styles that are no writings, which are listed after those."""


def by_frequency(styles: dict[str, int]) -> tuple[str, ...]:
    return tuple(sorted((style for style, n in styles.items() if n), key=lambda style: (-styles[style], style)))
