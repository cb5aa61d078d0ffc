"""Comparing cells by value: equality and ranges, however the cell is written.

The value of a cell is what ``lake.values`` has by its column's reading: the number in the cell. Here it becomes a key
that is sorted and compared; both engines use the same functions, so that they agree. A number that a pattern gives with
a scale or a unit (``5 million``) is brought to each column's.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tablehound.errors import PatternError
from tablehound.lake import (
    Amount,
    Measure,
    Reading,
    amounts_of_text,
    canonical,
    canonical_texts,
    canonicals_of_text,
    measure_of,
    plain_number,
    scale_of,
)
from tablehound.retrieval.patterns.types import Pattern

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

    from tablehound.retrieval.sealed_arrays import SealedArray

SORTS = ("number", "date", "boolean")
_MAX_CHARS = 40
_EXACT = 1e15
"""Below this, two numbers of 15 significant digits are equal when their floats are."""
_NUMBER = r"^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$"
_DATE = r"^[0-9]{4}-[0-9]{2}(?:-[0-9]{2}(?:T[0-9:.]+)?)?$"


def keys_of(forms: pl.Series) -> tuple[NDArray[np.int8], NDArray[np.float64]]:
    """Per canonical form its place in ``SORTS`` (-1 for text and null) and the number it is compared by."""
    import polars as pl

    frame = pl.DataFrame({"form": forms.cast(pl.String)})
    form = pl.col("form")
    short = form.str.len_chars() <= _MAX_CHARS
    digits = form.str.replace_all("[-T:]", "").str.replace(r"\..*$", "").str.pad_end(14, "0")
    found = frame.select(
        sort=pl.when(short & form.str.contains(_NUMBER))
        .then(0)
        .when(short & form.str.contains(_DATE))
        .then(1)
        .when(form.is_in(["true", "false"]))
        .then(2)
        .otherwise(-1)
        .cast(pl.Int8)
    )
    frame = frame.with_columns(found["sort"])
    keys = frame.select(
        pl.when(pl.col("sort") == 0)
        .then(form.cast(pl.Float64, strict=False))
        .when(pl.col("sort") == 1)
        .then(digits.cast(pl.Float64, strict=False))
        .when(pl.col("sort") == 2)
        .then((form == "true").cast(pl.Float64))
        .otherwise(0.0)
    ).to_series()
    return frame["sort"].fill_null(-1).to_numpy(), keys.fill_null(0.0).to_numpy()


@dataclass(frozen=True, slots=True)
class Interval:
    """Values of one sort from ``low`` to ``high``, both None for open to that side."""

    sort: int
    low: float = -np.inf
    high: float = np.inf
    low_open: bool = False
    high_open: bool = False
    form: str | None = None
    """The canonical form that is meant, where the number alone does not tell it apart."""

    def bounds(self, keys: NDArray[Any] | SealedArray) -> tuple[int, int]:
        """Places in sorted keys from which and up to which they lie within."""
        start = keys.searchsorted(self.low, side="right" if self.low_open else "left")
        stop = keys.searchsorted(self.high, side="left" if self.high_open else "right")
        return int(start), max(int(start), int(stop))

    def holds(self, sorts: NDArray[np.int8], keys: NDArray[np.float64], forms: pl.Series) -> NDArray[np.bool_]:
        """Per value, whether it lies within."""
        inside: NDArray[np.bool_] = sorts == self.sort
        inside &= (keys > self.low) if self.low_open else (keys >= self.low)
        inside &= (keys < self.high) if self.high_open else (keys <= self.high)
        if self.form is not None:
            inside &= (forms == self.form).fill_null(False).to_numpy()
        return inside


@dataclass(frozen=True, slots=True)
class End:
    """A value that a pattern gives: a number with its measure, or a date or truth value by its canonical form."""

    form: str = ""
    amount: Amount | None = None

    def key(self, measure: Measure) -> tuple[int, float, str | None]:
        """Its place in ``SORTS`` and key in a column of a measure, and its form where the key is not exact."""
        if self.amount is None:
            return (*_key(self.form), None)
        number = self.amount.within(measure)
        if number is None:
            # Cells of another unit than their column's are compared by their number alone.
            number = self.amount.number * scale_of(self.amount.measure)
        value = plain_number(number)
        exact = isinstance(value, Decimal) or abs(value) >= _EXACT
        return 0, float(value), canonical(value) if exact else None


@dataclass(frozen=True, slots=True)
class ValueTest:
    """Decides by value whether a cell matches: it is one of the points, or between the ends."""

    points: tuple[End, ...] = ()
    low: End | None = None
    high: End | None = None
    low_open: bool = False
    high_open: bool = False

    @classmethod
    def of(cls, pattern: Pattern) -> ValueTest:
        """The test of a ``value`` or ``range`` pattern.

        Raises:
            PatternError: an end of the range is no number and no date, or the ends do not go together.
        """
        if pattern.kind == "value":
            return cls(_ends(pattern.text))
        if (pattern.low, pattern.high) == (None, None):
            raise PatternError("a range needs a low or a high end", pattern=pattern.describe())
        ends: list[End | None] = []
        for text in (pattern.low, pattern.high):
            end = next(iter(_ends(text)), None) if text is not None else None
            if text is not None and (end is None or end.key(Measure())[0] not in (0, 1)):
                raise PatternError(
                    f"the end {text!r} of a range is no number and no date",
                    pattern=pattern.describe(),
                    remedy="write a number such as 1014.5 or a date such as 2014-06-10",
                )
            ends.append(end)
        if len({end.key(Measure())[0] for end in ends if end is not None}) > 1:
            raise PatternError(
                "one end of a range is a number and the other a date",
                pattern=pattern.describe(),
                remedy="write both ends alike",
            )
        return cls((), ends[0], ends[1], pattern.low_open, pattern.high_open)

    @property
    def bare(self) -> bool:
        """Whether the test is the same for columns of all measures."""
        ends = (*self.points, self.low, self.high)
        return all(end is None or end.amount is None or end.amount.measure == Measure() for end in ends)

    def intervals(self, measure: Measure) -> tuple[Interval, ...]:
        """The intervals in which values of a column of such a measure match."""
        if self.points:
            keys = dict.fromkeys(point.key(measure) for point in self.points)
            return tuple(Interval(sort, key, key, form=form) for sort, key, form in keys if sort >= 0)
        sorts = [end.key(measure) for end in (self.low, self.high) if end is not None]
        if not sorts:
            return ()
        low = -np.inf if self.low is None else self.low.key(measure)[1]
        high = np.inf if self.high is None else self.high.key(measure)[1]
        return (Interval(sorts[0][0], low, high, self.low_open, self.high_open),)

    def matches(self, texts: pa.Array, reading: Reading) -> NDArray[np.bool_]:
        """Per text of a column, whether it matches by value."""
        import polars as pl

        found = np.zeros(len(texts), bool)
        intervals = self.intervals(measure_of(reading))
        if intervals:
            forms = pl.Series("", canonical_texts(texts, [reading], np.zeros(len(texts), np.int64)))
            sorts, keys = keys_of(forms)
            for interval in intervals:
                found |= interval.holds(sorts, keys, forms)
        return found


def _ends(text: str) -> tuple[End, ...]:
    """All that a text can mean, likeliest first."""
    amounts = amounts_of_text(text)
    if amounts:
        return tuple(End(amount=amount) for amount in amounts)
    return tuple(End(form) for form in canonicals_of_text(text))


def _key(form: str) -> tuple[int, float]:
    import polars as pl

    sorts, keys = keys_of(pl.Series("", [form]))
    return int(sorts[0]), float(keys[0])
