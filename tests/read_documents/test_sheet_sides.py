"""What is side by side on a sheet: one table with a blank column, or two tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.read_documents.document_tables import read_book

Rows = list[list[Any]]


@pytest.mark.parametrize(
    "rows",
    [
        [["Item", "Qty", None, "Remarks"], ["a", 1, None, "late"], ["b", 2, None, "x"], ["c", 3], ["Total", 6]],
        [["Item", "Qty", None, "Remarks"], ["a", 1], ["b", 2, None, "check this"], ["c", 3]],
    ],
)
def test_remarks_behind_a_blank_column_stay_with_their_rows(tmp_path: Path, rows: Rows) -> None:
    (table,) = read_book(tmp_path, rows)
    assert table.names == ("Item", "Qty", "Remarks")
    assert table.column("Remarks") == [row[3] if len(row) > 3 else None for row in rows[1:]]


def test_remarks_of_two_columns_stay_with_their_rows_above_a_total(tmp_path: Path) -> None:
    rows = [["n", "v", None, "Remarks", "By"], ["a", 1, None, "late", "me"], ["b", 2, None, "x", "me"], ["Total", 3]]
    (table,) = read_book(tmp_path, rows)
    assert table.names == ("n", "v", "Remarks", "By")
    assert table.rollups == (2,)


def test_a_note_beside_the_header_is_no_column(tmp_path: Path) -> None:
    (table,) = read_book(tmp_path, [["n", "v", None, "Note: preliminary"], ["a", 1], ["b", 2], ["c", 3]])
    assert table.names == ("n", "v")
    assert table.notes == ("Note: preliminary",)


@pytest.mark.parametrize("merges", [(), ("A1:B1", "D1:E1")])
def test_titles_tell_text_tables_side_by_side_apart(tmp_path: Path, merges: tuple[str, ...]) -> None:
    rows = [
        ["People", None, None, "Cities", None],
        ["Name", "Job", None, "City", "Country"],
        ["a", "j", None, "Oslo", "NO"],
        ["b", "k", None, "Rome", "IT"],
    ]
    people, cities = read_book(tmp_path, rows, merges)
    assert (people.title, people.names, len(people.rows)) == ("People", ("Name", "Job"), 2)
    assert (cities.title, cities.names, len(cities.rows)) == ("Cities", ("City", "Country"), 2)


def test_keys_of_their_own_tell_tables_side_by_side_apart(tmp_path: Path) -> None:
    tables = read_book(tmp_path, [["id", "v", None, "id2", "w"], [1, 10, None, 7, 70], [2, 20, None, 8, 80]])
    assert [table.names for table in tables] == [("id", "v"), ("id2", "w")]


def test_one_table_around_a_blank_column_is_reported(tmp_path: Path) -> None:
    rows = [["Name", "Job", None, "City", "Country"], ["a", "j", None, "Oslo", "NO"], ["b", "k", None, "Rome", "IT"]]
    (table,) = read_book(tmp_path, rows)
    assert table.names == ("Name", "Job", "City", "Country")
    assert table.account.repairs == ["blank columns dropped: C"]
    assert table.account.ambiguities == ["what stands left and right of a blank column is read as one table"]
