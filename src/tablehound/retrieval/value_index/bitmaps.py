"""Roaring bitmaps in a file, one after another, memory-mapped."""

from __future__ import annotations

import mmap
from array import array
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from tablehound.retrieval.arrays import Array

if TYPE_CHECKING:
    from pyroaring import BitMap


class Bitmaps:
    """The bitmaps of a file, by place."""

    def __init__(self, file: Path, ends: Array) -> None:
        self._file = file
        self.ends = ends
        """Per bitmap, its end in the file."""

    def __getitem__(self, place: int) -> BitMap:
        from pyroaring import BitMap

        start = int(self.ends[place - 1]) if place else 0
        return BitMap.deserialize(bytes(self._bytes[start : int(self.ends[place])]))

    @cached_property
    def _bytes(self) -> memoryview:
        with self._file.open("rb") as file:
            if not self._file.stat().st_size:
                return memoryview(b"")
            return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def write_bitmap(out: BinaryIO, ids: Array) -> int:
    """Write the bitmap of ascending uint32 ids; returns its bytes."""
    from pyroaring import BitMap

    # From a plain array it is made several times as fast as from numpy's.
    bitmap = BitMap(array("I", ids.tobytes()))
    bitmap.run_optimize()
    return out.write(bitmap.serialize())
