"""The short way for a small file that proves clean: one delimiter that divides every line alike, and no quotes at all.

Whatever would need a decision ends the short way. Two things are proven apart from each other: the rows, and that the
first row alone is the header; with only the first proven, the layout is decided in the careful way. Lakes hold many
thousands of small files, so this code counts and splits whole texts and looks at single cells as little as it can.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from operator import contains

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
    lines: list[str]
    columns: list[list[str]]
    header: bool
    """The first line is the header, and the only one."""

    def rows(self) -> list[list[str]]:
        return [line.split(self.delimiter) for line in self.lines]


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
    if "\n\n" in text or (text.startswith(("\ufeff", "\n", "#", "//")) and not _divides(text)):
        return None
    lines = text.split("\n")
    count = len(lines)
    if count < MIN_LINES:
        return None
    first = lines[0]
    found, total = "", 0
    for name in _CANDIDATES:
        if name in first:
            inside = text.count(name)
            if inside == first.count(name) * count:
                if found:
                    return None
                found, total = name, inside
    # A longer delimiter, such as a comma with a space or two bars, divides every line alike too.
    if not found or 2 * text.count(f"{found} ") >= total or 2 * text.count(found + found) == total:
        return None
    each = total // count
    if [each] * count != [line.count(found) for line in lines]:
        return None
    cells = text.replace("\n", found).split(found)
    width = each + 1
    if "'" in text and _single_quoted(text, found, cells):
        return None
    if "\\" in text and f"\\{found}" in text:
        return None
    columns = [cells[i::width] for i in range(width)]
    return Certain(found, width, lines, columns, _plain_header(cells, columns, width))


def _divides(text: str) -> bool:
    """Whether a text that starts with the delimiter ``#`` has it, not a comment, at its start."""
    end = text.find("\n")
    return text[0] == "#" and text.count("#", 0, end) > 1 and text[1:2] not in (" ", "#", "!")


def _single_quoted(text: str, name: str, cells: Sequence[str]) -> bool:
    if f"{name}'" not in text and "\n'" not in text:
        return False
    opened = [cell for cell in cells if cell.startswith("'")]
    return len(opened) > 1 or any(cell.endswith("'") and len(cell) > 1 for cell in opened)


def _plain_header(cells: list[str], columns: list[list[str]], width: int) -> bool:
    """The first row is a header and no other row is: names that are all there, distinct, and not like the data."""
    names, second, third = cells[:width], cells[width : 2 * width], cells[2 * width : 3 * width]
    if len({name.strip().lower() for name in names}) != width or "" in names[1:]:
        return False
    if len(set(second)) == 1 < width and second[0]:
        # One label across all columns is a heading within the data.
        second = third
    if second.count("") > width - 2 or cells[-width:].count("") > width - 2:
        return False
    like = _DATA_LIKE.fullmatch
    if _DIGIT.search("".join(names)) is not None:
        data = [i for i, name in enumerate(names) if like(name) is not None]
        if data and (data[0] == 0 or not all(_YEAR.fullmatch(names[i]) and not _YEAR.match(second[i]) for i in data)):
            return False
    # Some column must hold data in its second row, or a second header row could not be told from data.
    typed = sum(map(str.isdigit, second)) or sum(map(bool, map(like, second)))
    if not typed and any(map(like, third)):
        return False
    recurring = sum(contains(column[1:], name) for name, column in zip(names, columns, strict=True) if name)
    return not recurring or typed >= 2 * recurring or typed == recurring == 1
