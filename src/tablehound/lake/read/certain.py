"""The short way for a small file that proves clean: one delimiter that divides every line alike, and no quotes at all.

Whatever would need a decision ends the short way. Two things are proven apart from each other: the rows, and that the
first row alone is the header; with only the first proven, the layout is decided in the careful way. Lakes hold many
thousands of small files, so this code counts and splits whole texts and looks at single cells as little as it can.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

MAX_BYTES = 1 << 20
MIN_LINES = 3
_CANDIDATES = (",", "#", ";", "\t", "|", "~", "^")
_UNSURE = bytes([0, 11, 12, *range(26, 32), 34])
"""Bytes that end the short way: zero, other control characters, the double quote."""
_DATA_LIKE = re.compile(r"[\d\s.,:/+\-()%$€£¥]*\d[\d\s.,:/+\-()%$€£¥]*")
_YEAR = re.compile(r"(?:1[89]|20)\d\d")
_DIGIT = re.compile(r"\d")


@dataclass(slots=True)
class Certain:
    """What is beyond doubt."""

    delimiter: str
    width: int
    text: str
    """Lines without the last line end, each ended by a line feed."""
    count: int
    """Lines."""
    cells: list[str]
    """All of them, row by row."""
    header: bool
    """The first line is the header, and the only one."""

    def rows(self, first: int, end: int) -> list[list[str]]:
        """The cells of some lines, counted from 0."""
        width = self.width
        return [self.cells[at : at + width] for at in range(first * width, min(end, self.count) * width, width)]


def certain(data: bytes) -> Certain | None:
    """Delimiter and cells of a file that is clean beyond doubt, else none."""
    if len(data) > MAX_BYTES or len(data.translate(None, _UNSURE)) != len(data):
        return None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    if "\r" in text:
        if text.count("\r\n") != text.count("\r") or text.count("\n") != text.count("\r"):
            return None
        text = text.replace("\r\n", "\n")
    if text[-1:] == "\n":
        text = text[:-1]
    if text.startswith(("\ufeff", "#", "//")) and not _divides(text):
        return None
    count = text.count("\n") + 1
    if count < MIN_LINES:
        return None
    first = text[: text.index("\n")]
    names = [name for name in _CANDIDATES if name in first]
    if len(names) > 1:
        names = [name for name in names if text.count(name) == first.count(name) * count]
    if len(names) != 1:
        return None
    (name,) = names
    inside = first.count(name)
    # A longer delimiter, such as a comma with a space or two bars, divides every line alike too.
    if 2 * text.count(f"{name} ") >= inside * count or 2 * first.count(name + name) == inside:
        return None
    width = inside + 1
    # With a delimiter before every line end, a line end can only stand at the start of a cell. All of them are in the
    # first column, one in each row but the first, just if every line has the same number of delimiters.
    cells = text.replace("\n", f"{name}\n").split(name)
    starts = "".join(cells[::width]).split("\n")
    if len(cells) != count * width or len(starts) != count:
        return None
    cells[::width] = starts
    if "'" in text and _single_quoted(text, name, cells):
        return None
    if "\\" in text and f"\\{name}" in text:
        return None
    return Certain(name, width, text, count, cells, _plain_header(first, name, cells, width))


def _divides(text: str) -> bool:
    """Whether a text that starts with the delimiter ``#`` has it, not a comment, at its start."""
    end = text.find("\n")
    return text[0] == "#" and text.count("#", 0, end) > 1 and text[1:2] not in (" ", "#", "!")


def _single_quoted(text: str, name: str, cells: Sequence[str]) -> bool:
    if f"{name}'" not in text and "\n'" not in text:
        return False
    opened = [cell for cell in cells if cell.startswith("'")]
    return len(opened) > 1 or any(cell.endswith("'") and len(cell) > 1 for cell in opened)


def _plain_header(first: str, delimiter: str, cells: list[str], width: int) -> bool:
    """The first row is a header and no other row is: names that are all there, distinct, and not like the data."""
    names, second = cells[:width], cells[width : 2 * width]
    if len(set(map(str.strip, first.lower().split(delimiter)))) != width or "" in names[1:]:
        return False
    if second.count(second[0]) == width and second[0]:
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
    if not typed and any(map(like, cells[2 * width : 3 * width])):
        return False
    if set(names).isdisjoint(cells[width:]):
        return True
    recurring = sum(name in cells[width + i :: width] for i, name in enumerate(names) if name)
    return not recurring or typed >= 2 * recurring or typed == recurring == 1
