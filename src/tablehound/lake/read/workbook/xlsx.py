"""What the parts of an XLSX file say beyond the values: styles, formulas without a value, hidden rows, true extent.

The sheet is scanned in chunks as bytes, so that this costs little beside reading the values; namespaces may have any
prefix. Nothing here expands entities.
"""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tablehound.lake.read.layout.grid import Box, column_index
from tablehound.lake.read.workbook.number_formats import NumberFormat, date_code, number_format, odd_date

CHUNK = 1 << 22
_MAX_PART = 256 << 20
"""Larger style and relation parts are not looked at."""
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


@dataclass(frozen=True, slots=True)
class DefinedTable:
    """A range that the workbook itself declares to be a table."""

    box: Box
    header_rows: int
    total_rows: int


@dataclass(slots=True)
class SheetFacts:
    """Found in one pass over a sheet. Positions are 0-based (row, column) of the sheet."""

    rows: int = 0
    columns: int = 26
    """An upper bound: exact for sheets wider than column Z."""
    cells: int = 0
    formats: dict[tuple[int, int], NumberFormat] = field(default_factory=dict)
    uncached: dict[tuple[int, int], str] = field(default_factory=dict)
    """Formulas that have no stored value."""
    errors: dict[tuple[int, int], str] = field(default_factory=dict)
    """Cells whose value is an error, with its name: ``#N/A``."""
    indents: dict[tuple[int, int], int] = field(default_factory=dict)
    """How far the text of a cell is moved in by its format, where it is."""
    exact: dict[tuple[int, int], str] = field(default_factory=dict)
    """Texts of cells that the reader of values gets wrong: dates before the first day, durations."""
    sum_rows: set[int] = field(default_factory=set)
    """Rows with a formula that adds up several cells of its own column."""
    tables: list[DefinedTable] = field(default_factory=list)
    hidden_rows: list[int] = field(default_factory=list)
    hidden_columns: list[tuple[int, int]] = field(default_factory=list)


class XlsxParts:
    """The parts of a workbook, looked up by sheet name."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self.archive = archive
        self.names = {name.lstrip("/").lower(): name for name in archive.namelist()}
        self.book = self._book_path()
        self.since_1904 = False
        self.indents: dict[int, int] = {}
        self.dates: dict[int, str] = {}
        """Formats of dates by style."""
        self.sheets = self._sheet_paths()
        self.formats = self._styles()

    def facts(self, sheet: str) -> SheetFacts:
        """Scan a sheet; empty facts where its part is not found."""
        facts = SheetFacts()
        path = self.sheets.get(sheet)
        name = self.names.get(path.lower()) if path else None
        if name is None:
            return facts
        styled = None
        if self.formats or self.indents:
            ids = b"|".join(str(style).encode() for style in sorted({*self.formats, *self.indents}))
            styled = re.compile(rb'<(?:\w+:)?c\b(?=[^>]*\bs="(' + ids + rb')")[^>]*?\br="([A-Z]+)(\d+)"')
        for number, chunk in enumerate(_chunks(self.archive, name)):
            if not number:
                facts.hidden_columns = [
                    span for each in _HIDDEN_COLUMN.finditer(chunk) if (span := _span(each.group()))
                ]
            self._scan(chunk, facts, styled)
        return facts

    def odd_dates(self, sheet: str) -> dict[tuple[int, int], str]:
        """Cells with a date format whose number is no day: negative, 0, and the 29th of February 1900.

        The reader of values makes times of day and other days of them, so that the number would be lost.
        """
        path = self.sheets.get(sheet)
        name = self.names.get(path.lower()) if path else None
        found: dict[tuple[int, int], str] = {}
        for chunk in _chunks(self.archive, name) if name is not None and self.dates else ():
            for before, letters, digits, after, number in _NUMERIC.findall(chunk):
                style = _STYLE.search(before) or _STYLE.search(after)
                code = self.dates.get(int(style.group(1))) if style is not None else None
                if code is None or _OTHER_TYPE.search(before + after):
                    continue
                if (text := odd_date(float(number), code, since_1904=self.since_1904)) is not None:
                    found[int(digits) - 1, column_index(letters.decode())] = text
        return found

    def tables(self, sheet: str) -> list[DefinedTable]:
        """The tables that the workbook declares on a sheet."""
        path = self.sheets.get(sheet)
        if path is None:
            return []
        folder, _, file = path.rpartition("/")
        relations = self._xml(f"{folder}/_rels/{file}.rels".lstrip("/"))
        found = []
        for each in relations if relations is not None else ():
            if not (each.get("Type") or "").endswith("/table"):
                continue
            target = each.get("Target") or ""
            part = target.lstrip("/") if target[:1] == "/" else posixpath.normpath(posixpath.join(folder, target))
            table = self._xml(part)
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
                    facts.uncached[int(place.group(2)) - 1, column_index(place.group(1).decode())] = text
            for letters, row, left, top, right, bottom in _SUM.findall(chunk):
                if letters == left == right and int(bottom) > int(top) and not int(top) <= int(row) <= int(bottom):
                    facts.sum_rows.add(int(row) - 1)
        for letters, row, text in _ERROR.findall(chunk) if b't="e"' in chunk else ():
            facts.errors[int(row) - 1, column_index(letters.decode())] = text.decode("utf-8", "replace").strip()
        if styled is not None:
            columns: dict[bytes, int] = {}
            for style, letters, digits in styled.findall(chunk):
                column = columns.setdefault(letters, column_index(letters.decode()))
                cell, kind = (int(digits) - 1, column), int(style)
                if kind in self.formats:
                    facts.formats[cell] = self.formats[kind]
                if kind in self.indents:
                    facts.indents[cell] = self.indents[kind]

    def _xml(self, path: str) -> Any:
        from lxml import etree

        name = self.names.get(path.lower())
        if name is None or self.archive.getinfo(name).file_size > _MAX_PART:
            return None
        parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, recover=True)
        return etree.fromstring(self.archive.read(name), parser)

    def _sheet_paths(self) -> dict[str, str]:
        folder, _, file = self.book.rpartition("/")
        book = self._xml(self.book)
        relations = self._xml(f"{folder}/_rels/{file}.rels".lstrip("/"))
        if book is None or relations is None:
            return {}
        properties = book.find("{*}workbookPr")
        self.since_1904 = properties is not None and properties.get("date1904") in ("1", "true")
        targets = {each.get("Id"): each.get("Target") or "" for each in relations}
        paths = {}
        for sheet in book.iter("{*}sheet"):
            key = next((value for name, value in sheet.attrib.items() if name.endswith("}id")), None)
            target = targets.get(key, "")
            if target:
                paths[sheet.get("name")] = (
                    target.lstrip("/") if target[0] == "/" else posixpath.normpath(posixpath.join(folder, target))
                )
        return paths

    def _book_path(self) -> str:
        """The workbook's part: in ``xl`` nearly always, but the content types have the say."""
        types = self._xml("[Content_Types].xml")
        for each in types.iter("{*}Override") if types is not None else ():
            if "sheet.main+xml" in (each.get("ContentType") or "") or ".main+xml" in (each.get("ContentType") or ""):
                return (each.get("PartName") or "").lstrip("/")
        return "xl/workbook.xml"

    def _styles(self) -> dict[int, NumberFormat]:
        styles = self._xml(posixpath.join(posixpath.dirname(self.book), "styles.xml"))
        if styles is None:
            return {}
        codes = {each.get("numFmtId"): each.get("formatCode") for each in styles.iter("{*}numFmt")}
        found = {}
        for group in styles.iter("{*}cellXfs"):
            for index, style in enumerate(group.iterchildren("{*}xf")):
                alignment = style.find("{*}alignment")
                indent = alignment.get("indent") if alignment is not None else None
                if indent and indent.isdecimal() and 0 < int(indent) < 250:
                    self.indents[index] = int(indent)
                key = style.get("numFmtId") or "0"
                known = number_format(codes.get(key), int(key) if key.isdecimal() else -1)
                if known is not None:
                    found[index] = known
                elif (date := date_code(codes.get(key), int(key) if key.isdecimal() else -1)) is not None:
                    self.dates[index] = date
        return found


def _span(tag: bytes) -> tuple[int, int] | None:
    first, last = re.search(rb'\bmin="(\d+)"', tag), re.search(rb'\bmax="(\d+)"', tag)
    return (int(first.group(1)) - 1, int(last.group(1)) - 1) if first and last else None


def _chunks(archive: zipfile.ZipFile, name: str) -> Iterator[bytes]:
    """The part in pieces that end where a row ends."""
    rest = b""
    with archive.open(name) as stream:
        while data := stream.read(CHUNK):
            data = rest + data
            cut = max(data.rfind(b"</row>"), data.rfind(b":row>"))
            if cut < 0:
                if len(data) > 16 * CHUNK:
                    yield data
                    data = b""
                rest = data
                continue
            yield data[: cut + 6]
            rest = data[cut + 6 :]
    if rest:
        yield rest
