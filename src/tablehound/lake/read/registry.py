"""Which reader reads what: by the first bytes where they are distinct, else by the suffix of the name."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from tablehound.errors import UnsupportedSourceError
from tablehound.lake.read.contract import Format, SourceFile, TableDraft

SNIFF_BYTES = 4096
"""How much of a source ``pick_format`` looks at."""
_OLE2 = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_BOMS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class _LazyReader:
    """Imports the module of a format when the first source of that format is read."""

    module: str

    def __call__(self, source: SourceFile) -> Iterator[TableDraft]:
        name = f"tablehound.lake.read.{self.module}"
        try:
            module = importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name != name:
                raise
            raise UnsupportedSourceError(f"there is no reader {self.module!r}", where=source.name) from error
        drafts: Iterator[TableDraft] = module.read(source)
        return drafts


def _starts(*magics: bytes) -> Callable[[bytes], bool]:
    return lambda head: head.startswith(magics)


def _zip_with(*names: bytes) -> Callable[[bytes], bool]:
    return lambda head: head.startswith(b"PK\x03\x04") and any(name in head for name in names)


def _text_start(head: bytes) -> bytes:
    for bom in _BOMS:
        head = head.removeprefix(bom)
    return head.replace(b"\0", b"").lstrip()


def _looks_html(head: bytes) -> bool:
    start = _text_start(head)[:1024].lower()
    return start.startswith((b"<!doctype html", b"<html", b"<table", b"<head", b"<body")) or (
        start.startswith(b"<") and b"<table" in head.lower()
    )


def _looks_duckdb(head: bytes) -> bool:
    return head[8:12] == b"DUCK"


_FORMATS = (
    # Known by their first bytes, under any name.
    Format(
        "sqlite", (".sqlite", ".sqlite3", ".db", ".db3"), _LazyReader("databases.sqlite"), _starts(b"SQLite format 3\0")
    ),
    Format("duckdb", (".duckdb", ".ddb"), _LazyReader("databases.duckdb"), _looks_duckdb),
    Format("parquet", (".parquet", ".pq"), _LazyReader("columnar.reader"), _starts(b"PAR1", b"PARE")),
    Format(
        "arrow",
        (".arrow", ".feather", ".ipc", ".arrows"),
        _LazyReader("columnar.reader"),
        _starts(b"ARROW1", b"FEA1", b"\xff\xff\xff\xff"),
    ),
    Format(
        "xlsx",
        (".xlsx", ".xlsm", ".xltx", ".xltm", ".xlsb"),
        _LazyReader("workbook.reader"),
        _zip_with(b"xl/", b"[Content_Types].xml"),
    ),
    Format("xls", (".xls", ".xlt"), _LazyReader("workbook.reader"), _starts(_OLE2)),
    Format(
        "ods",
        (".ods", ".ots", ".fods"),
        _LazyReader("workbook.reader"),
        _zip_with(b"application/vnd.oasis.opendocument.spreadsheet"),
    ),
    # Text: the name decides, and HTML under a wrong name is common (``.xls`` exports of web pages).
    Format("html", (".html", ".htm", ".xhtml"), _LazyReader("html.reader"), _looks_html),
    Format("markdown", (".md", ".markdown", ".mkd"), _LazyReader("markdown.reader")),
    Format("json", (".json", ".jsonl", ".ndjson", ".geojson"), _LazyReader("json.reader")),
    Format(
        "csv",
        (".csv", ".tsv", ".tab", ".psv", ".ssv", ".txt", ".dat", ".data", ".asc", ".prn"),
        _LazyReader("delimited.reader"),
    ),
)
_PACKED = frozenset({".zip", ".tar", ".tgz", ".tbz", ".tbz2", ".txz", ".tzst", ".gz", ".zst", ".zstd", ".bz2", ".xz"})
_ANY_TEXT = (".txt", ".dat", ".data", ".asc", ".prn")
_PLAIN_TEXT = re.compile(rb"\s*[^<\x00-\x1f\s][^\x00-\x08\x0e-\x1a]*\Z")
_WORKBOOKS = ("xlsx", "xls", "ods")
_BY_SUFFIX = {suffix: entry for entry in _FORMATS for suffix in entry.suffixes}
_BY_NAME = {entry.name: entry for entry in _FORMATS}


def formats() -> tuple[Format, ...]:
    """All formats, in the order in which their first bytes are tried."""
    return _FORMATS


def promises_table(name: str) -> bool:
    """Whether the suffix of a name is one of tables, and not of any kind of text."""
    entry = _BY_SUFFIX.get(PurePosixPath(name).suffix.lower())
    return entry is not None and entry.name not in ("html", "markdown") and not name.lower().endswith(_ANY_TEXT)


def looks_binary(head: bytes) -> bool:
    """Whether first bytes are no text of any encoding: control characters, or NUL bytes outside of UTF-16 and -32."""
    if head.startswith(_BOMS):
        return False
    sample = head[:SNIFF_BYTES]
    controls = sum(
        sample.count(byte) for byte in b"\x01\x02\x03\x04\x05\x06\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18"
    )
    nul = sample.count(0)
    if nul and controls == 0:
        # UTF-16 of mostly Latin text has its NUL bytes at odd or at even places only.
        even, odd = sample[::2].count(0), sample[1::2].count(0)
        return max(even, odd) > len(sample) // 8 and min(even, odd) > max(even, odd) // 4
    return controls > len(sample) // 20


def pick_format(name: str, head: bytes, *, explicit: bool = True, override: str | None = None) -> Format:
    """The format of a source by an override, its first bytes and its name.

    Args:
        name: file name; only its suffix is used.
        head: the first bytes, ``SNIFF_BYTES`` or all there is.
        explicit: the source was named by the caller; then text under an unknown suffix is read as delimited text.
        override: name of a format from ``tablehound.toml``.

    Raises:
        UnsupportedSourceError: binary, encrypted, or not a format of tables.
    """
    if override is not None:
        if override not in _BY_NAME:
            raise UnsupportedSourceError(
                f"there is no format named {override!r}", where=name, remedy=f"use one of {', '.join(sorted(_BY_NAME))}"
            )
        return _BY_NAME[override]
    suffix = PurePosixPath(name).suffix.lower()
    by_suffix = _BY_SUFFIX.get(suffix)
    if by_suffix is not None and by_suffix.sniff is None and _PLAIN_TEXT.match(head):
        # Also when the first column of a text happens to be called PAR1.
        return by_suffix
    for entry in _FORMATS:
        if entry.sniff is None or not entry.sniff(head):
            continue
        if entry.name == "html" and by_suffix is not None and by_suffix.name in ("markdown", "json"):
            break
        if entry.name in _WORKBOOKS:
            if by_suffix is not None and by_suffix.name in _WORKBOOKS and entry.name != "xls":
                return by_suffix
            if suffix and by_suffix is None and b"xl/" not in head and entry.name != "ods":
                break  # a text document or a presentation: in the same kinds of container
        return entry
    if by_suffix is not None and by_suffix.name in _WORKBOOKS and head.startswith(b"PK\x03\x04"):
        return by_suffix  # written by a program that packs the parts in an order of its own
    if by_suffix is not None and by_suffix.name == "xls" and _text_start(head).startswith(b"<?xml"):
        raise UnsupportedSourceError("an XML spreadsheet of 2003", where=name, remedy="save it as xlsx")
    if by_suffix is not None and by_suffix.sniff is None:
        if looks_binary(head):
            raise UnsupportedSourceError("binary content under the name of a text file", where=name)
        return by_suffix
    if by_suffix is not None and by_suffix.name == "ods" and suffix == ".fods":
        return by_suffix
    if by_suffix is not None and by_suffix.name == "html" and not looks_binary(head):
        return by_suffix
    if head and not looks_binary(head) and (explicit or by_suffix is not None):
        # Also text under the name of a binary format, such as a CSV saved as ``.xls``.
        return _BY_NAME["json"] if _text_start(head)[:1] in (b"{", b"[") else _BY_NAME["csv"]
    if by_suffix is not None:
        raise UnsupportedSourceError(f"this is no {by_suffix.name} file: its first bytes are different", where=name)
    if suffix in _PACKED:
        raise UnsupportedSourceError(
            f"this is no {suffix.lstrip('.')} file: its first bytes are different",
            where=name,
            remedy="see whether it is whole, or set its format in tablehound.toml",
        )
    remedy = (
        "set its format in tablehound.toml"
        if explicit
        else "name the file itself, or set its format in tablehound.toml"
    )
    raise UnsupportedSourceError("not a format that holds tables", where=name, remedy=remedy)
