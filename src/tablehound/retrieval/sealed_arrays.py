"""Arrays, texts and lists over the memory-mapped files of a sealed segment: every access checks the blocks it touches.

Each check is skipped once all blocks of a file were found to be sound. An access to at least as many places as the file
has blocks is taken to touch every block between the first and the last place: looking for the exact ones would cost
more.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike

from tablehound.lake import SealedFile
from tablehound.retrieval.arrays import Array, as_arrow, list_array, ranges

if TYPE_CHECKING:
    import pyarrow as pa

_BITS = 16
_NPY_HEADER = 4_096


class Blocks:
    """Checks of places in one region of a file: ``size`` bytes for each place, from ``offset`` on."""

    __slots__ = ("file", "offset", "seen", "size")

    def __init__(self, file: SealedFile, offset: int, size: int) -> None:
        self.file = file
        self.offset = offset
        self.size = size
        self.seen = np.frombuffer(file.seen, np.uint8) if file.seen else np.zeros(0, np.uint8)

    def check_run(self, first: int, after: int) -> None:
        """Places from ``first`` up to ``after``."""
        self.file.check(self.offset + first * self.size, self.offset + after * self.size)

    def check_places(self, places: Array) -> None:
        """Places (N,), not negative, in any order."""
        if self.file.sound or not len(places):
            return
        if len(places) >= len(self.seen):
            self.check_run(int(places.min()), int(places.max()) + 1)
            return
        begin = self.offset + places.astype(np.int64) * self.size
        self._check_blocks(np.concatenate([begin >> _BITS, (begin + (self.size - 1)) >> _BITS]))

    def check_runs(self, starts: Array, stops: Array) -> None:
        """Runs of places."""
        if self.file.sound or not len(starts):
            return
        if len(starts) >= len(self.seen):
            self.check_run(int(starts.min()), int(stops.max()))
            return
        filled = stops > starts
        first = (self.offset + starts[filled].astype(np.int64) * self.size) >> _BITS
        last = (self.offset + stops[filled].astype(np.int64) * self.size - 1) >> _BITS
        self._check_blocks(ranges(first, last - first + 1))

    def _check_blocks(self, blocks: Array) -> None:
        unseen = blocks[self.seen[blocks] == 0]
        if len(unseen):
            self.file.check_blocks(np.unique(unseen).tolist())


class SealedArray:
    """An array in a file. Slices, places and single elements are plain arrays (or numbers) that were checked."""

    __slots__ = ("blocks", "file", "raw")

    def __init__(self, file: SealedFile, array: Array, offset: int) -> None:
        self.file = file
        self.raw = array
        """All of it, not checked."""
        row = array.dtype.itemsize
        for extent in array.shape[1:]:
            row *= extent
        self.blocks = Blocks(file, offset, row)

    @classmethod
    def flat(cls, file: SealedFile, dtype: DTypeLike) -> SealedArray:
        """The whole file as one flat array."""
        return cls(file, np.frombuffer(file.view, dtype) if file.size else np.zeros(0, dtype), 0)

    @classmethod
    def npy(cls, file: SealedFile) -> SealedArray:
        """A file that ``np.save`` wrote, in the order of C."""
        file.check(0, min(_NPY_HEADER, file.size))
        head = io.BytesIO(bytes(file.view[:_NPY_HEADER]))
        np.lib.format.read_magic(head)
        shape, _, dtype = np.lib.format.read_array_header_1_0(head)
        offset = head.tell()
        count = int(np.prod(shape))
        flat = np.frombuffer(file.view, dtype, count, offset) if count else np.zeros(0, dtype)
        return cls(file, flat.reshape(shape), offset)

    def __len__(self) -> int:
        return len(self.raw)

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.raw.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        return self.raw.shape

    def __getitem__(self, key: Any) -> Any:
        """What the key selects; an int, a slice or places along the first axis touch only their blocks."""
        if not self.file.sound:
            self._check(key)
        return self.raw[key]

    def _check(self, key: Any) -> None:
        if isinstance(key, slice):
            start, stop, step = key.indices(len(self.raw))
            if step == 1:
                self.blocks.check_run(start, stop)
                return
        elif isinstance(key, int):
            if 0 <= key < len(self.raw):
                self.blocks.check_run(key, key + 1)
                return
        elif (
            isinstance(key, np.ndarray)
            and key.ndim == 1
            and key.dtype.kind in "iu"
            and (not len(key) or (key.min() >= 0 and key.max() < len(self.raw)))
        ):
            self.blocks.check_places(key)
            return
        self.file.check_all()

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array:
        return np.array(self.whole(), dtype, copy=copy)

    def whole(self) -> Array:
        """All of it."""
        self.file.check_all()
        return self.raw

    def searchsorted(self, value: Any, side: Any = "left", sorter: None = None) -> Any:  # noqa: ARG002 - as numpy calls it
        """As of a sorted array; for one value, only blocks on the way to it are touched."""
        if self.file.sound or np.ndim(value):
            return np.searchsorted(self.whole(), value, side)
        low, high = 0, len(self.raw)
        step = max(1, (1 << _BITS) // self.blocks.size)
        while high - low > step:
            middle = (low + high) // 2
            element = self[middle]
            if element < value or (side == "right" and element == value):
                low = middle + 1
            else:
                high = middle
        return low + int(np.searchsorted(self[low:high], value, side))


class SealedTexts:
    """The texts of an Arrow file with one batch of one column of texts without nulls."""

    def __init__(self, file: SealedFile) -> None:
        import pyarrow as pa

        # Arrow reads its schema at the beginning and its footer at the end; neither is long.
        file.check(0, min(file.size, 1 << _BITS))
        file.check(max(0, file.size - (1 << _BITS)), file.size)
        whole = pa.py_buffer(file.view)
        self._file = file
        self._array: pa.Array = pa.ipc.open_file(whole).get_batch(0).column(0)
        _, offsets, data = self._array.buffers()
        width = np.dtype(np.int64 if pa.types.is_large_string(self._array.type) else np.int32)
        count = len(self._array) + 1
        self._offsets = np.frombuffer(offsets, width, count) if len(self._array) else np.zeros(1, width)
        self._of_offsets = Blocks(file, offsets.address - whole.address if len(self._array) else 0, width.itemsize)
        self._of_data = Blocks(file, data.address - whole.address if data is not None and data.size else 0, 1)

    def __len__(self) -> int:
        return len(self._array)

    def take(self, ids: Array) -> pa.Array:
        """The texts of ids (N,)."""
        if not self._file.sound and len(ids):
            ids = np.asarray(ids)
            places = ids.astype(np.int64)
            self._of_offsets.check_places(np.concatenate([places, places + 1]))
            self._of_data.check_runs(self._offsets[places], self._offsets[places + 1])
        return self._array.take(as_arrow(ids))

    def whole(self) -> pa.Array:
        """All texts."""
        self._file.check_all()
        return self._array

    def slice(self, start: int, length: int) -> pa.Array:
        """Neighbouring texts."""
        part = self._array.slice(start, length)
        if not self._file.sound:
            self._of_offsets.check_run(start, start + len(part) + 1)
            self._of_data.check_run(int(self._offsets[start]), int(self._offsets[start + len(part)]))
        return part


class SealedLists:
    """Runs of numbers: per run its start in ``offsets``, which has one more for the end of the last."""

    def __init__(self, offsets: SealedArray, items: SealedArray) -> None:
        self._offsets = offsets
        self._items = items
        self._raw_offsets = offsets.raw
        self._lists = list_array(offsets.raw, items.raw)

    def take(self, numbers: Array) -> pa.Array:
        """The runs of the numbers (N,), as an array of lists."""
        if not (self._offsets.file.sound and self._items.file.sound):
            places = numbers.astype(np.int64)
            self._offsets.blocks.check_places(np.concatenate([places, places + 1]))
            self._items.blocks.check_runs(self._raw_offsets[places], self._raw_offsets[places + 1])
        return self._lists.take(as_arrow(numbers))
