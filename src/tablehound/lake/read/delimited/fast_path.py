"""The short way for a small file that proves clean: one delimiter that divides all lines alike, quotes in their places.

Whatever would need a decision ends the short way. Two things are proven apart from each other: the cells, and that the
first row alone is the header; with only the first proven, the layout is decided in the careful way. Lakes hold many
thousands of small files, so this code counts and splits whole texts and looks at single cells as little as it can:
all cells are in one flat list, row after row, and neither lines nor rows are made unless somebody asks for them.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from operator import contains

MAX_BYTES = 1 << 20
MIN_LINES = 3
_CANDIDATES = (b",", b"#", b";", b"\t", b"|", b"~", b"^")
_NO_CANDIDATES = bytes(set(range(256)) - set(b"".join(_CANDIDATES)))
_RETURN, _QUOTE, _APOSTROPHE, _BACKSLASH = 13, 34, 39, 92
"""Looking for a number in bytes is twice as fast as looking for a byte."""
_QUOTED = 2
"""A byte that stands for a quoted field while lines are compared."""
_UNSURE = bytes([0, 11, 12, *range(26, 32), 34])
"""Bytes that end the short way: zero, other control characters, a double quote that encloses no field."""
_SAID_FIRST = (b"\xef\xbb\xbf", b"#", b"//", b"%", b"!", b";", b"sep=", b"Sep=", b"SEP=", b'"sep=', b"|", b"+")
"""First bytes that may not be a name: a byte order mark, comments, a line that names the delimiter, a drawn line."""
_QUOTED_FIELD = re.compile(rb'"[^"]*+(?:""[^"]*+)*+"')
_DATA_LIKE = re.compile(r"[\d\s.,:/+\-()%$€£¥]*\d[\d\s.,:/+\-()%$€£¥]*")
_YEAR = re.compile(r"(?:1[89]|20)\d\d(?: ?[-/] ?(?:\d\d){1,2})?")
_DIGIT = re.compile(r"\d")


@dataclass(slots=True)
class Certain:
    """What is beyond doubt."""

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
    """A figure stands in the first row below the header; without one the header is a habit of files, not a proof."""

    @property
    def lines(self) -> list[str]:
        return str(self.data, "utf-8").split(self.end)[:-1]

    def rows(self, start: int = 0, stop: int | None = None) -> list[list[str]]:
        """Some of the rows, or all."""
        width, cells = self.width, self.cells
        last = self.count if stop is None else min(stop, self.count)
        return [cells[at : at + width] for at in range(start * width, last * width, width)]


def certain(data: bytes) -> Certain | None:
    """Delimiter and cells of a file that is clean beyond doubt, else none."""
    if len(data) > MAX_BYTES:
        return None
    if data.startswith(_SAID_FIRST) and not _divides(data):
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
    # What is left when all harmless bytes are taken away shows at once whether all lines are alike, and that is all.
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
            # Replacing pairs of characters takes longer than this; a return that stands alone makes one line too many.
            cells = delimiter.join(str(data, "utf-8").splitlines()).split(delimiter)
        line = str(first, "utf-8")
    except UnicodeDecodeError:
        return None
    if len(cells) != width * count:
        # Also where something stands between the two characters of a line's end.
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
    return Certain(delimiter, width, count, data, line, str(end, "ascii"), cells, columns, quote, header, figures)


def _odd_line_ends(data: bytes) -> bool:
    """Whether a text holds a line end of Unicode: U+0085, U+2028 or U+2029."""
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
    """The cells of lines with quoted fields, row after row; none when a quote stands within a field."""
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
    """The bytes that say nothing about lines of this delimiter."""
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
    # Some column must hold data in its second row, or a second header row could not be told from data.
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
