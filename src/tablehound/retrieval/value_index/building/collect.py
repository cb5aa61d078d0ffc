"""First stage of a build: cells to (distinct text, column) pairs, spilled chunk by chunk in ranges of text.

Memory is bounded by the chunk; what is spilled has each text once a chunk.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from tablehound.lake.table import Reading, TableInfo
from tablehound.retrieval.arrays import Array, as_arrow, in_order, text_array

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

CHUNK_CELLS = 2_000_000
CHUNK_BYTES = 256 * 2**20
PARTS = 16
"""Ranges of text that are sorted one at a time."""
NAME = np.uint32(1 << 31)
"""Bit of a column number: the text is the column's name, not a cell."""


@dataclass(slots=True)
class Columns:
    """What is known of each column, in the order of their numbers."""

    table: list[int] = field(default_factory=list)
    named: list[bool] = field(default_factory=list)
    reading: list[int] = field(default_factory=list)
    readings: dict[Reading, int] = field(default_factory=dict)

    def add(self, table: int, *, named: bool, reading: Reading) -> int:
        """Take a column; returns its number."""
        self.table.append(table)
        self.named.append(named)
        self.reading.append(self.readings.setdefault(_bare(reading), len(self.readings)))
        return len(self.table) - 1


def _bare(reading: Reading) -> Reading:
    """The reading without what does not decide how a text reads."""
    if reading.kind in ("text", "empty"):
        return Reading()
    return replace(reading, ambiguous=False, confidence=1.0, exceptions=0, note="", marks=())


def sort_keys(texts: pl.Series) -> pl.Series:
    """What texts are sorted and joined by: trimmed lower case."""
    import polars as pl

    key = pl.col("text").str.strip_chars().str.to_lowercase()
    return texts.alias("text").to_frame().select(key).to_series()


@dataclass(frozen=True, slots=True)
class Chunk:
    """A spilled chunk: per range of text an Arrow batch of distinct texts, and their pairs."""

    texts: Path
    pairs: Path
    """uint64, ``place of the text in the chunk << 32 | column``, sorted."""
    starts: tuple[int, ...]
    """Place of each range's first text; one more at the end."""


class Spill:
    """Writes chunks into a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._splits: Array | None = None
        self.chunks: list[Chunk] = []

    def add(self, texts: pa.Array, pairs: Array) -> None:
        """Spill distinct texts and the pairs of their places and columns (in any order)."""
        import polars as pl
        import pyarrow as pa

        heads = _heads(sort_keys(pl.Series("", texts)).to_arrow())
        if self._splits is None:
            step = max(1, len(heads) // PARTS)
            self._splits = np.unique(np.sort(heads)[step::step])
        part = np.searchsorted(self._splits, heads, side="right").astype(np.uint8)
        order = np.argsort(part, kind="stable")
        place = np.empty(len(order), np.uint64)
        place[order] = np.arange(len(order), dtype=np.uint64)
        starts = np.searchsorted(part[order], np.arange(len(self._splits) + 2))
        moved = (place[(pairs >> np.uint64(32)).astype(np.int64)] << np.uint64(32)) | (pairs & np.uint64(0xFFFFFFFF))
        moved = in_order(moved)
        name = f"chunk-{len(self.chunks):05d}"
        path = self._folder / f"{name}.arrow"
        ordered = texts.take(as_arrow(order))
        schema = pa.schema([("value", texts.type)])
        with pa.OSFile(os.fsencode(path), "wb") as sink, pa.ipc.new_file(sink, schema) as writer:
            for start, end in pairwise(starts.tolist()):
                writer.write_batch(pa.record_batch([ordered.slice(start, end - start)], schema=schema))
        moved.tofile(self._folder / f"{name}.pairs")
        self.chunks.append(Chunk(path, self._folder / f"{name}.pairs", tuple(starts.tolist())))


def _heads(keys: pa.Array) -> Array:
    """The first eight bytes of each text as a number, in the order of the texts."""
    import pyarrow as pa

    keys = keys.cast(pa.large_string())
    _, offset_buffer, data = keys.buffers()
    offsets = np.frombuffer(offset_buffer, np.int64)[keys.offset : keys.offset + len(keys) + 1]
    raw = np.frombuffer(data, np.uint8) if data is not None and data.size else np.zeros(1, np.uint8)
    begin, lengths = offsets[:-1], np.diff(offsets)
    heads = np.zeros(len(keys), np.uint64)
    for i in range(8):
        byte = np.where(lengths > i, raw[np.minimum(begin + i, len(raw) - 1)], 0).astype(np.uint64)
        heads |= byte << np.uint64(56 - 8 * i)
    return heads


class Collector:
    """Takes tables one by one and spills their cells; one chunk is worked on while the next is read."""

    def __init__(self, spill: Spill, columns: Columns) -> None:
        self._spill = spill
        self._columns = columns
        self._texts: list[pa.Array] = []
        self._numbers: list[tuple[int, int]] = []
        self._cells = 0
        self._bytes = 0
        self._worker = ThreadPoolExecutor(1)
        self._pending: Future[None] | None = None

    def add(self, number: int, info: TableInfo, batches: Iterable[pa.RecordBatch]) -> None:
        """Take a table of a number."""
        first = len(self._columns.table)
        for column in info.columns:
            taken = self._columns.add(number, named=not column.inferred, reading=column.reading)
            self._numbers.append((taken | int(NAME), 1))
        if info.columns:
            self._take(text_array(info.header), None)
        for batch in batches:
            for index in range(len(info.columns)):
                self._take(batch.column(index), first + index)

    def _take(self, texts: pa.Array, column: int | None) -> None:
        if len(texts):
            self._texts.append(texts)
            self._cells += len(texts)
            self._bytes += texts.nbytes
            if column is not None:
                self._numbers.append((column, len(texts)))
            if self._cells >= CHUNK_CELLS or self._bytes >= CHUNK_BYTES:
                self.flush()

    def flush(self) -> None:
        """Spill what was taken so far, in the background."""
        self._wait()
        if self._texts:
            self._pending = self._worker.submit(self._work, self._texts, self._numbers)
        self._texts, self._numbers, self._cells, self._bytes = [], [], 0, 0

    def finish(self) -> None:
        """Spill the rest."""
        self.flush()
        self._wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._worker.shutdown()

    def _wait(self) -> None:
        if self._pending is not None:
            self._pending.result()
            self._pending = None

    def _work(self, parts: list[Any], numbers: list[tuple[int, int]]) -> None:
        import polars as pl
        import pyarrow as pa

        coded = pa.concat_arrays(parts).dictionary_encode()
        owners = np.array(numbers, np.int64)
        columns = np.repeat(owners[:, 0], owners[:, 1]).astype(np.uint64)
        codes = pl.Series("", coded.indices).fill_null(-1).to_numpy()
        if coded.null_count:
            columns, codes = columns[codes >= 0], codes[codes >= 0]
        self._spill.add(coded.dictionary, (codes.astype(np.uint64) << np.uint64(32)) | columns)
