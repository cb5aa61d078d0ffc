"""Second stage of a build: spilled chunks to sorted distinct values and their columns, range by range."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np

from tablehound.retrieval.arrays import Array, as_arrow, as_numpy, in_order
from tablehound.retrieval.value_index.building.collect import NAME, Chunk, sort_keys
from tablehound.retrieval.value_index.segment_files import (
    DTYPES,
    ArrayFile,
    map_array,
    write_array,
    write_offsets,
    write_values,
)

if TYPE_CHECKING:
    import pyarrow as pa

_LOW = np.uint64(0xFFFFFFFF)
_HIGH = np.uint64(32)


@dataclass(frozen=True, slots=True)
class SortedRange:
    """One range of values, sorted."""

    first: int
    """Id of its first value."""
    texts: pa.Array
    """Large strings."""
    same: Array
    """Per text, whether its key equals that of the text before."""
    pairs: Array
    """uint64, ``place in texts << 32 | column (or name of a column)``, sorted, distinct."""


def sorted_ranges(chunks: Sequence[Chunk]) -> Iterator[SortedRange]:
    """The values of all chunks, a range at a time, in order. Spilled files are left as they are."""
    first = 0
    for part in range(max((len(chunk.starts) for chunk in chunks), default=1) - 1):
        sorted_range = _sort(chunks, part, first)
        first += len(sorted_range.texts)
        yield sorted_range


def _sort(chunks: Sequence[Chunk], part: int, first: int) -> SortedRange:
    import polars as pl
    import pyarrow as pa

    texts, pairs = [], []
    base = 0
    for chunk in chunks:
        start, end = chunk.starts[part], chunk.starts[part + 1]
        with pa.memory_map(os.fsencode(chunk.texts)) as source:
            batch = pa.ipc.open_file(source).get_batch(part)
            texts.append(batch.column(0).cast(pa.large_string()))
        spilled = map_array(chunk.pairs, np.uint64)
        low, high = np.searchsorted(spilled, np.array([start, end], np.uint64) << _HIGH)
        # Places within the chunk become places within the range's texts of all chunks.
        pairs.append(spilled[low:high] - np.uint64(start << 32) + np.uint64(base << 32))
        base += end - start
    coded = (
        pa.concat_arrays(texts).dictionary_encode() if texts else pa.array([], pa.large_string()).dictionary_encode()
    )
    values = pl.Series("value", coded.dictionary)
    frame = pl.DataFrame({"key": sort_keys(values), "value": values})
    order = frame.select(pl.arg_sort_by("key", "value")).to_series().to_numpy()
    place = np.empty(len(order), np.uint64)
    place[order] = np.arange(len(order), dtype=np.uint64)
    keys = frame["key"].gather(order)
    same = (keys == keys.shift(1)).fill_null(False).to_numpy()
    joined = np.concatenate(pairs) if pairs else np.zeros(0, np.uint64)
    places = place[as_numpy(coded.indices)] if len(coded) else place
    joined = (places[(joined >> _HIGH).astype(np.int64)] << _HIGH) | (joined & _LOW)
    return SortedRange(first, coded.dictionary.take(as_arrow(order)), same, in_order(joined))


class ValueFiles:
    """Writes the value and posting files of a segment, range by range."""

    def __init__(self, folder: Path, work: Path, n_columns: int) -> None:
        self._folder = folder
        self._data = work / "values.utf8"
        self._text = self._data.open("wb")
        self._ends: list[Array] = []
        self._size = 0
        self._counts: list[Array] = []
        self._cell_columns = ArrayFile(folder / "cell_columns", DTYPES["cell_columns"])
        self._same: list[Array] = []
        self._names = np.zeros(n_columns, np.uint32)
        self._distinct = np.zeros(n_columns, np.int64)

    def add(self, part: SortedRange) -> tuple[Array, Array]:
        """Write one range; returns its pairs of cells as places and columns."""
        _, offset_buffer, data = part.texts.buffers()
        n = len(part.texts)
        offsets = np.frombuffer(offset_buffer, np.int64)[part.texts.offset : part.texts.offset + n + 1]
        if data is not None and n:
            self._text.write(memoryview(data)[int(offsets[0]) : int(offsets[-1])])
        if n:
            self._ends.append(offsets[1:] - offsets[0] + self._size)
            self._size += int(offsets[-1] - offsets[0])
        places = (part.pairs >> _HIGH).astype(np.int64)
        columns = (part.pairs & _LOW).astype(np.uint32)
        is_name = (columns & NAME) != 0
        self._names[columns[is_name] & ~NAME] = places[is_name] + part.first
        places, columns = places[~is_name], columns[~is_name]
        counts = np.bincount(places, minlength=n)
        self._counts.append(counts.astype(np.uint32))
        self._cell_columns.append(columns)
        self._same.append(np.flatnonzero(part.same) + part.first)
        self._distinct += np.bincount(columns, minlength=len(self._distinct))
        return places, columns

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._text.close()
        self._cell_columns.close()

    def finish(self) -> None:
        """Write what is left."""
        self._text.close()
        ends = np.concatenate(self._ends) if self._ends else np.zeros(0, np.int64)
        write_values(self._folder / "values.arrow", ends, self._data)
        self._data.unlink()
        counts = np.concatenate(self._counts) if self._counts else np.zeros(0, np.uint32)
        write_offsets(self._folder / "cell_offsets", counts)
        write_array(self._folder, "same", np.concatenate(self._same) if self._same else np.zeros(0))
        write_array(self._folder, "column_name", self._names)
        write_array(self._folder, "column_distinct", self._distinct)
