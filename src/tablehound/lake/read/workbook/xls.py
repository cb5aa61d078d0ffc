"""Facts of the sheets of an XLS file: percent and money formats, errors, their true extent, a password.

Sources: [MS-CFB] for the compound file, [MS-XLS] for the records. A compound file that cannot be followed is refused,
because the reader of values trusts the lengths in it; odd records only give no facts.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from tablehound.errors import BrokenSourceError, UnsupportedSourceError
from tablehound.lake.read.contract import SourceFile
from tablehound.lake.read.workbook.facts import Place, SheetFacts
from tablehound.lake.read.workbook.number_formats import Styles

_END = 0xFFFFFFFA
"""Sector numbers from here on are marks."""
_BOF, _EOF, _FILEPASS, _SHEET, _FORMAT, _XF = 0x0809, 0x000A, 0x002F, 0x0085, 0x041E, 0x00E0
_CELLS = frozenset((0x0006, 0x0201, 0x0203, 0x0204, 0x0205, 0x027E, 0x00FD, 0x00D6))
_FORMULA, _NUMBER, _RK, _ERROR, _DATE_MODE = 0x0006, 0x0203, 0x027E, 0x0205, 0x0022
_NUMBERS = frozenset((_FORMULA, _NUMBER, _RK))
ERRORS = {0: "#NULL!", 7: "#DIV/0!", 15: "#VALUE!", 23: "#REF!", 29: "#NAME?", 36: "#NUM!", 42: "#N/A"}
_NUMERIC_FUNCTIONS = frozenset((0, 4, 5, 6, 7, 11, 12, 183))
"""COUNT, SUM, AVERAGE, MIN, MAX, NPV, STDEV, PRODUCT."""
_OPERATORS = frozenset((3, 4, 5, 6, 7))
_ODD_RESULTS = frozenset((_FORMULA, _ERROR))
_MULTIPLE_NUMBERS, _MULTIPLE_BLANKS = 0x00BD, 0x00BE
_MAX_COLUMNS = 256
_NO_NUMBER = b"\xff\xff"
"""End of a formula's result that is no number."""
MAX_RECORDS = 20_000_000
"""Records looked at per file."""


@dataclass(slots=True)
class _Book:
    sheets: list[int] = field(default_factory=list)
    """Where each sheet begins in the stream, in the order of the workbook."""
    styles: Styles = field(default_factory=Styles)
    locked: bool = False


def xls_facts(source: SourceFile) -> list[SheetFacts]:
    """Facts of each sheet in the order of the workbook; none where the file cannot be followed.

    Raises:
        UnsupportedSourceError: protected by a password.
        BrokenSourceError: the compound file is damaged, or a cell lies beyond the last column of the format.
    """
    if source.path.stat().st_size > source.settings.max_document_bytes:
        return []
    try:
        stream = _stream(source.path.read_bytes())
    except (struct.error, IndexError, ValueError) as error:
        raise BrokenSourceError("the compound file is damaged", where=source.name) from error
    try:
        book = _globals(stream)
        if book.locked:
            raise UnsupportedSourceError("the workbook is protected by a password", where=source.name)
        budget = MAX_RECORDS
        found = []
        for start in book.sheets:
            facts, used = _sheet(stream, start, book.styles, source, budget)
            budget -= used
            found.append(facts)
    except (struct.error, IndexError, ValueError):
        return []
    return found


def _stream(data: bytes) -> bytes:
    """The stream of records: inside the compound file, or the file itself in old ones."""
    if data[:2] == b"\x09\x08":
        return data
    shift, mini_shift = struct.unpack_from("<HH", data, 30)
    directory, _, cutoff, mini_fat_start = struct.unpack_from("<IIII", data, 48)
    difat_start, difat_count = struct.unpack_from("<II", data, 68)
    if not 7 <= shift <= 16 or mini_shift > shift:
        raise ValueError("sector size")
    size = 1 << shift
    counts = struct.unpack_from("<I", data, 44)[0], struct.unpack_from("<I", data, 64)[0], difat_count
    if max(counts) * size > len(data):
        raise ValueError("more sectors than the file has")

    def sector(number: int) -> bytes:
        return data[(number + 1) * size : (number + 2) * size]

    fat_sectors = list(struct.unpack_from("<109I", data, 76))
    for _ in range(min(difat_count, len(data) // size)):
        if difat_start >= _END:
            break
        words = struct.unpack(f"<{size // 4}I", sector(difat_start))
        fat_sectors.extend(words[:-1])
        difat_start = words[-1]
    fat: list[int] = []
    for number in fat_sectors:
        if number < _END and len(part := sector(number)) == size:
            fat.extend(struct.unpack(f"<{size // 4}I", part))

    def chain(number: int, table: list[int], limit: int) -> Iterator[int]:
        for _ in range(limit):
            if number >= _END:
                return
            yield number
            number = table[number]

    most = len(data) // size + 1
    entries = b"".join(sector(number) for number in chain(directory, fat, most))
    root_start, place = 0, None
    for at in range(0, len(entries) - 127, 128):
        length = struct.unpack_from("<H", entries, at + 64)[0]
        name = entries[at : at + max(length - 2, 0)].decode("utf-16-le", "replace").lower()
        start, length = struct.unpack_from("<II", entries, at + 116)
        if entries[at + 66] in (2, 5) and length > len(data):
            raise ValueError("a stream longer than the file")
        if at == 0:
            root_start = start
        elif name in ("workbook", "book") and (place is None or name == "workbook"):
            place = (start, length)
    if place is None:
        raise ValueError("no stream of a workbook")
    start, length = place
    if length >= cutoff:
        return b"".join(sector(number) for number in chain(start, fat, most))[:length]
    small = b"".join(sector(number) for number in chain(root_start, fat, most))
    mini_fat: list[int] = []
    for number in chain(mini_fat_start, fat, most):
        mini_fat.extend(struct.unpack(f"<{size // 4}I", sector(number)))
    unit = 1 << mini_shift
    pieces = (small[number * unit : (number + 1) * unit] for number in chain(start, mini_fat, len(small) // unit + 1))
    return b"".join(pieces)[:length]


def _records(stream: bytes, at: int) -> Iterator[tuple[int, int, int]]:
    """Kind, place of the content and length of each record."""
    unpack = struct.Struct("<HH").unpack_from
    end = len(stream) - 4
    while at <= end:
        kind, length = unpack(stream, at)
        yield kind, at + 4, length
        at += 4 + length


def _globals(stream: bytes) -> _Book:
    book = _Book()
    codes: dict[int, str] = {}
    numbers: list[int] = []
    version = struct.unpack_from("<H", stream, 4)[0]
    for kind, at, length in _records(stream, 0):
        if kind == _EOF:
            break
        if kind == _FILEPASS:
            book.locked = True
        elif kind == _DATE_MODE:
            book.styles.since_1904 = stream[at] == 1
        elif kind == _SHEET:
            book.sheets.append(struct.unpack_from("<I", stream, at)[0])
        elif kind == _XF:
            if version >= 0x0600 and length > 8 and (indent := stream[at + 8] & 15):
                book.styles.indents[len(numbers)] = indent
            numbers.append(struct.unpack_from("<H", stream, at + 2)[0])
        elif kind == _FORMAT:
            number = struct.unpack_from("<H", stream, at)[0]
            codes[number] = _code(stream[at : at + length], version)
    for style, number in enumerate(numbers):
        book.styles.add(style, codes.get(number), number)
    return book


def _code(record: bytes, version: int) -> str:
    if version >= 0x0600:
        count, wide = struct.unpack_from("<HB", record, 2)
        return record[5 : 5 + count * 2].decode("utf-16-le", "replace") if wide & 1 else record[5:].decode("latin-1")
    return record[3:].decode("cp1252", "replace")


def _sheet(stream: bytes, start: int, styles: Styles, source: SourceFile, budget: int) -> tuple[SheetFacts, int]:
    facts = SheetFacts()
    depth = used = 0
    unpack = struct.Struct("<HHH").unpack_from
    for kind, at, length in _records(stream, start):
        used += 1
        if kind in (_BOF, _EOF):
            depth += 1 if kind == _BOF else -1
            if depth <= 0:
                break
        elif used > budget:
            break
        if depth != 1:
            continue  # a chart within the sheet
        if kind in _CELLS:
            row, column, style = unpack(stream, at)
            last = column
            if style in styles.formats and kind in _NUMBERS:
                facts.formats[row, column] = styles.formats[style]
            elif (
                style in styles.dates
                and kind in _NUMBERS
                and not (kind == _FORMULA and stream[at + 12 : at + 14] == _NO_NUMBER)
            ):
                number = rk_number(stream, at + 6) if kind == _RK else struct.unpack_from("<d", stream, at + 6)[0]
                _note_date((row, column), number, style, styles, facts)
            if style in styles.indents:
                facts.indents[row, column] = styles.indents[style]
            if kind in _ODD_RESULTS:
                _odd_result(stream, kind, at, facts)
        elif kind in (_MULTIPLE_NUMBERS, _MULTIPLE_BLANKS):
            row, column, _ = unpack(stream, at)
            last = struct.unpack_from("<H", stream, at + length - 2)[0]
            for offset in range(last - column + 1 if kind == _MULTIPLE_NUMBERS and last < _MAX_COLUMNS else 0):
                style = struct.unpack_from("<H", stream, at + 4 + 6 * offset)[0]
                if style in styles.formats:
                    facts.formats[row, column + offset] = styles.formats[style]
                elif style in styles.dates:
                    _note_date((row, column + offset), rk_number(stream, at + 6 + 6 * offset), style, styles, facts)
        else:
            continue
        if last >= _MAX_COLUMNS:
            raise BrokenSourceError("a cell lies beyond the last column", where=f"{source.name}, row {row + 1}")
        facts.cells += 1
        facts.extend(row, last)
    return facts, used


def _odd_result(stream: bytes, kind: int, at: int, facts: SheetFacts) -> None:
    """Note a cell with an error, or a formula that was never computed."""
    row, column = struct.unpack_from("<HH", stream, at)
    if kind == _ERROR:
        code = stream[at + 6] if stream[at + 7] else None
    elif stream[at + 12 : at + 14] != _NO_NUMBER:
        return
    else:
        code = stream[at + 8] if stream[at + 6] == 2 else None
        # Programs that compute nothing store the empty text, which arithmetic cannot give.
        if stream[at + 6] == 3 and _is_arithmetic(stream, at):
            facts.uncached[row, column] = ""
    if code is not None:
        facts.errors[row, column] = ERRORS.get(code, "#ERROR!")


def _is_arithmetic(stream: bytes, at: int) -> bool:
    """Whether the last step of a formula is an operation or a function that gives a number."""
    end = at + 22 + int(struct.unpack_from("<H", stream, at + 20)[0])
    tokens = stream[at + 22 : end]
    if tokens[-4:-2] == b"\x19\x10":
        return True  # a sum over one range
    if len(tokens) > 3 and tokens[-4] in (0x22, 0x42, 0x62):
        return struct.unpack("<H", tokens[-2:])[0] in _NUMERIC_FUNCTIONS
    return len(tokens) > 3 and tokens[-1] in _OPERATORS


def _note_date(place: Place, number: float, style: int, styles: Styles, facts: SheetFacts) -> None:
    if (text := styles.odd_date(style, number)) is not None:
        facts.exact[place] = text


def rk_number(stream: bytes, at: int) -> float:
    """A number in four bytes: a whole one or the upper half of a double, each perhaps a hundred times as large."""
    word = struct.unpack_from("<I", stream, at)[0]
    if word & 2:
        number = float(struct.unpack_from("<i", stream, at)[0] >> 2)
    else:
        number = float(struct.unpack("<d", struct.pack("<Q", (word & 0xFFFFFFFC) << 32))[0])
    return number / 100 if word & 1 else number
