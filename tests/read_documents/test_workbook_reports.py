"""Faults that users of other table readers reported, one test each, on workbooks."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import openpyxl
import pytest
import xlsxwriter
import xlwt

from tablehound.settings import ReadSettings
from tests.read_documents.document_tables import read_all, read_book


def test_title_row_does_not_become_the_header(tmp_path: Path) -> None:
    (table,) = read_book(
        tmp_path, [["Sales of 2024", None, None], ["Region", "Q1", "Q2"], ["North", 1, 2], ["South", 3, 4]]
    )
    assert table.title == "Sales of 2024"
    assert table.names == ("Region", "Q1", "Q2")
    assert table.rows == [("North", "1", "2"), ("South", "3", "4")]
    assert table.account.set_aside[0].reason == "title"


def test_second_header_band_is_not_data(tmp_path: Path) -> None:
    (table,) = read_book(
        tmp_path,
        [
            ["Region", 2023, None, 2024, None],
            [None, "Q1", "Q2", "Q1", "Q2"],
            ["North", 1, 2, 3, 4],
            ["South", 5, 6, 7, 8],
        ],
    )
    assert table.header == (("Region",), ("2023", "Q1"), ("2023", "Q2"), ("2024", "Q1"), ("2024", "Q2"))
    assert len(table.rows) == 2


def test_merged_header_does_not_split_the_table(tmp_path: Path) -> None:
    (table,) = read_book(
        tmp_path,
        [
            ["Item", "2024", None, None, None],
            [None, "Q1", None, "Q2", None],
            [None, "Sales", "Cost", "Sales", "Cost"],
            ["Apples", 1, 2, 3, 4],
            ["Pears", 5, 6, 7, 8],
        ],
        merges=("A1:A3", "B1:E1", "B2:C2", "D2:E2"),
    )
    assert table.region == "A1:E5"
    assert table.header[1] == ("2024", "Q1", "Sales")
    assert table.header[4] == ("2024", "Q2", "Cost")
    assert table.header[0] == ("Item",)


def test_units_below_names_are_part_of_the_header(tmp_path: Path) -> None:
    (table,) = read_book(
        tmp_path, [["Name", "Weight", "Height"], [None, "(kg)", "(cm)"], ["A", 70, 180], ["B", 80, 190]]
    )
    assert table.header == (("Name",), ("Weight", "(kg)"), ("Height", "(cm)"))


def test_text_in_the_first_data_row_is_not_a_second_band(tmp_path: Path) -> None:
    (table,) = read_book(tmp_path, [["Name", "Score"], ["Bob", "did not finish"], ["Al", 5], ["Cy", 6]])
    assert table.header == (("Name",), ("Score",))
    assert len(table.rows) == 3


def test_hidden_sheet_is_read_only_on_request(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.title = "Shown"
    for name, state in (("Hidden", "hidden"), ("Very", "veryHidden")):
        sheet = book.create_sheet(name)
        sheet.sheet_state = state
        sheet.append(["secret", "n"])
        sheet.append(["x", 1])
    book["Shown"].append(["a", "b"])
    book["Shown"].append([1, 2])
    path = tmp_path / "hidden.xlsx"
    book.save(path)
    assert [table.sheet for table in read_all(path)] == ["Shown"]
    assert [table.sheet for table in read_all(path, ReadSettings(hidden_sheets=True))] == ["Shown", "Hidden", "Very"]


def test_stored_value_of_a_formula_is_read_not_its_text(tmp_path: Path) -> None:
    path = tmp_path / "formula.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["a", "b", "sum"])
        sheet.write_row(1, 0, [1, 2])
        sheet.write_formula(1, 2, "=A2+B2", None, 3)
    (table,) = read_all(path)
    assert table.rows == [("1", "2", "3")]


def test_formula_without_a_stored_value_is_marked(tmp_path: Path) -> None:
    (table,) = read_book(tmp_path, [["a", "b", "sum"], [1, 2, "=A2+B2"], [3, 4, 7]])
    assert table.rows == [("1", "2", None), ("3", "4", "7")]
    assert any(text.startswith("C2: formula without a stored value") for text in table.account.ambiguities)


def test_all_sheets_are_read(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["a", "b"])
    book.active.append([1, 2])
    for name in ("Second", "Third"):
        book.create_sheet(name).append(["c", "d"])
        book[name].append([3, 4])
    book.create_sheet("Empty")
    path = tmp_path / "sheets.xlsx"
    book.save(path)
    assert [table.sheet for table in read_all(path)] == ["Sheet", "Second", "Third"]


def test_several_tables_on_a_sheet_are_not_merged(tmp_path: Path) -> None:
    rows = [
        ["Fruit", "Price", None, "City", "People", "Area"],
        ["Apple", 1.5, None, "Oslo", 700, 454],
        ["Pear", 2, None, "Rome", 2800, 1285],
        [None, None, None, "Bern", 130, 51],
        [],
        ["Staff", None],
        ["Name", "Age"],
        ["Bob", 30],
        ["Al", 40],
    ]
    found = {table.region: table for table in read_book(tmp_path, rows)}
    assert set(found) == {"A1:B3", "D1:F4", "A7:B9"}
    assert found["A7:B9"].title == "Staff"
    assert found["D1:F4"].names == ("City", "People", "Area")


def test_tables_stacked_without_a_blank_row_are_kept_apart(tmp_path: Path) -> None:
    rows = [
        ["Fruit", "Price", "Stock"],
        ["Apple", 1.5, 3],
        ["Pear", 2, 5],
        ["City", "People", "Area"],
        ["Oslo", 700, 454],
    ]
    first, second = read_book(tmp_path, rows)
    assert (first.region, second.region) == ("A1:C3", "A4:C5")
    assert second.names == ("City", "People", "Area")


def test_blank_row_inside_a_table_does_not_cut_it(tmp_path: Path) -> None:
    rows = [["Name", "N"], ["a", 1], ["b", 2], [], ["c", 3], ["Total", 6]]
    (table,) = read_book(tmp_path, rows)
    assert table.column("N") == ["1", "2", "3", "6"]
    assert [(each.row, each.reason) for each in table.account.set_aside] == [(1, "header"), (4, "blank")]
    assert table.row_numbers == [2, 3, 5, 6]


def test_totals_are_marked_so_that_sums_can_leave_them_out(tmp_path: Path) -> None:
    rows = [
        ["Region", "Item", "Amount"],
        ["North", "a", 10],
        ["North", "b", 20],
        ["Subtotal", None, 30],
        ["South", "a", 5],
        ["South", "b", 6],
        ["Subtotal", None, 11],
        ["Grand total", None, 41],
    ]
    (table,) = read_book(tmp_path, rows)
    assert table.rollups == (2, 5, 6)
    kept = [float(text or 0) for index, text in enumerate(table.column("Amount")) if index not in table.rollups]
    assert sum(kept) == 41


def test_row_called_total_that_adds_nothing_up_is_an_ordinary_row(tmp_path: Path) -> None:
    (table,) = read_book(tmp_path, [["Company", "Sales"], ["Shell", 10], ["Total", 77], ["Eni", 5]])
    assert table.rollups == ()


def test_merged_row_labels_are_filled_down_and_merged_numbers_counted_once(tmp_path: Path) -> None:
    rows = [
        ["Region", "City", "Visits", "Budget"],
        ["North", "Oslo", 1, 100],
        [None, "Bergen", 2, None],
        ["South", "Rome", 3, 50],
    ]
    (table,) = read_book(tmp_path, rows, merges=("A2:A3", "D2:D3"))
    assert table.column("Region") == ["North", "North", "South"]
    assert table.column("Budget") == ["100", None, "50"]
    assert any("first row only" in text for text in table.account.repairs)


def test_notes_below_are_kept_as_notes(tmp_path: Path) -> None:
    rows = [["Name", "N"], ["a", 1], ["b", 2], [], ["Source: the office of numbers"], ["* estimated"]]
    (table,) = read_book(tmp_path, rows)
    assert table.notes == ("Source: the office of numbers", "* estimated")
    assert len(table.rows) == 2


def test_blank_columns_are_dropped_and_reported(tmp_path: Path) -> None:
    (table,) = read_book(tmp_path, [["Name", None, "N"], ["a", None, 1], ["b", None, 2]])
    assert table.names == ("Name", "N")
    assert table.account.repairs == ["blank columns dropped: B"]
    assert table.account.dialect["columns"] == "A,C"


def test_leading_zeros_and_na_survive(tmp_path: Path) -> None:
    (table,) = read_book(tmp_path, [["Code", "Country"], ["007", "NA"], ["012", "DE"]])
    assert table.rows == [("007", "NA"), ("012", "DE")]


def test_header_only_sheet_gives_a_table_without_rows(tmp_path: Path) -> None:
    (table,) = read_book(tmp_path, [["a", "b", "c"]])
    assert table.names == ("a", "b", "c")
    assert table.rows == []


def test_repeated_header_of_a_printed_page_is_set_aside(tmp_path: Path) -> None:
    (table,) = read_book(tmp_path, [["Name", "N"], ["a", 1], ["b", 2], ["Name", "N"], ["c", 3]])
    assert table.column("N") == ["1", "2", "3"]
    assert (4, "repeated header") in [(each.row, each.reason) for each in table.account.set_aside]


def test_dates_percent_and_currency_read_as_a_person_sees_them_and_exactly(tmp_path: Path) -> None:
    day = datetime.datetime(2024, 3, 1)
    rows = [
        ["day", "moment", "share", "price", "cost", "plain"],
        [day, datetime.datetime(2024, 3, 1, 13, 45), 0.12345, 1234.5, -5, 0.1],
        [day, day, 1, 2, 3, 12345678901],
    ]
    formats = {"A2": "dd/mm/yyyy", "A3": "yyyy", "B2": "yyyy-mm-dd hh:mm", "B3": "dd.mm.yy"}
    formats |= {"C2": "0.0%", "C3": "0%", "D2": '"$"#,##0.00', "D3": "[$€-407] #,##0", "E2": "#,##0.00 [$€-407]"}
    (table,) = read_book(tmp_path, rows, formats=formats)
    assert table.rows[0] == ("2024-03-01", "2024-03-01 13:45:00", "12.345%", "$1234.5", "-5 €", "0.1")
    assert table.rows[1] == ("2024-03-01", "2024-03-01", "100%", "€2", "3", "12345678901")


def test_years_as_header_names(tmp_path: Path) -> None:
    (table,) = read_book(tmp_path, [["Country", 2019, 2020], ["A", 5, 6], ["B", 7, 8]])
    assert table.names == ("Country", "2019", "2020")


@pytest.mark.parametrize("first", [[1, 2, 3], ["x", 5, 6]])
def test_no_header_is_made_of_data(tmp_path: Path, first: list[Any]) -> None:
    (table,) = read_book(tmp_path, [first, ["y", 8, 9], ["z", 10, 11]])
    assert table.header == ((), (), ())
    assert len(table.rows) == 3


def test_hidden_rows_are_read_and_reported(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in (["a", "b"], [1, 2], [3, 4], [5, 6]):
        book.active.append(row)
    book.active.row_dimensions[3].hidden = True
    path = tmp_path / "rows.xlsx"
    book.save(path)
    (table,) = read_all(path)
    assert len(table.rows) == 3
    assert table.account.ambiguities == ["hidden rows are read like others: 3"]


def test_tables_that_the_workbook_declares_are_taken_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "declared.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet()
        sheet.write(0, 0, "Stock")
        columns: list[dict[str, Any]] = [
            {"header": "Item"},
            {"header": "Kind", "total_string": "Sum of all"},
            {"header": "N", "total_function": "sum", "total_value": 3},
        ]
        sheet.add_table(2, 1, 5, 3, {"columns": columns, "total_row": True, "data": [["a", "x", 1], ["b", "y", 2]]})
        sheet.write_row(2, 4, ["Other", "M"])
        sheet.write_row(3, 4, ["q", 7])
        sheet.write_row(4, 4, ["r", 8])
    first, second = read_all(path)
    assert (first.region, first.names, first.title) == ("B3:D6", ("Item", "Kind", "N"), "Stock")
    assert first.rollups == (2,)
    assert second.names == ("Other", "M")


def test_row_of_sum_formulas_is_a_roll_up_whatever_its_label(tmp_path: Path) -> None:
    path = tmp_path / "sums.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet()
        for index, row in enumerate([["Item", "N"], ["a", 1], ["b", 2], ["c", 4]]):
            sheet.write_row(index, 0, row)
        sheet.write(4, 0, "Everything")
        sheet.write_formula(4, 1, "=SUM(B2:B4)", None, 7)
    (table,) = read_all(path)
    assert table.rollups == (3,)


def test_tables_side_by_side_of_equal_height_are_kept_apart_and_share_the_title(tmp_path: Path) -> None:
    rows = [
        ["Overview", None, None, None, None],
        ["Fruit", "Price", None, "City", "People"],
        ["Apple", 1.5, None, "Oslo", 700],
        ["Pear", 2, None, "Rome", 2800],
    ]
    first, second = read_book(tmp_path, rows, merges=("A1:E1",))
    assert (first.region, second.region) == ("A2:B4", "D2:E4")
    assert first.title == second.title == "Overview"


def test_report_with_group_labels_units_subtotals_and_notes(tmp_path: Path) -> None:
    rows = [
        ["ACME Corp", None, None, None, None],
        ["in thousands", None, None, None, None],
        [],
        ["Region", "Product", "H1", None, "H2"],
        [None, None, "Q1", "Q2", "Q3"],
        [None, None, "USD", "USD", "USD"],
        ["North", None, None, None, None],
        [None, "Apples", 1, 2, 3],
        [None, "Pears", 4, 5, 6],
        ["Total North", None, 5, 7, 9],
        ["South", None, None, None, None],
        [None, "Apples", 1, 1, 1],
        [None, "Plums", 2, 2, 2],
        ["Total South", None, 3, 3, 3],
        ["Average", None, 1.5, 1.5, 1.5],
        ["Grand total", None, 8, 10, 12],
        [],
        ["Source: internal"],
    ]
    (table,) = read_book(tmp_path, rows, merges=("A1:E1", "A4:A6", "B4:B6", "C4:D4"))
    assert table.title == "ACME Corp"
    assert table.notes == ("in thousands", "Source: internal")
    assert table.header[2] == ("H1", "Q1", "USD")
    assert table.column("Region")[1:3] == ["North", "North"]
    assert [table.rows[index][0] for index in table.rollups] == ["Total North", "Total South", "Grand total"]


def test_blank_first_cells_of_records_are_not_filled(tmp_path: Path) -> None:
    rows = [
        ["Nickname", "Name", "Age"],
        ["Bo", "Robert", 3],
        [None, "Alice", 4],
        [None, "Carol", 5],
        ["Dee", "Diana", 6],
    ]
    (table,) = read_book(tmp_path, rows)
    assert table.column("Nickname") == ["Bo", None, None, "Dee"]


def test_labels_given_once_per_group_are_filled_down(tmp_path: Path) -> None:
    rows = [["Region", "Item", "N"], ["North", "a", 1], [None, "b", 2], ["South", "a", 4], [None, "b", 5]]
    (table,) = read_book(tmp_path, rows)
    assert table.column("Region") == ["North", "North", "South", "South"]
    assert any("filled down" in text for text in table.account.repairs)


def test_dates_as_header_names(tmp_path: Path) -> None:
    days = [datetime.date(2024, month, 1) for month in (1, 2, 3)]
    (table,) = read_book(tmp_path, [["Item", *days], ["a", 1, 2, 3], ["b", 4, 5, 6]])
    assert table.names == ("Item", "2024-01-01", "2024-02-01", "2024-03-01")


def test_average_row_is_marked_with_the_totals(tmp_path: Path) -> None:
    (table,) = read_book(tmp_path, [["Name", "X"], ["a", 2], ["b", 4], ["c", 6], ["Average", 4], ["Total", 12]])
    assert table.rollups == (3, 4)


def test_percent_and_currency_of_an_old_workbook(tmp_path: Path) -> None:
    book = xlwt.Workbook()
    sheet = book.add_sheet("S")
    for column, name in enumerate(("share", "price", "plain", "n")):
        sheet.write(0, column, name)
    for row, values in enumerate(((0.125, -1234.5, 0.1, 5), (1, 2, 3, 6)), start=1):
        sheet.write(row, 0, values[0], xlwt.easyxf(num_format_str="0.0%"))
        sheet.write(row, 1, values[1], xlwt.easyxf(num_format_str='#,##0.00\\ "€"'))
        sheet.write(row, 2, values[2])
        sheet.write(row, 3, values[3])
    path = tmp_path / "book.xls"
    book.save(str(path))
    (table,) = read_all(path)
    assert table.rows == [("12.5%", "-1234.5 €", "0.1", "5"), ("100%", "2 €", "3", "6")]


def test_note_between_two_tables_belongs_to_the_upper_one(tmp_path: Path) -> None:
    rows = [["A", "B"], ["x", 1], ["y", 2], [], ["Note: rounded"], [], ["C", "D"], ["p", 3], ["q", 4]]
    first, second = read_book(tmp_path, rows)
    assert (first.notes, second.title) == (("Note: rounded",), None)


def test_totals_of_numbers_with_decimal_commas(tmp_path: Path) -> None:
    (table,) = read_book(tmp_path, [["Artikel", "Preis"], ["a", "1.234,56"], ["b", "2,00"], ["Summe", "1.236,56"]])
    assert table.rollups == (2,)
