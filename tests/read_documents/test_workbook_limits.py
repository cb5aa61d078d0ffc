"""Workbooks that are hostile, odd or locked: refused with a reason or read within bounds, never a crash."""

from __future__ import annotations

import contextlib
import io
import zipfile
from pathlib import Path

import openpyxl
import pytest
import xlwt

from tablehound.errors import BrokenSourceError, SourceMissingError, UnsupportedSourceError
from tablehound.settings import ReadSettings
from tests.read_documents.document_tables import read_all, read_book


def with_part(path: Path, target: Path, name: str, data: bytes) -> None:
    """Copy a workbook with one part replaced."""
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for member in old.namelist():
            new.writestr(member, data if member == name else old.read(member))


@pytest.fixture
def small(tmp_path: Path) -> Path:
    read_book(tmp_path, [["a", "b"], [1, "x"], [2, "y"]])
    return tmp_path / "book.xlsx"


def test_stray_cell_at_the_far_corner_costs_nothing(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in (["a", "b"], [1, 2], [3, 4]):
        book.active.append(row)
    book.active["XFD1048576"] = "stray"
    path = tmp_path / "far.xlsx"
    book.save(path)
    found = read_all(path)
    assert found[0].rows == [("1", "2"), ("3", "4")]
    assert any("stray" in (table.title or "", *table.notes, *(row[0] for row in table.rows)) for table in found)


def test_sheet_beyond_the_limit_of_cells_is_refused(small: Path) -> None:
    with pytest.raises(BrokenSourceError, match="max_sheet_cells"):
        read_all(small, ReadSettings(max_sheet_cells=5))


def test_zip_bomb_is_refused(small: Path, tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.xlsx"
    with_part(small, bomb, "xl/theme/theme1.xml", b" " * (100 << 20))
    with pytest.raises(BrokenSourceError, match="expands from"):
        read_all(bomb)


def test_entities_are_not_expanded(small: Path, tmp_path: Path) -> None:
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    text = f'<!DOCTYPE x [<!ENTITY e0 "lol">{entities}]><styleSheet>&e11;</styleSheet>'
    for part in ("xl/styles.xml", "xl/workbook.xml", "xl/sharedStrings.xml", "xl/worksheets/sheet1.xml"):
        odd = tmp_path / "odd.xlsx"
        with_part(small, odd, part, text.encode())
        with contextlib.suppress(BrokenSourceError):
            read_all(odd)


@pytest.mark.parametrize("keep", [10, 1_000, 3_000])
def test_truncated_file_is_refused(small: Path, keep: int) -> None:
    small.write_bytes(small.read_bytes()[:keep])
    with pytest.raises(BrokenSourceError):
        read_all(small)


def test_password_is_reported(tmp_path: Path) -> None:
    # The outer shell of an encrypted XLSX: a compound file with this stream's name in its directory.
    locked = tmp_path / "locked.xlsx"
    locked.write_bytes(
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 504 + "EncryptedPackage".encode("utf-16-le") + b"\0" * 512
    )
    with pytest.raises(UnsupportedSourceError, match="password"):
        read_all(locked)


def test_encrypted_member_is_reported(tmp_path: Path) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("content.xml", "x")
        archive.writestr("META-INF/manifest.xml", "<manifest:encryption-data/>")
    path = tmp_path / "locked.ods"
    path.write_bytes(data.getvalue())
    with pytest.raises(UnsupportedSourceError, match="password"):
        read_all(path)


@pytest.mark.parametrize(
    "data", [b"", b"hello", b"PK\x03\x04" + b"\0" * 50, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 900]
)
def test_no_workbook_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "no.xls"
    path.write_bytes(data)
    with pytest.raises((BrokenSourceError, UnsupportedSourceError)):
        read_all(path)


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(SourceMissingError):
        read_all(tmp_path / "none.xlsx")


def test_ending_may_be_wrong(small: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.ods"
    wrong.write_bytes(small.read_bytes())
    (table,) = read_all(wrong)
    assert table.rows == [("1", "x"), ("2", "y")]


def test_damaged_compound_file_is_refused_before_its_lengths_are_believed(tmp_path: Path) -> None:
    book = xlwt.Workbook()
    book.add_sheet("S").write(0, 0, "x")
    path = tmp_path / "book.xls"
    book.save(str(path))
    data = bytearray(path.read_bytes())
    for change in (44, 64, 48):  # counts of sectors, and where the directory begins
        broken = bytearray(data)
        broken[change : change + 4] = b"\xff\xff\xff\x7f"
        path.write_bytes(broken)
        with pytest.raises(BrokenSourceError, match="damaged"):
            read_all(path)


def test_long_cell_is_cut_and_reported(tmp_path: Path) -> None:
    (table,) = read_book(tmp_path, [["a", "b"], ["x" * 50, 1], ["y", 2]], settings=ReadSettings(max_cell_chars=20))
    assert table.column("a") == ["x" * 20, "y"]
    assert "1 cells cut to 20 characters" in table.account.repairs
