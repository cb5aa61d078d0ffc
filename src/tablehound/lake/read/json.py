"""JSON documents and JSON lines: arrays of records as tables, nested records as columns by path.

Texts of numbers, ``true`` and ``false`` are kept as written; ``null`` and a missing name are no cell; an array of plain
values stays in its cell as JSON. An array of records inside a record is a table of its own, with a key to its parent.
Read as tables are: arrays of records, objects of equal records (the name becomes the column ``key``), arrays of arrays,
columns of equal length (``{"a": [1, 2], "b": [3, 4]}``), ``columns`` with ``data``, documents after one another, and
one record a line.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from tablehound.errors import BrokenSourceError
from tablehound.lake.read.document_text import document_encoding, document_text
from tablehound.lake.read.draft import Account, SetAside, SourceFile, TableDraft
from tablehound.lake.read.encoding import Encoding, decode
from tablehound.lake.read.grid import grid_of_rows
from tablehound.lake.read.json_records import Numbered, Raw, plain_text, record_tables
from tablehound.lake.read.region_draft import draft_region
from tablehound.lake.read.regions import whole_region
from tablehound.lake.table import Provenance

_LINE_SUFFIXES = (".jsonl", ".ndjson", ".jsonlines")
_PROBE = 5


def read(source: SourceFile) -> Iterator[TableDraft]:
    """Read the tables of a document, or of a file with one record a line.

    Raises:
        BrokenSourceError: not JSON, nested too deep, or beyond a limit.
    """
    encoding = document_encoding(source)
    if _is_lines(source, encoding):
        yield from _read_lines(source, encoding)
        return
    text = document_text(source, remedy=", or use JSON lines").strip().lstrip("\ufeff")
    if not text:
        return
    documents = _documents(text, source)
    value = documents[0] if len(documents) == 1 else documents
    ordinal = 0
    for path, shape in _shapes(value, "", source.settings.max_nesting):
        for draft in shape(source, path, ordinal):
            yield draft
            ordinal += 1


def _loads(text: str) -> Any:
    return _DECODER.decode(text)


_DECODER = json.JSONDecoder(parse_float=Raw, parse_int=Raw, parse_constant=Raw)


def _documents(text: str, source: SourceFile) -> list[Any]:
    """One document, or several after one another."""
    documents = []
    at = 0
    try:
        while at < len(text):
            value, at = _DECODER.raw_decode(text, at)
            documents.append(value)
            while at < len(text) and text[at] in " \t\r\n,\x1e":
                at += 1
    except json.JSONDecodeError as error:
        raise BrokenSourceError(
            f"not JSON: {error.msg}", where=f"{source.name}, line {error.lineno}, column {error.colno}"
        ) from error
    except RecursionError as error:
        raise BrokenSourceError("nested too deep", where=source.name) from error
    return documents


# -- JSON lines --


def _is_lines(source: SourceFile, encoding: Encoding) -> bool:
    """One value a line: by its ending, or because the first lines are values by themselves."""
    if (source.member or source.path.name).lower().endswith(_LINE_SUFFIXES):
        return True
    found = 0
    for _, line in islice(_lines(source, encoding), _PROBE):
        try:
            value = _loads(line)
        except (json.JSONDecodeError, RecursionError):
            return False
        if not isinstance(value, dict | list):
            return False
        found += 1
    return found > 1


def _lines(source: SourceFile, encoding: Encoding) -> Iterator[tuple[int, str]]:
    """Lines that hold something, with their 1-based numbers."""
    if encoding.name.startswith(("utf-16", "utf-32")):
        lines: Iterator[str] = iter(decode(source.path.read_bytes(), encoding).split("\n"))
        for number, line in enumerate(lines, start=1):
            if line.strip():
                yield number, line
        return
    skip = encoding.mark
    bare = Encoding(encoding.name)
    with source.path.open("rb") as file:
        file.seek(skip)
        for number, data in enumerate(file, start=1):
            if not data.isspace():
                yield number, decode(data, bare)


def _read_lines(source: SourceFile, encoding: Encoding) -> Iterator[TableDraft]:
    bad: list[SetAside] = []
    total = 0

    def records() -> Iterator[Numbered]:
        for number, line in _lines(source, encoding):
            try:
                value = _loads(line)
            except (json.JSONDecodeError, RecursionError):
                continue
            yield number, value

    for number, line in _lines(source, encoding):
        total += 1
        try:
            _loads(line)
        except json.JSONDecodeError as error:
            bad.append(SetAside(number, f"not JSON: {error.msg}", line.strip()[:200]))
        except RecursionError:
            bad.append(SetAside(number, "nested too deep", line.strip()[:200]))
        if len(bad) == total == 100:
            break
    if bad and len(bad) == total:
        raise BrokenSourceError(bad[0].reason, where=f"{source.name}, line {bad[0].row}")
    first = next(records(), None)
    if first is None:
        return
    if isinstance(first[1], list):
        rows = [(number, value) for number, value in records() if isinstance(value, list)]
        others = [(number, value) for number, value in records() if not isinstance(value, list)]
        bad += [
            SetAside(number, "not an array like the first line", plain_text(value)[:200]) for number, value in others
        ]
        for draft in _array_table(source, "", 0, [value for _, value in rows], [number for number, _ in rows]):
            draft.account.seen += len(bad)
            draft.account.set_aside.extend(bad)
            yield draft
    else:
        yield from record_tables(source, records, "", 0, bad)


# -- shapes of a document --

_Shape = Callable[[SourceFile, str, int], Iterator[TableDraft]]


def _shapes(value: Any, path: str, levels: int) -> Iterator[tuple[str, _Shape]]:
    """The tables in a document: where they are, and how to read them."""
    if levels < 0:
        return
    if isinstance(value, list):
        if any(isinstance(item, dict) for item in value):
            yield path, _records_shape(list(enumerate(value, start=1)))
        elif value and all(isinstance(item, list) for item in value) and any(value):
            if all(any(isinstance(cell, dict) for cell in item) for item in value):
                for index, item in enumerate(value, start=1):
                    yield from _shapes(item, f"{path}[{index}]", levels - 1)
            else:
                yield path, lambda source, where, ordinal: _array_table(source, where, ordinal, value)
        elif value:
            yield path, _records_shape([(number, {"value": item}) for number, item in enumerate(value, start=1)])
    elif isinstance(value, dict) and value:
        yield from _object_shapes(value, path, levels)
    elif value is not None and not isinstance(value, dict) and value != "":
        yield path, _records_shape([(1, {"value": value})])


def _object_shapes(value: dict[str, Any], path: str, levels: int) -> Iterator[tuple[str, _Shape]]:
    split = _split_frame(value)
    if split is not None:
        yield path, lambda source, where, ordinal: _array_table(source, where, ordinal, split, header_rows=1)
    elif (columns := _columns(value)) is not None:
        yield path, _records_shape(list(enumerate(columns, start=1)))
    elif _is_keyed(value):
        records = [{"key": key, **record} if "key" not in record else record for key, record in value.items()]
        yield path, _records_shape(list(enumerate(records, start=1)))
    else:
        # The arrays of records inside are tables of their own; what is left is one record.
        rest: dict[str, Any] = {}
        tables: list[tuple[str, Any]] = []
        for name, item in value.items():
            if _holds_tables(item, levels - 1):
                tables.append((f"{path}.{name}" if path else name, item))
            elif item is not None and item not in ({}, []):
                rest[name] = item
        if rest or not tables:
            yield path, _records_shape([(1, rest or value)])
        for where, item in tables:
            yield from _shapes(item, where, levels - 1)


def _holds_tables(item: Any, levels: int) -> bool:
    """Whether a member of an object is or contains rows rather than a plain value."""
    if levels < 0:
        return False
    if isinstance(item, list):
        return any(isinstance(each, dict) for each in item) or (
            len(item) > 1 and all(isinstance(each, list) and each for each in item)
        )
    if not isinstance(item, dict) or not item:
        return False
    return (
        _split_frame(item) is not None
        or _columns(item) is not None
        or _is_keyed(item)
        or any(_holds_tables(each, levels - 1) for each in item.values())
    )


def _split_frame(value: dict[str, Any]) -> list[list[Any]] | None:
    """``{"columns": [...], "data": [[...], ...]}`` and its relatives: header and rows."""
    for names, rows in (("columns", "data"), ("columns", "rows"), ("header", "rows"), ("headers", "rows"),
                        ("fields", "data"), ("header", "data"), ("headers", "data")):  # fmt: skip
        head, body = value.get(names), value.get(rows)
        if isinstance(head, list) and isinstance(body, list) and head and body:
            labels = [each.get("name", each.get("title")) if isinstance(each, dict) else each for each in head]
            if all(isinstance(label, str) for label in labels) and all(
                isinstance(row, list) and len(row) == len(head) for row in body
            ):
                return [labels, *body]
    return None


def _columns(value: dict[str, Any]) -> list[dict[str, Any]] | None:
    """Columns of plain values of one length, or by row number as pandas writes them, as records."""
    lists = list(value.values())
    if len(lists) > 1 and all(isinstance(each, list) and len(each) > 1 for each in lists):
        if len({len(each) for each in lists}) == 1 and not any(
            isinstance(x, dict | list) for each in lists for x in each
        ):
            return [dict(zip(value, row, strict=True)) for row in zip(*lists, strict=True)]
        return None
    if lists and all(isinstance(each, dict) and each for each in lists):
        numbers = list(lists[0])
        counted = numbers == [str(index) for index in range(len(numbers))]
        if counted and all(list(each) == numbers for each in lists):
            cells = [x for each in lists for x in each.values()]
            if not any(isinstance(x, dict | list) for x in cells):
                return [{name: each[number] for name, each in value.items()} for number in numbers]
    return None


def _is_keyed(value: dict[str, Any]) -> bool:
    """Several records of mostly the same names, each under a name of its own."""
    records = list(value.values())
    if len(records) < 2 or not all(isinstance(each, dict) and each for each in records):
        return False
    names = [set(each) for each in records]
    shared = set.intersection(*names)
    return bool(shared) and 2 * len(shared) >= max(map(len, names))


def _records_shape(records: list[Numbered]) -> _Shape:
    return lambda source, path, ordinal: record_tables(source, lambda: iter(records), path, ordinal)


def _array_table(
    source: SourceFile,
    path: str,
    ordinal: int,
    rows: list[list[Any]],
    numbers: list[int] | None = None,
    header_rows: int | None = None,
) -> Iterator[TableDraft]:
    """A table of arrays; its first row is a header if it looks like one."""
    cut = source.settings.max_cell_chars
    texts = [[None if cell is None else plain_text(cell)[:cut] for cell in row] for row in rows]
    grid = grid_of_rows(texts)
    if grid.n_columns > source.settings.max_columns:
        raise BrokenSourceError(f"an array has {grid.n_columns} columns", where=source.name)
    grid.row_numbers = numbers
    provenance = Provenance(source.name, "json", source.member, sheet=path or None, ordinal=ordinal)
    draft = draft_region(grid, whole_region(grid, header_rows), provenance, batch_rows=source.settings.batch_rows)
    if draft is not None:
        yield draft


__all__ = ["Account", "read"]
