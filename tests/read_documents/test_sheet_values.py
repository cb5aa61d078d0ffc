"""What a cell of a workbook says is in its raw text: errors, codes with leading zeros, dates before all dates."""

from __future__ import annotations

import datetime
import struct
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from tests.read_documents.document_tables import Got, read_all, read_book


def _errors(sheet: Any) -> None:
    for row in (["n", "v"], ["a", 1], ["b", None], ["c", None], ["d", 4]):
        sheet.append(row)
    for cell, text in (("B3", "#N/A"), ("B4", "#DIV/0!"), ("C1", "#REF!"), ("A6", "#NUM!")):
        sheet[cell].value = text
        sheet[cell].data_type = "e"


def _written(folder: Path, fill: Any, far: bool = False) -> list[Got]:
    book = openpyxl.Workbook()
    fill(book.active)
    if far:
        book.active["XFA1000000"] = "far away"
    book.save(folder / "book.xlsx")
    return read_all(folder / "book.xlsx")


@pytest.mark.parametrize("far", [False, True])
def test_errors_are_cells_and_reported(tmp_path: Path, far: bool) -> None:
    table = _written(tmp_path, _errors, far)[0]
    assert table.names == ("n", "v", "#REF!")
    assert [row[:2] for row in table.rows] == [("a", "1"), ("b", "#N/A"), ("c", "#DIV/0!"), ("d", "4"), ("#NUM!", None)]
    assert "B4: the value is the error #DIV/0!" in table.account.ambiguities


def test_errors_in_old_workbooks(tmp_path: Path) -> None:
    xlwt = pytest.importorskip("xlwt")
    book = xlwt.Workbook()
    sheet = book.add_sheet("s")
    rows: list[list[Any]] = [["n", "v"], ["a", 1], ["b", 2], ["c", 3], ["d", xlwt.Formula("SUM(B2:B3)")]]
    for index, row in enumerate(rows):
        for column, value in enumerate(row):
            sheet.write(index, column, value)
    sheet.row(5).set_cell_text(0, "e")
    sheet.row(5).set_cell_error(1, 0x2A)
    book.save(str(tmp_path / "book.xls"))
    (table,) = read_all(tmp_path / "book.xls")
    assert table.rows[-2:] == [("d", None), ("e", "#N/A")]
    assert "B5: formula without a stored value, read as empty" in table.account.ambiguities
    assert "B6: the value is the error #N/A" in table.account.ambiguities


def test_values_of_open_documents(tmp_path: Path) -> None:
    names = " ".join(
        f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for prefix, name in (("office", "office"), ("table", "table"), ("text", "text"), ("style", "style"))
    )
    cells = [
        ('office:value-type="time" office:time-value="PT27H03M00S"', "27:03:00", "27:03:00"),
        ('office:value-type="time" office:time-value="PT13H05M09S"', "13:05:09", "13:05:09"),
        ('table:formula="of:=NA()" office:value-type="string" office:string-value=""', "#N/A", "#N/A"),
        ('table:formula="of:=1/0" office:value-type="float" office:value="0"', "#DIV/0!", "#DIV/0!"),
        ('table:formula="of:=[.B1]*2"', "", None),
        ('table:style-name="ce1" office:value-type="float" office:value="2108"', "02108", "02108"),
    ]
    text = '<table:table-cell office:value-type="string"><text:p>{}</text:p></table:table-cell>'
    rows = [text.format("n") + text.format("v")]
    for index, (attributes, shown, _) in enumerate(cells):
        inner = f"<text:p>{shown}</text:p>" if shown else ""
        rows.append(text.format(f"r{index}") + f"<table:table-cell {attributes}>{inner}</table:table-cell>")
    body = "".join(f"<table:table-row>{row}</table:table-row>" for row in rows)
    (tmp_path / "book.fods").write_text(
        f'<?xml version="1.0"?><office:document {names} '
        'xmlns:number="urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0" '
        'office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:automatic-styles>'
        '<number:number-style style:name="N1"><number:number number:min-integer-digits="5" number:decimal-places="0"/>'
        '</number:number-style><style:style style:name="ce1" style:family="table-cell" style:data-style-name="N1"/>'
        '</office:automatic-styles><office:body><office:spreadsheet><table:table table:name="s">'
        f"{body}</table:table></office:spreadsheet></office:body></office:document>",
        encoding="utf-8",
    )
    (table,) = read_all(tmp_path / "book.fods")
    assert table.column("v") == [expected for _, _, expected in cells]
    assert "B6: formula without a stored value, read as empty" in table.account.ambiguities
    assert "B4: the value is the error #N/A" in table.account.ambiguities


@pytest.mark.parametrize("far", [False, True])
def test_number_formats_are_not_those_of_texts(tmp_path: Path, far: bool) -> None:
    def fill(sheet: Any) -> None:
        for row in (["n", "v"], ["a", "12"], ["b", 0.5], ["c", "0.5"], ["d", 7]):
            sheet.append(row)
        for cell, code in (("B2", "0%"), ("B3", "0%"), ("B4", "$0.00"), ("B5", "$0.00")):
            sheet[cell].number_format = code

    assert _written(tmp_path, fill, far)[0].column("v") == ["12", "50%", "0.5", "$7"]


@pytest.mark.parametrize(
    ("code", "number", "text"),
    [
        ("00000", 2108, "02108"),
        ("000-00-0000", 12345678, "012-34-5678"),
        ("[<=99999]00000;00000\\-0000", 2108, "02108"),
        ("[<=99999]00000;00000\\-0000", 21081234, "02108-1234"),
        ('0000" kg"', 42, "0042"),
        ("0", 5, "5"),
        ("00", -5, "-5"),
        ("#,##0.00", 5, "5"),
        ("00000", 12.5, "12.5"),
    ],
)
def test_codes_keep_their_leading_zeros(tmp_path: Path, code: str, number: float, text: str) -> None:
    (table,) = read_book(tmp_path, [["n", "v"], ["a", number], ["b", 1]], formats={"B2": code})
    assert table.column("v") == [text, "1"]


def test_dates_that_are_none_stay_numbers_and_durations_stay_exact(tmp_path: Path) -> None:
    cells = [
        (-3, "yyyy-mm-dd", "-3"),
        (0, "yyyy-mm-dd", "0"),
        (59, "yyyy-mm-dd", "1900-02-28"),
        (60, "yyyy-mm-dd", "1900-02-29"),
        (45000, "yyyy-mm-dd", "2023-03-15"),
        (0, "hh:mm", "00:00:00"),
        (-0.5, "hh:mm", "-0.5"),
        (83.456 / 86400, "[mm]:ss.000", "0:01:23.456"),
        (datetime.timedelta(hours=27, minutes=3), "[h]:mm:ss", "27:03:00"),
    ]
    rows = [["n", "v"], *([f"r{index}", value] for index, (value, _, _) in enumerate(cells))]
    formats = {f"B{index + 2}": code for index, (_, code, _) in enumerate(cells)}
    (table,) = read_book(tmp_path, rows, formats=formats)
    assert table.column("v") == [text for _, _, text in cells]
    assert "B2: no day that its date format could show, read as its number" in table.account.ambiguities


def _record(kind: int, content: bytes = b"") -> bytes:
    number = bytes((kind,)) if kind < 128 else bytes((kind & 0x7F | 0x80, kind >> 7))
    return number + bytes((len(content),)) + content


def _wide(text: str) -> bytes:
    return struct.pack("<I", len(text)) + text.encode("utf-16-le")


def _binary_book(path: Path, rows: list[list[bytes]]) -> None:
    """A workbook of records: each cell is its kind, style and value."""
    relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006/relationships"
    data = _record(129) + _record(148, struct.pack("<IIII", 0, len(rows) - 1, 0, 1)) + _record(145)
    for row, cells in enumerate(rows):
        data += _record(0, struct.pack("<I", row) + bytes(13))
        for column, cell in enumerate(cells):
            data += _record(cell[0], struct.pack("<II", column, cell[1]) + cell[2:])
    styles = _record(44, struct.pack("<H", 164) + _wide("00000")) + _record(617, struct.pack("<I", 3))
    styles += b"".join(_record(47, struct.pack("<HH", 0, number) + bytes(12)) for number in (0, 164, 10, 14))
    sheets = _record(143) + _record(156, struct.pack("<II", 0, 1) + _wide("rId1") + _wide("s")) + _record(144)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("_rels/.rels", f'<Relationships xmlns="{package}"/>')
        archive.writestr("xl/workbook.bin", _record(131) + sheets + _record(132))
        archive.writestr("xl/styles.bin", styles + _record(618))
        archive.writestr("xl/worksheets/sheet1.bin", data + _record(146) + _record(130))
        archive.writestr(
            "xl/_rels/workbook.bin.rels",
            f'<Relationships xmlns="{package}"><Relationship Id="rId1" Type="{relation}/worksheet" '
            'Target="worksheets/sheet1.bin"/></Relationships>',
        )


def test_errors_and_formats_of_binary_workbooks(tmp_path: Path) -> None:
    def text(value: str) -> bytes:
        return bytes((6, 0)) + _wide(value)

    def number(value: float, style: int = 0) -> bytes:
        return bytes((5, style)) + struct.pack("<d", value)

    rows = [
        [text("n"), text("v")],
        [text("a"), bytes((3, 0, 42))],
        [text("b"), number(2108, 1)],
        [text("c"), number(0.125, 2)],
        [text("d"), number(-3, 3)],
        [text("e"), number(7)],
    ]
    _binary_book(tmp_path / "book.xlsb", rows)
    (table,) = read_all(tmp_path / "book.xlsb")
    assert table.column("v") == ["#N/A", "02108", "12.5%", "-3", "7"]
    assert "B2: the value is the error #N/A" in table.account.ambiguities
