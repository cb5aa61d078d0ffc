"""The short way for a small file that proves clean: one delimiter that divides every line alike, and no quotes at all.

Whatever would need a decision ends the short way. Two things are proven apart from each other: the rows, and that the
first row alone is the header; with only the first proven, the layout is decided in the careful way. Lakes hold many
thousands of small files, so this code counts and splits whole texts and looks at single cells as little as it can.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, islice

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
    rows: list[list[str]]
    body: str
    """The text below the first line."""
    header: bool
    """The first line is the header, and the only one."""


def certain(data: bytes) -> Certain | None:
    """Delimiter and cells of a file that is clean beyond doubt, else none."""
    if len(data) > MAX_BYTES or len(data.translate(None, _UNSURE)) != len(data):
        return None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    if text.startswith(("\ufeff", "#", "//")) and not _divides(text):
        return None
    # Anything that ends a line but a line feed, or a return before each line feed, shows in these counts.
    lines, feeds = text.splitlines(), text.count("\n")
    if len(lines) != feeds + (text[-1:] != "\n") or ("\r" in text and text.count("\r") != feeds):
        return None
    count = len(lines)
    if count < MIN_LINES:
        return None
    first = lines[0]
    names = [name for name in _CANDIDATES if name in first]
    if len(names) > 1:
        names = [name for name in names if text.count(name) == first.count(name) * count]
    if len(names) != 1:
        return None
    name = names[0]
    inside = first.count(name)
    # A longer delimiter, such as a comma with a space or two bars, divides every line alike too.
    if 2 * first.count(name + name) == inside or _spaced(text, f"{name} ", lines, inside * count):
        return None
    width = inside + 1
    rows = [line.split(name) for line in lines]
    if list(map(len, rows)).count(width) != count:
        return None
    if "'" in text and _single_quoted(text, name, rows):
        return None
    if "\\" in text and f"\\{name}" in text:
        return None
    return Certain(name, width, lines, rows, text[len(first) :], _plain_header(first, name, rows, width))


def _spaced(text: str, longer: str, lines: Sequence[str], total: int) -> bool:
    """Whether the delimiter with a space may be meant: it must be in some of these lines, and is half of all then."""
    return (longer in lines[1] or longer in lines[0] or longer in lines[-1]) and 2 * text.count(longer) >= total


def _divides(text: str) -> bool:
    """Whether a text that starts with the delimiter ``#`` has it, not a comment, at its start."""
    end = text.find("\n")
    return text[0] == "#" and text.count("#", 0, end) > 1 and text[1:2] not in (" ", "#", "!")


def _single_quoted(text: str, name: str, rows: Sequence[Sequence[str]]) -> bool:
    if f"{name}'" not in text and "\n'" not in text:
        return False
    opened = [cell for row in rows for cell in row if cell.startswith("'")]
    return len(opened) > 1 or any(cell.endswith("'") and len(cell) > 1 for cell in opened)


def _plain_header(first: str, delimiter: str, rows: Sequence[Sequence[str]], width: int) -> bool:
    """The first row is a header and no other row is: names that are all there, distinct, and not like the data."""
    names, second, third = rows[0], rows[1], rows[2]
    if len(set(map(str.strip, first.lower().split(delimiter)))) != width or "" in names[1:]:
        return False
    if second[0] and second.count(second[0]) == width:
        # One label across all columns is a heading within the data.
        second = third
    if second.count("") > width - 2 or rows[-1].count("") > width - 2:
        return False
    like = _DATA_LIKE.fullmatch
    if _DIGIT.search(first) is not None:
        data = [i for i, name in enumerate(names) if like(name) is not None]
        if data and (data[0] == 0 or not all(_YEAR.fullmatch(names[i]) and not _YEAR.match(second[i]) for i in data)):
            return False
    # Some column must hold data in its second row, or a second header row could not be told from data.
    typed = sum(map(str.isdigit, second)) or sum(map(bool, map(like, second)))
    if not typed and any(map(like, third)):
        return False
    if set(names).isdisjoint(islice(chain.from_iterable(rows), width, None)):
        return True
    columns = zip(*rows, strict=True)
    recurring = sum(name in column[1:] for name, column in zip(names, columns, strict=True) if name)
    return not recurring or typed >= 2 * recurring or typed == recurring == 1
