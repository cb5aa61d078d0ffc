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
    if value.is_integer() and abs(value) < 1e16:
        return str(int(value))
    text = repr(value)
    return text if "inf" not in text and "nan" not in text else text.upper()


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
    if types == {float}:
        return [number_text(value) for value in values], [NUMBER] * len(values)
    texts, codes = [], []
    strings: dict[str, int] = {"": EMPTY}
    for value in values:
        if type(value) is str:
            code = strings.get(value)
            if code is None:
                code = strings[value] = kind_of(value)
            texts.append(value or None)
            codes.append(code)
        elif type(value) is float:
            texts.append(number_text(value))
            codes.append(NUMBER)
        else:
            texts.append(cell_text(value))
            codes.append(_code(value))
    return texts, codes


def _code(value: Any) -> int:
    if value is None:
        return EMPTY
    if isinstance(value, bool):
        return BOOLEAN
    return NUMBER if isinstance(value, int) else DATE


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
