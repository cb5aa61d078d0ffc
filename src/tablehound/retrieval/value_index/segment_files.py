"""Files of a segment: flat arrays and one Arrow file, all memory-mapped. Readers see them by way of the segment's seal;
the functions here that map files are for the building of one.

========================  =======  ===========================================================================
``values.arrow``                   Arrow IPC, one batch, column ``value``: distinct raw texts of cells and column
                                   names, sorted by (trimmed lower case, raw). A value's id is its place.
``cell_offsets``          int32    per value, the start of its run in ``cell_columns``, and the end of the last (int64
                                   when they are too many)
``cell_columns``          uint32   columns with a cell of the value, ascending
``same``                  uint32   ids whose trimmed lower case equals that of the id before
``column_table``          uint32   per column, the number of its table; columns of a table are neighbours
``column_name``           uint32   per column, the id of its name
``column_named``          bool     per column, whether the source gave the name
``column_reading``        uint32   per column, the number of its reading in ``meta.json``
``column_distinct``       uint32   per column, its distinct values
``column_bytes``          uint64   two per column: which ASCII characters its folded cells have, as bits …
``name_bytes``            uint64   … and which its name has
``trigram_keys``          uint32   trigrams of the folded, marked texts, sorted (see ``retrieval.trigrams``)
``trigram_ends``          uint64   per trigram, the end of its bitmap in ``trigrams.bin``
``trigram_counts``        uint32   per trigram, the values that have it
``trigrams.bin``          bytes    roaring bitmaps of value ids, one after another
``number_keys``           float64  values read as numbers, sorted …
``number_values``         uint32   … their ids …
``number_readings``       uint32   … and the readings by which they are
``date_keys`` …                    the same for dates (digits ``yyyymmddhhmmss``) and booleans
========================  =======  ===========================================================================

``words`` is a folder of its own (see the module of that name). ``meta.json`` has the version and the readings,
``tables.txt`` the table ids in the order of their numbers.
"""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import DTypeLike

from tablehound.lake import Reading, SealedFolder, mapped, opening_segment
from tablehound.retrieval.arrays import Array
from tablehound.retrieval.patterns.by_value import SORTS
from tablehound.retrieval.sealed_arrays import SealedArray

if TYPE_CHECKING:
    import pyarrow as pa

VERSION = 3

DTYPES: dict[str, Any] = {
    "cell_columns": np.uint32,
    "same": np.uint32,
    "column_table": np.uint32,
    "column_name": np.uint32,
    "column_named": np.bool_,
    "column_reading": np.uint32,
    "column_distinct": np.uint32,
    "column_bytes": np.uint64,
    "name_bytes": np.uint64,
    "trigram_keys": np.uint32,
    "trigram_ends": np.uint64,
    "trigram_counts": np.uint32,
} | {
    f"{sort}_{part}": dtype
    for sort in SORTS
    for part, dtype in (("keys", np.float64), ("values", np.uint32), ("readings", np.uint32))
}


class ArrayFile:
    """A flat array that is written piece by piece."""

    def __init__(self, path: Path, dtype: DTypeLike) -> None:
        self._file: BinaryIO = path.open("wb")
        self._dtype = np.dtype(dtype)
        self.length = 0

    def append(self, array: Array) -> None:
        piece = np.ascontiguousarray(array, dtype=self._dtype)
        self._file.write(piece.data)
        self.length += len(piece)

    def close(self) -> None:
        self._file.close()


def write_array(folder: Path, name: str, array: Array) -> None:
    """Write one of ``DTYPES`` whole."""
    file = ArrayFile(folder / name, DTYPES[name])
    file.append(array)
    file.close()


def write_offsets(path: Path, counts: Array) -> None:
    """Write where runs of the given lengths start, and where the last ends, in 32 bits where they fit."""
    offsets = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=offsets[1:])
    (offsets.astype(np.int32) if offsets[-1] < 2**31 else offsets).tofile(path)


def map_offsets(path: Path, length: int) -> Array:
    """The offsets that :func:`write_offsets` wrote of so many runs, memory-mapped."""
    return map_array(path, np.int32 if path.stat().st_size == 4 * (length + 1) else np.int64)


def map_array(path: Path, dtype: DTypeLike) -> Array:
    """A flat array, memory-mapped."""
    return np.frombuffer(mapped(path), dtype)


def write_values(path: Path, ends: Array, data: Path) -> None:
    """Write ``values.arrow`` from a file of UTF-8 and the end of each text in it."""
    import pyarrow as pa

    size = int(ends[-1]) if len(ends) else 0
    large = size >= 2**31
    offsets = np.zeros(len(ends) + 1, np.int64 if large else np.int32)
    offsets[1:] = ends
    kind = pa.large_string() if large else pa.string()
    write_texts(path, pa.Array.from_buffers(kind, len(ends), [None, pa.py_buffer(offsets), mapped(data)]))


def write_texts(path: Path, texts: pa.Array) -> None:
    """Write ``values.arrow`` from an array of texts."""
    import pyarrow as pa

    batch = pa.record_batch([texts], names=["value"])
    with pa.OSFile(os.fsencode(path), "wb") as sink, pa.ipc.new_file(sink, batch.schema) as writer:
        writer.write_batch(batch)


def map_values(path: Path) -> pa.Array:
    """The texts of ``values.arrow``, memory-mapped."""
    import pyarrow as pa

    return pa.ipc.open_file(mapped(path)).get_batch(0).column(0)


def write_meta(folder: Path, table_ids: Sequence[str], readings: Sequence[Reading]) -> None:
    (folder / "tables.txt").write_text("\n".join(table_ids), encoding="utf-8")
    meta = {"version": VERSION, "readings": [dataclasses.asdict(reading) for reading in readings]}
    (folder / "meta.json").write_text(json.dumps(meta, ensure_ascii=False), encoding="utf-8")


def sealed_offsets(folder: SealedFolder, name: str, length: int) -> SealedArray:
    """The offsets of so many runs in a sealed segment."""
    file = folder.file(name)
    return SealedArray.flat(file, np.int32 if file.size == 4 * (length + 1) else np.int64)


def is_current(folder: Path) -> bool:
    """Whether a segment is of the format that this version reads.

    Raises:
        LakeDamagedError: it is not as it was written.
    """
    with opening_segment(folder):
        meta = json.loads(SealedFolder(folder).text("meta.json"))
    return isinstance(meta, dict) and meta.get("version") == VERSION


def read_meta(folder: SealedFolder) -> tuple[tuple[str, ...], tuple[Reading, ...]]:
    """Table ids and readings of a segment."""
    meta = json.loads(folder.text("meta.json"))
    readings = [Reading(**{**fields, "styles": tuple(fields["styles"]), "marks": ()}) for fields in meta["readings"]]
    return tuple(folder.text("tables.txt").split("\n")), tuple(readings)
