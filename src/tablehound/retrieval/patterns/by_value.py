"""Comparing cells by value: equality and ranges, however the cell is written.

The value of a cell is what ``lake.values`` says by its column's reading, with and without the scale that the column's
name gives. Here it becomes a number that is sorted and compared; both engines use the same functions, so that they
agree.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tablehound.errors import PatternError
from tablehound.lake.table import Reading
from tablehound.retrieval.arrays import Array, as_arrow
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


def canonical_forms(texts: pa.Array, readings: Sequence[Reading], of: Array) -> Iterator[tuple[Array, pl.Series]]:
    """Canonical forms of texts of columns, the text at ``i`` by ``readings[of[i]]``, with their places: as scaled by
    the name of their column, and as written where that differs."""
    import polars as pl

    from tablehound.lake import canonical_texts

    yield np.arange(len(texts)), pl.Series("", canonical_texts(texts, readings, of))
    scaling = [number for number, reading in enumerate(readings) if reading.scale != 1.0 or reading.offset]
    places = np.flatnonzero(np.isin(of, scaling)) if scaling else np.zeros(0, np.int64)
    if len(places):
        some = texts.take(as_arrow(places))
        yield places, pl.Series("", canonical_texts(some, readings, of[places], scaled=False))


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
class ValueTest:
    """Decides by value whether a cell matches: it lies in one of the intervals."""

    intervals: tuple[Interval, ...]

    @classmethod
    def of(cls, pattern: Pattern) -> ValueTest:
        """The test of a ``value`` or ``range`` pattern.

        Raises:
            PatternError: an end of the range is no number and no date, or the ends do not go together.
        """
        from tablehound.lake import canonical_of_text
        from tablehound.lake.values import canonicals_of_text

        if pattern.kind == "value":
            points = [(form, *_key(form)) for form in canonicals_of_text(pattern.text)]
            return cls(
                tuple(
                    Interval(sort, key, key, form=form if abs(key) >= _EXACT and sort == 0 else None)
                    for form, sort, key in points
                    if sort >= 0
                )
            )
        ends = (pattern.low, pattern.high)
        if ends == (None, None):
            raise PatternError("a range needs a low or a high end", pattern=pattern.describe())
        keys: list[float | None] = []
        sorts: set[int] = set()
        for end in ends:
            form = None if end is None else canonical_of_text(end)
            sort, key = _key(form) if form is not None else (-1, 0.0)
            if end is not None and sort not in (0, 1):
                raise PatternError(
                    f"the end {end!r} of a range is no number and no date",
                    pattern=pattern.describe(),
                    remedy="write a number such as 1014.5 or a date such as 2014-06-10",
                )
            keys.append(None if end is None else key)
            if end is not None:
                sorts.add(sort)
        if len(sorts) > 1:
            raise PatternError(
                "one end of a range is a number and the other a date",
                pattern=pattern.describe(),
                remedy="write both ends alike",
            )
        low = -np.inf if keys[0] is None else keys[0]
        high = np.inf if keys[1] is None else keys[1]
        return cls((Interval(sorts.pop(), low, high, pattern.low_open, pattern.high_open),))

    def matches(self, texts: pa.Array, reading: Reading) -> NDArray[np.bool_]:
        """Per text of a column, whether it matches by value."""
        found = np.zeros(len(texts), bool)
        if self.intervals:
            for places, forms in canonical_forms(texts, [reading], np.zeros(len(texts), np.int64)):
                sorts, keys = keys_of(forms)
                for interval in self.intervals:
                    found[places] |= interval.holds(sorts, keys, forms)
        return found


def _key(form: str) -> tuple[int, float]:
    import polars as pl

    sorts, keys = keys_of(pl.Series("", [form]))
    return int(sorts[0]), float(keys[0])
