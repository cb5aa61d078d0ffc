"""Reading one segment: patterns to value ids, value ids to columns and tables."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tablehound.lake.table import Reading
from tablehound.retrieval.by_value import SORTS, ValueTest
from tablehound.retrieval.regex import contains
from tablehound.retrieval.value_index.files import DTYPES, Array, map_array, map_ends, map_values, read_meta
from tablehound.retrieval.value_index.keys import key_sample
from tablehound.retrieval.value_index.prefilter import Prefilter

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

FULL_SCAN = 0.25
"""Share of values above which judging all of them in order is faster than gathering the survivors."""
_SLICE = 1 << 18
_PAIRS = 1 << 23
"""Postings that are expanded at a time."""
_TABLE = 1 << 25
"""Cells of a table of values and readings that is held at a time."""


@dataclass(frozen=True, slots=True)
class Hits:
    """What a pattern matches in a segment."""

    columns: Array
    """Numbers of the columns with a matching cell, ascending."""
    headers: Array
    """Numbers of the columns whose name matches, ascending."""


class ValueSegment:
    """One open segment, memory-mapped."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.table_ids, self.readings = read_meta(folder)
        self.values: pa.Array = map_values(folder / "values.arrow")
        arrays = {name: map_array(folder / name, dtype) for name, dtype in DTYPES.items()}
        self.cell_ends = map_ends(folder / "cell_ends", len(self.values))
        self.cell_columns = arrays["cell_columns"]
        self.same = arrays["same"]
        self.column_table = arrays["column_table"]
        self.column_name = arrays["column_name"]
        self.column_named = arrays["column_named"]
        self.column_reading = arrays["column_reading"]
        self.column_distinct = arrays["column_distinct"]
        self._by_value = {
            sort: tuple(arrays[f"{sort}_{part}"] for part in ("keys", "values", "readings")) for sort in SORTS
        }
        self.prefilter = Prefilter(
            arrays["trigram_keys"], arrays["trigram_ends"], arrays["trigram_counts"], folder / "trigrams.bin"
        )

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
        order = np.argsort(self.column_name, kind="stable").astype(np.uint32)
        return order, self.column_name[order]

    @cached_property
    def first_columns(self) -> Array:
        """Per table number the number of its first column, -1 where it has none."""
        firsts = np.full(len(self.table_ids), -1, np.int64)
        starts = np.flatnonzero(np.diff(self.column_table, prepend=np.uint32(0xFFFFFFFF)))
        firsts[self.column_table[starts]] = starts
        return firsts

    def columns_of_table(self, number: int) -> tuple[int, int]:
        """Numbers of the first column of a table and of the first after its last."""
        first = int(self.first_columns[number])
        return (first, first + int(self._widths[number])) if first >= 0 else (0, 0)

    @cached_property
    def _widths(self) -> Array:
        return np.bincount(self.column_table, minlength=len(self.table_ids))

    def matching_values(
        self, expression: str, within: Array | None = None, *, pool: ThreadPoolExecutor | None
    ) -> Array:
        """Ids of the values that a regex matches, ascending; only those of ``within`` (ascending) where given."""
        import polars as pl
        import pyarrow as pa

        survivors = self.prefilter.survivors(expression, self.n_values)
        if within is not None:
            survivors = within if survivors is None else np.intersect1d(survivors, within, assume_unique=True)
        if survivors is None or len(survivors) > FULL_SCAN * self.n_values:
            return self._scan(expression, pool)
        if not len(survivors):
            return survivors

        def judge(ids: Array) -> Array:
            texts = pl.Series("", self.values.take(pa.array(ids)))
            matched: Array = ids[contains(texts, expression).to_numpy()]
            return matched

        if pool is None or len(survivors) < _SLICE // 4:
            return judge(survivors)
        parts = np.array_split(survivors, max(2, len(survivors) // _SLICE))
        return np.concatenate(list(pool.map(judge, parts)))

    def _scan(self, expression: str, pool: ThreadPoolExecutor | None) -> Array:
        import polars as pl

        def judge(start: int) -> Array:
            texts = pl.Series("", self.values.slice(start, _SLICE))
            found = contains(texts, expression).arg_true().to_numpy()
            return found.astype(np.uint32) + np.uint32(start)

        starts = range(0, self.n_values, _SLICE)
        parts = list(map(judge, starts) if pool is None else pool.map(judge, starts))
        return np.concatenate(parts) if parts else np.zeros(0, np.uint32)

    def columns_of(self, values: Array) -> Array:
        """Numbers of the columns that have a cell of one of the values (ids ascending), ascending."""
        if not len(values):
            return np.zeros(0, np.uint32)
        ids = values.astype(np.int64)
        # Neighbouring values have neighbouring postings: runs of ids are taken as one.
        breaks = np.flatnonzero(np.diff(ids) != 1)
        first = ids[np.concatenate(([0], breaks + 1))]
        last = ids[np.concatenate((breaks, [len(ids) - 1]))]
        stops = self.cell_ends[last].astype(np.int64)
        starts = np.where(first > 0, self.cell_ends[np.maximum(first - 1, 0)].astype(np.int64), 0)
        lengths = stops - starts
        total = int(lengths.sum())
        if total <= 1 << 14:
            return np.unique(self.postings(starts, lengths))
        flags = np.zeros(self.n_columns, bool)
        sums = np.cumsum(lengths)
        group = 0
        while group < len(starts):
            done = int(sums[group - 1]) if group else 0
            upto = max(group + 1, int(np.searchsorted(sums, done + _PAIRS, side="right")))
            if upto == group + 1:
                flags[self.cell_columns[starts[group] : stops[group]]] = True
            else:
                flags[self.postings(starts[group:upto], lengths[group:upto])] = True
            group = upto
        return np.flatnonzero(flags).astype(np.uint32)

    def postings(self, starts: Array, lengths: Array) -> Array:
        """Postings of several runs, one after another."""
        columns: Array = self.cell_columns[_ranges(starts, lengths)]
        return columns

    def columns_named(self, values: Array, *, source_only: bool) -> Array:
        """Numbers of the columns whose name is one of the values (ids ascending), ascending. ``source_only`` leaves
        out names that were made up."""
        order, names = self._names
        if not len(values):
            return np.zeros(0, np.uint32)
        if len(values) < len(names) // 16:
            starts = np.searchsorted(names, values, side="left")
            lengths = np.searchsorted(names, values, side="right") - starts
            found = order[_ranges(starts, lengths)]
        else:
            at = np.minimum(np.searchsorted(values, names), len(values) - 1)
            found = order[values[at] == names]
        if source_only:
            found = found[self.column_named[found]]
        return np.sort(found)

    @cached_property
    def key_sample(self) -> pl.Series:
        """Keys of some values, to begin a search with."""
        return key_sample(self.values)

    @cached_property
    def name_ids(self) -> Array:
        """Ids of all column names, ascending."""
        return np.unique(self.column_name)

    def columns_by_value(self, test: ValueTest) -> Array:
        """Numbers of the columns with a cell that matches by value, ascending."""
        import pyarrow as pa

        flags = np.zeros(self.n_columns, bool)
        for interval in test.intervals:
            keys, values, readings = self._by_value[SORTS[interval.sort]]
            start, stop = interval.bounds(keys)
            ids, by = np.asarray(values[start:stop]), np.asarray(readings[start:stop])
            if interval.form is not None:
                # Numbers too long for a float: the texts are read again.
                sure = np.zeros(len(ids), bool)
                for number in np.unique(by).tolist():
                    here = by == number
                    texts = self.values.take(pa.array(ids[here])).cast(pa.string())
                    sure[here] = test.matches(texts, self.readings[number])
                ids, by = ids[sure], by[sure]
            self._flag_read(flags, ids, by)
        return np.flatnonzero(flags).astype(np.uint32)

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
        starts = np.where(distinct > 0, self.cell_ends[np.maximum(distinct - 1, 0)].astype(np.int64), 0)
        lengths = self.cell_ends[distinct].astype(np.int64) - starts
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
            columns = self.postings(starts[at:upto], lengths[at:upto])
            reading = local[self.column_reading[columns]]
            matched = inside[np.repeat(np.arange(upto - at), lengths[at:upto]), reading] & (reading >= 0)
            flags[columns[matched]] = True
            at = upto

    def reading(self, column: int) -> Reading:
        """The reading of a column number."""
        return self.readings[int(self.column_reading[column])]

    def tables_of(self, columns: Array) -> Array:
        """Table numbers of columns, ascending."""
        return np.unique(self.column_table[columns])

    def table_ids_of(self, numbers: Array) -> Sequence[str]:
        """Ids of table numbers."""
        return [self.table_ids[number] for number in numbers.tolist()]


def _ranges(starts: Array, lengths: Array) -> Array:
    """All places of several ranges, one after another."""
    places: Array = np.arange(int(lengths.sum())) + np.repeat(starts - (np.cumsum(lengths) - lengths), lengths)
    return places
