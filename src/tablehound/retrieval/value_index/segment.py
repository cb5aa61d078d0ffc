"""Reading one segment: patterns to value ids, value ids to columns and tables."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tablehound.lake import Measure, SealedFolder, measure_of
from tablehound.retrieval.arrays import Array, as_numpy, ranges
from tablehound.retrieval.patterns.by_value import SORTS, Interval, ValueTest
from tablehound.retrieval.patterns.plain_text import matches, scan
from tablehound.retrieval.sealed_arrays import SealedArray, SealedLists, SealedTexts
from tablehound.retrieval.value_index.distinct_words import Words
from tablehound.retrieval.value_index.keys import ids_of_keys, key_sample
from tablehound.retrieval.value_index.prefilter import Prefilter
from tablehound.retrieval.value_index.segment_files import DTYPES, read_meta, sealed_offsets

if TYPE_CHECKING:
    import polars as pl

FULL_SCAN = 0.25
"""Share of values above which judging all of them in order is faster than gathering the survivors."""
EXACT_CHARS = 3
"""Values with a literal of at most so many ASCII characters need trigrams alone: the literal is (part of) one."""
_SHARED = 1 << 14
"""Survivors that are judged by more than one thread."""
_SLICE = 1 << 18
_FEW = 1 << 12
"""Columns that are sorted faster than they are marked among all."""
_TAKEN = 1 << 16
"""Values whose postings are gathered at a time."""
_PAIRS = 1 << 23
"""Postings that are expanded at a time."""
_TABLE = 1 << 25
"""Cells of a table of values and readings that is kept in memory at a time."""


class Hits:
    """What a pattern matches in a segment."""

    __slots__ = ("_distinct", "_n_columns", "headers", "occurrences")

    def __init__(self, occurrences: Array, headers: Array, n_columns: int) -> None:
        self.occurrences = occurrences
        """Numbers of the columns with a matching cell, in any order, some more than once."""
        self.headers = headers
        """Numbers of the columns whose name matches, ascending."""
        self._n_columns = n_columns
        self._distinct: Array | None = None

    @property
    def columns(self) -> Array:
        """Numbers of the columns with a matching cell, ascending."""
        if self._distinct is None:
            # Computed only when needed: which tables match is known without it.
            self._distinct = self.occurrences = _distinct(self.occurrences, self._n_columns)
        return self._distinct


class ValueSegment:
    """One open segment, memory-mapped. What is read of its files is checked against the segment's seal.

    Raises:
        LakeDamagedError: by all that reads; the segment is not as it was written.
    """

    def __init__(self, folder: Path) -> None:
        sealed = SealedFolder(folder)
        self.table_ids, self.readings = read_meta(sealed)
        self.values = SealedTexts(sealed.file("values.arrow"))
        arrays = {name: SealedArray.flat(sealed.file(name), dtype) for name, dtype in DTYPES.items()}
        self.cell_offsets = sealed_offsets(sealed, "cell_offsets", len(self.values))
        self.cell_columns = arrays["cell_columns"]
        self.same = arrays["same"]
        self.column_table = arrays["column_table"]
        self.column_name = arrays["column_name"]
        self.column_named = arrays["column_named"]
        self.column_reading = arrays["column_reading"]
        self.column_distinct = arrays["column_distinct"]
        self._column_bytes = arrays["column_bytes"]
        self._name_bytes = arrays["name_bytes"]
        self._by_value = {
            sort: tuple(arrays[f"{sort}_{part}"] for part in ("keys", "values", "readings")) for sort in SORTS
        }
        self.words = Words(sealed, len(self.column_table))
        self.prefilter = Prefilter.open(sealed)
        self._lists = SealedLists(self.cell_offsets, self.cell_columns)
        """The postings, over the mapped files."""

    @classmethod
    def open(cls, folder: Path) -> ValueSegment:
        """Open the segment in a folder."""
        return cls(folder)

    @property
    def n_values(self) -> int:
        return len(self.values)

    @property
    def n_columns(self) -> int:
        return len(self.column_table)

    @cached_property
    def _names(self) -> tuple[Array, Array]:
        """Columns ordered by the id of their name, and those ids."""
        names = self.column_name.whole()
        order = np.argsort(names, kind="stable").astype(np.uint32)
        return order, names[order]

    @cached_property
    def first_columns(self) -> Array:
        """Per table number the number of its first column, -1 where it has none."""
        firsts = np.full(len(self.table_ids), -1, np.int64)
        tables = self.column_table.whole()
        starts = np.flatnonzero(np.diff(tables, prepend=np.uint32(0xFFFFFFFF)))
        firsts[tables[starts]] = starts
        return firsts

    def columns_of_table(self, number: int) -> tuple[int, int]:
        """Numbers of the first column of a table and of the first after its last."""
        first = int(self.first_columns[number])
        return (first, first + int(self._widths[number])) if first >= 0 else (0, 0)

    @cached_property
    def _widths(self) -> Array:
        return np.bincount(self.column_table.whole(), minlength=len(self.table_ids))

    def matches(
        self, expression: str, literals: tuple[bytes, ...] | None, pool: ThreadPoolExecutor
    ) -> tuple[Array, Array]:
        """Ids of the values that a regex matches, ascending, and their :meth:`occurrences`. ``literals`` are those of
        the compiled pattern."""
        survivors = self.prefilter.survivors(expression, self.n_values)
        if survivors is None or len(survivors) > FULL_SCAN * self.n_values:
            values = scan(self.values, expression, literals, pool)
            return values, self.occurrences(values)
        sure = literals is not None and all(len(literal) <= EXACT_CHARS for literal in literals)

        def judge(ids: Array) -> tuple[Array, Array]:
            matched = ids if sure else self._judged(ids, expression, literals)
            return matched, self.occurrences(matched)

        if len(survivors) < _SHARED:
            return judge(survivors)
        parts = list(pool.map(judge, np.array_split(survivors, max(2, len(survivors) // _SLICE))))
        return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])

    def matching_names(self, expression: str) -> Array:
        """Ids of the column names that a regex matches, ascending."""
        survivors = self.prefilter.survivors(expression, self.n_values)
        names = self.name_ids if survivors is None else np.intersect1d(survivors, self.name_ids, assume_unique=True)
        return self._judged(names, expression, None)

    def _judged(self, ids: Array, expression: str, literals: tuple[bytes, ...] | None) -> Array:
        matched: Array = ids[matches(self.values.take(ids), expression, literals)]
        return matched

    def columns_with(self, character: int) -> tuple[Array, Array]:
        """Numbers of the columns of which a cell has an ASCII character (lower case), and of those named by the source
        whose name has it, ascending."""
        word, bit = divmod(character, 64)
        mask = np.uint64(1 << bit)
        cells = np.flatnonzero(self._column_bytes.whole()[word::2] & mask)
        names = np.flatnonzero(self.column_named.whole() & ((self._name_bytes.whole()[word::2] & mask) != 0))
        return cells.astype(np.uint32), names.astype(np.uint32)

    def columns_of(self, values: Array) -> Array:
        """Numbers of the columns that have a cell of one of the values (ids ascending), ascending."""
        return _distinct(self.occurrences(values), self.n_columns)

    def occurrences(self, values: Array) -> Array:
        """The same in any order, some more than once."""
        if len(values) <= _TAKEN:
            return self._near(values)
        flags = np.zeros(self.n_columns, bool)
        for start in range(0, len(values), _TAKEN):
            flags[self._near(values[start : start + _TAKEN])] = True
        return np.flatnonzero(flags).astype(np.uint32)

    def _near(self, values: Array) -> Array:
        if not len(values):
            return np.zeros(0, np.uint32)
        first, last = int(values[0]), int(values[-1])
        if last - first >= 2 * len(values):
            return self.postings(values)[0]
        # Most values of a stretch: their postings are neighbours, and few of them are others'.
        chosen = np.zeros(last - first + 1, bool)
        chosen[values.astype(np.int64) - first] = True
        offsets = self.cell_offsets[first : last + 2]
        run = self.cell_columns[int(offsets[0]) : int(offsets[-1])]
        columns: Array = run if chosen.all() else run[np.repeat(chosen, np.diff(offsets))]
        return columns

    def postings(self, values: Array) -> tuple[Array, Array]:
        """Columns of the values, one value after another, and how many each has."""
        lists = self._lists.take(values)
        return as_numpy(lists.values), np.diff(as_numpy(lists.offsets))

    def columns_named(self, values: Array, *, source_only: bool) -> Array:
        """Numbers of the columns whose name is one of the values (ids ascending), ascending. ``source_only`` leaves
        out names that were made up."""
        used = values[((self._name_bits[values >> np.uint32(3)] >> (values & np.uint32(7)).astype(np.uint8)) & 1) != 0]
        order, names = self._names
        starts = np.searchsorted(names, used, side="left")
        lengths = np.searchsorted(names, used, side="right") - starts
        found = order[ranges(starts, lengths)]
        if source_only:
            found = found[self.column_named[found]]
        return np.sort(found)

    @cached_property
    def _name_bits(self) -> Array:
        """A bit per value: whether it is the name of a column. Small enough to stay in the processor's cache."""
        flags = np.zeros(self.n_values, bool)
        flags[self.column_name.whole()] = True
        return np.packbits(flags, bitorder="little")

    def ids_of_keys(self, keys: pl.Series) -> Array:
        """Ids of all values with one of the keys (sorted, distinct), ascending."""
        return ids_of_keys(self.values, self._key_sample, self.same.whole(), keys)

    @cached_property
    def _key_sample(self) -> pl.Series:
        """Keys of some values, to begin a search with."""
        return key_sample(self.values)

    @cached_property
    def name_ids(self) -> Array:
        """Ids of all column names, ascending."""
        return np.unique(self.column_name.whole())

    def columns_by_value(self, test: ValueTest) -> Array:
        """Numbers of the columns with a cell that matches by value, ascending."""
        import pyarrow as pa

        flags = np.zeros(self.n_columns, bool)
        for interval, own in self._intervals(test):
            keys, values, readings = self._by_value[SORTS[interval.sort]]
            start, stop = interval.bounds(keys)
            ids, by = np.asarray(values[start:stop]), np.asarray(readings[start:stop])
            if own is not None:
                ids, by = ids[own[by]], by[own[by]]
            if interval.form is not None:
                # Numbers too long for a float: the texts are read again.
                sure = np.zeros(len(ids), bool)
                for number in np.unique(by).tolist():
                    here = by == number
                    texts = self.values.take(ids[here]).cast(pa.string())
                    sure[here] = test.matches(texts, self.readings[number])
                ids, by = ids[sure], by[sure]
            self._flag_read(flags, ids, by)
        return np.flatnonzero(flags).astype(np.uint32)

    def _intervals(self, test: ValueTest) -> Iterator[tuple[Interval, Array | None]]:
        """Intervals of keys, each with a mask of the readings to whose measure it belongs; None for all readings."""
        if test.bare:
            yield from ((interval, None) for interval in test.intervals(Measure()))
            return
        measures = [measure_of(reading) for reading in self.readings]
        for measure in dict.fromkeys(measures):
            own = np.fromiter((one == measure for one in measures), bool, len(measures))
            yield from ((interval, own) for interval in test.intervals(measure))

    def _flag_read(self, flags: Array, ids: Array, by: Array) -> None:
        """Set the flags of the columns that have a cell of one of the values and the reading that goes with it."""
        if not len(ids):
            return
        order = np.argsort(ids, kind="stable")
        ids, by = ids[order], by[order]
        numbers, by = np.unique(by, return_inverse=True)
        local = np.full(len(self.readings), -1, np.int64)
        local[numbers] = np.arange(len(numbers))
        edges = np.append(np.flatnonzero(np.diff(ids, prepend=np.uint32(0xFFFFFFFF))), len(ids))
        distinct = ids[edges[:-1]].astype(np.int64)
        lengths = self.cell_offsets[distinct + 1].astype(np.int64) - self.cell_offsets[distinct]
        sums = np.cumsum(lengths)
        at = 0
        while at < len(distinct):
            done = int(sums[at - 1]) if at else 0
            upto = int(np.searchsorted(sums, done + _PAIRS, side="right"))
            upto = min(max(at + 1, upto), at + max(1, _TABLE // len(numbers)))
            # One row for each value, with the readings by which it is within.
            inside = np.zeros((upto - at, len(numbers)), bool)
            entries = slice(edges[at], edges[upto])
            inside[np.repeat(np.arange(upto - at), np.diff(edges[at : upto + 1])), by[entries]] = True
            columns, _ = self.postings(distinct[at:upto])
            reading = local[self.column_reading[columns]]
            matched = inside[np.repeat(np.arange(upto - at), lengths[at:upto]), reading] & (reading >= 0)
            flags[columns[matched]] = True
            at = upto


def _distinct(columns: Array, n_columns: int) -> Array:
    if len(columns) <= _FEW:
        return np.unique(columns)
    flags = np.zeros(n_columns, bool)
    flags[columns] = True
    return np.flatnonzero(flags).astype(np.uint32)
