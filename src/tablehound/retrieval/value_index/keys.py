"""Finding values by their key (trimmed lower case), by which a segment is sorted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tablehound.retrieval.arrays import Array
from tablehound.retrieval.sealed_arrays import SealedTexts
from tablehound.retrieval.value_index.building.collect import sort_keys

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

SAMPLE = 64
"""One key in so many is kept in memory."""


def distinct_keys(texts: pa.Array) -> pl.Series:
    """Sorted distinct keys of texts, without the blank one."""
    import polars as pl

    keys = sort_keys(pl.Series("", texts).drop_nulls()).unique().sort()
    return keys.filter(keys != "")


def among(ids: Array, ordered: Array) -> Array:
    """Per id, whether it is one of the ordered ids."""
    if not len(ordered):
        return np.zeros(len(ids), bool)
    found: Array = ordered[np.minimum(np.searchsorted(ordered, ids), len(ordered) - 1)] == ids
    return found


def key_sample(values: SealedTexts) -> pl.Series:
    """Keys of every ``SAMPLE``-th value."""
    return _keys_at(values, np.arange(0, len(values), SAMPLE))


def _keys_at(values: SealedTexts, places: Array) -> pl.Series:
    import polars as pl

    return sort_keys(pl.Series("", values.take(places)))


def ids_of_keys(values: SealedTexts, sample: pl.Series, same: Array, keys: pl.Series) -> Array:
    """Ids of all values with one of the keys (sorted, distinct), ascending.

    Args:
        values: a segment's values, ordered by key.
        sample: their ``key_sample``.
        same: ids of the values whose key is that of the value before.
        keys: what is looked for.
    """
    n = len(values)
    if not n or not len(keys):
        return np.zeros(0, np.uint32)
    # Each key lies after a sampled one that is less, and not after the next one.
    at = np.asarray(sample.search_sorted(keys, side="left").to_numpy(), np.int64)
    low = np.maximum(at - 1, 0) * SAMPLE
    high = np.minimum(at * SAMPLE, n)
    while (low < high).any():
        middle = np.minimum((low + high) // 2, n - 1)
        less = (_keys_at(values, middle) < keys).to_numpy() & (low < high)
        low = np.where(less, middle + 1, low)
        high = np.where(less, high, np.minimum(high, middle))
    here = np.minimum(low, n - 1)
    found = here[(_keys_at(values, here) == keys).to_numpy()]
    ids = [found]
    # Other writings of the same key follow.
    while len(found):
        found = found + 1
        found = found[among(found, same)]
        ids.append(found)
    return np.sort(np.concatenate(ids)).astype(np.uint32)
