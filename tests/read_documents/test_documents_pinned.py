"""What an override pins goes before what would be detected."""

from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest

from tablehound.errors import BrokenSourceError
from tablehound.lake.read.contract import Overrides, SourceFile
from tests.read_documents.document_tables import READERS, Got, read_all


def pinned(path: Path, **values: object) -> list[Got]:
    """Read with overrides."""
    draft_reader = READERS[path.suffix]

    def read(source: SourceFile) -> object:
        return draft_reader(SourceFile(source.path, source.name, overrides=Overrides(**values)))  # type: ignore[arg-type]

    try:
        READERS[path.suffix] = read
        return read_all(path)
    finally:
        READERS[path.suffix] = draft_reader


@pytest.fixture
def book(tmp_path: Path) -> Path:
    made = openpyxl.Workbook()
    for row in (["junk", "x", None], ["a", "b", "c"], [1, 2, 3], [4, 5, 6], [7, 8, 9]):
        made.active.append(row)
    hidden = made.create_sheet("Hidden")
    hidden.sheet_state = "hidden"
    hidden.append(["h", "n"])
    hidden.append(["p", 1])
    path = tmp_path / "book.xlsx"
    made.save(path)
    return path


def test_sheet(book: Path) -> None:
    assert [table.sheet for table in pinned(book, sheets=("Hidden",))] == ["Hidden"]
    with pytest.raises(BrokenSourceError, match="no sheet is called Nope"):
        pinned(book, sheets=("Nope",))


def test_region(book: Path) -> None:
    (table,) = pinned(book, sheets=("Sheet",), region="B2:C4")
    assert (table.region, table.names) == ("B2:C4", ("b", "c"))
    assert table.rows == [("2", "3"), ("5", "6")]
    with pytest.raises(BrokenSourceError, match="not a range"):
        pinned(book, region="everything")


def test_header_rows_and_skipped_rows(book: Path) -> None:
    (table,) = pinned(book, sheets=("Sheet",), skip_rows=1, header_rows=0)
    assert table.rows[0] == ("a", "b", "c")
    (table,) = pinned(book, sheets=("Sheet",), skip_rows=1, header_rows=2)
    assert table.header == (("a", "1"), ("b", "2"), ("c", "3"))


def test_encoding_and_header_rows_of_a_page(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_bytes("<table><tr><th>a<th>b<tr><td>Größe<td>1</table>".encode("cp437"))
    (table,) = pinned(path, encoding="cp437", header_rows=0)
    assert table.rows == [("a", "b"), ("Größe", "1")]
