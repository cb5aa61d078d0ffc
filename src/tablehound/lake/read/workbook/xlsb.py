"""What the parts of an XLSB file say beyond the values: errors, and formats of percent, money and codes.

Source: [MS-XLSB]. A record is a number of its kind and a length, both in groups of seven bits, and its content. What
cannot be followed gives no facts; the reader of values has the last word on whether the file is sound.
"""

from __future__ import annotations

import posixpath
import struct
import zipfile
from collections.abc import Iterator
from typing import Any

from tablehound.lake.read.workbook.number_formats import NumberFormat, date_code, number_format, odd_date
from tablehound.lake.read.workbook.xls import ERRORS, MAX_RECORDS, rk_number
from tablehound.lake.read.workbook.xlsx import SheetFacts

_ROW, _RK, _ERROR, _REAL, _NUMBER_FORMULA, _ERROR_FORMULA = 0, 2, 3, 5, 9, 11
_SHEET, _BOOK, _FORMAT, _STYLE, _BEGIN_STYLES, _END_STYLES = 156, 153, 44, 47, 617, 618
_CELLS = frozenset(range(1, 12))
_MAX_PART = 256 << 20


class XlsbParts:
    """The parts of a workbook, looked up by sheet name."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self.archive = archive
        self.names = {name.lstrip("/").lower(): name for name in archive.namelist()}
        self.budget = MAX_RECORDS
        self.since_1904 = False
        self.formats: dict[int, NumberFormat] = {}
        self.dates: dict[int, str] = {}
        self.sheets: dict[str, str] = {}
        try:
            self._read_book()
            self._read_styles()
        except (struct.error, IndexError, ValueError):
            self.sheets = {}

    def facts(self, sheet: str) -> SheetFacts:
        """Scan a sheet; empty facts where its part is not found or cannot be followed."""
        facts = SheetFacts(columns=0)
        try:
            self._scan(self._part(self.sheets.get(sheet, "")), facts)
        except (struct.error, IndexError, ValueError):
            return SheetFacts()
        return facts

    def _scan(self, data: bytes, facts: SheetFacts) -> None:
        row = 0
        for kind, at in self._records(data):
            if kind == _ROW:
                row = struct.unpack_from("<I", data, at)[0]
            elif kind in _CELLS:
                column, style = struct.unpack_from("<II", data, at)
                style &= 0xFFFFFF
                facts.cells += 1
                facts.rows, facts.columns = max(facts.rows, row + 1), max(facts.columns, column + 1)
                if kind in (_ERROR, _ERROR_FORMULA):
                    facts.errors[row, column] = ERRORS.get(data[at + 8], "#ERROR!")
                elif kind in (_RK, _REAL, _NUMBER_FORMULA) and style in self.formats:
                    facts.formats[row, column] = self.formats[style]
                elif kind in (_RK, _REAL, _NUMBER_FORMULA) and style in self.dates:
                    number = rk_number(data, at + 8) if kind == _RK else struct.unpack_from("<d", data, at + 8)[0]
                    text = odd_date(number, self.dates[style], since_1904=self.since_1904) if number < 61 else None
                    if text is not None:
                        facts.exact[row, column] = text

    def _read_book(self) -> None:
        relations = self._xml("xl/_rels/workbook.bin.rels")
        targets = {each.get("Id"): each.get("Target") or "" for each in (relations if relations is not None else ())}
        data = self._part("xl/workbook.bin")
        for kind, at in self._records(data):
            if kind == _BOOK:
                self.since_1904 = bool(data[at] & 1)
            elif kind == _SHEET:
                relation, end = _wide_text(data, at + 8)
                name, _ = _wide_text(data, end)
                target = targets.get(relation, "")
                self.sheets[name] = target.lstrip("/") if target[:1] == "/" else posixpath.join("xl", target)

    def _read_styles(self) -> None:
        data = self._part("xl/styles.bin")
        codes: dict[int, str] = {}
        inside = False
        count = 0
        for kind, at in self._records(data):
            if kind == _FORMAT:
                codes[struct.unpack_from("<H", data, at)[0]] = _wide_text(data, at + 2)[0]
            elif kind in (_BEGIN_STYLES, _END_STYLES):
                inside = kind == _BEGIN_STYLES
            elif kind == _STYLE and inside:
                number = struct.unpack_from("<H", data, at + 2)[0]
                if (known := number_format(codes.get(number), number)) is not None:
                    self.formats[count] = known
                elif (date := date_code(codes.get(number), number)) is not None:
                    self.dates[count] = date
                count += 1

    def _records(self, data: bytes) -> Iterator[tuple[int, int]]:
        """Kind and place of the content of each record."""
        at, end = 0, len(data)
        while at < end and self.budget > 0:
            self.budget -= 1
            kind = data[at]
            at += 1
            if kind & 0x80:
                kind = (kind & 0x7F) | (data[at] & 0x7F) << 7
                at += 1
            length = shift = 0
            for _ in range(4):
                byte = data[at]
                at += 1
                length |= (byte & 0x7F) << shift
                shift += 7
                if not byte & 0x80:
                    break
            yield kind, at
            at += length

    def _part(self, path: str) -> bytes:
        name = self.names.get(path.lower())
        if name is None or self.archive.getinfo(name).file_size > _MAX_PART:
            return b""
        return self.archive.read(name)

    def _xml(self, path: str) -> Any:
        from lxml import etree

        data = self._part(path)
        parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, recover=True)
        return etree.fromstring(data, parser) if data else None


def _wide_text(data: bytes, at: int) -> tuple[str, int]:
    """A counted text in UTF-16, and where it ends."""
    count = struct.unpack_from("<I", data, at)[0]
    end = at + 4 + 2 * count
    if end > len(data):
        raise ValueError("a text longer than its part")
    return data[at + 4 : end].decode("utf-16-le", "replace"), end
