"""Which values read as numbers, dates and booleans, and by which columns' readings: sorted, for look-ups and ranges."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tablehound.lake.table import Reading
from tablehound.retrieval.by_value import SORTS, canonical_forms, keys_of
from tablehound.retrieval.value_index.files import Array, write_array

if TYPE_CHECKING:
    import pyarrow as pa


class ReadValues:
    """Collects (key, value, reading) range by range."""

    def __init__(self, readings: Sequence[Reading], column_reading: Array) -> None:
        self._readings = readings
        self._of_column = column_reading.astype(np.uint64)
        self._found: list[list[tuple[Array, Array, Array]]] = [[] for _ in SORTS]

    def add(self, first: int, texts: pa.Array, places: Array, columns: Array) -> None:
        """Take a range of values whose first id is ``first``, with the (place, column) pairs of its cells."""
        import pyarrow as pa

        pairs = (self._of_column[columns] << np.uint64(32)) | places.astype(np.uint64)
        pairs = np.unique(pairs)
        owner = (pairs >> np.uint64(32)).astype(np.int64)
        within = (pairs & np.uint64(0xFFFFFFFF)).astype(np.int64)
        for number in np.unique(owner).tolist():
            ids = within[owner == number]
            chosen = texts.take(pa.array(ids)).cast(pa.string())
            for forms in canonical_forms(chosen, self._readings[number]):
                sorts, keys = keys_of(forms)
                for sort in range(len(SORTS)):
                    hits = np.flatnonzero(sorts == sort)
                    if len(hits):
                        values = (ids[hits] + first).astype(np.uint32)
                        self._found[sort].append((keys[hits], values, np.full(len(hits), number, np.uint32)))

    def write(self, folder: Path) -> None:
        """Write all, sorted by key, value and reading."""
        for sort, found in zip(SORTS, self._found, strict=True):
            keys = np.concatenate([part[0] for part in found]) if found else np.zeros(0)
            values = np.concatenate([part[1] for part in found]) if found else np.zeros(0, np.uint32)
            readings = np.concatenate([part[2] for part in found]) if found else np.zeros(0, np.uint32)
            order = np.lexsort((readings, values, keys))
            write_array(folder, f"{sort}_keys", keys[order])
            write_array(folder, f"{sort}_values", values[order])
            write_array(folder, f"{sort}_readings", readings[order])
