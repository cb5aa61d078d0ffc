"""Matched rows of several tables at once: each pattern is judged over all columns that it is known to match."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

from tablehound.lake import Table
from tablehound.retrieval.arrays import Array
from tablehound.retrieval.patterns.plain_text import matches
from tablehound.retrieval.patterns.regex import CompiledPattern
from tablehound.retrieval.scan import column_texts, matching_rows

if TYPE_CHECKING:
    import pyarrow as pa

MAX_PATTERNS = 64
"""Patterns of one call: the patterns of a row are the bits of one number."""

Columns = Sequence[Set[int]]
"""Per pattern the columns of a table in which it occurs."""


def matched_rows(
    tables: Mapping[str, Table],
    columns: Mapping[str, Columns],
    patterns: Sequence[CompiledPattern],
    pool: ThreadPoolExecutor,
) -> dict[str, tuple[Array, Array]]:
    """Per table the rows in which a pattern occurs, ascending, and the patterns of each as bits."""
    ids = list(tables)
    texts = {
        (place, index): column_texts(tables[i], index)
        for place, i in enumerate(ids)
        for index in sorted(set().union(*columns[i]))
    }

    def rows_of(number: int) -> Array:
        wanted = [(place, index) for place, i in enumerate(ids) for index in sorted(columns[i][number])]
        return _rows_of_pattern([tables[i] for i in ids], wanted, texts, patterns[number])

    keys = list(pool.map(rows_of, range(len(patterns))))
    bits = [np.full(len(found), 1 << number, np.uint64) for number, found in enumerate(keys)]
    joined = np.concatenate(keys) if keys else np.zeros(0, np.int64)
    if not len(joined):
        return {}
    order = np.argsort(joined, kind="stable")
    joined = joined[order]
    starts = np.flatnonzero(np.diff(joined, prepend=-1))
    rows = joined[starts]
    masks = np.bitwise_or.reduceat(np.concatenate(bits)[order], starts)
    edges = np.searchsorted(rows >> 32, np.arange(len(ids) + 1))
    return {
        table_id: (rows[edges[place] : edges[place + 1]] & 0xFFFFFFFF, masks[edges[place] : edges[place + 1]])
        for place, table_id in enumerate(ids)
        if edges[place] < edges[place + 1]
    }


def _rows_of_pattern(
    tables: Sequence[Table],
    wanted: Sequence[tuple[int, int]],
    texts_of: Mapping[tuple[int, int], pa.Array],
    pattern: CompiledPattern,
) -> Array:
    """Distinct ``place of the table << 32 | row``, ascending."""
    import pyarrow as pa

    if not wanted:
        return np.zeros(0, np.int64)
    texts = [texts_of[key] for key in wanted]
    if pattern.test is not None or pattern.expression is None:
        parts = [
            np.array(matching_rows(pattern, column, tables[place].info.columns[index].reading), np.int64)
            + (place << 32)
            for column, (place, index) in zip(texts, wanted, strict=True)
        ]
        return np.unique(np.concatenate(parts))
    hits = np.flatnonzero(matches(pa.concat_arrays(texts), pattern.expression, pattern.literals))
    ends = np.cumsum([len(column) for column in texts])
    owner = np.searchsorted(ends, hits, side="right")
    places = np.array([place for place, _ in wanted], np.int64)
    begins = ends - np.array([len(column) for column in texts])
    return np.unique((places[owner] << 32) | (hits.astype(np.int64) - begins[owner]))


def choose(rows: Array, masks: Array, *, per_pattern: int, limit: int) -> tuple[int, ...]:
    """The same choice as ``choose_rows``, from rows with their patterns as bits."""
    order = np.lexsort((rows, -np.bitwise_count(masks).astype(np.int64)))
    rows, masks = rows[order], masks[order]
    shown: dict[int, int] = {}
    left = np.uint64(0xFFFFFFFFFFFFFFFF) if per_pattern > 0 else np.uint64(0)
    chosen: list[int] = []
    at = 0
    while len(chosen) < limit:
        rest = np.flatnonzero(masks[at:] & left)
        if not len(rest):
            break
        at += int(rest[0])
        chosen.append(int(rows[at]))
        mask = int(masks[at])
        at += 1
        while mask:
            bit = mask & -mask
            mask ^= bit
            shown[bit] = shown.get(bit, 0) + 1
            if shown[bit] >= per_pattern:
                left &= ~np.uint64(bit)
    return tuple(chosen)
