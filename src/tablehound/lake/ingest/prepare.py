"""From a draft that a reader hands over to what the catalogue stores: names, readings, hashes, blobs, report."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeAlias

import xxhash

from tablehound.errors import BrokenSourceError, LossRefusedError
from tablehound.lake.ingest.column_names import distinct_names, make_column
from tablehound.lake.ingest.pins import Pins
from tablehound.lake.read.batches import Batch, texts_by_column
from tablehound.lake.read.contract import SourceFile, TableDraft
from tablehound.lake.store.codec import encode_batch, encode_info, schema
from tablehound.lake.store.report import HARMLESS, TableReport, table_report
from tablehound.lake.table import Provenance, Reading, TableInfo
from tablehound.settings import ReadSettings

if TYPE_CHECKING:
    import pyarrow as pa

    from tablehound.lake.values import ReadingBuilder
    from tablehound.lake.values.numbers.column import Convention

_Rows: TypeAlias = "tuple[pa.RecordBatch, Sequence[Sequence[str | None]] | None]"
"""Rows to store; few ones with their texts by column, for what is quicker to find out from lists."""
NATIVE = frozenset(
    {"xlsx", "xlsm", "xls", "xlsb", "ods", "json", "ndjson", "jsonl", "parquet", "arrow", "feather", "sqlite", "duckdb"}
)
"""Formats with numbers of their own, which are written without any separator but a decimal point."""
_BASE32 = "abcdefghijklmnopqrstuvwxyz234567"
_FEW_ROWS = 1_000
HELD_BYTES = 8 * 2**20
"""More than this of one table is handed over before its end."""
MAX_CHUNK_BYTES = 32 * 2**20
"""A chunk with more bytes of text is split, so that no blob comes near SQLite's limit."""


@dataclass(slots=True)
class StoredTable:
    """A table as it goes into the catalogue."""

    ordinal: int
    """Which table of its unit, failed ones counted."""
    id: str
    n_rows: int
    info: str
    chunks: list[tuple[int, bytes]] = field(default_factory=list)
    """Rows and bytes of each; of a large table, those that were not handed over before."""


class Sink(Protocol):
    """Takes what a worker cannot hold until a source is read to its end."""

    def chunks(self, ordinal: int, chunks: list[tuple[int, bytes]]) -> None:
        """The next chunks of a table."""
        ...

    def beat(self) -> None:
        """Called with every batch: the source is being read, it does not hang."""
        ...


def store_table(
    draft: TableDraft, source: SourceFile, ordinal: int, sink: Sink, settings: ReadSettings | None = None
) -> tuple[StoredTable, TableReport]:
    """Consume a draft.

    Args:
        settings: limits, where they are other than those that its reader was told.

    Raises:
        BrokenSourceError: too wide, or batches that do not fit the header.
        LossRefusedError: rows set aside, or cells that are too long, in strict mode.
    """
    from tablehound.lake.values import ReadingBuilder

    limits = settings or source.settings
    draft.escape_words()
    names = distinct_names(draft.header)
    where = draft.provenance.label()
    if len(names) > limits.max_columns:
        raise BrokenSourceError(
            f"a table of {len(names)} columns; the limit is {limits.max_columns}",
            where=where,
            remedy="raise read.max_columns",
        )
    hashes = _ContentHash(draft.header)
    builders = [ReadingBuilder(name, native=index in draft.number_columns) for index, name in enumerate(names)]
    pins = Pins(source.overrides, len(names))
    chunks: list[tuple[int, bytes]] = []
    n_rows = held = cut = 0
    for batch, columns in _even(draft.stored_batches(), len(names), limits.batch_rows, where):
        if batch.get_total_buffer_size() > limits.max_cell_chars:
            batch, n_long = cut_long(batch, limits.max_cell_chars)
            if n_long:
                if limits.strict:
                    raise _cells_too_long(n_long, limits.max_cell_chars, where)
                cut += n_long
                columns = None
        for index, builder in enumerate(builders):
            if pins:
                pins.add(index, batch.column(index) if columns is None else columns[index])
            if columns is None:
                builder.add(batch.column(index))
            else:
                builder.add(columns[index])
                if hashes.add_ascii(index, columns[index]):
                    continue
            hashes.add(index, batch.column(index))
        data = encode_batch(batch)
        chunks.append((batch.num_rows, data))
        n_rows += batch.num_rows
        held += len(data)
        if held > HELD_BYTES:
            sink.chunks(ordinal, chunks)
            chunks, held = [], 0
        sink.beat()
    if cut:
        draft.account.repairs.append(f"{cut} cells cut to {limits.max_cell_chars} characters")
    readings, doubts = _readings(names, builders, pins, native=draft.provenance.format in NATIVE)
    content_hash = hashes.finish()
    info = TableInfo(
        id=_table_id(draft.provenance, content_hash),
        columns=tuple(
            make_column(bands, name, reading)
            for bands, name, reading in zip(draft.header, names, readings, strict=True)
        ),
        n_rows=n_rows,
        provenance=draft.provenance,
        title=draft.title,
        notes=draft.notes,
        content_hash=content_hash,
        rollup_rows=tuple(draft.rollup_rows),
    )
    draft.account.ambiguities += doubts
    wanted, given = source.overrides.header_rows or 0, len(draft.account.header_rows)
    if 0 < given < wanted:
        draft.account.ambiguities.append(f"{wanted} header rows are pinned, but there are only {given} rows for it")
    report = table_report(info.id, where, n_rows, info.header, draft.account, limits.max_listed_rows)
    if limits.strict:
        _refuse_loss(draft, where)
    return StoredTable(ordinal, info.id, n_rows, encode_info(info), chunks), report


def _readings(
    names: Sequence[str], builders: Sequence[ReadingBuilder], pins: Pins, *, native: bool
) -> tuple[list[Reading], list[str]]:
    """The reading of each column, and which of them might be read otherwise. ``native`` numbers are written by the
    reader of the source, with a decimal point."""
    readings, doubts = [], []
    convention: Convention = "native" if native else _convention(builders)
    found = [builder.finish(convention) for builder in builders]
    if any("clock" in reading.marks for reading in found):
        _by_siblings(builders, found, convention)
    for index, (name, reading) in enumerate(zip(names, found, strict=True)):
        said = ""
        if pins:
            reading, said = pins.reading(index, reading)
        if not said and reading.ambiguous:
            said = reading.note or "other readings fit as well"
        if said:
            doubts.append(f"column {name!r}: {said}")
        readings.append(reading)
    return readings, doubts


def _by_siblings(builders: Sequence[ReadingBuilder], readings: list[Reading], convention: Convention) -> None:
    """Read clock readings that are times of day or durations as those of the table's other columns are."""
    from tablehound.lake.values.styles import CLOCK

    times = any(reading.kind == "time" for reading in readings)
    durations = any(reading.kind == "number" and CLOCK in reading.styles for reading in readings)
    if times == durations:
        return
    for index, reading in enumerate(readings):
        if "clock" in reading.marks:
            readings[index] = builders[index].finish(convention, "times" if times else "durations")


def _convention(builders: Sequence[ReadingBuilder]) -> Convention:
    """The decimal separator that the columns of a table show; empty where none or both of them do."""
    shown = [builder.separators() for builder in builders]
    points, commas = sum(points for points, _ in shown), sum(commas for _, commas in shown)
    return "" if bool(points) == bool(commas) else "." if points else ","


def cut_long(batch: pa.RecordBatch, limit: int) -> tuple[pa.RecordBatch, int]:
    """The batch with cells of at most ``limit`` characters, and how many were longer."""
    import pyarrow as pa
    import pyarrow.compute as pc

    arrays, cut = list(batch.columns), 0
    for index, array in enumerate(arrays[:-1]):
        if len(array) == 0 or (pc.max(pc.binary_length(array)).as_py() or 0) <= limit:
            continue
        long = pc.sum(pc.greater(pc.utf8_length(array), limit)).as_py() or 0
        if long:
            arrays[index] = pc.utf8_slice_codeunits(array, 0, limit)
            cut += long
    return (pa.RecordBatch.from_arrays(arrays, schema=batch.schema), cut) if cut else (batch, 0)


def _cells_too_long(n_cells: int, limit: int, where: str) -> LossRefusedError:
    return LossRefusedError(
        f"{n_cells} cells are longer than {limit} characters and would be cut",
        where=where,
        remedy="raise read.max_cell_chars, or index without strict",
    )


def _refuse_loss(draft: TableDraft, where: str) -> None:
    lost = [item for item in draft.account.set_aside if item.reason not in HARMLESS]
    if lost:
        first = lost[0]
        raise LossRefusedError(
            f"{len(lost)} rows do not fit, the first is row {first.row}: {first.reason}",
            where=where,
            remedy="repair the file, pin its dialect in tablehound.toml, or index without strict",
        )


def _table_id(place: Provenance, content_hash: str) -> str:
    parts = (place.source, place.member, place.sheet, place.region, str(place.ordinal), content_hash)
    digest = xxhash.xxh3_128_digest("\0".join("" if part is None else f"={part}" for part in parts).encode())
    number = int.from_bytes(digest[:8], "big")
    # Twelve characters of base 32; base64.b32encode takes many times as long.
    return "t" + "".join(_BASE32[number >> shift & 31] for shift in range(59, 3, -5))


class _ContentHash:
    """Hash of header and cells: of the texts alone, not of how Arrow lays them out or how they were batched."""

    def __init__(self, header: Sequence[Sequence[str]]) -> None:
        self._head = xxhash.xxh3_128("\0".join("\1".join(bands) for bands in header).encode())
        self._columns = [(xxhash.xxh3_128(), xxhash.xxh3_128()) for _ in header]

    def add(self, index: int, array: pa.StringArray) -> None:
        import numpy as np

        lengths_hash, bytes_hash = self._columns[index]
        n = len(array)
        if n == 0:
            return
        _, offsets_buffer, data = array.buffers()
        offsets = np.frombuffer(offsets_buffer, np.int32, n + 1, array.offset * 4)
        lengths = offsets[1:] - offsets[:-1]
        start, end = int(offsets[0]), int(offsets[-1])
        if array.null_count:
            missing = array.is_null().to_numpy(zero_copy_only=False)
            if lengths[missing].any():
                # Null slots may cover leftover bytes; an empty text in their place covers none.
                self._add_bytes(bytes_hash, array)
                data = None
            lengths[missing] = -1
        lengths_hash.update(lengths.astype("<i4", copy=False).data)
        if data is not None and end > start:
            bytes_hash.update(memoryview(data)[start:end])

    def add_ascii(self, index: int, texts: Sequence[str | None]) -> bool:
        """The same for a few texts of ASCII without gaps, as most are, in half the time; False for others."""
        try:
            joined = "".join(texts)  # type: ignore[arg-type]
        except TypeError:
            return False
        if not joined.isascii():
            return False
        lengths_hash, bytes_hash = self._columns[index]
        lengths_hash.update(struct.pack(f"<{len(texts)}i", *map(len, texts)))  # type: ignore[arg-type]
        bytes_hash.update(joined.encode())
        return True

    @staticmethod
    def _add_bytes(bytes_hash: xxhash.xxh3_128, array: pa.StringArray) -> None:
        for text in array.drop_null():
            bytes_hash.update(text.as_buffer())

    def finish(self) -> str:
        for lengths_hash, bytes_hash in self._columns:
            self._head.update(lengths_hash.digest())
            self._head.update(bytes_hash.digest())
        return self._head.hexdigest()


def _even(batches: Iterable[tuple[pa.RecordBatch, Batch]], width: int, max_rows: int, where: str) -> Iterator[_Rows]:
    """Batches of the right schema, none much larger or needlessly smaller than a chunk should be."""
    import pyarrow as pa

    target = schema(width)
    pending: list[tuple[pa.RecordBatch, Batch]] = []
    rows = size = 0
    for made, batch in batches:
        arrow = _fit(made, target, where)
        for part in _split(arrow, max_rows):
            part_size = part.nbytes if part.num_rows > _FEW_ROWS else part.get_total_buffer_size()
            if pending and (rows + part.num_rows > max_rows or size + part_size > MAX_CHUNK_BYTES):
                yield _join(pending)
                pending, rows, size = [], 0, 0
            pending.append((part, batch if part is arrow else part))
            rows += part.num_rows
            size += part_size
    if pending:
        yield _join(pending)
    elif width == 0:
        yield pa.RecordBatch.from_arrays([pa.array([], pa.int64())], schema=target), None


def _join(parts: list[tuple[pa.RecordBatch, Batch]]) -> _Rows:
    import pyarrow as pa

    if len(parts) > 1:
        batch = pa.concat_batches([part for part, _ in parts])
        origin: Batch = batch
    else:
        batch, origin = parts[0]
    return batch, texts_by_column(origin) if batch.num_rows <= _FEW_ROWS else None


def _split(batch: pa.RecordBatch, max_rows: int) -> Iterator[pa.RecordBatch]:
    if batch.num_rows == 0:
        return
    # The total of buffers is quick to have and never less than what a slice covers of them.
    large = batch.get_total_buffer_size() > MAX_CHUNK_BYTES and batch.nbytes > MAX_CHUNK_BYTES
    if batch.num_rows > max_rows or (batch.num_rows > 1 and large):
        half = batch.num_rows // 2
        yield from _split(batch.slice(0, half), max_rows)
        yield from _split(batch.slice(half), max_rows)
    else:
        yield batch


def _fit(batch: pa.RecordBatch, target: pa.Schema, where: str) -> pa.RecordBatch:
    if batch.schema.equals(target):
        return batch
    if batch.num_columns != len(target):
        raise BrokenSourceError(
            f"the reader gave {batch.num_columns - 1} columns for a header of {len(target) - 1}", where=where
        )
    return batch.rename_columns(target.names).cast(target)
