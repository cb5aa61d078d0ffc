"""From the values of a sheet to raw texts.

The raw text of a cell is its exact content: text as it is; a number in its shortest form that reads back as
the stored one (``1234.5``, not the rounded display); a number whose format shows percent or money with that sign
(``12.5%``, ``$1234.5``), still exact; dates and times in ISO form; booleans as ``TRUE`` and ``FALSE``. A date without
a time of day has none in its text.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from tablehound.lake.read.cell_kinds import BOOLEAN, DATE, EMPTY, NUMBER, TEXT, kind_of, kinds_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tablehound.lake.read.workbook.facts import SheetFacts
    from tablehound.lake.read.workbook.number_formats import NumberFormat

Texts = list[str | None]
_Fact = TypeVar("_Fact")


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
    if isinstance(value, datetime.time):
        return _trimmed(value.isoformat())
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return _duration_text(value)
    return str(value)


def _duration_text(value: datetime.timedelta) -> str:
    """Hours, minutes and seconds, with as many decimals as there are down to a millisecond."""
    sign, value = ("-", -value) if value < datetime.timedelta() else ("", value)
    seconds, thousandths = divmod(round(value / datetime.timedelta(milliseconds=1)), 1000)
    rest = _trimmed(f".{thousandths:03d}")
    return f"{sign}{seconds // 3600}:{seconds % 3600 // 60:02d}:{seconds % 60:02d}{rest}"


def _trimmed(text: str) -> str:
    """A time without zeros at the end of its fraction."""
    return text.rstrip("0").rstrip(".") if "." in text else text


def column_texts(values: Sequence[Any], types: set[type] | None = None) -> tuple[Texts, list[int]]:
    """Raw texts of a column and the codes of their looks. ``types`` are those of its values, if known."""
    types = set(map(type, values)) if types is None else types
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
"""Types that are turned to text a column at a time, with a substitute for the texts among them."""


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


def _cut_long(texts: Texts, limit: int) -> int:
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


def _percent_runs(
    values: Sequence[Sequence[Any]], formats: Mapping[tuple[int, int], NumberFormat]
) -> dict[tuple[int, int], NumberFormat]:
    """Numbers without a format within a run of percentages, which are percentages too: the format of a few cells is
    missing. In a run, one number is below the other, and most of them have the format."""
    found: dict[tuple[int, int], NumberFormat] = {}
    for column in sorted({c for (_, c), known in formats.items() if known.kind == "percent"}):
        run: list[int] = []
        for row in range(len(values) + 1):
            if row < len(values) and type(values[row][column]) in (float, int):
                run.append(row)
                continue
            known = [formats[r, column] for r in run if (r, column) in formats]
            percent = [one for one in known if one.kind == "percent"]
            if len(percent) == len(known) and 2 * len(percent) > len(run):
                found |= {(r, column): percent[0] for r in run if (r, column) not in formats}
            run = []
    return found


_DAY_BEFORE = datetime.date(1900, 2, 28)


@dataclass(slots=True)
class Cells:
    """The cells of a sheet, column by column."""

    columns: list[Texts]
    kinds: NDArray[np.uint8]
    """Rows × columns of the codes of their looks."""
    cut: int = 0
    """Texts that were cut."""
    odd: bool = False
    """Some number may have been taken for a time of day, or for the day before."""


def read_cells(rows: Sequence[Sequence[Any]], max_chars: int) -> Cells:
    """Texts and looks of values in rows of equal length; blank ones are the empty text."""
    import numpy as np

    cells = Cells([], np.zeros((len(rows), len(rows[0]) if rows else 0), dtype=np.uint8))
    for index, values in enumerate(zip(*rows, strict=True)):
        types = set(map(type, values))
        cells.odd = cells.odd or datetime.time in types or (datetime.date in types and _DAY_BEFORE in values)
        texts, codes = column_texts(values, types)
        if TEXT in codes:
            cells.cut += _cut_long(texts, max_chars)
        cells.columns.append(texts)
        cells.kinds[:, index] = codes
    return cells


def apply_facts(
    cells: Cells,
    values: Sequence[Sequence[Any]],
    facts: SheetFacts,
    row_numbers: Sequence[int],
    column_numbers: Sequence[int],
) -> None:
    """Add to the texts what the reader of values left out.

    Numbers are shown as their cells do: with percent and currency signs, codes with leading zeros. Errors have their
    names. Formulas without a value count as data, so that their row is no header.

    Args:
        values: what the texts were made of. A text has no number format, whatever it looks like.
        row_numbers: 1-based rows of the source.
        column_numbers: 0-based columns of the source.
    """
    if not (facts.formats or facts.errors or facts.exact or facts.uncached):
        return
    columns, kinds = cells.columns, cells.kinds
    at_row = {number - 1: index for index, number in enumerate(row_numbers)}
    at_column = {number: index for index, number in enumerate(column_numbers)}

    def places(found: Mapping[tuple[int, int], _Fact]) -> Iterator[tuple[int, int, _Fact]]:
        for (row, column), fact in found.items():
            r, c = at_row.get(row, -1), at_column.get(column, -1)
            if r >= 0 and c >= 0:
                yield r, c, fact

    formats = {(r, c): known for r, c, known in places(facts.formats) if type(values[r][c]) in (float, int)}
    formats |= _percent_runs(values, formats)
    for (r, c), known in formats.items():
        text = columns[c][r]
        if text is not None:
            columns[c][r] = known.render(text)
    for r, c, text in (*places(facts.exact), *places(facts.errors)):
        columns[c][r], kinds[r, c] = text, NUMBER
    for r, c, _ in places(facts.uncached):
        kinds[r, c] = NUMBER
