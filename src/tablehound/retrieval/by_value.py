"""Comparing cells by value: equality and ranges, however the cell is written.

The value of a cell is read by its column's reading; where that leaves a text (a text column, or an exception in a
column of numbers) the text is read by itself. Both engines use the same functions, so that they agree.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Literal

from tablehound.errors import PatternError
from tablehound.lake.table import Reading
from tablehound.retrieval.pattern import Pattern

if TYPE_CHECKING:
    import pyarrow as pa

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_DATE = re.compile(r"\d{4}(?:-\d\d(?:-\d\d(?:T[\d:.]+)?)?)?")
Sort = Literal["number", "date"]


def sort_of(canonical: str) -> Sort | None:
    """Whether a canonical form is a number or a date; None for all else."""
    if _NUMBER.fullmatch(canonical):
        return "number"
    return "date" if _DATE.fullmatch(canonical) else None


def fold(text: str) -> str:
    """The form in which whole texts are compared."""
    return text.strip().casefold()


@dataclass(frozen=True, slots=True)
class ValueTest:
    """Decides by value whether a cell matches."""

    text: str | None = None
    """The cell's folded text equals it."""
    value: str | None = None
    """The cell's canonical value equals it."""
    sort: Sort | None = None
    """Of a range: what its ends are."""
    low: str | None = None
    high: str | None = None
    low_open: bool = False
    high_open: bool = False

    @classmethod
    def of(cls, pattern: Pattern) -> ValueTest:
        """The test of a ``value`` or ``range`` pattern.

        Raises:
            PatternError: an end of the range is no number and no date, or the ends do not go together.
        """
        from tablehound.lake.values import canonical_of_text

        if pattern.kind == "value":
            return cls(text=fold(pattern.text), value=canonical_of_text(pattern.text))
        if pattern.low is None and pattern.high is None:
            raise PatternError("a range needs a low or a high end", pattern=pattern.describe())
        ends: list[str | None] = []
        sorts: set[Sort] = set()
        for end in (pattern.low, pattern.high):
            value = None if end is None else canonical_of_text(end)
            sort = None if value is None else sort_of(value)
            if end is not None and sort is None:
                raise PatternError(
                    f"the end {end!r} of a range is no number and no date",
                    pattern=pattern.describe(),
                    remedy="write a number such as 1014.5 or a date such as 2014-06-10",
                )
            ends.append(value)
            if sort is not None:
                sorts.add(sort)
        if len(sorts) != 1:
            raise PatternError(
                "one end of a range is a number and the other a date",
                pattern=pattern.describe(),
                remedy="write both ends alike",
            )
        return cls(None, None, sorts.pop(), ends[0], ends[1], pattern.low_open, pattern.high_open)

    def accepts(self, text: str, canonical: str | None) -> bool:
        """Whether a cell of that text and canonical value matches."""
        if self.sort is None:
            return (self.value is not None and canonical == self.value) or fold(text) == self.text
        if canonical is None or sort_of(canonical) != self.sort:
            return False
        here, low, high = (None if v is None else _key(v, self.sort) for v in (canonical, self.low, self.high))
        if low is not None and (here < low or (self.low_open and here == low)):  # type: ignore[operator]
            return False
        return not (high is not None and (here > high or (self.high_open and here == high)))  # type: ignore[operator]


def _key(canonical: str, sort: Sort) -> Decimal | str:
    return Decimal(canonical) if sort == "number" else canonical


def cell_values(texts: pa.Array, reading: Reading) -> list[str | None]:
    """Canonical value of each text of a column, None where it is a mere text or blank."""
    from tablehound.lake.values import canonical_column, canonical_of_text

    values: list[str | None] = []
    raws = texts.to_pylist()
    canonicals = raws if reading.kind in ("text", "empty") else canonical_column(texts, reading).to_pylist()
    for raw, canonical in zip(raws, canonicals, strict=True):
        if raw is None or canonical is None:
            values.append(None)
        elif canonical != raw or sort_of(canonical):
            values.append(canonical)
        else:
            values.append(canonical_of_text(raw))
    return values
