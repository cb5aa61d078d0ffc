"""Groups of rows: what heads them is a roll-up where it adds them up, and a label where it names them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.styles import Alignment

from tablehound.lake.read.totals.subtotals import subtotal_rows
from tests.read_documents.document_tables import read_all, read_book

Rows = list[list[Any]]
PIVOT: Rows = [["North", 3], ["a", 1], ["b", 2], ["South", 7], ["c", 3], ["d", 4], ["Grand Total", 10]]


@pytest.mark.parametrize(
    ("rows", "rollups"),
    [
        (PIVOT, (0, 3, 6)),
        ([[f"  {label}" if len(label) == 1 else label, number] for label, number in PIVOT], (0, 3, 6)),
        (
            [["W", 10], *PIVOT[:-1], ["E", 5], ["N2", 5], ["x", 2], ["y", 3], ["Grand Total", 15]],
            (0, 1, 4, 7, 8, 11),
        ),
        ([["a", 5], ["b", 5], ["Total", 5]], ()),
        ([["a", 5], ["b", 6], ["Total", 13]], ()),
    ],
)
def test_grand_total_of_a_pivot_table_and_its_groups_are_roll_ups(
    tmp_path: Path, rows: Rows, rollups: tuple[int, ...]
) -> None:
    (table,) = read_book(tmp_path, [["Row Labels", "Sum"], *rows])
    assert table.rollups == rollups


def test_groups_of_a_pivot_table_in_several_columns(tmp_path: Path) -> None:
    rows = [["Row Labels", "Jan", "Feb"], *([label, number, 2.5 * number] for label, number in PIVOT)]
    (table,) = read_book(tmp_path, rows)
    assert table.rollups == (0, 3, 6)


OUTLINE: Rows = [["Assets", 3, 30], ["Cash", 1, 10], ["Stock", 2, 20], ["Debts", 3, 7], ["Loan", 3, 7]]


def test_rows_that_add_up_the_rows_moved_in_below_them_are_roll_ups(tmp_path: Path) -> None:
    rows = [[label if label in ("Assets", "Debts") else f"   {label}", *rest] for label, *rest in OUTLINE]
    (table,) = read_book(tmp_path, [["Item", "v", "w"], *rows])
    assert table.rollups == (0, 3)


@pytest.mark.parametrize("suffix", ["xlsx", "xls"])
def test_labels_may_be_moved_in_by_the_format_of_their_cells(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"book.{suffix}"
    rows = [["Item", "v", "w"], *OUTLINE]
    if suffix == "xlsx":
        book = openpyxl.Workbook()
        for row in rows:
            book.active.append(row)
        for place in ("A3", "A4", "A6"):
            book.active[place].alignment = Alignment(indent=1)
        book.save(path)
    else:
        xlwt = pytest.importorskip("xlwt")
        old = xlwt.Workbook()
        sheet = old.add_sheet("s")
        moved = xlwt.easyxf("align: indent 1")
        for index, row in enumerate(rows):
            for column, value in enumerate(row):
                args = (moved,) if column == 0 and index in (2, 3, 5) else ()
                sheet.write(index, column, value, *args)
        old.save(str(path))
    (table,) = read_all(path)
    assert table.rollups == (0, 3)
    assert table.account.ambiguities == ["labels of column A are moved in by their format, which is left out"]


def test_labels_that_do_not_come_again_are_filled_down(tmp_path: Path) -> None:
    rows = [["R", "C", "v"], ["N", "a", 1], [None, "b", 2], [None, "c", 3], ["S", "d", 4], [None, "e", 5]]
    (table,) = read_book(tmp_path, rows)
    assert table.column("R") == ["N", "N", "N", "S", "S"]
    assert table.account.repairs == ["labels of column A filled down over 3 blank cells"]


def test_two_levels_of_labels_are_filled_down(tmp_path: Path) -> None:
    rows = [["R", "C", "P", "v"], ["N", "A", "x", 1], [None, None, "y", 2], [None, "B", "x", 3], [None, None, "y", 4]]
    rows += [["S", "A", "x", 5], [None, None, "y", 6], ["Grand Total", None, None, 21]]
    (table,) = read_book(tmp_path, rows)
    assert table.column("R") == ["N", "N", "N", "N", "S", "S", "Grand Total"]
    assert table.column("C") == ["A", "A", "B", "B", "A", "A", None]


def test_groups_with_sums_in_their_own_rows_are_filled_down(tmp_path: Path) -> None:
    rows = [["R", "P", "v"], ["N", None, 3], [None, "a", 1], [None, "b", 2], ["S", None, 7], [None, "c", 3]]
    (table,) = read_book(tmp_path, [*rows, [None, "d", 4], ["Grand Total", None, 10]])
    assert table.column("R") == ["N", "N", "N", "S", "S", "S", "Grand Total"]
    assert table.rollups == (0, 3, 6)


@pytest.mark.parametrize(
    "rows",
    [
        [["Bo", "Bob", 1], [None, "Ann", 2], ["Jo", "Joe", 3], ["Di", "Dian", 4], [None, "Sue", 5], ["Cy", "Cyr", 6]],
        [["Shihad", "Minuit", "x"], ["Feelers", "Antiform", "y"], *([None, f"n{i}", f"m{i}"] for i in range(4))],
    ],
)
def test_missing_labels_are_left_blank_and_reported(tmp_path: Path, rows: Rows) -> None:
    (table,) = read_book(tmp_path, [["Nick", "Name", "v"], *rows])
    assert table.column("Nick") == [row[0] for row in rows]
    assert any("may continue the label above" in line for line in table.account.ambiguities)


def test_many_totals_that_do_not_add_up_are_gone_through_once() -> None:
    # Adding up anew for each of them would take minutes.
    n = 24_000
    labels = ["Total" if index % 10 == 9 else f"r{index}" for index in range(n)]
    numbers = [[str((index * 7919 + column) % 100_003) for index in range(n)] for column in range(10)]
    assert subtotal_rows([labels, *numbers], n) == ()
