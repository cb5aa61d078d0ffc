"""From the values of a sheet to raw texts.

The raw text of a cell is what the cell says exactly: text as it is; a number in its shortest form that reads back as
the stored one (``1234.5``, not the rounded display); a number whose format shows percent or money with that sign
(``12.5%``, ``$1234.5``), still exact; dates and times in ISO form; booleans as ``TRUE`` and ``FALSE``. A date without
a time of day has none in its text.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

from tablehound.lake.read.cell_kinds import BOOLEAN, DATE, EMPTY, NUMBER, kind_of, kinds_of
from tablehound.lake.read.number_formats import NumberFormat

Texts = list[str | None]


def number_text(value: float) -> str:
    """Shortest text that reads back as the number; whole numbers without a point."""
    text = repr(value)
    return text[:-2] if text[-2:] == ".0" else text


def cell_text(value: Any) -> str | None:
    """Raw text of a value as calamine or openpyxl give it; none for an empty cell."""
    if value is None or value == "":
        return None
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return number_text(value)
    if isinstance(value, datetime.datetime):
        midnight = value.time() == datetime.time(0)
        return value.date().isoformat() if midnight else value.isoformat(sep=" ")
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return _duration_text(value)
    return str(value)


def _duration_text(value: datetime.timedelta) -> str:
    seconds = round(value.total_seconds())
    sign, seconds = ("-", -seconds) if seconds < 0 else ("", seconds)
    return f"{sign}{seconds // 3600}:{seconds % 3600 // 60:02d}:{seconds % 60:02d}"


def column_texts(values: Sequence[Any]) -> tuple[Texts, list[int]]:
    """Raw texts of a column and the codes of their looks."""
    types = set(map(type, values))
    if types <= {str}:
        texts: Texts = [value or None for value in values]
        return texts, kinds_of(texts)
    others = types - {str}
    if len(others) == 1 and (only := others.pop()) in _BULK:
        return _mostly(values, only)
    texts, codes = [], []
    strings: dict[str, int] = {"": EMPTY}
    for value in values:
        if type(value) is str:
            code = strings.get(value)
            if code is None:
                code = strings[value] = kind_of(value)
            texts.append(value or None)
            codes.append(code)
        else:
            texts.append(cell_text(value))
            codes.append(_code(value))
    return texts, codes


_BULK: dict[type, tuple[Any, int]] = {float: (0.0, NUMBER), datetime.date: (datetime.date(2000, 1, 1), DATE)}
"""Types that are turned to text a column at a time, with a stand-in for the texts among them."""


def _mostly(values: Sequence[Any], kind: type) -> tuple[Texts, list[int]]:
    """A column of one type with texts among it, such as its header."""
    stand_in, code = _BULK[kind]
    places = [index for index, value in enumerate(values) if type(value) is str]
    numbers = list(values)
    for index in places:
        numbers[index] = stand_in
    texts: Texts
    if kind is float:
        # A float's own text ends in ``.0`` when it is whole and below 10^16.
        texts = [text[:-2] if text[-2:] == ".0" else text for text in map(float.__repr__, numbers)]
    else:
        texts = list(map(datetime.date.isoformat, numbers))
    codes = [code] * len(numbers)
    for index in places:
        texts[index] = values[index] or None
        codes[index] = kind_of(texts[index])
    return texts, codes


def cut_long(texts: Texts, limit: int) -> int:
    """Cut texts in place to a number of characters; how many were cut."""
    if max(map(len, filter(None, texts)), default=0) <= limit:
        return 0
    long = [index for index, text in enumerate(texts) if text and len(text) > limit]
    for index in long:
        texts[index] = (texts[index] or "")[:limit]
    return len(long)


def _code(value: Any) -> int:
    if value is None:
        return EMPTY
    if isinstance(value, bool):
        return BOOLEAN
    return NUMBER if isinstance(value, int | float) else DATE


def apply_formats(columns: list[Texts], formats: Mapping[tuple[int, int], NumberFormat], top: int, left: int) -> None:
    """Add percent and currency signs to the numbers whose cells show them. ``top`` and ``left`` are the first cell."""
    for (row, column), known in formats.items():
        r, c = row - top, column - left
        if 0 <= c < len(columns) and 0 <= r < len(columns[c]):
            text = columns[c][r]
            if text is not None and _is_number(text):
                columns[c][r] = known.render(text)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return text[-1].isdigit()
