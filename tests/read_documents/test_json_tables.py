"""JSON documents and JSON lines as tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tablehound.errors import BrokenSourceError
from tablehound.settings import ReadSettings
from tests.read_documents.document_tables import Got, read_all


def read_value(folder: Path, value: Any, name: str = "data.json") -> list[Got]:
    path = folder / name
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return read_all(path)


def test_nested_records_become_columns_by_path(tmp_path: Path) -> None:
    (table,) = read_value(
        tmp_path, [{"id": 1, "at": {"city": "Oslo", "geo": {"x": 2}}}, {"id": 2, "at": {"city": "Rome"}}]
    )
    assert table.header == (("id",), ("at", "city"), ("at", "geo", "x"))
    assert table.rows == [("1", "Oslo", "2"), ("2", "Rome", None)]


def test_arrays_of_records_are_tables_with_a_key_to_the_parent(tmp_path: Path) -> None:
    orders, lines, parts = read_value(
        tmp_path,
        [
            {"id": "A7", "lines": [{"sku": "x", "parts": [{"p": 1}]}, {"sku": "y"}]},
            {"id": "B8", "lines": [{"sku": "z", "parts": [{"p": 2}, {"p": 3}]}]},
        ],
    )
    assert orders.rows == [("A7",), ("B8",)]
    assert lines.header[0] == ("parent", "id")
    assert [row[:2] for row in lines.rows] == [("A7", "x"), ("A7", "y"), ("B8", "z")]
    assert parts.header == (("lines_row",), ("p",))
    # Without a key of its own the parent gets one, and both sides have it.
    assert dict(zip(lines.column("lines_row"), lines.column("sku"), strict=True)) == {"1": "x", "2": "y", "3": "z"}
    assert parts.rows == [("1", "1"), ("3", "2"), ("3", "3")]


def test_texts_are_kept_as_written(tmp_path: Path) -> None:
    (table,) = read_value(
        tmp_path,
        '[{"a": 1.10, "b": 12345678901234567890, "c": "007", "d": 1E5, "e": true, "f": null, "g": "", "h": [1, "x"]}]',
    )
    assert table.rows == [("1.10", "12345678901234567890", "007", "1E5", "true", None, "", '[1, "x"]')]


@pytest.mark.parametrize(
    "value",
    [
        {"a": [1, 2], "b": ["x", "y"]},
        {"a": {"0": 1, "1": 2}, "b": {"0": "x", "1": "y"}},
        {"columns": ["a", "b"], "index": [0, 1], "data": [[1, "x"], [2, "y"]]},
        [["a", "b"], [1, "x"], [2, "y"]],
        '{"a": 1, "b": "x"}\n{"a": 2, "b": "y"}\n',
        '{"a": 1,\n "b": "x"}\n{"a": 2,\n "b": "y"}\n',
    ],
)
def test_other_ways_to_write_the_same_table(tmp_path: Path, value: Any) -> None:
    (table,) = read_value(tmp_path, value)
    assert table.names == ("a", "b")
    assert table.rows == [("1", "x"), ("2", "y")]


def test_records_under_names_get_a_key_column(tmp_path: Path) -> None:
    (table,) = read_value(tmp_path, {"Bob": {"age": 3, "x": 1}, "Al": {"age": 4}})
    assert table.header == (("key",), ("age",), ("x",))
    assert table.rows == [("Bob", "3", "1"), ("Al", "4", None)]


def test_arrays_in_an_object_are_tables_named_by_path(tmp_path: Path) -> None:
    found = read_value(tmp_path, {"made": "2024", "by": {"name": "me"}, "data": {"rows": [{"a": 1}, {"a": 2}]}})
    assert [(table.sheet, table.rows) for table in found] == [(None, [("2024", "me")]), ("data.rows", [("1",), ("2",)])]


def test_bad_lines_are_set_aside(tmp_path: Path) -> None:
    (table,) = read_value(tmp_path, '{"a": 1}\n{"a": \n\n{"a": 3}\n', "data.jsonl")
    assert table.rows == [("1",), ("3",)]
    assert table.row_numbers == [1, 4]
    assert [(each.row, each.text) for each in table.account.set_aside] == [(2, '{"a":')]


def test_byte_order_mark_and_utf16(tmp_path: Path) -> None:
    for name in ("utf-8-sig", "utf-16"):
        path = tmp_path / f"{name}.json"
        path.write_bytes('[{"ä": "é"}]'.encode(name))
        (table,) = read_all(path)
        assert (table.names, table.rows) == (("ä",), [("é",)])


@pytest.mark.parametrize("text", ["{", "[1,", "nope", "[" * 100_000 + "]" * 100_000, '{"a":' * 500 + "1" + "}" * 500])
def test_broken_and_too_deep_documents_are_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(BrokenSourceError):
        read_value(tmp_path, text)


def test_large_document_is_refused_but_not_lines(tmp_path: Path) -> None:
    path = tmp_path / "data.json"
    path.write_text(json.dumps([{"a": "x" * 100}] * 20), encoding="utf-8")
    with pytest.raises(BrokenSourceError, match="max_document_bytes"):
        read_all(path, ReadSettings(max_document_bytes=1_000))
    lines = tmp_path / "data.jsonl"
    lines.write_text('{"a": "x"}\n' * 1_000, encoding="utf-8")
    (table,) = read_all(lines, ReadSettings(max_document_bytes=1_000, batch_rows=300))
    assert len(table.rows) == 1_000


@pytest.mark.parametrize("text", ["", "  \n", "null", "[]", "{}"])
def test_empty_document_gives_no_table_with_cells(tmp_path: Path, text: str) -> None:
    assert all(not table.rows for table in read_value(tmp_path, text))
