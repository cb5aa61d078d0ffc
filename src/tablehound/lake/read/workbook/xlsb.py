"""Facts of the sheets of an XLSB file: errors, and formats of percent, money and codes.

Source: [MS-XLSB]. A record is a number of its kind and a length, both in groups of seven bits, and its content. What
cannot be followed gives no facts; the reader of values decides whether the file is sound.
"""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Iterator

from tablehound.lake.read.workbook.facts import SheetFacts
from tablehound.lake.read.workbook.number_formats import Styles
from tablehound.lake.read.workbook.package import Package
from tablehound.lake.read.workbook.xls import ERRORS, MAX_RECORDS, rk_number

_ROW, _RK, _ERROR, _REAL, _NUMBER_FORMULA, _ERROR_FORMULA = 0, 2, 3, 5, 9, 11
_SHEET, _BOOK, _FORMAT, _STYLE, _BEGIN_STYLES, _END_STYLES = 156, 153, 44, 47, 617, 618
_CELLS = frozenset(range(1, 12))
_NUMBERS = frozenset((_RK, _REAL, _NUMBER_FORMULA))
_BOOK_PATH = "xl/workbook.bin"


class XlsbParts:
    """The parts of a workbook, looked up by sheet name."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._package = Package(archive)
        self._budget = MAX_RECORDS
        self._styles = Styles()
        self._sheets: dict[str, str] = {}
        try:
            self._read_book()
            self._read_styles()
        except (struct.error, IndexError, ValueError):
            self._sheets = {}

    def facts(self, sheet: str) -> SheetFacts:
        """Scan a sheet; empty facts where its part is not found or cannot be followed."""
        facts = SheetFacts()
        try:
            self._scan(self._package.part(self._sheets.get(sheet, "")) or b"", facts)
        except (struct.error, IndexError, ValueError):
            return SheetFacts()
        return facts

    def _scan(self, data: bytes, facts: SheetFacts) -> None:
        row, styles = 0, self._styles
        for kind, at in self._records(data):
            if kind == _ROW:
                row = struct.unpack_from("<I", data, at)[0]
            elif kind in _CELLS:
                column, style = struct.unpack_from("<II", data, at)
                style &= 0xFFFFFF
                facts.cells += 1
                facts.extend(row, column)
                if kind in (_ERROR, _ERROR_FORMULA):
                    facts.errors[row, column] = ERRORS.get(data[at + 8], "#ERROR!")
                elif kind in _NUMBERS and style in styles.formats:
                    facts.formats[row, column] = styles.formats[style]
                elif kind in _NUMBERS and style in styles.dates:
                    number = rk_number(data, at + 8) if kind == _RK else struct.unpack_from("<d", data, at + 8)[0]
                    if (text := styles.odd_date(style, number)) is not None:
                        facts.exact[row, column] = text

    def _read_book(self) -> None:
        targets: dict[str, str] = {}
        if self._package.part("xl/_rels/workbook.bin.rels"):
            targets = {key: path for key, _, path in self._package.relations(_BOOK_PATH)}
        data = self._package.part(_BOOK_PATH) or b""
        for kind, at in self._records(data):
            if kind == _BOOK:
                self._styles.since_1904 = bool(data[at] & 1)
            elif kind == _SHEET:
                relation, end = _wide_text(data, at + 8)
                name, _ = _wide_text(data, end)
                self._sheets[name] = targets.get(relation, "")

    def _read_styles(self) -> None:
        data = self._package.part("xl/styles.bin") or b""
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
                self._styles.add(count, codes.get(number), number)
                count += 1

    def _records(self, data: bytes) -> Iterator[tuple[int, int]]:
        """Kind and place of the content of each record."""
        at, end = 0, len(data)
        while at < end and self._budget > 0:
            self._budget -= 1
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


def _wide_text(data: bytes, at: int) -> tuple[str, int]:
    """A counted text in UTF-16, and where it ends."""
    count = struct.unpack_from("<I", data, at)[0]
    end = at + 4 + 2 * count
    if end > len(data):
        raise ValueError("a text longer than its part")
    return data[at + 4 : end].decode("utf-16-le", "replace"), end
