"""Whole columns of texts to values, in Arrow.

Plain writings are cast by vectorised code; each odd distinct text is parsed once, by the same parser as single texts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from tablehound.lake.table import Reading, Table
from tablehound.lake.values.missing import EDGES, NULL_TOKENS
from tablehound.lake.values.parse import FLOAT_DIGITS, canonical_in_column, parse
from tablehound.lake.values.quick_reject import mask_plain_texts
from tablehound.lake.values.styles import BARE_PERCENT, CLOCK, DURATION

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa
    from numpy.typing import NDArray

SMALL_COLUMN = 512
"""Below this many texts, parsing each is faster than vectorised tests."""
_OWN_FORM = r"^-?[1-9][0-9]{0,14}$|^[0-9]{1,3} ?[-:] ?[0-9]{1,3}$|^[1-9][0-9]{3} ?- ?[1-9][0-9]{3}$"
"""A plain whole number is its own canonical form; a score (``3 - 1``), a time (``3:45``) or a span of years is text."""
_PLAIN_AMOUNT = r"^-?(?:0|[1-9][0-9]{0,8})\.[0-9]{1,4}$|^-?[1-9][0-9]{0,2}(?:,[0-9]{3}){1,3}$"
"""Amounts that can be read in one way only, or whose likelier way is known."""
MAX_DECIMAL_DIGITS = 38
_MAX_BIGINT = 2**63 - 1
_EXACT_FLOAT = 2**53


def typed_column(table: Table, index: int) -> pa.Array:
    """One column of a table as values (see :func:`typed_array`)."""
    import pyarrow as pa

    column = table.cells.column(index)
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return typed_array(array, table.info.columns[index].reading)


def typed_array(array: pa.Array, reading: Reading) -> pa.Array:
    """Values of an Arrow string array.

    Numbers are int64 when all are integral, decimal128 when some have more digits than a float keeps and all fit 38,
    else float64; dates date32, or timestamp (microseconds) where some have a time; times of day time64; booleans bool;
    the rest strings. Null where a text is missing or does not read as the kind.
    """
    import pyarrow as pa

    if reading.kind in ("text", "empty"):
        if len(array) < SMALL_COLUMN:
            return pa.array([None if text is None else _text(text) for text in array.to_pylist()], pa.string())
        return _texts(array)
    if len(array) < SMALL_COLUMN:
        return _arrow([None if text is None else parse(text, reading) for text in array.to_pylist()], reading)
    series = _series(array)
    if reading.kind == "number" and _reads_plain(reading):
        fast = _fast_numbers(series, reading)
        if fast is None:
            return _arrow(_slow(series, reading), reading)
    elif reading.kind == "date":
        fast = _fast_dates(series, reading)
    else:
        return _arrow(_slow(series, reading), reading)
    return _merged(series, fast, reading, pa)


def canonical_column(array: pa.Array, reading: Reading) -> pa.Array:
    """Canonical form of each text of an Arrow string array; null where it is missing."""
    import numpy as np
    import polars as pl
    import pyarrow as pa

    if len(array) < SMALL_COLUMN:
        texts = array.to_pylist()
        return pa.array([None if t is None else canonical_in_column(t, reading) for t in texts], pa.string())
    series = _series(array)
    distinct = series.drop_nulls().unique()
    forms = canonical_texts(distinct.to_arrow(), [reading], np.zeros(len(distinct), np.uint32))
    found = pl.DataFrame({"text": distinct, "form": pl.Series(pl.from_arrow(forms))})
    joined = pl.DataFrame({"text": series}).join(found, on="text", how="left", maintain_order="left")
    return joined["form"].to_arrow().cast(pa.string())


def canonical_texts(array: pa.Array, readings: Sequence[Reading], of: NDArray[Any]) -> pa.Array:
    """Canonical forms of texts of many columns together: the text at ``i`` as ``readings[of[i]]`` reads it.

    The same forms as :func:`canonical_column` gives for each column.
    """
    import numpy as np
    import polars as pl
    import pyarrow as pa

    # Plain writings depend on little of a reading: columns that agree on it are read together.
    alike: dict[tuple[Any, ...], list[int]] = {}
    for number, reading in enumerate(readings):
        alike.setdefault(_plain_writings(reading), []).append(number)
    series = _series(array)
    forms = series.clear().extend_constant(None, len(series))
    for numbers in alike.values():
        places = np.flatnonzero(np.isin(of, numbers)) if len(alike) > 1 else np.arange(len(series))
        own = series.gather(places)
        fast = _fast_canonical(own, readings[numbers[0]])
        odd = (fast.is_null() & own.is_not_null()).arg_true()
        texts = zip(own.gather(odd).to_list(), of[places[odd.to_numpy()]].tolist(), strict=True)
        slow = pl.Series([canonical_in_column(text, readings[number]) for text, number in texts], dtype=pl.String)
        forms = forms.scatter(places, fast.scatter(odd, slow))
    return forms.to_arrow().cast(pa.string())


def _series(array: pa.Array) -> pl.Series:
    import polars as pl

    series = pl.from_arrow(array)
    if not isinstance(series, pl.Series):
        raise TypeError("a one-dimensional Arrow array is needed")
    return series.rename("text").cast(pl.String)


def _text(text: str) -> str | None:
    stripped = text.strip(EDGES)
    return stripped if stripped and stripped not in NULL_TOKENS else None


def _texts(array: pa.Array) -> pa.Array:
    import polars as pl
    import pyarrow as pa

    text = _series(array).str.strip_chars(EDGES)
    gone = (text == "") | text.is_in(sorted(NULL_TOKENS))
    frame = pl.DataFrame({"text": text, "gone": gone})
    return frame.select(pl.when(~pl.col("gone")).then(pl.col("text")))["text"].to_arrow().cast(pa.string())


def _reads_plain(reading: Reading) -> bool:
    """Whether plain digits of the column are its values."""
    styles = reading.styles
    return (reading.unit != "%" or BARE_PERCENT in styles) and CLOCK not in styles and DURATION not in styles


def _plain_pattern(reading: Reading) -> str:
    decimal = re.escape(reading.decimal)
    groups = rf"|[1-9]\d{{0,2}}(?:{re.escape(reading.thousands)}\d{{3}})+" if reading.thousands else ""
    return rf"^-?(?:[0-9]{{1,18}}{groups})(?:{decimal}[0-9]+)?$".replace(r"\d", "[0-9]")


def _cleaned(series: pl.Series, reading: Reading) -> pl.Series:
    """Plain writings of the column as digits with a point; null for all others."""
    import polars as pl

    text = series.str.strip_chars(EDGES)
    plain = text.str.contains(_plain_pattern(reading))
    frame = pl.DataFrame({"text": text, "plain": plain})
    cleaned = frame.select(pl.when(pl.col("plain")).then(pl.col("text")))["text"]
    if reading.thousands:
        cleaned = cleaned.str.replace_all(reading.thousands, "", literal=True)
    if reading.decimal != ".":
        cleaned = cleaned.str.replace_all(reading.decimal, ".", literal=True)
    return cleaned


def _fast_numbers(series: pl.Series, reading: Reading) -> pl.Series | None:
    """Plain writings as numbers, null for all others; None where a float would lose digits."""
    import polars as pl

    cleaned = _cleaned(series, reading)
    whole = cleaned.cast(pl.Int64, strict=False)
    if whole.null_count() == cleaned.null_count():
        return whole
    longest = cleaned.str.len_chars().max()
    if isinstance(longest, int) and longest > FLOAT_DIGITS:
        digits = cleaned.str.replace(".", "", literal=True).str.strip_chars_start("-0").str.len_chars()
        if (digits > FLOAT_DIGITS).any():
            return None
    return cleaned.cast(pl.Float64, strict=False)


def _fast_dates(series: pl.Series, reading: Reading) -> pl.Series:
    import polars as pl

    text = series.str.strip_chars(EDGES)
    iso = text.str.contains(r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")
    only = pl.DataFrame({"text": text, "iso": iso}).select(pl.when(pl.col("iso")).then(pl.col("text")))["text"]
    days = only.str.to_date("%Y-%m-%d", strict=False)
    return days.cast(pl.Datetime("us")) if "time" in reading.styles else days


def _slow(series: pl.Series, reading: Reading) -> list[Any]:
    known = {text: parse(text, reading) for text in series.drop_nulls().unique().to_list()}
    return [None if text is None else known[text] for text in series.to_list()]


def _merged(series: pl.Series, fast: pl.Series, reading: Reading, pa: Any) -> pa.Array:
    """Fast values, with the odd rest parsed one by one."""
    import polars as pl

    odd = fast.is_null() & series.is_not_null()
    if not odd.any():
        return _whole_if_integral(fast.to_arrow())
    places = odd.arg_true()
    slow = _arrow(_slow(series.gather(places), reading), reading)
    if pa.types.is_decimal(slow.type):
        return _arrow(_slow(series, reading), reading)
    extra = pl.Series(pl.from_arrow(slow))
    if reading.kind == "number" and (extra.dtype != fast.dtype):
        fast, extra = fast.cast(pl.Float64), extra.cast(pl.Float64)
    merged = fast.scatter(places.to_list(), extra.cast(fast.dtype))
    return _whole_if_integral(merged.to_arrow())


def _whole_if_integral(array: pa.Array) -> pa.Array:
    """A float64 array as int64 where every value is integral and exact."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_floating(array.type) or array.null_count == len(array):
        return array
    largest = pc.max(pc.abs(array)).as_py()
    if largest < _EXACT_FLOAT and pc.all(pc.equal(pc.floor(array), array)).as_py():
        return array.cast(pa.int64())
    return array


def _arrow(values: list[Any], reading: Reading) -> pa.Array:
    """Parsed values as Arrow of the kind; texts among them are null."""
    import datetime as dt

    import pyarrow as pa

    kept = [None if isinstance(value, str) else value for value in values]
    if reading.kind == "boolean":
        return pa.array(kept, pa.bool_())
    if reading.kind == "date":
        if "time" not in reading.styles:
            return pa.array([v.date() if isinstance(v, dt.datetime) else v for v in kept], pa.date32())
        moments = [
            dt.datetime.combine(v, dt.time()) if v is not None and not isinstance(v, dt.datetime) else v for v in kept
        ]
        return pa.array(moments, pa.timestamp("us"))
    if reading.kind == "time":
        return pa.array(kept, pa.time64("us"))
    if all(v is None or (isinstance(v, int) and abs(v) <= _MAX_BIGINT) for v in kept):
        return pa.array(kept, pa.int64())
    return _decimals(kept) or pa.array([None if v is None else float(v) for v in kept], pa.float64())


def _decimals(values: list[Any]) -> pa.Array | None:
    """Numbers of which a float would lose digits, as decimals; None where there are none, or where they do not fit."""
    import pyarrow as pa

    if not any(isinstance(v, Decimal) or (isinstance(v, int) and abs(v) > _MAX_BIGINT) for v in values):
        return None
    exact = [None if v is None else Decimal(repr(v)) if isinstance(v, float) else Decimal(v) for v in values]
    parts = [v.as_tuple() for v in exact if v is not None]
    if any(not isinstance(part.exponent, int) for part in parts):
        return None
    scale = max(-part.exponent for part in parts)  # type: ignore[operator]
    scale = max(scale, 0)
    whole = max(len(part.digits) + part.exponent for part in parts)  # type: ignore[operator]
    if max(whole, 0) + scale > MAX_DECIMAL_DIGITS:
        return None
    return pa.array(exact, pa.decimal128(max(max(whole, 0) + scale, 1), scale))


def _plain_writings(reading: Reading) -> tuple[Any, ...]:
    """All that ``_fast_canonical`` asks of a reading."""
    if reading.kind == "number" and _reads_plain(reading):
        return ("number", reading.decimal, reading.thousands)
    if reading.kind == "date" and "time" not in reading.styles:
        return ("date",)
    return ("text",) if reading.kind in ("text", "empty") else ()


def _fast_canonical(series: pl.Series, reading: Reading) -> pl.Series:
    """Canonical forms of plain writings; null for all others."""
    import polars as pl

    kind = next(iter(_plain_writings(reading)), None)
    if kind == "number":
        cleaned = _cleaned(series, reading)
        whole = cleaned.cast(pl.Int64, strict=False).cast(pl.String)
        return whole.fill_null(_decimal_form(cleaned))
    if kind == "date":
        return _fast_dates(series, reading).dt.to_string("%Y-%m-%d")
    if kind == "text":
        text = pl.Series(pl.from_arrow(_texts(series.to_arrow()))).rename("text")
        plain = ~text.str.contains(r"[0-9]|[^\x00-\x7f]") | text.str.contains(_OWN_FORM) | mask_plain_texts(text)
        amount = text.str.contains(_PLAIN_AMOUNT)
        frame = pl.DataFrame({"text": text, "plain": plain, "amount": amount})
        own = frame.select(pl.when(pl.col("plain")).then(pl.col("text")))["text"]
        digits = frame.select(pl.when(pl.col("amount")).then(pl.col("text")))["text"].str.replace_all(",", "")
        return own.fill_null(digits.cast(pl.Int64, strict=False).cast(pl.String)).fill_null(_decimal_form(digits))
    return pl.Series("text", [None], dtype=pl.String).new_from_index(0, series.len())


def _decimal_form(cleaned: pl.Series) -> pl.Series:
    """Digits with a fraction of at most 15 in all, without zeros that say nothing."""
    import polars as pl

    short = cleaned.str.contains(r"^-?[0-9]+\.[0-9]+$") & (cleaned.str.len_chars() <= 16)
    only = pl.DataFrame({"text": cleaned, "short": short}).select(pl.when(pl.col("short")).then(pl.col("text")))["text"]
    form = only.str.replace(r"0+$", "").str.strip_chars_end(".").str.replace(r"^(-?)0+([0-9])", "${1}${2}")
    return form.replace({"-0": "0"})
