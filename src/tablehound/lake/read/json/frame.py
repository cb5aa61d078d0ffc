"""Tables written as names and rows apart: ``{"columns": [...], "index": [...], "data": [[...], ...]}``."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

from tablehound.lake.read.json.parser import free_name, plain_text

_NAMES = ("columns", "header", "headers", "fields", "cols", "column_names", "columnNames")
_ROWS = ("data", "rows", "values", "records")
_TITLES = ("title", "caption", "name")


@dataclass(frozen=True, slots=True)
class Frame:
    """Header bands and rows, and what stands beside them."""

    name: str
    """Of the member that holds the rows."""
    rows: list[list[Any]]
    header_rows: int
    rest: dict[str, Any]
    """Members of the object that are no part of the table."""
    title: str | None
    repairs: tuple[str, ...]


def split_frame(value: dict[str, Any]) -> Frame | None:
    """The table of an object that holds column names and rows, or None if it does not."""
    for names, rows in product(_NAMES, _ROWS):
        head, body = value.get(names), value.get(rows)
        if not (isinstance(head, list) and isinstance(body, list) and head and body):
            continue
        if not all(isinstance(row, list) and len(row) == len(head) for row in body):
            continue
        bands = _bands(head)
        if bands is not None:
            return _frame(value, names, rows, bands)
    return None


def _bands(head: list[Any]) -> list[list[str | None]] | None:
    """Rows of the header: one for plain names or descriptions of columns, several for names of several levels."""
    if all(isinstance(each, dict) for each in head):
        head = [next((each[key] for key in ("name", "title", "label", "id") if key in each), None) for each in head]
    levels = [each if isinstance(each, list) else [each] for each in head]
    depth = len(levels[0])
    if not depth or any(len(each) != depth for each in levels):
        return None
    if any(isinstance(label, dict | list) for each in levels for label in each):
        return None
    if all(label is None for each in levels for label in each):
        return None
    return [[None if each[band] is None else plain_text(each[band]) for each in levels] for band in range(depth)]


def _frame(value: dict[str, Any], names: str, rows: str, bands: list[list[str | None]]) -> Frame:
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
            labels = _index_names(value.get("index_names"), index, bands[-1])
            used.add("index_names")
            blank: list[str | None] = [None] * len(labels)
            bands = [*([*blank, *band] for band in bands[:-1]), [*labels, *bands[-1]]]
            body = [[*cells, *row] for cells, row in zip(index, body, strict=True)]
    rest = {
        name: item
        for name, item in value.items()
        if name not in used and not (isinstance(item, list) and all(each is None for each in item))
    }
    title = next((text for name in _TITLES if isinstance(text := value.get(name), str) and text), None)
    return Frame(rows, [*bands, *body], len(bands), rest, title, repairs)


def _index(found: Any, n_rows: int) -> list[list[Any]] | None:
    """The labels of the rows: one or several each."""
    if not isinstance(found, list) or len(found) != n_rows:
        return None
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
