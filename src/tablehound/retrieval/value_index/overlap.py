"""Exact overlaps between columns, through the same postings that serve search."""

from __future__ import annotations

import numpy as np

from tablehound.retrieval.arrays import Array
from tablehound.retrieval.value_index.keys import among
from tablehound.retrieval.value_index.segment import ValueSegment

_LOW = np.uint64(0xFFFFFFFF)


def overlapping_columns(segment: ValueSegment, ids: Array) -> tuple[Array, Array]:
    """Columns that share values with the ids, and how many.

    ``ids`` are ascending and include all writings of each key; a key counts once a column, however it is written there.
    """
    if not len(ids):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    columns, lengths = segment.postings(ids)
    follows = among(ids, segment.same.whole())
    if follows.any():
        key = np.repeat(np.cumsum(~follows).astype(np.uint64), lengths)
        columns = (np.unique((key << np.uint64(32)) | columns) & _LOW).astype(np.uint32)
    if len(columns) * 8 > segment.n_columns:
        counts = np.bincount(columns, minlength=segment.n_columns)
        found = np.flatnonzero(counts)
        return found, counts[found]
    distinct, counts = np.unique(columns, return_counts=True)
    return distinct.astype(np.int64), counts
