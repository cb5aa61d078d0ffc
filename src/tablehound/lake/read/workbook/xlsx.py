"""Facts of the sheets of an XLSX file: styles, formulas without a value, hidden rows, true extent.

The sheet is scanned in chunks as bytes, so that this costs little beside reading the values; namespaces may have any
prefix. Nothing here expands entities.
"""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections.abc import Iterator

from tablehound.lake.read.layout.grid import Box, column_index
from tablehound.lake.read.workbook.facts import DefinedTable, Place, SheetFacts
from tablehound.lake.read.workbook.number_formats import Styles
from tablehound.lake.read.workbook.package import Package

CHUNK_BYTES = 1 << 22
"""Bytes of a sheet that are scanned at a time."""
MAX_ROW_CHUNKS = 16
"""Chunks in which the end of a row is waited for."""
MAX_INDENT = 250
"""The largest indent of a cell in the format, exclusive."""
COLUMNS_TO_Z = 26
_ROW = re.compile(rb"<(?:\w+:)?row\b([^>]*)>")
_ROW_NUMBER = re.compile(rb'\br="(\d+)"')
_WIDE = re.compile(rb' r="([A-Z]{2,3})[0-9]')
_HIDDEN_COLUMN = re.compile(rb"<(?:\w+:)?col\b([^>]*)\bhidden=\"(?:1|true)\"[^>]*>")
_UNCACHED = re.compile(
    rb"<(?:\w+:)?c\b([^>]*)>\s*<(?:\w+:)?f\b[^>]*?(?:/>|>([^<]*)</(?:\w+:)?f>)\s*(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v>\s*</(?:\w+:)?v>)?\s*</(?:\w+:)?c>"
)
_SUM = re.compile(
    rb' r="([A-Z]+)(\d+)"[^>]*>\s*<(?:\w+:)?f\b[^>]*>\s*(?:SUM|SUBTOTAL|AGGREGATE)\((?:\d+,)*'
    rb"\$?([A-Z]+)\$?(\d+):\$?([A-Z]+)\$?(\d+)\)\s*<"
)
_RANGE = re.compile(r"\$?([A-Z]+)\$?(\d+):\$?([A-Z]+)\$?(\d+)")
_ERROR = re.compile(
    rb'<(?:\w+:)?c\b(?=[^>]*\bt="e")[^>]*?\br="([A-Z]+)(\d+)"[^>]*>(?:(?!</(?:\w+:)?c>).)*?<(?:\w+:)?v>([^<]*)<',
    re.DOTALL,
)
_NUMERIC = re.compile(
    rb'<(?:\w+:)?c\b([^>]*?)\br="([A-Z]+)(\d+)"([^>]*)>(?:(?!</(?:\w+:)?c>).)*?<(?:\w+:)?v>(-[0-9.Ee+-]+|0|60)<',
    re.DOTALL,
)
_VALUE = re.compile(rb"<(?:\w+:)?v\b")
_STYLE = re.compile(rb'\bs="(\d+)"')
_OTHER_TYPE = re.compile(rb'\bt="(?!n")')
_REFERENCE = re.compile(rb'\br="([A-Z]+)(\d+)"')


class XlsxParts:
    """The parts of a workbook, looked up by sheet name."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._package = Package(archive)
        self._book = self._book_path()
        self._styles = Styles()
        self._sheets = self._sheet_paths()
        self._read_styles()

    def facts(self, sheet: str) -> SheetFacts:
        """Scan a sheet; empty facts where its part is not found."""
        facts = SheetFacts(columns=COLUMNS_TO_Z)
        styled = None
        if styles := {*self._styles.formats, *self._styles.indents}:
            ids = b"|".join(str(style).encode() for style in sorted(styles))
            styled = re.compile(rb'<(?:\w+:)?c\b(?=[^>]*\bs="(' + ids + rb')")[^>]*?\br="([A-Z]+)(\d+)"')
        for number, chunk in enumerate(self._chunks(sheet)):
            if not number:
                facts.hidden_columns = [
                    span for each in _HIDDEN_COLUMN.finditer(chunk) if (span := _span(each.group()))
                ]
            self._scan(chunk, facts, styled)
        facts.tables = self._tables(sheet)
        return facts

    def odd_dates(self, sheet: str) -> dict[Place, str]:
        """Cells with a date format whose number is no day: negative, 0, and the 29th of February 1900.

        The reader of values makes times of day and other days of them, so that the number would be lost.
        """
        found: dict[Place, str] = {}
        for chunk in self._chunks(sheet) if self._styles.dates else ():
            for before, letters, digits, after, number in _NUMERIC.findall(chunk):
                style = _STYLE.search(before) or _STYLE.search(after)
                kind = int(style.group(1)) if style is not None else -1
                if kind not in self._styles.dates or _OTHER_TYPE.search(before + after):
                    continue
                if (text := self._styles.odd_date(kind, float(number))) is not None:
                    found[_place(letters, digits)] = text
        return found

    def _tables(self, sheet: str) -> list[DefinedTable]:
        """The tables that the workbook declares on a sheet."""
        found = []
        for _, kind, path in self._package.relations(self._sheets[sheet]) if sheet in self._sheets else ():
            table = self._package.xml(path) if kind.endswith("/table") else None
            place = _RANGE.fullmatch(table.get("ref") or "") if table is not None else None
            if table is None or place is None:
                continue
            box = Box(int(place[2]) - 1, column_index(place[1]), int(place[4]) - 1, column_index(place[3]))
            heads, totals = table.get("headerRowCount") or "1", table.get("totalsRowCount") or "0"
            found.append(
                DefinedTable(box, int(heads) if heads.isdecimal() else 1, int(totals) if totals.isdecimal() else 0)
            )
        return found

    def _scan(self, chunk: bytes, facts: SheetFacts, styled: re.Pattern[bytes] | None) -> None:
        facts.cells += chunk.count(b"<c ") or chunk.count(b":c ")
        for row in _ROW.finditer(chunk) if b"hidden=" in chunk else ():
            if b'hidden="1"' in row.group(1) or b'hidden="true"' in row.group(1):
                number = _ROW_NUMBER.search(row.group(1))
                facts.hidden_rows.append(int(number.group(1)) - 1 if number else facts.rows)
        last = _ROW_NUMBER.search(chunk, max(chunk.rfind(b"<row"), chunk.rfind(b":row"), 0))
        facts.rows = max(facts.rows, int(last.group(1)) if last else 0)
        for wide in set(_WIDE.findall(chunk)):
            facts.columns = max(facts.columns, column_index(wide.decode()) + 1)
        if b"<f" in chunk or b":f" in chunk:
            for match in _UNCACHED.finditer(chunk):
                place = _REFERENCE.search(match.group(1))
                if place and not (b't="str"' in match.group(1) and _VALUE.search(match.group())):
                    text = (match.group(2) or b"").decode("utf-8", "replace")
                    facts.uncached[_place(*place.groups())] = text
            for letters, row, left, top, right, bottom in _SUM.findall(chunk):
                if letters == left == right and int(bottom) > int(top) and not int(top) <= int(row) <= int(bottom):
                    facts.sum_rows.add(int(row) - 1)
        for letters, row, text in _ERROR.findall(chunk) if b't="e"' in chunk else ():
            facts.errors[_place(letters, row)] = text.decode("utf-8", "replace").strip()
        if styled is not None:
            columns: dict[bytes, int] = {}
            formats, indents = self._styles.formats, self._styles.indents
            for style, letters, digits in styled.findall(chunk):
                column = columns.setdefault(letters, column_index(letters.decode()))
                cell, kind = (int(digits) - 1, column), int(style)
                if kind in formats:
                    facts.formats[cell] = formats[kind]
                if kind in indents:
                    facts.indents[cell] = indents[kind]

    def _sheet_paths(self) -> dict[str, str]:
        book = self._package.xml(self._book)
        if book is None:
            return {}
        properties = book.find("{*}workbookPr")
        self._styles.since_1904 = properties is not None and properties.get("date1904") in ("1", "true")
        targets = {key: path for key, _, path in self._package.relations(self._book)}
        paths = {}
        for sheet in book.iter("{*}sheet"):
            key = next((value for name, value in sheet.attrib.items() if name.endswith("}id")), None)
            if key in targets:
                paths[sheet.get("name")] = targets[key]
        return paths

    def _book_path(self) -> str:
        """The workbook's part: in ``xl`` nearly always, but the content types decide."""
        types = self._package.xml("[Content_Types].xml")
        for each in types.iter("{*}Override") if types is not None else ():
            if ".main+xml" in (each.get("ContentType") or ""):
                return (each.get("PartName") or "").lstrip("/")
        return "xl/workbook.xml"

    def _read_styles(self) -> None:
        styles = self._package.xml(posixpath.join(posixpath.dirname(self._book), "styles.xml"))
        if styles is None:
            return
        codes = {each.get("numFmtId"): each.get("formatCode") for each in styles.iter("{*}numFmt")}
        for group in styles.iter("{*}cellXfs"):
            for index, style in enumerate(group.iterchildren("{*}xf")):
                alignment = style.find("{*}alignment")
                indent = alignment.get("indent") if alignment is not None else None
                if indent and indent.isdecimal() and 0 < int(indent) < MAX_INDENT:
                    self._styles.indents[index] = int(indent)
                key = style.get("numFmtId") or "0"
                self._styles.add(index, codes.get(key), int(key) if key.isdecimal() else -1)

    def _chunks(self, sheet: str) -> Iterator[bytes]:
        """The part of a sheet in pieces that end where a row ends; none where it is not found."""
        name = self._package.name_of(self._sheets.get(sheet))
        if name is None:
            return
        rest = b""
        with self._package.archive.open(name) as stream:
            while data := stream.read(CHUNK_BYTES):
                data = rest + data
                cut = max(data.rfind(b"</row>"), data.rfind(b":row>"))
                if cut < 0:
                    if len(data) > MAX_ROW_CHUNKS * CHUNK_BYTES:
                        yield data
                        data = b""
                    rest = data
                    continue
                yield data[: cut + 6]
                rest = data[cut + 6 :]
        if rest:
            yield rest


def _place(letters: bytes, digits: bytes) -> Place:
    return int(digits) - 1, column_index(letters.decode())


def _span(tag: bytes) -> tuple[int, int] | None:
    first, last = re.search(rb'\bmin="(\d+)"', tag), re.search(rb'\bmax="(\d+)"', tag)
    return (int(first.group(1)) - 1, int(last.group(1)) - 1) if first and last else None
