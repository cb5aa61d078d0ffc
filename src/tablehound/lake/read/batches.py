"""Rows on their way from a reader to the lake: as texts of Python, or as columns of Arrow.

A reader hands over what it has. Where it makes the texts itself, as for small delimited files, documents and workbooks,
those are lists, and what reads them next (hashes, readings, subtotals) wants lists; Arrow's columns are made once, when
rows are stored. A reader that goes through Arrow hands its batches over as they are. Both are columns ``c0 … cN`` of
text, in which null is "no such cell", and ``row``: the number of the row in its source.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

from tablehound.lake.store.codec import schema

if TYPE_CHECKING:
    import pyarrow as pa

_FEW_ROWS = 1_000


@dataclass(slots=True)
class TextBatch:
    """Rows as lists of texts, column by column."""

    columns: Sequence[Sequence[str | None]]
    numbers: Sequence[int]
    """1-based rows of the source, as many as there are rows."""
    escaped: int = 0
    """Cells with half of a surrogate pair, shown as an escape; known after ``to_arrow``."""

    @property
    def num_rows(self) -> int:
        return len(self.numbers)

    def split(self, size: int) -> list[TextBatch]:
        """The same rows in batches of at most ``size``."""
        count = len(self.numbers)
        if count <= size:
            return [self]
        parts = [slice(at, at + size) for at in range(0, count, size)]
        return [TextBatch([column[part] for column in self.columns], self.numbers[part]) for part in parts]

    def to_arrow(self) -> pa.RecordBatch:
        """The same rows as columns of Arrow.

        Half of a surrogate pair is no character, and neither Arrow nor UTF-8 can store it: from here on such a cell
        shows an escape in its place, in the lists too.
        """
        try:
            return self._arrays()
        except UnicodeEncodeError:
            self._escape()
            return self._arrays()

    def _escape(self) -> None:
        columns = [[None if text is None else escaped(text) for text in column] for column in self.columns]
        for before, after in zip(self.columns, columns, strict=True):
            self.escaped += sum(old != new for old, new in zip(before, after, strict=True))
        self.columns = columns

    def _arrays(self) -> pa.RecordBatch:
        array, text, from_arrays = _arrow()
        columns, numbers = self.columns, self.numbers
        count, width = len(numbers), len(columns)
        if count > _FEW_ROWS:
            arrays = [array(column, text) for column in columns]
        else:
            # One array for all cells and a slice of it per column: many small arrays take three times as long.
            part = array(list(chain.from_iterable(columns)), text).slice
            arrays = [part(at * count, count) for at in range(width)]
        if isinstance(numbers, range) and count <= _FEW_ROWS:
            arrays.append(_few_rows(numbers.start, count))
        else:
            arrays.append(_row_array(numbers))
        return from_arrays(arrays, schema=schema(width))


def escaped(text: str) -> str:
    """A text in which halves of surrogate pairs are shown as escapes such as ``\\ud800``."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


Batch: TypeAlias = "TextBatch | pa.RecordBatch"


def arrow_of(batch: Batch) -> pa.RecordBatch:
    """A batch as columns of Arrow."""
    return batch.to_arrow() if isinstance(batch, TextBatch) else batch


def texts_by_column(batch: Batch) -> Sequence[Sequence[str | None]]:
    """The texts of a batch as lists, column by column, without the row numbers."""
    if isinstance(batch, TextBatch):
        return batch.columns
    return [array.to_pylist() for array in batch.columns[:-1]]


def numbered(arrays: Sequence[pa.Array], n_rows: int, first_row: int) -> pa.RecordBatch:
    """A batch of Arrow's text columns, with rows that are numbered from ``first_row``."""
    import pyarrow as pa

    rows = _row_array(range(first_row, first_row + n_rows))
    return pa.RecordBatch.from_arrays([*arrays, rows], names=schema(len(arrays)).names)


@cache
def _arrow() -> tuple[Callable[..., pa.Array], pa.DataType, Callable[..., pa.RecordBatch]]:
    """What a small batch needs of Arrow, looked up once: with tables of a kilobyte, looking it up shows."""
    import pyarrow as pa

    return pa.array, pa.string(), pa.RecordBatch.from_arrays


def _row_array(numbers: Sequence[int]) -> pa.Array:
    import numpy as np
    import pyarrow as pa

    if not isinstance(numbers, range):
        return pa.array(numbers, pa.int64())
    return pa.array(np.arange(numbers.start, numbers.stop, dtype=np.int64))


@lru_cache(maxsize=1024)
def _few_rows(first: int, count: int) -> pa.Array:
    """The numbers of a short table's rows: most tables have the same ones."""
    return _row_array(range(first, first + count))
