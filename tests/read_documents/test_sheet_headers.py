"""Which rows of a sheet are its header, where rows of data look like names and names look like titles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.read_documents.document_tables import read_book, read_page

Rows = list[list[Any]]


@pytest.mark.parametrize(
    ("rows", "merges", "names"),
    [
        ([["Region", "v", "v"], ["A", 1, 2], ["B", 3, 4]], (), ("Region", "v", "v")),
        ([["Name", "Score", "Score"], ["A", "x", "y"], ["B", "z", "w"]], (), ("Name", "Score", "Score")),
        ([["T", "S", "S", "S"], ["A", 1, 2, 3], ["B", 4, 5, 6]], (), ("T", "S", "S", "S")),
        (
            [["Item", "Result", None], ["a", 1.5, "ok"], ["b", 2.5, "bad"], ["c", 3, "x"]],
            ("B1:C1",),
            ("Item", "Result", "Result"),
        ),
        (
            [["Item", "Names", None], ["a", "Ann", "Bob"], ["b", "Cy", "Di"], ["c", "Ed", "Flo"]],
            ("B1:C1",),
            ("Item", "Names", "Names"),
        ),
    ],
)
def test_first_row_below_names_that_come_twice_is_data(
    tmp_path: Path, rows: Rows, merges: tuple[str, ...], names: tuple[str, ...]
) -> None:
    (table,) = read_book(tmp_path, rows, merges)
    assert table.names == names
    assert len(table.rows) == len(rows) - 1


def test_first_row_below_names_that_come_twice_is_data_in_html(tmp_path: Path) -> None:
    (table,) = read_page(tmp_path, "<table><tr><td>n<td>v<td>v<tr><td>a<td>1<td>2<tr><td>b<td>3<td>4</table>")
    assert table.names == ("n", "v", "v")
    assert table.rows == [("a", "1", "2"), ("b", "3", "4")]


def test_a_row_that_tells_names_apart_is_a_band(tmp_path: Path) -> None:
    (table,) = read_book(tmp_path, [["Region", "v", "v"], [None, 2019, 2020], ["A", 1, 2], ["B", 3, 4]])
    assert table.names == ("Region", "v / 2019", "v / 2020")
    assert len(table.rows) == 2


@pytest.mark.parametrize(
    "rows",
    [
        [[None, "2020", None, "2019", None], ["Revenue", 1, 2, 3, 4], ["Cost", 5, 6, 7, 8]],
        [[None, "2020", None, "2019", None], ["Revenue", "$", 2, "$", 4], ["Cost", "$", 6, "$", 8]],
        [
            [None, "2020", None, "2019", None],
            ["Mon", "Ann", "Bob", "Cy", "Di"],
            ["Tue", "Bob", "Cy", "Di", "Ann"],
            ["Wed", "Ann", "Cy", "Bob", "Di"],
        ],
    ],
)
def test_first_row_below_merged_names_with_a_blank_corner_is_data(tmp_path: Path, rows: Rows) -> None:
    (table,) = read_book(tmp_path, rows, ("B1:C1", "D1:E1"))
    assert table.names == ("", "2020", "2020", "2019", "2019")
    assert len(table.rows) == len(rows) - 1


def test_numbers_name_the_parts_of_merged_names(tmp_path: Path) -> None:
    rows = [["Region", 2024, None, 2023, None], [None, 1, 2, 1, 2], ["North", 10, 20, 30, 40], ["South", 5, 6, 7, 8]]
    (table,) = read_book(tmp_path, rows, ("A1:A2", "B1:C1", "D1:E1"))
    assert table.names == ("Region", "2024 / 1", "2024 / 2", "2023 / 1", "2023 / 2")


@pytest.mark.parametrize(
    ("rows", "merges", "names"),
    [
        ([[None, "v"], ["a", 10], ["b", 20]], (), ("", "v")),
        ([[None, "v"], [0, 10], [1, 20]], (), ("", "v")),
        ([[None, "city"], [0, "Oslo"], [1, "Rome"]], (), ("", "city")),
        ([[None, None, "Sales"], ["N", "a", 1], ["N", "b", 2], ["S", "c", 3]], (), ("", "", "Sales")),
        ([[None, "Phone", None], ["Ann", "0123", "0456"], ["Bob", "0789", None]], ("B1:C1",), ("", "Phone", "Phone")),
        (
            [[None, "Names", None], ["Item", "First", "Last"], ["a", "Ann", "Bob"], ["b", "Cy", "Di"]],
            ("B1:C1",),
            ("Item", "Names / First", "Names / Last"),
        ),
    ],
)
def test_a_lone_text_above_data_is_a_name_and_no_title(
    tmp_path: Path, rows: Rows, merges: tuple[str, ...], names: tuple[str, ...]
) -> None:
    (table,) = read_book(tmp_path, rows, merges)
    assert table.names == names
    assert table.title is None


@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_lone_text_above_a_header_is_a_title(tmp_path: Path, at: int) -> None:
    title: list[Any] = [None] * at + ["Sales of the year"]
    (table,) = read_book(tmp_path, [title, ["n", "v", "w"], ["a", 1, 2], ["b", 2, 3]])
    assert table.title == "Sales of the year"
    assert table.names == ("n", "v", "w")


@pytest.mark.parametrize("corner", [0, 1])
def test_a_second_band_of_texts_without_merges_is_a_band(tmp_path: Path, corner: int) -> None:
    bands: Rows = [[None, "Home", None, "Work", None], [None, "City", "Street", "City", "Street"]]
    bands[corner][0] = "Person"
    (table,) = read_book(tmp_path, [*bands, ["Ann", "Oslo", "A", "Bergen", "B"], ["Bob", "Rome", "C", "Milan", "D"]])
    assert table.names == ("Person", "Home / City", "Home / Street", "Work / City", "Work / Street")
    assert len(table.rows) == 2


def test_a_row_below_columns_without_names_is_data(tmp_path: Path) -> None:
    (table,) = read_book(tmp_path, [["Name", "x", None], ["a", "b", "c"], ["d", "e", "f"]])
    assert table.names == ("Name", "x", "")
    assert len(table.rows) == 2


@pytest.mark.parametrize(
    "first",
    [
        ["P", "29 June", "Leiden", "Time trial"],
        ["hof", "5 August", "Fawcett Stadium", "recap"],
        ["stage", "date", "place", "kind"],
        ["Week one", "Week one", "Week one", "Week one"],
    ],
)
def test_a_first_row_of_texts_over_numbered_rows_is_no_band(tmp_path: Path, first: list[str]) -> None:
    rows = [["stage", "date", "place", "kind"], first, *([n, f"{n} July", f"place {n}", "plain"] for n in range(1, 5))]
    (table,) = read_book(tmp_path, rows)
    assert table.names == ("stage", "date", "place", "kind")
    assert len(table.rows) == (4 if first == rows[0] else 5)


def test_a_row_of_units_is_a_band(tmp_path: Path) -> None:
    rows = [["City", "Area", "People", "Seat"], [None, "km²", "thousand", None], ["A", 1, 2, "x"], ["B", 3, 4, "y"]]
    (table,) = read_book(tmp_path, rows)
    assert table.names == ("City", "Area / km²", "People / thousand", "Seat")


def test_rising_numbers_over_marks_are_names(tmp_path: Path) -> None:
    rows = [["Athlete", 2.15, 2.2, 2.24, "Result"], ["Ann", "o", "xo", "-", 2.2], ["Bea", "o", "-", "xxo", 2.24]]
    (table,) = read_book(tmp_path, rows)
    assert table.names == ("Athlete", "2.15", "2.2", "2.24", "Result")
    assert len(table.rows) == 2
