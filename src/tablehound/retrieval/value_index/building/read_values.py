"""Which values read as numbers, dates and booleans, and by which columns' readings: sorted, for look-ups and ranges.

Texts that are no plain numbers are parsed one by one, so that this is the longest stage of a large build: batches are
shared between this process and helpers, which are child processes.
"""

from __future__ import annotations

import os
import pickle
import queue
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tablehound.errors import LakeError
from tablehound.lake.table import Reading
from tablehound.processes import Child, connect_to_parent, read_object, write_object
from tablehound.retrieval.arrays import Array, as_arrow
from tablehound.retrieval.patterns.by_value import SORTS, keys_of
from tablehound.retrieval.value_index.segment_files import write_array

if TYPE_CHECKING:
    import pyarrow as pa

BATCH = 8_192
"""Texts that are read at a time."""
HELPED = 60_000
"""Fewer values are read in this process alone."""
_MAY_HAVE_VALUE = r"\d|\p{No}|true|false"
"""A text of a column of texts that has none of these is no value by itself."""

Found = list[tuple[int, Array, Array]]
"""Sort, places within the batch, keys."""


@dataclass(frozen=True, slots=True)
class _Batch:
    """Values to be read, by their ids."""

    ids: Array
    of: Array
    """Per value, the number of the reading that it is read by."""


def read_batch(texts: pa.Array, readings: Sequence[Reading], of: Array) -> Found:
    """The values among the texts, each read by ``readings[of[i]]``."""
    import polars as pl

    from tablehound.lake import canonical_texts

    sorts, keys = keys_of(pl.Series("", canonical_texts(texts, readings, of)))
    found: Found = []
    for sort in range(len(SORTS)):
        hits = np.flatnonzero(sorts == sort)
        if len(hits):
            found.append((sort, hits, keys[hits]))
    return found


class ReadValues:
    """Collects which values are to be read how, range by range; then reads them."""

    def __init__(self, readings: Sequence[Reading], column_reading: Array) -> None:
        self._readings = readings
        self._of_column = column_reading.astype(np.uint64)
        self._ids: list[list[Array]] = [[] for _ in readings]

    def add(self, first: int, texts: pa.Array, places: Array, columns: Array) -> None:
        """Take a range of values whose first id is ``first``, with the (place, column) pairs of its cells."""
        import polars as pl

        may = pl.Series("", texts).str.contains(_MAY_HAVE_VALUE).to_numpy()
        pairs = np.unique((self._of_column[columns] << np.uint64(32)) | places.astype(np.uint64))
        owner = (pairs >> np.uint64(32)).astype(np.int64)
        within = (pairs & np.uint64(0xFFFFFFFF)).astype(np.int64)
        starts = np.searchsorted(owner, np.arange(len(self._readings) + 1))
        for number in np.unique(owner).tolist():
            ids = within[starts[number] : starts[number + 1]]
            if self._readings[number].kind == "text":
                ids = ids[may[ids]]
            if len(ids):
                self._ids[number].append((ids + first).astype(np.uint32))

    def start(self, values: pa.Array, helpers: Sequence[Child]) -> Reader:
        """Begin to read, in the helpers."""
        parts = [(number, ids) for number, many in enumerate(self._ids) for ids in many]
        every = np.concatenate([np.zeros(0, np.uint32), *(ids for _, ids in parts)])
        of = np.repeat([number for number, _ in parts], [len(ids) for _, ids in parts]).astype(np.uint32)
        self._ids = []
        batches: queue.SimpleQueue[_Batch] = queue.SimpleQueue()
        for start in range(0, len(every), BATCH):
            batches.put(_Batch(every[start : start + BATCH], of[start : start + BATCH]))
        return Reader(values, self._readings, batches, helpers)


class Reader:
    """Reads batches of values. Use as a context manager."""

    def __init__(
        self,
        values: pa.Array,
        readings: Sequence[Reading],
        batches: queue.SimpleQueue[_Batch],
        helpers: Sequence[Child],
    ) -> None:
        self._values = values
        self._readings = readings
        self._batches = batches
        self._lock = threading.Lock()
        self._found: list[list[tuple[Array, Array, Array]]] = [[] for _ in SORTS]
        self._failures: list[str] = []
        self._threads = [threading.Thread(target=self._feed, args=[helper], daemon=True) for helper in helpers]

    def __enter__(self) -> Reader:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        while not self._batches.empty():
            self._next()
        for thread in self._threads:
            thread.join()

    def finish(self, folder: Path) -> None:
        """Read what is left, and write all, sorted by key, value and reading.

        Raises:
            LakeError: a helper died.
        """
        while (batch := self._next()) is not None:
            self._keep(batch, read_batch(*self._task(batch)))
        for thread in self._threads:
            thread.join()
        if self._failures:
            raise LakeError(f"a process that reads values ended: {self._failures[0]}")
        for sort, found in zip(SORTS, self._found, strict=True):
            keys = np.concatenate([part[0] for part in found]) if found else np.zeros(0)
            values = np.concatenate([part[1] for part in found]) if found else np.zeros(0, np.uint32)
            readings = np.concatenate([part[2] for part in found]) if found else np.zeros(0, np.uint32)
            order = np.lexsort((readings, values, keys))
            write_array(folder, f"{sort}_keys", keys[order])
            write_array(folder, f"{sort}_values", values[order])
            write_array(folder, f"{sort}_readings", readings[order])

    def _next(self) -> _Batch | None:
        try:
            return self._batches.get_nowait()
        except queue.Empty:
            return None

    def _task(self, batch: _Batch) -> tuple[pa.Array, list[Reading], Array]:
        """What :func:`read_batch` needs for a batch, and no more."""
        import pyarrow as pa

        numbers, of = np.unique(batch.of, return_inverse=True)
        texts = self._values.take(as_arrow(batch.ids)).cast(pa.string())
        return texts, [self._readings[number] for number in numbers.tolist()], of

    def _keep(self, batch: _Batch, found: Found) -> None:
        with self._lock:
            for sort, places, keys in found:
                self._found[sort].append((keys, batch.ids[places], batch.of[places]))

    def _feed(self, helper: Child) -> None:
        """Feed one helper until there is nothing left."""
        try:
            while (batch := self._next()) is not None:
                write_object(helper.requests, self._task(batch))
                self._keep(batch, read_object(helper.replies))
        except (OSError, EOFError, ValueError, pickle.UnpicklingError) as error:
            self._failures.append(str(error) or type(error).__name__)


@contextmanager
def helper_processes(n_values: int) -> Iterator[list[Child]]:
    """Processes that read values: one for each further processor, none for few values. They take a while to begin.

    Raises:
        LakeError: a process does not start.
    """
    count = (os.cpu_count() or 1) - 1 if n_values > HELPED else 0
    code = f"from {__name__} import serve; serve()"
    with ExitStack() as stack:
        try:
            helpers = [stack.enter_context(Child(code)) for _ in range(count)]
        except OSError as error:
            raise LakeError(f"a process that reads values does not start: {error}") from error
        yield helpers


def serve() -> None:
    """Be a helper: read batches until there are no more."""
    requests, replies = connect_to_parent()
    while True:
        try:
            task = read_object(requests)
        except EOFError:
            return
        write_object(replies, read_batch(*task))
