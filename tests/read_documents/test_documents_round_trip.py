"""Random tables written by several writers come back with the same raw text."""

from __future__ import annotations

import datetime
import html as escapes
import json
import tempfile
from pathlib import Path
from typing import Any

import openpyxl
import xlsxwriter
import xlwt
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from odf.opendocument import OpenDocumentSpreadsheet
from odf.table import CoveredTableCell, Table, TableCell, TableRow
from odf.text import P

from tests.read_documents.document_tables import Got, read_all

FEW = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
WORD = st.text(st.characters(min_codepoint=48, max_codepoint=0x2FF, categories=("L", "N")), min_size=1, max_size=12)
LABEL = WORD.filter(lambda text: text[0].isalpha() and text.lower() not in ("true", "false"))
# The writers keep 15 digits, and some drop the sign of zero.
NUMBER = st.one_of(
    st.integers(-(10**15) + 1, 10**15 - 1),
    st.integers(-(10**12), 10**12).map(lambda n: n / 1_000),
    st.sampled_from([1e20, 2.5e-7, -1e-12]),
)
DAY = st.dates(datetime.date(1905, 1, 1), datetime.date(2199, 12, 31))


@st.composite
def grids(draw: st.DrawFn, values: st.SearchStrategy[Any]) -> tuple[list[str], list[list[Any]]]:
    """A header of distinct labels, and rows whose first column is a label and whose last is a number."""
    width = draw(st.integers(2, 5))
    names = draw(st.lists(LABEL, min_size=width, max_size=width, unique_by=str.lower))
    row = st.tuples(WORD.map(lambda text: f"r{text}"), *[values] * (width - 2), st.integers(2200, 10**6))
    return names, [list(each) for each in draw(st.lists(row, min_size=2, max_size=8))]


def expected(value: Any) -> str | None:
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    return value.isoformat() if isinstance(value, datetime.date) else str(value)


def check(found: list[Got], names: list[str], rows: list[list[Any]]) -> None:
    assert len(found) == 1
    assert found[0].names == tuple(names)
    assert found[0].rows == [tuple(expected(value) for value in row) for row in rows]


CELL = st.one_of(WORD.map(lambda text: f"t{text}"), NUMBER, DAY, st.booleans(), st.none())


@FEW
@given(grids(CELL))
@example((["a", "b", "c"], [["r1", 0.1, 2201], ["r2", 1e15, 2202]]))
def test_openpyxl(grid: tuple[list[str], list[list[Any]]]) -> None:
    names, rows = grid
    with tempfile.TemporaryDirectory() as folder:
        book = openpyxl.Workbook()
        for row in (names, *rows):
            book.active.append(row)
        path = Path(folder) / "book.xlsx"
        book.save(path)
        check(read_all(path), names, rows)


@FEW
@given(grids(CELL), st.integers(0, 3), st.integers(0, 3))
def test_xlsxwriter_at_any_place(grid: tuple[list[str], list[list[Any]]], top: int, left: int) -> None:
    names, rows = grid
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "book.xlsx"
        with xlsxwriter.Workbook(str(path)) as book:
            sheet = book.add_worksheet()
            day = book.add_format({"num_format": "d.m.yy"})
            for r, row in enumerate((names, *rows)):
                for c, value in enumerate(row):
                    if isinstance(value, str):
                        sheet.write_string(top + r, left + c, value)
                    else:
                        sheet.write(top + r, left + c, value, day if isinstance(value, datetime.date) else None)
        check(read_all(path), names, rows)


@FEW
@given(grids(st.one_of(WORD.map(lambda text: f"t{text}"), NUMBER, st.booleans(), st.none())))
def test_xlwt(grid: tuple[list[str], list[list[Any]]]) -> None:
    names, rows = grid
    with tempfile.TemporaryDirectory() as folder:
        book = xlwt.Workbook()
        sheet = book.add_sheet("S")
        for r, row in enumerate((names, *rows)):
            for c, value in enumerate(row):
                sheet.write(r, c, value)
        path = Path(folder) / "book.xls"
        book.save(str(path))
        check(read_all(path), names, rows)


def ods_cell(value: Any, **spans: int) -> TableCell:
    if value is None:
        return TableCell(**spans)
    if isinstance(value, bool):
        cell = TableCell(valuetype="boolean", booleanvalue=str(value).lower(), **spans)
    elif isinstance(value, int | float):
        cell = TableCell(valuetype="float", value=repr(value), **spans)
    elif isinstance(value, datetime.date):
        cell = TableCell(valuetype="date", datevalue=value.isoformat(), **spans)
    else:
        cell = TableCell(valuetype="string", **spans)
    cell.addElement(P(text=str(value)))
    return cell


@FEW
@given(grids(CELL))
def test_odfpy(grid: tuple[list[str], list[list[Any]]]) -> None:
    names, rows = grid
    with tempfile.TemporaryDirectory() as folder:
        book = OpenDocumentSpreadsheet()
        sheet = Table(name="S")
        for row in (names, *rows):
            line = TableRow()
            for value in row:
                line.addElement(ods_cell(value))
            sheet.addElement(line)
        book.spreadsheet.addElement(sheet)
        path = Path(folder) / "book.ods"
        book.save(str(path))
        check(read_all(path), names, rows)


@st.composite
def spans(draw: st.DrawFn) -> tuple[list[list[str]], list[tuple[int, int, int, int]]]:
    """A grid of texts cut into rectangles; each rectangle has one text of its own."""
    height, width = draw(st.integers(2, 6)), draw(st.integers(2, 5))
    texts: list[list[str | None]] = [[None] * width for _ in range(height)]
    cells = []
    for row in range(height):
        for column in range(width):
            if texts[row][column] is not None:
                continue
            wide = draw(st.integers(1, 3))
            right = column
            while right + 1 < min(width, column + wide) and texts[row][right + 1] is None:
                right += 1
            bottom = min(height - 1, row + draw(st.integers(0, 2)))
            text = f"c{row}x{column}"
            for r in range(row, bottom + 1):
                for c in range(column, right + 1):
                    texts[r][c] = text
            cells.append((row, column, bottom, right))
    return [[text or "" for text in row] for row in texts], cells


@FEW
@given(spans())
def test_html_span_grid(grid: tuple[list[list[str]], list[tuple[int, int, int, int]]]) -> None:
    from lxml import html as parser

    from tablehound.lake.read.html.cells import Seen
    from tablehound.lake.read.html.span_grid import span_grid

    texts, cells = grid
    lines = ["<table>"]
    for row in range(len(texts)):
        lines.append("<tr>")
        lines += [
            f"<td rowspan={bottom - top + 1} colspan={right - left + 1}>{texts[top][left]}</td>"
            for top, left, bottom, right in cells
            if top == row
        ]
        lines.append("</tr>")
    table = parser.document_fromstring("".join([*lines, "</table>"])).find(".//table")
    found = span_grid(table, Seen(), 10_000, "page")
    begun = sorted({left for _, left, _, _ in cells})
    for row, line in enumerate(texts):
        once = row in found.wide_rows  # a heading is in the first column only
        expected = [None if once and index else line[column] for index, column in enumerate(begun)]
        assert [found.grid.text(row, column) for column in range(len(begun))] == expected


TEXT = st.text(
    st.characters(min_codepoint=33, max_codepoint=0x3FF, exclude_categories=("Cc", "Cs", "Zs", "Zl", "Zp")), max_size=12
)


@FEW
@given(grids(TEXT))
def test_html(grid: tuple[list[str], list[list[Any]]]) -> None:
    names, rows = grid
    lines = ["<table><tr>", *(f"<th>{escapes.escape(name)}</th>" for name in names), "</tr>"]
    for row in rows:
        lines += ["<tr>", *(f"<td>{escapes.escape(str(value))}</td>" for value in row), "</tr>"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        path.write_text("".join([*lines, "</table>"]), encoding="utf-8")
        found = read_all(path)
    check(found, names, rows)


@FEW
@given(grids(TEXT))
def test_markdown(grid: tuple[list[str], list[list[Any]]]) -> None:
    names, rows = grid

    def escaped(value: Any) -> str:
        return "".join(f"\\{sign}" if sign in "\\`*_{}[]()#+-.!|<>&~^=:;\"'$%/?@," else sign for sign in str(value))

    lines = [f"| {' | '.join(map(escaped, row))} |" for row in (names, ["-"] * len(names), *rows)]
    lines[1] = "|" + "---|" * len(names)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.md"
        path.write_text("\n".join(lines), encoding="utf-8")
        check(read_all(path), names, rows)


@FEW
@given(grids(st.one_of(st.text(max_size=12).filter(lambda text: text != ""), NUMBER, st.none())))
def test_json_records_and_lines(grid: tuple[list[str], list[list[Any]]]) -> None:
    names, rows = grid
    records = [dict(zip(names, row, strict=True)) for row in rows]
    wanted = [
        tuple(None if value is None else value if isinstance(value, str) else json.dumps(value) for value in row)
        for row in rows
    ]
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (
            ("t.json", json.dumps(records, ensure_ascii=True)),
            ("t.jsonl", "\n".join(json.dumps(record) for record in records)),
        ):
            path = Path(folder) / name
            path.write_text(text, encoding="utf-8")
            (table,) = read_all(path)
            assert table.names == tuple(names)
            assert table.rows == wanted


def test_ods_merges(tmp_path: Path) -> None:
    book = OpenDocumentSpreadsheet()
    sheet = Table(name="S")
    for row in (["Region", "City", "N"], [("North", 2), "Oslo", 1], [None, "Bergen", 2], ["South", "Rome", 3]):
        line = TableRow()
        for value in row:
            if isinstance(value, tuple):
                line.addElement(ods_cell(value[0], numberrowsspanned=value[1], numbercolumnsspanned=1))
            elif value is None:
                line.addElement(CoveredTableCell())
            else:
                line.addElement(ods_cell(value))
        sheet.addElement(line)
    book.spreadsheet.addElement(sheet)
    path = tmp_path / "book.ods"
    book.save(str(path))
    (table,) = read_all(path)
    assert table.column("Region") == ["North", "North", "South"]


def test_flat_open_document(tmp_path: Path) -> None:
    names = {"office": "office", "table": "table", "text": "text"}
    declared = " ".join(
        f'xmlns:{key}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for key, name in names.items()
    )
    path = tmp_path / "book.fods"
    path.write_text(
        f'<?xml version="1.0"?>\n<office:document {declared} '
        'office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:body><office:spreadsheet>'
        '<table:table table:name="S"><table:table-row><table:table-cell office:value-type="string"><text:p>a</text:p>'
        '</table:table-cell><table:table-cell office:value-type="string"><text:p>b</text:p></table:table-cell>'
        '</table:table-row><table:table-row><table:table-cell office:value-type="string"><text:p>x</text:p>'
        '</table:table-cell><table:table-cell office:value-type="percentage" office:value="0.25"><text:p>25%</text:p>'
        "</table:table-cell></table:table-row></table:table></office:spreadsheet></office:body></office:document>",
        encoding="utf-8",
    )
    (table,) = read_all(path)
    assert (table.names, table.rows) == (("a", "b"), [("x", "25%")])
