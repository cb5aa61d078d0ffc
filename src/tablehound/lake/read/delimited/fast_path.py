"""The fast path of a small file that proves clean: one delimiter that divides all lines alike, quotes in their places.

Whatever takes a decision ends the fast path. Two things are proven apart from each other: the cells, and that the
first row alone is the header; with only the first proven, the layout is decided by the stages. Lakes hold many
thousands of small files, so this code counts and splits whole texts and looks at single cells as little as it can:
all cells are in one flat list, row after row, and neither lines nor rows are made unless they are needed.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from operator import contains

from tablehound.lake.read.batches import TextBatch
from tablehound.lake.read.contract import Account, SetAside, SourceFile, TableDraft
from tablehound.lake.read.delimited.assemble import SHOWN_CHARS, described
from tablehound.lake.read.delimited.decode import UTF8
from tablehound.lake.read.delimited.dialect import Dialect
from tablehound.lake.read.delimited.header import (
    BY_HABIT,
    HeaderChoice,
    header_choice,
    names_of_row,
    names_of_rows,
)
from tablehound.lake.read.delimited.printed import is_rule_row
from tablehound.lake.read.delimited.records import Parsed, Parser, Record
from tablehound.lake.read.totals.labels import may_label_subtotals
from tablehound.lake.read.totals.subtotals import subtotal_rows
from tablehound.lake.table import Provenance

MAX_BYTES = 1 << 20
MIN_LINES = 3
_HEADER_SAMPLE = 24
"""Rows by which the header of clean cells is decided on."""
_PROVEN = (None, HeaderChoice(1, 1.0), HeaderChoice(2, 1.0))
"""By the number of lines that are proven to be the header."""
_HABITUAL = (None, HeaderChoice(1, 0.0, BY_HABIT), HeaderChoice(2, 0.0, BY_HABIT))
"""The same where no figure below the header tells it from the rows."""
_CANDIDATES = (b",", b"#", b";", b"\t", b"|", b"~", b"^")
_NO_CANDIDATES = bytes(set(range(256)) - set(b"".join(_CANDIDATES)))
_RETURN, _QUOTE, _APOSTROPHE, _BACKSLASH = 13, 34, 39, 92
"""Looking for a number in bytes is twice as fast as looking for a byte."""
_QUOTED = 2
"""A byte that replaces a quoted field while lines are compared."""
_UNSURE = bytes([0, 11, 12, *range(26, 32), 34])
"""Bytes that end the fast path: zero, other control characters, a double quote that encloses no field."""
_TELLING_STARTS = (b"\xef\xbb\xbf", b"#", b"//", b"%", b"!", b";", b"sep=", b"Sep=", b"SEP=", b'"sep=', b"|", b"+")
"""First bytes of what is no name: a byte order mark, comments, a line that names the delimiter, a printed rule."""
_QUOTED_FIELD = re.compile(rb'"[^"]*+(?:""[^"]*+)*+"')
_DATA_LIKE = re.compile(r"[\d\s.,:/+\-()%$€£¥]*\d[\d\s.,:/+\-()%$€£¥]*")
_YEAR = re.compile(r"(?:1[89]|20)\d\d(?: ?[-/] ?(?:\d\d){1,2})?")
_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class CleanTable:
    """Cells that are beyond doubt."""

    delimiter: str
    width: int
    count: int
    """Lines, which are rows."""
    data: bytes
    """The lines, each with its end, the last one too."""
    first: str
    """The first line, without its end."""
    end: str
    """How lines end."""
    cells: list[str]
    """Row after row."""
    columns: list[list[str]]
    """The cells without those of the header, column by column."""
    quote: str
    """The quote that some fields are in; empty when none is."""
    header: int
    """How many of the first lines are the header for certain; 0 where that takes a closer look."""
    figures: bool
    """A figure is in the first row below the header; without one the header is a habit of files, not a proof."""

    @property
    def lines(self) -> list[str]:
        return str(self.data, "utf-8").split(self.end)[:-1]

    def rows(self, start: int = 0, stop: int | None = None) -> list[list[str]]:
        """Some of the rows, or all."""
        width, cells = self.width, self.cells
        last = self.count if stop is None else min(stop, self.count)
        return [cells[at : at + width] for at in range(start * width, last * width, width)]

    def parsed(self) -> Parsed:
        """The same as records, for the stages."""
        lines = zip(self.lines, self.rows(), strict=True)
        records = [Record(number, line, fields) for number, (line, fields) in enumerate(lines, start=1)]
        return Parsed(records, Parser(Dialect(self.delimiter, self.quote, width=self.width)))


def draft_of(table: CleanTable, source: SourceFile) -> TableDraft | None:
    """The one table of a file that proved clean; none where its layout takes a closer look."""
    width, count, limits = table.width, table.count, source.settings
    if width > limits.max_columns or len(table.data) > limits.max_cell_chars:
        return None
    choice = (_PROVEN if table.figures else _HABITUAL)[table.header] or _decided_header(table)
    if choice is None:
        return None
    header, cells = choice.rows, table.cells
    if header == 1:
        aside = [SetAside(1, "header", table.first[:SHOWN_CHARS])]
        names = names_of_row(cells[:width])
    else:
        lines = enumerate(table.lines[:header], start=1)
        aside = [SetAside(number, "header", line[:SHOWN_CHARS]) for number, line in lines]
        names = names_of_rows(table.rows(0, header), width) if header else ((),) * width
    notes = [choice.note] if choice.note else []
    dialect = dict(_dialect_description(table.delimiter, table.quote))
    account = Account(count, count - header, tuple(range(1, header + 1)), aside, [], notes, dialect)
    columns = table.columns
    if header != table.header:
        columns = [cells[place::width] for place in range(header * width, header * width + width)]
    batch = TextBatch(columns, range(header + 1, count + 1))
    return TableDraft(
        names,
        batch.split(limits.batch_rows),
        Provenance(source.name, source.format or "csv", source.member),
        rollup_rows=_subtotal_rows(table, header, columns),
        account=account,
    )


def _decided_header(table: CleanTable) -> HeaderChoice | None:
    """How many header rows a table of equal rows has; none where its layout takes a closer look."""
    rows, lines = table.rows(0, _HEADER_SAMPLE), table.lines
    last = table.cells[-table.width :]
    if sum(map(bool, rows[0])) < 2 or sum(map(bool, last)) < 2 or lines.count(lines[0]) > 1:
        return None
    if table.delimiter * (table.width - 1) in lines or is_rule_row(rows[1]):
        return None
    return header_choice(rows, table.width)


def _subtotal_rows(table: CleanTable, header: int, columns: Sequence[Sequence[str]]) -> tuple[int, ...]:
    firsts = columns[0]
    if "" in firsts:
        firsts = [next(filter(None, row), "") for row in table.rows(header)]
    if not may_label_subtotals(firsts, table.cells, header * table.width, table.data):
        return ()
    return subtotal_rows(columns, table.count - header)


@cache
def _dialect_description(delimiter: str, quote: str) -> Mapping[str, str]:
    return described(Dialect(delimiter, quote), UTF8)


def clean_table(data: bytes) -> CleanTable | None:
    """Delimiter and cells of a file that is clean beyond doubt, else none."""
    if len(data) > MAX_BYTES:
        return None
    if data.startswith(_TELLING_STARTS) and not _divides(data):
        return None
    if not data.isascii() and (_odd_line_ends(data) or (0xEF in data and b"\xef\xbb\xbf" in data)):
        return None
    end = b"\r\n" if _RETURN in data else b"\n"
    if data[-1:] != b"\n":
        data += end
    quoted = _QUOTE in data
    bare = _without_fields(data) if quoted else data
    first = bare[: bare.find(end)]
    names = first.translate(None, _NO_CANDIDATES)
    name = names[:1]
    if names.count(name) != len(names):
        count = bare.count(b"\n")
        even = [name for name in _CANDIDATES if name in first and bare.count(name) == first.count(name) * count]
        name = even[0] if len(even) == 1 else b""
    if not name:
        return None
    inside = first.count(name)
    # Without all harmless bytes, what is left shows at once whether all lines are alike.
    marks = bare.translate(None, _harmless(name))
    count = marks.count(b"\n")
    if count < MIN_LINES or marks != (name * inside + end) * count:
        return None
    # A longer delimiter, such as a comma with a space or two bars, divides every line alike too.
    if 2 * first.count(name + name) == inside or _spaced(bare, name + b" ", inside * count):
        return None
    if _BACKSLASH in data and (b"\\" + name in data or b'\\"' in data):
        return None
    delimiter, width = str(name, "ascii"), inside + 1
    try:
        if quoted:
            first = data[: data.find(end)]
            cells = _quoted_cells(data, bare, name, end)
        elif end == b"\n":
            cells = str(data.replace(end, name), "utf-8").split(delimiter)
            cells.pop()
        else:
            # Replacing pairs of characters takes longer than this; a lone return makes one line too many.
            cells = delimiter.join(str(data, "utf-8").splitlines()).split(delimiter)
        line = str(first, "utf-8")
    except UnicodeDecodeError:
        return None
    if len(cells) != width * count:
        # Also where something is between the two characters of a line's end.
        return None
    if _APOSTROPHE in data and _single_quoted(data, name, cells):
        return None
    # A first line that comes twice is a header twice, if it is one at all.
    header = 2 if count > MIN_LINES and cells[:width] == cells[width : 2 * width] else 1
    start = width * header
    columns = [cells[place::width] for place in range(start, start + width)]
    if not _plain_header(cells, start, columns, sure=quoted):
        header, columns = 0, [cells[place::width] for place in range(width)]
    figures = _DIGIT.search("".join(cells[start : start + width])) is not None
    quote = '"' if quoted else ""
    return CleanTable(delimiter, width, count, data, line, str(end, "ascii"), cells, columns, quote, header, figures)


def _odd_line_ends(data: bytes) -> bool:
    """Whether a text has a line end of Unicode: U+0085, U+2028 or U+2029."""
    # Their last bytes are rare, and single bytes are found many times as fast.
    return (0x85 in data and b"\xc2\x85" in data) or (
        (0xA8 in data or 0xA9 in data) and (b"\xe2\x80\xa8" in data or b"\xe2\x80\xa9" in data)
    )


def _without_fields(data: bytes) -> bytes:
    """The text with one byte in place of each quoted field; empty where that is no clean cut."""
    if _QUOTED in data:
        return b""
    bare = _QUOTED_FIELD.sub(bytes([_QUOTED]), data)
    return bare if bare.count(b"\n") == data.count(b"\n") and bare.count(b"\r") == data.count(b"\r") else b""


def _quoted_cells(data: bytes, bare: bytes, name: bytes, end: bytes) -> list[str]:
    """The cells of lines with quoted fields, row after row; none when a quote is within a field."""
    if _stray(name).search(bare) is not None:
        return []
    lines = str(data, "utf-8").split(str(end, "ascii"))
    try:
        return list(chain.from_iterable(csv.reader(lines[:-1], delimiter=str(name, "ascii"), strict=True)))
    except csv.Error:
        return []


@cache
def _stray(name: bytes) -> re.Pattern[bytes]:
    """Matches a quoted field next to something else than a delimiter or a line's start or end."""
    edge = re.escape(name)
    return re.compile(rb"[^%b\r\n]\x02|\x02[^%b\r\n]" % (edge, edge))


@cache
def _harmless(name: bytes) -> bytes:
    """The bytes that are no evidence about lines of this delimiter."""
    return bytes(sorted({*range(256)} - {*name, 10, 13, *_UNSURE}))


def _spaced(data: bytes, longer: bytes, total: int) -> bool:
    """Whether the delimiter with a space may be meant: it must be in some of these lines, and is half of all then."""
    second = data.find(b"\n", data.find(b"\n") + 1)
    if data.find(longer, 0, second) < 0 and data.find(longer, data.rfind(b"\n", 0, -1)) < 0:
        return False
    return 2 * data.count(longer) >= total


def _divides(data: bytes) -> bool:
    """Whether a text that starts with the delimiter ``#`` has it, not a comment, at its start."""
    end = data.find(b"\n")
    return data[:1] == b"#" and data.count(b"#", 0, end) > 1 and data[1:2] not in (b" ", b"#", b"!")


def _single_quoted(data: bytes, name: bytes, cells: Sequence[str]) -> bool:
    if name + b"'" not in data and b"\n'" not in data:
        return False
    opened = [cell for cell in cells if cell.startswith("'")]
    return len(opened) > 1 or any(cell.endswith("'") and len(cell) > 1 for cell in opened)


def _plain_header(cells: Sequence[str], start: int, columns: Sequence[Sequence[str]], *, sure: bool) -> bool:
    """The first row is a header and no other row is: names that are all there, distinct, and not like the data.

    The data are the cells from ``start`` on, by column in ``columns``. Over columns of nothing but words that is a
    habit of files and no proof; with ``sure`` it does not count.
    """
    width = len(columns)
    names, second = cells[:width], cells[start : start + width]
    line = "\n".join(names)
    if len(set(map(str.strip, line.lower().split("\n")))) != width or "" in names[1:]:
        return False
    if second[0] and second.count(second[0]) == width:
        # One label across all columns is a heading within the data.
        second = cells[start + width : start + 2 * width]
    if second.count("") > width - 2 or cells[-width:].count("") > width - 2:
        return False
    like = _DATA_LIKE.fullmatch
    if _DIGIT.search(line) is not None:
        data = [i for i, name in enumerate(names) if like(name) is not None]
        if data and (data[0] == 0 or not all(_YEAR.fullmatch(names[i]) and not _YEAR.match(second[i]) for i in data)):
            return False
    # Some column must have data in its second row: otherwise it may be a second header row.
    typed = any(map(str.isdigit, second)) or any(map(like, second))
    if not typed and (
        sure or any(map(like, cells[start + width : start + 2 * width])) or second[0][:2] in ("--", "==", "__")
    ):
        return False
    recurring = sum(map(contains, columns, names)) - (names[0] == "" and "" in columns[0])
    if not recurring:
        return True
    values = sum(map(str.isdigit, second)) or sum(map(bool, map(like, second)))
    return values >= 2 * recurring or values == recurring == 1
