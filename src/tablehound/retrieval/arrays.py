"""Small operations on flat arrays that the indexes share, and the way between numpy and Arrow without copies.

``pa.array``, ``to_numpy`` and ``fill_null`` of pyarrow import pandas where it is installed, which takes longer than a
search; the functions here never do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pyarrow as pa

Array = NDArray[Any]


def ranges(starts: Array, lengths: Array) -> Array:
    """All places of several ranges ``starts[i] … starts[i] + lengths[i]``, one after another."""
    places: Array = np.arange(int(lengths.sum())) + np.repeat(starts - (np.cumsum(lengths) - lengths), lengths)
    return places


def in_order(numbers: Array) -> Array:
    """Sorted in place, each once. Sorting is several times as fast here as ``np.unique``, which hashes first."""
    numbers.sort()
    distinct: Array = numbers[np.concatenate(([True], numbers[1:] != numbers[:-1]))] if len(numbers) else numbers
    return distinct


def as_arrow(numbers: Array) -> pa.Array:
    """A flat array as an Arrow array over the same memory."""
    import pyarrow as pa

    numbers = np.ascontiguousarray(numbers)
    return pa.Array.from_buffers(pa.from_numpy_dtype(numbers.dtype), len(numbers), [None, pa.py_buffer(numbers)])


def as_numpy(numbers: pa.Array) -> Array:
    """A flat Arrow array of integers without nulls as an array over the same memory."""
    buffer = numbers.buffers()[1]
    dtype = np.dtype(str(numbers.type))
    if buffer is None:
        return np.zeros(0, dtype)
    return np.frombuffer(buffer, dtype, len(numbers), numbers.offset * dtype.itemsize)


def list_array(offsets: Array, items: Array) -> pa.Array:
    """Runs of items as one Arrow array of lists over the same memory; ``offsets`` (int32 or int64) are one more."""
    import pyarrow as pa

    kind = pa.ListArray if offsets.dtype == np.int32 else pa.LargeListArray
    return kind.from_arrays(as_arrow(offsets), as_arrow(items))


def text_array(texts: Sequence[str]) -> pa.Array:
    """Texts as an Arrow array."""
    import pyarrow as pa

    encoded = [text.encode() for text in texts]
    offsets = np.zeros(len(encoded) + 1, np.int32)
    np.cumsum([len(text) for text in encoded], out=offsets[1:])
    return pa.Array.from_buffers(
        pa.string(), len(encoded), [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(encoded))]
    )
