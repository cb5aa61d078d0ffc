"""Roaring bitmaps in a file, one after another, memory-mapped."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from tablehound.lake import SealedFile
from tablehound.retrieval.arrays import Array, ranges
from tablehound.retrieval.sealed_arrays import SealedArray

if TYPE_CHECKING:
    from pyroaring import BitMap

FEW = 32
"""Ids up to which bitmaps are written together."""
_COOKIE = 12_346
_STEP = 1 << 16
"""Bitmaps that are made at a time."""


class Bitmaps:
    """The bitmaps of a file, by place."""

    def __init__(self, file: SealedFile, ends: Array | SealedArray) -> None:
        self._file = file
        self.ends = ends
        """Per bitmap, its end in the file."""

    def __getitem__(self, place: int) -> BitMap:
        from pyroaring import BitMap

        start = int(self.ends[place - 1]) if place else 0
        return BitMap.deserialize(bytes(self._file.bytes(start, int(self.ends[place]))))


def write_bitmaps(out: BinaryIO, ids: Array, ends: Array) -> Array:
    """Write the bitmaps of runs of ascending uint32 ids, of which the run at ``i`` ends at ``ends[i]``.

    Returns (uint64): per bitmap, its end in what was written.
    """
    from pyroaring import BitMap

    counts = np.diff(ends, prepend=0)
    sizes = np.zeros(len(counts), np.uint64)
    for first in range(0, len(counts), _STEP):
        part = counts[first : first + _STEP]
        begins = ends[first : first + _STEP] - part
        is_few = part <= FEW
        few_data, few_sizes = _few(ids[ranges(begins[is_few], part[is_few])], part[is_few])
        own_sizes = sizes[first : first + _STEP]
        own_sizes[is_few] = few_sizes
        few_ends = np.cumsum(own_sizes)
        written = 0
        for number in np.flatnonzero(~is_few).tolist():
            before = int(few_ends[number])
            out.write(few_data[written:before])
            written = before
            run = ids[begins[number] : begins[number] + part[number]]
            # From a plain array it is made several times as fast as from numpy's.
            bitmap = BitMap(array("I", run.tobytes()))
            bitmap.run_optimize()
            own_sizes[number] = out.write(bitmap.serialize())
        out.write(few_data[written:])
    return np.cumsum(sizes, dtype=np.uint64)


def _few(ids: Array, counts: Array) -> tuple[memoryview, Array]:
    """Bitmaps of few ids each, one after another, and the bytes of each.

    Most bitmaps are such, and one by one they take longer to make than all others. Their format is Roaring's portable
    one without runs (https://github.com/RoaringBitmap/RoaringFormatSpec), in 16-bit units: cookie and number of
    containers (2 + 2); per container its high half and its size less one; per container its offset in bytes (2); then
    the low halves.
    """
    owner = np.repeat(np.arange(len(counts)), counts)
    high, low = (ids >> np.uint32(16)).astype(np.uint16), ids.astype(np.uint16)
    begins = np.ones(len(ids), bool)
    begins[1:] = (high[1:] != high[:-1]) | (owner[1:] != owner[:-1])
    head = np.flatnonzero(begins)
    of = owner[head]
    containers = np.bincount(of, minlength=len(counts))
    units = 4 + 4 * containers + counts
    start = np.cumsum(units) - units
    data = np.zeros(int(units.sum()), "<u2")
    data[start] = _COOKIE
    data[start + 2] = containers
    rank = np.arange(len(head)) - (np.cumsum(containers) - containers)[of]
    at = start[of] + 4 + 2 * rank
    data[at] = high[head]
    data[at + 1] = np.diff(head, append=len(ids)) - 1
    before = head - (np.cumsum(counts) - counts)[of]
    data[at + 2 * containers[of]] = 8 + 8 * containers[of] + 2 * before
    data[ranges(start + 4 + 4 * containers, counts)] = low
    return data.view(np.uint8).data, units * 2
