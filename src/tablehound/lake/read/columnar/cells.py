"""The raw text of typed values: of Arrow arrays, and of single values of databases and documents."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tablehound.lake.read.batches import numbered

if TYPE_CHECKING:
    import pyarrow as pa

_TRAILING_ZEROS = r"\.0+(Z?)$"


def flat_columns(schema: pa.Schema) -> tuple[tuple[str, ...], ...]:
    """Header levels of a schema: structs become one column per leaf, with the path as levels."""
    return tuple(path for field in schema for path in _paths(field, ()))


def _paths(field: pa.Field, above: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    import pyarrow as pa

    path = (*above, field.name) if field.name else above
    if pa.types.is_struct(field.type) and field.type.num_fields:
        for child in field.type:
            yield from _paths(child, path)
    else:
        yield path


def number_columns(schema: pa.Schema) -> frozenset[int]:
    """Places of the leaf columns that are numbers."""
    import pyarrow as pa

    leaves = [leaf for field in schema for leaf in _leaf_types(field)]
    types = pa.types
    return frozenset(
        place
        for place, kind in enumerate(leaves)
        if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind)
    )


def _leaf_types(field: pa.Field) -> Iterator[pa.DataType]:
    import pyarrow as pa

    if pa.types.is_struct(field.type) and field.type.num_fields:
        for child in field.type:
            yield from _leaf_types(child)
    else:
        yield field.type


def text_batch(batch: pa.RecordBatch, first_row: int) -> pa.RecordBatch:
    """The batch with every leaf column as text, and a column ``row`` that counts from ``first_row``."""
    arrays = [as_text(leaf) for column in batch.columns for leaf in _leaves(column)]
    return numbered(arrays, batch.num_rows, first_row)


def _leaves(array: pa.Array) -> Iterator[pa.Array]:
    import pyarrow as pa

    if isinstance(array, pa.ExtensionArray):
        array = array.storage
    if pa.types.is_struct(array.type) and array.type.num_fields:
        for child in array.flatten():
            yield from _leaves(child)
    else:
        yield array


def as_text(array: pa.Array) -> pa.Array:
    """An array of any type as text; null stays null. Lists and maps become JSON."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = array.type
    types = pa.types
    if types.is_string(kind):
        return array
    if isinstance(array, pa.DictionaryArray):
        return as_text(array.dictionary_decode())
    if types.is_large_string(kind) or types.is_string_view(kind) or types.is_boolean(kind) or types.is_integer(kind):
        return array.cast(pa.string())
    if types.is_float16(kind):
        return as_text(array.cast(pa.float32()))
    if types.is_temporal(kind) and not types.is_duration(kind) and not types.is_interval(kind):
        text = array.cast(pa.string())
        return text if types.is_date(kind) else pc.replace_substring_regex(text, _TRAILING_ZEROS, r"\1")
    if types.is_null(kind):
        return pa.nulls(len(array), pa.string())
    if types.is_floating(kind) or types.is_decimal(kind):
        return array.cast(pa.string())
    return pa.array([None if value is None else python_text(value) for value in array.to_pylist()], pa.string())


def python_text(value: Any) -> str:
    """A value of a database or a document as text: as it would be typed, bytes as text or hexadecimal digits."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes_text(bytes(value))
    if isinstance(value, (list, dict, tuple, set)):
        return json.dumps(value, ensure_ascii=False, default=python_text)
    return str(value)


def bytes_text(data: bytes) -> str:
    """Bytes that are UTF-8 without control characters as that text, others as ``0x`` and hexadecimal digits."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return "0x" + data.hex()
    return text if text.isprintable() else "0x" + data.hex()
