"""Titles above and notes below the tables of a sheet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.worksheet.table import Table

from tests.read_documents.document_tables import read_all, read_book

Rows = list[list[Any]]


@pytest.mark.parametrize(
    ("rows", "declared", "titles"),
    [
        ([["Title"], ["n", "v", None, "q"], ["a", 1, None, 3], ["b", 2]], "A2:B4", ["Title", None]),
        (
            [[None, None, None, "Title"], ["x", "y", None, "n", "v"], ["a", 1, None, "b", 3], ["b", 2, None, "c", 4]],
            "D2:E4",
            [None, "Title"],
        ),
    ],
)
def test_a_title_belongs_to_the_declared_table_below_it(
    tmp_path: Path, rows: Rows, declared: str, titles: list[str | None]
) -> None:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.active.add_table(Table(displayName="T1", ref=declared))
    book.save(tmp_path / "book.xlsx")
    assert [table.title for table in read_all(tmp_path / "book.xlsx")] == titles


@pytest.mark.parametrize("notes", [["Note: x is y", "1) foo", "2) bar"], ["1. foo bar", "2. bar"], ["a) foo", "b) q"]])
def test_lists_of_notes_right_below_a_table_are_notes(tmp_path: Path, notes: list[str]) -> None:
    (table,) = read_book(tmp_path, [["n", "v"], ["a", 1], ["b", 2], *([note] for note in notes)])
    assert table.notes == tuple(notes)
    assert len(table.rows) == 2


def test_rows_that_go_on_counting_are_no_notes(tmp_path: Path) -> None:
    rows = [["n", "v"], ["1. Oslo", 1], ["2. Rome", 2], ["3. Bern", None], ["4. Bonn", None]]
    (table,) = read_book(tmp_path, rows)
    assert table.notes == ()
    assert len(table.rows) == 4


def test_a_header_without_rows_has_its_title(tmp_path: Path) -> None:
    (table,) = read_book(tmp_path, [["My title"], [], ["a", "b", "c"]])
    assert (table.title, table.names, table.rows) == ("My title", ("a", "b", "c"), [])
