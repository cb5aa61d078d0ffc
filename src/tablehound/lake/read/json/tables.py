"""The tables in a JSON document: where they are, and how each is written.

Read as tables are: arrays of records, objects of equal records (the name becomes the column ``key``), pairs of a name
and a record, arrays of arrays, columns of equal length (``{"a": [1, 2], "b": [3, 4]}``), and ``columns`` with ``data``
(with the ``index`` that pandas writes). What is beside a table in its object is a record of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from tablehound.errors import BrokenSourceError
from tablehound.lake.read.contract import SetAside, SourceFile, TableDraft
from tablehound.lake.read.json.flatten import Records, numbered, record_tables
from tablehound.lake.read.json.parser import Raw, free_name, plain_text
from tablehound.lake.read.layout.assemble import draft_region
from tablehound.lake.read.layout.grid import grid_of_rows
from tablehound.lake.read.layout.regions import whole_region
from tablehound.lake.table import Provenance

Shape = Callable[[SourceFile, str, int], Iterator[TableDraft]]
"""Reads the tables of a place in a document, given the path of the place and the number of the first table."""
Found = Iterator[tuple[str, Shape]]
SHARED_ONE_IN = 2
"""Records belong to one table if they share one in so many names of the longest. By hand."""
_NAMES = ("columns", "header", "headers", "fields", "cols", "column_names", "columnNames")
_ROWS = ("data", "rows", "values", "records")
_TITLES = ("title", "caption", "name")


def shapes(value: Any, path: str = "") -> Found:
    """The tables in a document, each with its path."""
    if isinstance(value, list):
        yield from _list_shapes(value, path)
    elif isinstance(value, dict):
        if value:
            yield from _object_shapes(value, path)
    elif value is not None and value != "":
        yield path, _records([{"value": value}])


def _list_shapes(value: list[Any], path: str) -> Found:
    if (pairs := _pairs(value)) is not None:
        yield path, _records(pairs)
    elif any(isinstance(item, dict) for item in value):
        tables = {number: item for number, item in enumerate(value, 1) if isinstance(item, list) and _holds_table(item)}
        rest = [(number, item, None) for number, item in enumerate(value, 1) if number not in tables]
        yield path, _shape_of(Records(rest))
        yield from _arrays_of_records(tables, path, f"{path}[]")
    elif value and all(isinstance(item, list) for item in value) and any(value):
        if all(any(isinstance(cell, dict) for cell in item) for item in value):
            yield from _arrays_of_records(dict(enumerate(value, start=1)), path, path)
        else:
            yield path, lambda source, where, ordinal: rows_table(source, where, ordinal, value)
    elif value:
        yield path, _records([{"value": item} for item in value])


def _arrays_of_records(tables: dict[int, list[Any]], path: str, joined_path: str) -> Found:
    """Several arrays of equal records are one table, in which a row has the number of its array."""
    if len(tables) > 1 and is_alike(tables.values()):
        rows = [(number, record, None) for number, items in tables.items() for record in items]
        yield joined_path, _shape_of(Records(rows))
    else:
        for number, items in tables.items():
            yield from shapes(items, f"{path}[{number}]")


def is_alike(arrays: Any) -> bool:
    """Whether arrays are of records that share more than half of their names, as the pages of one listing do."""
    names: list[set[str]] = []
    for items in arrays:
        if not items or not all(isinstance(item, dict) for item in items):
            return False
        names.append(set().union(*items))
    shared = set.intersection(*names)
    return SHARED_ONE_IN * len(shared) > max(map(len, names))


def _pairs(value: list[Any]) -> list[dict[str, Any]] | None:
    """Arrays of one length that have a record, or an array of records, at one place and plain values at the others."""
    if not value or not isinstance(value[0], list) or len(value[0]) < 2:
        return None
    width = len(value[0])
    if not all(isinstance(item, list) and len(item) == width for item in value):
        return None
    places = [place for place in range(width) if any(isinstance(item[place], dict | list) for item in value)]
    if len(places) != 1:
        return None
    (at,) = places
    inner = [item[at] for item in value]
    arrays = [each for each in inner if isinstance(each, list)]
    if not all(each is None or isinstance(each, dict | list) for each in inner) or not any(inner):
        return None
    if not all(isinstance(record, dict) for each in arrays for record in each):
        return None
    records = [{} if each is None else {"items": each} if isinstance(each, list) else each for each in inner]
    taken = set().union(*records)
    names = ["key"] if width == 2 else [f"column {place + 1}" for place in range(width) if place != at]
    names = [free_name(name, taken) for name in names]
    return [
        {**dict(zip(names, item[:at] + item[at + 1 :], strict=True)), **record}
        for item, record in zip(value, records, strict=True)
    ]


def _object_shapes(value: dict[str, Any], path: str) -> Found:
    split = _split(value)
    if split is not None:
        inside = ""
        if split.rest:
            yield from _member_shapes(split.rest, path)
            inside = f"{path}.{split.name}" if path else split.name
        yield inside or path, _split_shape(split)
    elif (columns := _columns(value)) is not None:
        yield path, _records(columns)
    elif _is_keyed(value):
        yield path, _records(_keyed(value))
    else:
        yield from _member_shapes(value, path)


def _member_shapes(value: dict[str, Any], path: str) -> Found:
    """The arrays of records inside are tables of their own; what is left is one record."""
    rest: dict[str, Any] = {}
    tables: list[tuple[str, Any]] = []
    for name, item in value.items():
        if _holds_table(item):
            tables.append((f"{path}.{name}" if path else name, item))
        elif item is not None and item not in ({}, []):
            rest[name] = item
    if rest or not tables:
        yield path, _records([rest or value])
    for where, item in tables:
        yield from shapes(item, where)


def _holds_table(item: Any) -> bool:
    """Whether a member of an object is or contains rows rather than a plain value."""
    if isinstance(item, list):
        return any(isinstance(each, dict) for each in item) or (
            len(item) > 1 and all(isinstance(each, list) and each for each in item)
        )
    if not isinstance(item, dict) or not item:
        return False
    return (
        _split(item) is not None
        or _columns(item) is not None
        or _is_keyed(item)
        or any(map(_holds_table, item.values()))
    )


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
    return bool(shared) and SHARED_ONE_IN * len(shared) >= max(map(len, names))


def _keyed(value: dict[str, Any]) -> list[dict[str, Any]]:
    """Records under names of their own, with the name as a column if they do not have it themselves."""
    if all(record.get("key") == key for key, record in value.items()):
        return list(value.values())
    name = free_name("key", set().union(*value.values()))
    return [{name: key, **record} for key, record in value.items()]


# -- names and rows apart: ``{"columns": [...], "index": [...], "data": [[...], ...]}`` --


@dataclass(frozen=True, slots=True)
class _SplitTable:
    """Header levels and rows of a table whose names and rows are apart, and what is beside them."""

    name: str
    """Of the member with the rows."""
    rows: list[list[Any]]
    header_rows: int
    rest: dict[str, Any]
    """Members of the object that are no part of the table."""
    title: str | None
    repairs: tuple[str, ...]


def _split(value: dict[str, Any]) -> _SplitTable | None:
    """The table of an object with column names and rows, or None for any other object."""
    for names, rows in product(_NAMES, _ROWS):
        head, body = value.get(names), value.get(rows)
        if not (isinstance(head, list) and isinstance(body, list) and head and body):
            continue
        if not all(isinstance(row, list) and len(row) == len(head) for row in body):
            continue
        levels = _levels(head)
        if levels is not None:
            return _split_table(value, names, rows, levels)
    return None


def _levels(head: list[Any]) -> list[list[str | None]] | None:
    """Rows of the header: one for plain names or descriptions of columns, several for names of several levels."""
    if all(isinstance(each, dict) for each in head):
        head = [next((each[key] for key in ("name", "title", "label", "id") if key in each), None) for each in head]
    names = _labels(head)
    if names is None or all(label is None for each in names for label in each):
        return None
    return [[None if label is None else plain_text(label) for label in level] for level in zip(*names, strict=True)]


def _split_table(value: dict[str, Any], names: str, rows: str, levels: list[list[str | None]]) -> _SplitTable:
    body: list[list[Any]] = value[rows]
    used = {names, rows}
    if any(isinstance(each, dict) and len(each) > 1 for each in value[names]):
        used.discard(names)  # types and the like: they stay to be read as a table of their own
    repairs: tuple[str, ...] = ()
    index = _index(value.get("index"), len(body))
    if index is not None:
        used.add("index")
        if _counts(index):
            repairs = ("the index counts the rows from 0, and is left out",)
        else:
            labels = _index_names(value.get("index_names"), index, levels[-1])
            used.add("index_names")
            blank: list[str | None] = [None] * len(labels)
            levels = [*([*blank, *level] for level in levels[:-1]), [*labels, *levels[-1]]]
            body = [[*cells, *row] for cells, row in zip(index, body, strict=True)]
    rest = {
        name: item
        for name, item in value.items()
        if name not in used and not (isinstance(item, list) and all(each is None for each in item))
    }
    title = next((text for name in _TITLES if isinstance(text := value.get(name), str) and text), None)
    return _SplitTable(rows, [*levels, *body], len(levels), rest, title, repairs)


def _index(found: Any, n_rows: int) -> list[list[Any]] | None:
    """The labels of the rows: one or several each."""
    return _labels(found) if isinstance(found, list) and len(found) == n_rows else None


def _labels(found: list[Any]) -> list[list[Any]] | None:
    """Labels of columns or rows, each of one or several levels; none if they are not plain or differ in depth."""
    labels = [each if isinstance(each, list) else [each] for each in found]
    depth = len(labels[0])
    if not depth or any(len(each) != depth for each in labels):
        return None
    return None if any(isinstance(label, dict | list) for each in labels for label in each) else labels


def _counts(index: list[list[Any]]) -> bool:
    return len(index[0]) == 1 and [label for (label,) in index] == [str(number) for number in range(len(index))]


def _index_names(given: Any, index: list[list[Any]], taken: list[str | None]) -> list[str]:
    depth = len(index[0])
    names = given if isinstance(given, list) and len(given) == depth else [None] * depth
    made = ["index"] if depth == 1 else [f"index {place + 1}" for place in range(depth)]
    return [name if isinstance(name, str) and name else free_name(own, taken)
            for name, own in zip(names, made, strict=True)]  # fmt: skip


# -- how they are read --


def _records(values: Sequence[Any]) -> Shape:
    return _shape_of(numbered(values))


def _shape_of(records: Records) -> Shape:
    return lambda source, path, ordinal: record_tables(source, records, path, ordinal)


def _split_shape(split: _SplitTable) -> Shape:
    def read(source: SourceFile, path: str, ordinal: int) -> Iterator[TableDraft]:
        for draft in array_table(source, path, ordinal, split.rows, header_rows=split.header_rows):
            draft.title = draft.title or split.title
            draft.account.repairs.extend(split.repairs)
            yield draft

    return read


def rows_table(
    source: SourceFile,
    path: str,
    ordinal: int,
    rows: Sequence[list[Any]],
    numbers: list[int] | None = None,
    aside: Sequence[SetAside] = (),
) -> Iterator[TableDraft]:
    """The tables of arrays: records where a header is above cells that are records, else cells as they are.

    ``aside`` are pieces of the source that are no rows; they go to the account of the first table.
    """
    if not _has_records_under_names(rows):
        for draft in array_table(source, path, ordinal, rows, numbers):
            draft.account.seen += len(aside)
            draft.account.set_aside.extend(aside)
            yield draft
        return
    head = rows[0]
    numbers = numbers or list(range(1, len(rows) + 1))
    header = SetAside(numbers[0], "header", " | ".join(head)[:200])
    records = [(number, dict(zip(head, row, strict=False)), None) for number, row in zip(numbers, rows, strict=True)]
    drafts = record_tables(source, Records(records[1:]), path, ordinal, [header, *aside])
    for index, draft in enumerate(drafts):
        if index == 0:
            draft.account.header_rows = (header.row,)
        yield draft


def _has_records_under_names(rows: Sequence[list[Any]]) -> bool:
    head = rows[0]
    if not head or not all(isinstance(name, str) and not isinstance(name, Raw) and name for name in head):
        return False
    if len(set(head)) < len(head) or any(len(row) > len(head) for row in rows):
        return False
    return any(isinstance(cell, dict) for row in rows for cell in row)


def array_table(
    source: SourceFile,
    path: str,
    ordinal: int,
    rows: Sequence[list[Any]],
    numbers: list[int] | None = None,
    header_rows: int | None = None,
) -> Iterator[TableDraft]:
    """A table of arrays; its first row is a header if it looks like one, unless ``header_rows`` gives how many are."""
    limit = source.settings.max_cell_chars
    texts = [[None if cell is None else plain_text(cell) for cell in row] for row in rows]
    cut = sum(text is not None and len(text) > limit for row in texts for text in row)
    if cut:
        texts = [[text if text is None else text[:limit] for text in row] for row in texts]
    grid = grid_of_rows(texts)
    if grid.n_columns > source.settings.max_columns:
        raise BrokenSourceError(f"an array has {grid.n_columns} columns", where=source.name)
    grid.row_numbers = numbers
    provenance = Provenance(source.name, "json", source.member, sheet=path or None, ordinal=ordinal)
    draft = draft_region(grid, whole_region(grid, header_rows), provenance, batch_rows=source.settings.batch_rows)
    if draft is not None:
        if cut:
            draft.account.repairs.append(f"{cut} cells cut to {limit} characters")
        yield draft
