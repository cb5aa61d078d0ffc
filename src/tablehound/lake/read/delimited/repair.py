"""Repair of one record that has too few or too many fields, or quotes where none should be.

All ways to read the line as the right number of fields are weighed against each other: quotes taken literally or as
quotes, delimiters taken as text, empty fields left out, fields that are missing, and two fields that lost the
delimiter between them. Each departure has a price, and so has a text unlike the rest of its column. The
cheapest reading wins (dynamic programming over the line's delimiters); when even that is dear, there is none.
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


@dataclass(frozen=True, slots=True)
class Prices:
    """What each departure from a plain reading costs. All were chosen by hand."""

    empty_left_out: float = 1.0
    missing: float = 1.6
    missing_last: float = 0.9
    missing_first: float = 0.02
    """Added for the first field: a record seldom lacks what it begins with."""
    missing_share: float = 0.5
    """Part of the misfit of an empty text that a missing field costs too."""
    literal_delimiter: float = 1.3
    """A delimiter read as text; one that a space follows costs less by ``spaced_share``."""
    spaced_share: float = 0.4
    literal_quote: float = 1.0
    """A quote at an end of a field read as text, and one within it."""
    inner_quote: float = 0.3
    unescaped_quote: float = 0.8
    """Quotes within a quoted field that are not escaped; each that touches a delimiter adds ``touching``."""
    touching: float = 1.5
    escaped_touching: float = 0.5
    """The same where all are escaped."""
    other_delimiter: float = 0.6
    other_literal: float = 0.35
    """A delimiter read as text where another one divides."""
    cut: float = 0.9
    """A delimiter put back where one sort of character ends; the next ones at other places."""
    cut_in_number: float = 1.5
    cut_at_quote: float = 0.3
    cut_anywhere: float = 1.3
    cheap: float = 1.5
    """Above this price other delimiters are tried."""


PRICES = Prices()
_OTHER_DELIMITERS = (",", ";", "\t", "|", " ", ":")
_CUTS = re.compile(
    r"(?<=\d)(?=[^\d])|(?<=[^\d])(?=\d)|(?<=\d)(?=\d)|(?<=[^\W\d_])(?=[^\w\s])|(?<=[a-z])(?=[A-Z])|"
    r"(?<=[A-Z])(?=[A-Z][a-z])"
)

Misfit = Callable[[int, str], float]


@dataclass(frozen=True, slots=True)
class Repaired:
    """A reading with the right number of fields; ``None`` where the record lacks a field."""

    fields: list[str | None]
    price: float
    how: str


def repaired_record(
    raw: str, parser: Parser, width: int, misfit: Misfit, *, budget: float, names: bool = False
) -> Repaired | None:
    """The cheapest reading of a record as ``width`` fields, or none within the budget.

    ``names``: the record is a header, whose names may have been run together at any letter.
    """
    found = _by_delimiter(raw, parser, width, misfit, budget, names=names)
    if found is None or found.price > PRICES.cheap:
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
        found = _by_delimiter(raw, other, width, misfit, budget, literal=PRICES.other_literal)
        if found is not None and (best is None or found.price < best.price):
            how = f"another delimiter ({'tab' if name == chr(9) else name!r})"
            best = Repaired(found.fields, found.price + PRICES.other_delimiter, how)
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
    literal: float = PRICES.literal_delimiter,
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
            price = PRICES.cut_at_quote + sum(misfit(index, text) for index, text in enumerate(fields))
            if best is None or price < best.price:
                best = Repaired(list(fields), price, "a missing delimiter put back")
        at = raw.find(mark, at + 1)
    return best


def _reading(raw: str, parser: Parser, literal: float, inside: int) -> tuple[str, float]:
    """The text of one field and the price of reading it so; ``inside`` counts the delimiters in it."""
    mark, name = parser.dialect.quote, parser.dialect.delimiter
    spaced = raw.count(name + " ") if inside and name != " " else 0
    price = literal * inside - PRICES.spaced_share * literal * spaced
    if not mark or mark not in raw:
        return raw, price
    if raw.startswith(mark) and raw.endswith(mark) and len(raw) >= 2 * len(mark):
        inner = raw[len(mark) : -len(mark)]
        plain = parser.unescape(inner)
        bare = inner.replace(mark + mark, "")
        if parser.dialect.backslash:
            bare = re.sub(r"\\.", "", bare)
        if mark not in bare and not inner.startswith(mark):
            return plain, 0.0 if name + mark not in inner and mark + name not in inner else PRICES.escaped_touching
        touching = inner.count(name + mark) + inner.count(mark + name)
        return plain, PRICES.unescaped_quote + PRICES.touching * touching
    if inside:
        price += PRICES.literal_quote
    at_end = raw.startswith(mark) or raw.endswith(mark)
    return raw, price + (PRICES.literal_quote if at_end else PRICES.inner_quote)


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
    drop = PRICES.empty_left_out
    empty = [raw[start:end].strip() in ("", mark + mark) for start, end in parts]
    for column in range(width + 1):
        row = prices[column]
        for done in range(count + 1):
            here = row[done]
            if here > budget:
                continue
            if done < count and empty[done] and here + drop < row[done + 1]:
                row[done + 1] = here + drop
                steps[column, done + 1] = (column, done, "drop")
            if column == width:
                continue
            missing = here + (PRICES.missing_last if done == count else PRICES.missing)
            missing += PRICES.missing_share * misfit(column, "")
            missing += PRICES.missing_first if column == 0 else 0.0
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
    readings = [_reading(text, parser, PRICES.literal_delimiter, 0) for text in texts]
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
            places += [(at, PRICES.cut_anywhere) for at in range(1, len(text))]
        for at, price in places:
            one, one_price = _reading(text[:at], parser, PRICES.literal_delimiter, 0)
            two, two_price = _reading(text[at:], parser, PRICES.literal_delimiter, 0)
            first, second = misfit(index, one), misfit(index + 1, two)
            if price == PRICES.cut_anywhere and first + second > 0.0:
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
                places.append((at, PRICES.cut_at_quote))
            if text.startswith(mark) and at + 1 < len(text):
                places.append((at + 1, PRICES.cut_at_quote))
        return places
    if len(text) > 80:
        return []
    ends = [found.start() for found in _CUTS.finditer(text)]
    return [(at, PRICES.cut_in_number if text[at - 1 : at + 1].isdecimal() else PRICES.cut) for at in ends]
