"""Texts to values by a column's reading: one text, or a whole column in Arrow."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from tablehound.lake.table import Reading, Table
from tablehound.lake.values.canonical import Value, canonical
from tablehound.lake.values.reading import _NULLS, _NUMBER

if TYPE_CHECKING:
    import pyarrow as pa


def parse(text: str, reading: Reading) -> Value | None:
    """The value of one text as the column reads; the text itself where it does not read as the kind; None if blank."""
    bare = text.strip()
    if not bare:
        return None
    if reading.kind == "number":
        if _NUMBER.fullmatch(bare):
            number = float(bare.replace(",", "")) * reading.scale + reading.offset
            return int(number) if number.is_integer() else number
        return None if bare.lower() in _NULLS else text
    if reading.kind == "date":
        try:
            return dt.date.fromisoformat(bare)
        except ValueError:
            return None if bare.lower() in _NULLS else text
    return text


def canonical_of_text(text: str) -> str | None:
    """The canonical value of one text with no column around it, such as a literal of a query; None if it is plain
    text."""
    bare = text.strip()
    for kind in ("number", "date"):
        value = parse(bare, Reading(kind=kind))  # type: ignore[arg-type]
        if value is not None and not isinstance(value, str):
            return canonical(value)
    return None


def typed_array(array: pa.Array, reading: Reading) -> pa.Array:
    """Values of an Arrow string array: int64 or float64, date32 or timestamp, bool, or string; null where a text is
    blank or does not read as the kind."""
    import pyarrow as pa

    values = [None if text is None else parse(text, reading) for text in array.to_pylist()]
    if reading.kind == "text":
        return pa.array(values, pa.string())
    typed = [None if isinstance(value, str) else value for value in values]
    if reading.kind == "date":
        return pa.array(typed, pa.date32())
    if any(isinstance(value, float) for value in typed):
        return pa.array(typed, pa.float64())
    return pa.array(typed, pa.int64() if reading.kind == "number" else pa.string())


def canonical_column(array: pa.Array, reading: Reading) -> pa.Array:
    """Canonical form of each text of an Arrow string array by the reading; null where blank."""
    import pyarrow as pa

    values = [None if text is None else parse(text, reading) for text in array.to_pylist()]
    return pa.array([None if value is None else canonical(value) for value in values], pa.string())


def typed_column(table: Table, index: int) -> pa.Array:
    """One column of a table as values (see :func:`typed_array`)."""
    import pyarrow as pa

    column = table.cells.column(index)
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return typed_array(array, table.info.columns[index].reading)
