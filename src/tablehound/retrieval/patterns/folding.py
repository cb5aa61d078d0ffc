"""Simple case folding, character by character: the closure that ``(?i)`` has in the regex engine.

Folding serves the trigram prefilter only, so it may be coarser than the engine's (then more survives) but never finer.
Python's own tables give the pairs; those of newer Unicode versions, which the engine may know and Python not, are
listed below. A test compares the closure with the engine's.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pyarrow as pa

_LAST = 0x110000
_BLOCK = 1 << 8
_CASED = 0x20000
"""No character from here on has case."""
_NEWER_PAIRS = (
    # (first upper, first lower, how many): Unicode 15 to 17.
    (0x1C89, 0x1C8A, 1),
    (0xA7CB, 0x0264, 1),
    (0xA7CC, 0xA7CD, 1),
    (0xA7CE, 0xA7CF, 1),
    (0xA7D2, 0xA7D3, 1),
    (0xA7D4, 0xA7D5, 1),
    (0xA7DA, 0xA7DB, 1),
    (0xA7DC, 0x019B, 1),
    (0x10D50, 0x10D70, 22),
    (0x16EA0, 0x16EBB, 25),
)


@cache
def _newer() -> dict[int, int]:
    pairs = {upper + i: lower + i for upper, lower, count in _NEWER_PAIRS for i in range(count)}
    # Iota subscripts and sharp st differ from their partners by full folding alone.
    return pairs | {0x1FD3: 0x0390, 0x1FE3: 0x03B0, 0xFB05: 0xFB06}


def _fold_code(code: int) -> int:
    newer = _newer().get(code)
    if newer is not None:
        return newer
    char = chr(code)
    folded = char.casefold()
    if len(folded) == 1:
        return ord(folded)
    lower = char.lower()
    return ord(lower) if len(lower) == 1 else code


def fold_char(char: str) -> str:
    """The representative of all characters that equal one but for case."""
    return char.lower() if char.isascii() else chr(_fold_code(ord(char)))


@cache
def table() -> NDArray[np.uint32]:
    """Code point → :func:`fold_char` of it, for all code points."""
    folds = np.arange(_LAST, dtype=np.uint32)
    newer = {code // _BLOCK * _BLOCK for code in _newer()}
    for start in range(0, _CASED, _BLOCK):
        block = range(start, start + _BLOCK)
        # Nearly all blocks have no case at all.
        together = "".join(map(chr, block))
        if together.casefold() != together or start in newer:
            folds[start : start + _BLOCK] = [_fold_code(code) for code in block]
    return folds


_ASCII = np.arange(256, dtype=np.uint8)
_ASCII[65:91] += 32


def lower_ascii(texts: pa.Array) -> pa.Array:
    """An Arrow string array without nulls, its ASCII letters in lower case."""
    import pyarrow as pa

    width = np.int64 if pa.types.is_large_string(texts.type) else np.int32
    _, offset_buffer, data_buffer = texts.buffers()
    if data_buffer is None:
        return texts
    offsets = np.frombuffer(offset_buffer, width)[texts.offset : texts.offset + len(texts) + 1]
    lowered = _ASCII[np.frombuffer(data_buffer, np.uint8)[offsets[0] : offsets[-1]]]
    return pa.Array.from_buffers(
        texts.type, len(texts), [None, pa.py_buffer(offsets - offsets[0]), pa.py_buffer(lowered)]
    )


def folded_bytes(texts: pa.Array) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Folded UTF-8 of an Arrow string array without nulls: all bytes, and offsets of length n + 1."""
    import pyarrow as pa

    width = np.int64 if pa.types.is_large_string(texts.type) else np.int32
    _, offset_buffer, data_buffer = texts.buffers()
    offsets = np.frombuffer(offset_buffer, width)[texts.offset : texts.offset + len(texts) + 1].astype(np.int64)
    if data_buffer is None:
        return np.zeros(0, np.uint8), offsets - offsets[0]
    raw = np.frombuffer(data_buffer, np.uint8)[offsets[0] : offsets[-1]]
    offsets -= offsets[0]
    lowered = _ASCII[raw]
    if not (raw >= 0x80).any():
        return lowered, offsets
    return _folded_unicode(raw, offsets)


def _folded_unicode(raw: NDArray[np.uint8], offsets: NDArray[np.int64]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    codes = np.frombuffer(raw.tobytes().decode("utf-8").encode("utf-32-le"), np.uint32)
    # Characters before each byte position, to carry the offsets over.
    starts = np.zeros(len(raw) + 1, np.int64)
    np.cumsum((raw & 0xC0) != 0x80, out=starts[1:])
    in_chars = starts[offsets]
    folded = table()[codes]
    sizes = 1 + (folded >= 0x80) + (folded >= 0x800) + (folded >= 0x10000)
    ends = np.zeros(len(folded) + 1, np.int64)
    np.cumsum(sizes, out=ends[1:])
    encoded = folded.astype("<u4").tobytes().decode("utf-32-le").encode("utf-8")
    return np.frombuffer(encoded, np.uint8), ends[in_chars]
