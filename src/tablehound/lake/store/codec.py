"""How tables lie in the catalogue: batches as Arrow IPC messages compressed with zstd, descriptions as JSON.

The schema of a batch follows from its width, so that only the message is kept: a small table costs a few hundred bytes.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import operator
from typing import TYPE_CHECKING, Any

from tablehound.lake.table import ROW, Column, Provenance, Reading, TableInfo

if TYPE_CHECKING:
    import pyarrow as pa
    import zstandard

_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_PLAIN = Reading()
_READING_FIELDS = tuple(f.name for f in dataclasses.fields(Reading))
_reading_values = operator.attrgetter(*_READING_FIELDS)
_PLAIN_VALUES = _reading_values(_PLAIN)
_PROVENANCE_FIELDS = ("source", "format", "member", "sheet", "region", "ordinal")


@functools.lru_cache(maxsize=256)
def schema(width: int) -> pa.Schema:
    """The schema of the cells of a table with so many columns."""
    import pyarrow as pa

    fields = [pa.field(f"c{i}", pa.string()) for i in range(width)]
    return pa.schema([*fields, pa.field(ROW, pa.int64())])


@functools.cache
def _compressor() -> zstandard.ZstdCompressor:
    import zstandard

    return zstandard.ZstdCompressor(level=3)


def encode_batch(batch: pa.RecordBatch) -> bytes:
    """One batch as bytes."""
    raw = batch.serialize()
    packed: bytes = _compressor().compress(raw)
    return packed if len(packed) < len(raw) else raw.to_pybytes()


def decode_batch(data: bytes, width: int) -> pa.RecordBatch:
    """The batch that ``encode_batch`` made bytes of."""
    import pyarrow as pa
    import zstandard

    if data.startswith(_ZSTD_MAGIC):
        data = zstandard.ZstdDecompressor().decompress(data)
    return pa.ipc.read_record_batch(pa.py_buffer(data), schema(width))


_json = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":")).encode


def encode_info(info: TableInfo) -> str:
    """A description as JSON, without what is kept in columns of its own (``id``, ``n_rows``) and without defaults."""
    columns: list[list[Any]] = []
    for column in info.columns:
        values = _reading_values(column.reading)
        changed = {}
        if values != _PLAIN_VALUES:
            for name, value, plain in zip(_READING_FIELDS, values, _PLAIN_VALUES, strict=True):
                if value != plain:
                    changed[name] = value
        original = None if column.original == column.name else column.original
        columns.append([column.name, original, column.path, int(column.inferred), changed])
    place = info.provenance
    data = {
        "columns": columns,
        "at": [getattr(place, name) for name in _PROVENANCE_FIELDS],
        "hash": info.content_hash,
    }
    if info.title is not None:
        data["title"] = info.title
    if info.notes:
        data["notes"] = info.notes
    if info.rollup_rows:
        data["rollup"] = info.rollup_rows
    return _json(data)


def decode_info(table_id: str, n_rows: int, text: str) -> TableInfo:
    """The description that ``encode_info`` made JSON of."""
    data = json.loads(text)
    columns = []
    for name, original, path, inferred, changed in data["columns"]:
        for key, value in changed.items():
            if type(value) is list:
                changed[key] = tuple(value)
        columns.append(
            Column(
                name=name,
                original=name if original is None else original,
                path=tuple(path),
                reading=Reading(**changed) if changed else _PLAIN,
                inferred=bool(inferred),
            )
        )
    return TableInfo(
        id=table_id,
        columns=tuple(columns),
        n_rows=n_rows,
        provenance=Provenance(*data["at"]),
        title=data.get("title"),
        notes=tuple(data.get("notes", ())),
        content_hash=data["hash"],
        rollup_rows=tuple(data.get("rollup", ())),
    )
