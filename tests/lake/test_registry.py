"""Which reader a source goes to: by its first bytes where they tell, else by its name."""

from __future__ import annotations

import pytest

from tablehound.errors import UnsupportedSourceError
from tablehound.lake import formats
from tablehound.lake.read.registry import pick_format, promises_table

ZIP = b"PK\x03\x04\x14\x00"
OLE2 = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


@pytest.mark.parametrize(
    ("name", "head", "format"),
    [
        ("a.csv", b"a,b\n", "csv"),
        ("a.TSV", b"a\tb\n", "csv"),
        ("a.csv", "ä,b\n".encode("utf-16"), "csv"),
        ("a.csv", b"a,b\n1,\x002\n", "csv"),
        ("a.csv", b"SQLite format 3\0", "sqlite"),
        ("a.csv", b"PAR1\x15\x04", "parquet"),
        ("a.csv", b"PAR1,PAR2\n1,2\n", "csv"),
        ("a", b"\0" * 8 + b"DUCK", "duckdb"),
        ("a.xls", b"<html><table>", "html"),
        ("a.xls", b"a\tb\n1\t2\n", "csv"),
        ("a.xls", OLE2, "xls"),
        ("a.xlsx", OLE2, "xls"),
        ("a.xlsx", ZIP + b"[Content_Types].xml", "xlsx"),
        ("a.xlsx", ZIP + b"sheet1.xml", "xlsx"),
        ("a.xlsb", ZIP + b"xl/workbook.bin", "xlsx"),
        ("a", ZIP + b"xl/workbook.xml", "xlsx"),
        ("a.ods", ZIP + b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet", "ods"),
        ("a.md", b"<table>", "markdown"),
        ("a.json", b"[1]", "json"),
        ("a.unknown", b'{"a": 1}', "json"),
        ("a.unknown", b"a;b\n", "csv"),
        ("a.htm", b"\xef\xbb\xbf<!DOCTYPE html>", "html"),
    ],
)
def test_picked(name: str, head: bytes, format: str) -> None:
    assert pick_format(name, head).name == format


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("a.csv", bytes(range(256)) * 4),
        ("a.parquet", bytes(range(256)) * 4),
        ("a.docx", ZIP + b"[Content_Types].xml word/document.xml"),
        ("a.doc", OLE2),
        ("a.xls", b'<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?>'),
        ("a.png", b"\x89PNG\r\n\x1a\n" + bytes(range(64))),
    ],
)
def test_refused(name: str, head: bytes) -> None:
    with pytest.raises(UnsupportedSourceError):
        pick_format(name, head)


def test_text_of_an_unknown_kind_only_when_it_was_named() -> None:
    assert pick_format("LICENSE", b"some text").name == "csv"
    with pytest.raises(UnsupportedSourceError, match=r"tablehound\.toml"):
        pick_format("LICENSE", b"some text", explicit=False)


def test_overrides() -> None:
    assert pick_format("a.bin", b"\x01\x02", override="csv").name == "csv"
    with pytest.raises(UnsupportedSourceError, match="use one of arrow, csv"):
        pick_format("a.csv", b"a", override="cvs")


def test_which_names_promise_a_table() -> None:
    assert [name for name in ("a.csv", "b.xlsx", "readme.txt", "c.md", "d.html", "e") if promises_table(name)] == [
        "a.csv",
        "b.xlsx",
    ]
    assert len({entry.name for entry in formats()}) == len(formats())
