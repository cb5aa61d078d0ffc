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
from itertools import chain, islice

MAX_BYTES = 1 << 20
MIN_LINES = 3
_CANDIDATES = (",", "#", ";", "\t", "|", "~", "^")
_QUOTED = 2
"""A byte that stands for a quoted field while lines are compared."""
_UNSURE = bytes([0, 11, 12, *range(26, 32), 34])
"""Bytes that end the short way: zero, other control characters, a double quote that encloses no field."""
_QUOTED_FIELD = re.compile(rb'"[^"]*+(?:""[^"]*+)*+"')
_ODD_LINE_ENDS = ("\x85", "\u2028", "\u2029")
_DATA_LIKE = re.compile(r"[\d\s.,:/+\-()%$€£¥]*\d[\d\s.,:/+\-()%$€£¥]*")
_YEAR = re.compile(r"(?:1[89]|20)\d\d")
_DIGIT = re.compile(r"\d")


@dataclass(slots=True)
class Certain:
    """What is beyond doubt."""

    delimiter: str
    width: int
    count: int
    """Lines, which are rows."""
    text: str
    """The lines, each with its end, the last one too."""
    end: str
    """How lines end."""
    first: str
    """The first line."""
    cells: list[str]
    """Row after row."""
    quote: str
    """The quote that some fields are in; empty when none is."""
    header: bool
    """The first line is the header, and the only one."""

    @property
    def lines(self) -> list[str]:
        return self.text.split(self.end)[:-1]

    def rows(self, start: int = 0, stop: int | None = None) -> list[list[str]]:
        """Some of the rows, or all."""
        width, cells = self.width, self.cells
        last = self.count if stop is None else min(stop, self.count)
        return [cells[at : at + width] for at in range(start * width, last * width, width)]


def certain(data: bytes) -> Certain | None:
    """Delimiter and cells of a file that is clean beyond doubt, else none."""
    if len(data) > MAX_BYTES:
        return None
    try:
        text = str(data, "utf-8")
    except UnicodeDecodeError:
        return None
    if text.startswith(("\ufeff", "#", "//")) and not _divides(text):
        return None
    if not text.isascii() and any(map(text.__contains__, _ODD_LINE_ENDS)):
        return None
    end = "\r\n" if b"\r" in data else "\n"
    if text[-1:] != "\n":
        text, data = text + end, data + end.encode()
    quoted = b'"' in data
    bare, outside = (data, text) if not quoted else _without_fields(data)
    first = outside[: outside.find(end)]
    names = [name for name in _CANDIDATES if name in first]
    if len(names) > 1:
        count = outside.count("\n")
        names = [name for name in names if outside.count(name) == first.count(name) * count]
    if len(names) != 1:
        return None
    name = names[0]
    inside = first.count(name)
    # What is left when all harmless bytes are taken away shows at once whether all lines are alike, and that is all.
    harmless, flattened = _tables(name)
    marks = bare.translate(None, harmless)
    count = marks.count(b"\n")
    if count < MIN_LINES or marks != (name * inside + end).encode() * count:
        return None
    if end == "\r\n" and bare.count(b"\r\n") != count:
        return None
    # A longer delimiter, such as a comma with a space or two bars, divides every line alike too.
    if 2 * first.count(name + name) == inside or _spaced(outside, f"{name} ", inside * count):
        return None
    width = inside + 1
    if quoted:
        cells = _quoted_cells(text, bare, name, end)
        if len(cells) != width * count:
            return None
        first = text[: text.find(end)]
    else:
        cells = str(data.translate(flattened, b"\r"), "utf-8").split(name)
        cells.pop()
    if "'" in text and _single_quoted(text, name, cells):
        return None
    if "\\" in text and (f"\\{name}" in text or '\\"' in text):
        return None
    lowered = first.lower().split(name) if not quoted else list(map(str.lower, cells[:width]))
    header = _plain_header(first, lowered, cells, width, sure=quoted)
    return Certain(name, width, count, text, end, first, cells, '"' if quoted else "", header)


def _without_fields(data: bytes) -> tuple[bytes, str]:
    """The text with one byte in place of each quoted field, as bytes and as text; empty where that is no clean cut."""
    if _QUOTED in data:
        return b"", ""
    bare = _QUOTED_FIELD.sub(bytes([_QUOTED]), data)
    if bare.count(b"\n") != data.count(b"\n") or bare.count(b"\r") != data.count(b"\r"):
        return b"", ""
    return bare, str(bare, "utf-8")


def _quoted_cells(text: str, bare: bytes, name: str, end: str) -> list[str]:
    """The cells of lines with quoted fields, row after row; none when a quote stands within a field."""
    if _stray(name).search(bare) is not None:
        return []
    try:
        return list(chain.from_iterable(csv.reader(text.split(end)[:-1], delimiter=name, strict=True)))
    except csv.Error:
        return []


@cache
def _stray(name: str) -> re.Pattern[bytes]:
    """Matches a quoted field next to something else than a delimiter or a line's start or end."""
    edge = re.escape(name.encode())
    return re.compile(rb"[^%b\r\n]\x02|\x02[^%b\r\n]" % (edge, edge))


@cache
def _tables(name: str) -> tuple[bytes, bytes]:
    """The bytes that say nothing about lines of this delimiter, and a table that turns line feeds into delimiters."""
    telling = {ord(name), 10, 13, *_UNSURE}
    return bytes(sorted({*range(256)} - telling)), bytes.maketrans(b"\n", name.encode())


def _spaced(text: str, longer: str, total: int) -> bool:
    """Whether the delimiter with a space may be meant: it must be in some of these lines, and is half of all then."""
    second = text.find("\n", text.find("\n") + 1)
    if text.find(longer, 0, second) < 0 and text.find(longer, text.rfind("\n", 0, -1)) < 0:
        return False
    return 2 * text.count(longer) >= total


def _divides(text: str) -> bool:
    """Whether a text that starts with the delimiter ``#`` has it, not a comment, at its start."""
    end = text.find("\n")
    return text[0] == "#" and text.count("#", 0, end) > 1 and text[1:2] not in (" ", "#", "!")


def _single_quoted(text: str, name: str, cells: Sequence[str]) -> bool:
    if f"{name}'" not in text and "\n'" not in text:
        return False
    opened = [cell for cell in cells if cell.startswith("'")]
    return len(opened) > 1 or any(cell.endswith("'") and len(cell) > 1 for cell in opened)


def _plain_header(first: str, lowered: Sequence[str], cells: Sequence[str], width: int, *, sure: bool) -> bool:
    """The first row is a header and no other row is: names that are all there, distinct, and not like the data.

    Over columns of nothing but words that is a habit of files and no proof; with ``sure`` it does not count.
    """
    names, second = cells[:width], cells[width : 2 * width]
    if len(set(map(str.strip, lowered))) != width or "" in names[1:]:
        return False
    if second[0] and second.count(second[0]) == width:
        # One label across all columns is a heading within the data.
        second = cells[2 * width : 3 * width]
    if second.count("") > width - 2 or cells[-width:].count("") > width - 2:
        return False
    like = _DATA_LIKE.fullmatch
    if _DIGIT.search(first) is not None:
        data = [i for i, name in enumerate(names) if like(name) is not None]
        if data and (data[0] == 0 or not all(_YEAR.fullmatch(names[i]) and not _YEAR.match(second[i]) for i in data)):
            return False
    # Some column must hold data in its second row, or a second header row could not be told from data.
    typed = sum(map(str.isdigit, second)) or sum(map(bool, map(like, second)))
    if not typed and (sure or any(map(like, cells[2 * width : 3 * width]))):
        return False
    if set(names).isdisjoint(islice(cells, width, None)):
        return True
    recurring = sum(name in cells[width + i :: width] for i, name in enumerate(names) if name)
    return not recurring or typed >= 2 * recurring or typed == recurring == 1
