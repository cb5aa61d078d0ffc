"""Repair of one record that has too few or too many fields, or quotes where none should be.

All ways to read the line as the right number of fields are weighed against each other: quotes taken literally or as
quotes, delimiters taken as text, empty fields left out, fields that are missing, and two fields that lost the
delimiter between them. Each departure has a price, and so has a text that does not look like the rest of its column.
The cheapest reading wins (dynamic programming over the line's delimiters); when even that is dear, there is none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tablehound.lake.read.delimited.cell_shapes import ColumnShape, Looks, look
from tablehound.lake.read.delimited.dialect import RUNS, Dialect
from tablehound.lake.read.delimited.records import Parser

MAX_SEGMENTS = 160
MAX_WORK = 20_000
"""Readings weighed for one record; a record that needs more is not repaired."""
MAX_PUT_BACK = 60
MAX_NAME_CHARS = 40
_FAR = 1e9
_MISSING_FIRST = 0.02
_DROP, _MISSING, _MISSING_LAST, _LITERAL_QUOTE, _SLOPPY, _LITERAL_DELIMITER = 1.0, 1.6, 0.9, 1.0, 0.8, 1.3
_CUT, _CUT_IN_NUMBER, _CUT_AT_QUOTE, _CUT_ANYWHERE = 0.9, 1.5, 0.3, 1.3
_OTHER_DELIMITERS = (",", ";", "\t", "|", " ", ":")
_CUTS = re.compile(
    r"(?<=\d)(?=[^\d])|(?<=[^\d])(?=\d)|(?<=\d)(?=\d)|(?<=[^\W\d_])(?=[^\w\s])|(?<=[a-z])(?=[A-Z])|"
    r"(?<=[A-Z])(?=[A-Z][a-z])"
)

Misfit = Callable[[int, str], float]


@dataclass(frozen=True, slots=True)
class Repaired:
    """A reading with the right number of fields; ``None`` stands for a field that the record lacks."""

    fields: list[str | None]
    price: float
    how: str


def repair(
    raw: str, parser: Parser, width: int, misfit: Misfit, *, budget: float, names: bool = False
) -> Repaired | None:
    """The cheapest reading of a record as ``width`` fields, or none within the budget.

    ``names`` says that the record is a header, whose names may have been run together at any letter.
    """
    found = _by_delimiter(raw, parser, width, misfit, budget, names=names)
    if found is None or found.price > 1.5:
        other = _by_other_delimiter(raw, parser, width, misfit, budget)
        if other is not None and (found is None or other.price < found.price):
            found = other
    return found if found is not None and found.price <= budget else None


def column_misfit(columns: Sequence[ColumnShape]) -> Misfit:
    """Prices from what the columns look like. Each text is looked at once, whatever columns it is tried in."""
    seen: dict[str, Looks] = {}

    def misfit(index: int, text: str) -> float:
        looks = seen.get(text)
        if looks is None:
            looks = seen[text] = look(text)
        return columns[index].misfit_of(looks)

    return misfit


def _by_other_delimiter(raw: str, parser: Parser, width: int, misfit: Misfit, budget: float) -> Repaired | None:
    own = parser.dialect.delimiter
    best: Repaired | None = None
    for name in _OTHER_DELIMITERS:
        if name == own or raw.count(name) < width - 1 or own in RUNS:
            continue
        other = Parser(Dialect(name, parser.dialect.quote, parser.dialect.backslash), parser.newline)
        found = _by_delimiter(raw, other, width, misfit, budget, literal=0.35)
        if found is not None and (best is None or found.price < best.price):
            best = Repaired(
                found.fields, found.price + 0.6, f"another delimiter ({'tab' if name == chr(9) else name!r})"
            )
    return best


def _segments(raw: str, parser: Parser) -> list[tuple[int, int]]:
    """Where the parts between delimiters start and end; a well quoted field is one part."""
    dialect = parser.dialect
    name, mark = dialect.delimiter, dialect.quote
    parts: list[tuple[int, int]] = []
    position = 0
    well = _well_quoted(dialect) if mark else None
    while True:
        found = well.match(raw, position) if well is not None else None
        end = found.end() if found is not None else raw.find(name, position)
        if end < 0 or end >= len(raw):
            parts.append((position, len(raw)))
            return parts
        parts.append((position, end))
        position = end + len(name)


def _well_quoted(dialect: Dialect) -> re.Pattern[str]:
    """A quoted field with nothing suspicious inside: no delimiter that touches a quote."""
    mark, name = re.escape(dialect.quote), re.escape(dialect.delimiter)
    char = rf"(?!{name}{mark})(?:\\.|[^{mark}\\])" if dialect.backslash else rf"(?!{name}{mark})[^{mark}]"
    return re.compile(
        rf"{mark}(?:{char}|{mark}{mark}(?!{mark}?(?:{name}|\Z)))*+(?:{mark}{mark})?{mark}(?={name}|\Z)", re.DOTALL
    )


def _by_delimiter(
    raw: str,
    parser: Parser,
    width: int,
    misfit: Misfit,
    budget: float,
    *,
    literal: float = _LITERAL_DELIMITER,
    names: bool = False,
) -> Repaired | None:
    name = parser.dialect.delimiter
    if not name or name in RUNS:
        return None
    parts = _segments(raw, parser)
    count = len(parts)
    if count > MAX_SEGMENTS or width * count * max(1, count - width + 3) > MAX_WORK:
        return None
    best = _merge(raw, parts, parser, width, misfit, budget, literal)
    if count < width:
        cut = _cut(raw, parts, parser, width, misfit, names)
        if cut is not None and (best is None or cut.price < best.price):
            best = cut
    put_back = _put_back(raw, parser, width, misfit)
    if put_back is not None and (best is None or put_back.price < best.price):
        best = put_back
    return best


def _put_back(raw: str, parser: Parser, width: int, misfit: Misfit) -> Repaired | None:
    """A delimiter put back at a quote that touches a text: the rest of the record must then read without a flaw."""
    mark, name = parser.dialect.quote, parser.dialect.delimiter
    if not mark or mark not in raw:
        return None
    best: Repaired | None = None
    at, tries = raw.find(mark, 1), 0
    while at >= 0 and tries < MAX_PUT_BACK:
        before, after = raw[at - 1], raw[at + 1 : at + 2]
        # An opening quote after a text, a closing quote before one, or two quotes back to back.
        places = [at] if not raw.endswith(name, 0, at) and (after and not raw.startswith(name, at + 1)) else []
        if before != mark and after and after != mark and not raw.startswith(name, at + 1):
            places.append(at + 1)
        for place in places:
            tries += 1
            fields, flaw = parser.split(raw[:place] + name + raw[place:])
            if flaw or len(fields) != width:
                continue
            price = _CUT_AT_QUOTE + sum(misfit(index, text) for index, text in enumerate(fields))
            if best is None or price < best.price:
                best = Repaired(list(fields), price, "a missing delimiter put back")
        at = raw.find(mark, at + 1)
    return best


def _reading(raw: str, parser: Parser, literal: float, inside: int) -> tuple[str, float]:
    """The text of one field and the price of reading it so; ``inside`` counts the delimiters in it."""
    mark, name = parser.dialect.quote, parser.dialect.delimiter
    spaced = raw.count(name + " ") if inside and name != " " else 0
    price = literal * inside - 0.4 * literal * spaced
    if not mark or mark not in raw:
        return raw, price
    if raw.startswith(mark) and raw.endswith(mark) and len(raw) >= 2 * len(mark):
        inner = raw[len(mark) : -len(mark)]
        plain = parser.unescape(inner)
        bare = inner.replace(mark + mark, "")
        if parser.dialect.backslash:
            bare = re.sub(r"\\.", "", bare)
        if mark not in bare and not inner.startswith(mark):
            return plain, 0.0 if name + mark not in inner and mark + name not in inner else 0.5
        touching = inner.count(name + mark) + inner.count(mark + name)
        return plain, _SLOPPY + 1.5 * touching
    if inside:
        price += _LITERAL_QUOTE
    return raw, price + (_LITERAL_QUOTE if raw.startswith(mark) or raw.endswith(mark) else 0.3)


def _merge(
    raw: str, parts: list[tuple[int, int]], parser: Parser, width: int, misfit: Misfit, budget: float, literal: float
) -> Repaired | None:
    """Cheapest way to fill the columns with parts, merged parts, or nothing, leaving out empty parts.

    Nothing has a price below zero, so a beginning that is beyond the budget is not followed.
    """
    count = len(parts)
    most = max(1, count - width + 3)
    mark = parser.dialect.quote
    readings: dict[tuple[int, int], tuple[str, float]] = {}

    def reading(first: int, last: int) -> tuple[str, float]:
        if (first, last) not in readings:
            text = raw[parts[first][0] : parts[last][1]]
            readings[first, last] = _reading(text, parser, literal, last - first)
        return readings[first, last]

    prices = [[_FAR] * (count + 1) for _ in range(width + 1)]
    steps: dict[tuple[int, int], tuple[int, int, str]] = {}
    prices[0][0] = 0.0
    empty = [raw[start:end].strip() in ("", mark + mark) for start, end in parts]
    for column in range(width + 1):
        row = prices[column]
        for done in range(count + 1):
            here = row[done]
            if here > budget:
                continue
            if done < count and empty[done] and here + _DROP < row[done + 1]:
                row[done + 1] = here + _DROP
                steps[column, done + 1] = (column, done, "drop")
            if column == width:
                continue
            missing = here + (_MISSING_LAST if done == count else _MISSING) + 0.5 * misfit(column, "")
            # A record seldom lacks what it begins with.
            missing += _MISSING_FIRST if column == 0 else 0.0
            if count < width and missing < prices[column + 1][done]:
                prices[column + 1][done] = missing
                steps[column + 1, done] = (column, done, "missing")
            for last in range(done, min(count, done + most)):
                text, price = reading(done, last)
                total = here + price
                if total >= prices[column + 1][last + 1]:
                    continue
                total += misfit(column, text)
                if total < prices[column + 1][last + 1]:
                    prices[column + 1][last + 1] = total
                    steps[column + 1, last + 1] = (column, done, "field")
    price = prices[width][count]
    if price >= _FAR:
        return None
    fields: list[str | None] = []
    seen: set[str] = set()
    column, done = width, count
    while (column, done) != (0, 0):
        before, first, what = steps[column, done]
        if what == "field":
            text, cost = reading(first, done - 1)
            fields.append(text)
            if done - 1 > first and cost > 0:
                seen.add("a delimiter read as text")
            elif cost > 0:
                seen.add("a quote read as text")
        elif what == "missing":
            fields.append(None)
            seen.add("a missing field left empty")
        else:
            seen.add("an empty field left out")
        column, done = before, first
    return Repaired(fields[::-1], price, ", ".join(sorted(seen)) or "as it stood")


def _cut(
    raw: str, parts: list[tuple[int, int]], parser: Parser, width: int, misfit: Misfit, names: bool
) -> Repaired | None:
    """The cheapest way to get one more field by cutting a part in two."""
    if width - len(parts) != 1:
        return None
    texts = [raw[start:end] for start, end in parts]
    readings = [_reading(text, parser, _LITERAL_DELIMITER, 0) for text in texts]
    left = [0.0]
    for index, (text, price) in enumerate(readings):
        left.append(left[-1] + price + misfit(index, text))
    right = [0.0]
    for index in range(len(readings) - 1, -1, -1):
        text, price = readings[index]
        right.append(right[-1] + price + misfit(index + 1, text))
    right.reverse()
    best: tuple[float, int, str, str] | None = None
    for index, text in enumerate(texts):
        around = left[index] + right[index + 1]
        if best is not None and around >= best[0]:
            continue
        places = cuts(text, parser.dialect.quote)
        if names and len(text) <= MAX_NAME_CHARS:
            places += [(at, _CUT_ANYWHERE) for at in range(1, len(text))]
        for at, price in places:
            one, one_price = _reading(text[:at], parser, _LITERAL_DELIMITER, 0)
            two, two_price = _reading(text[at:], parser, _LITERAL_DELIMITER, 0)
            first, second = misfit(index, one), misfit(index + 1, two)
            if price == _CUT_ANYWHERE and first + second > 0.0:
                continue
            total = around + price + one_price + two_price + first + second
            if best is None or total < best[0]:
                best = (total, index, one, two)
    if best is None:
        return None
    price, index, one, two = best
    fields: list[str | None] = [text for text, _ in readings]
    fields[index : index + 1] = [one, two]
    return Repaired(fields, price, "a missing delimiter put back")


def cuts(text: str, mark: str) -> list[tuple[int, float]]:
    """Where a text may be two fields, with prices: at quotes, and where one sort of character ends."""
    if mark and mark in text:
        places: list[tuple[int, float]] = []
        start = 1
        while (at := text.find(mark, start)) >= 0:
            start = at + 1
            if at + 1 < len(text) and not text.startswith(mark):
                places.append((at, _CUT_AT_QUOTE))
            if text.startswith(mark) and at + 1 < len(text):
                places.append((at + 1, _CUT_AT_QUOTE))
        return places
    if len(text) > 80:
        return []
    return [(at, _CUT_IN_NUMBER if text[at - 1 : at + 1].isdecimal() else _CUT) for at in _cut_places(text)]


def _cut_places(text: str) -> list[int]:
    return [found.start() for found in _CUTS.finditer(text)]
