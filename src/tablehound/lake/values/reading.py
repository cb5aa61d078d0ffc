"""How a column reads, decided from all its values in a stream.

The kind is the one that most distinct texts read as; a kind other than text needs a clear majority, and what does not
fit is counted as exceptions. A bare four-digit year is a number (``1995``); among full dates it reads as the first of
January, so that one column of dates compares throughout.
"""

from __future__ import annotations

import re
from collections import Counter
from decimal import Decimal
from functools import lru_cache
from typing import Any

from tablehound.lake.table import Kind, Reading
from tablehound.lake.values.booleans import are_boolean
from tablehound.lake.values.dates import ORDERS, Order
from tablehound.lake.values.hopeless import are_no_values
from tablehound.lake.values.numbers import DOUBTFUL_COMMA, DOUBTFUL_POINT, Way
from tablehound.lake.values.tally import SMALL_BATCH, Count, Tally
from tablehound.lake.values.units import HeaderScale, Unit, header_scale, unit_of

MIN_SHARE = 0.6
"""Share of distinct texts that must read as numbers or dates for the column to be of that kind."""
MIN_CELL_SHARE = 0.5
MIN_BOOLEAN_SHARE = 0.95
MIN_UNIT_SHARE = 0.3
"""Share of the numbers that must carry a unit for the column to have it."""

_POINT_ALONE: frozenset[tuple[Way, ...]] = frozenset({((None, None),), ((".", None),)})
"""Writings without separators, or with a decimal point for certain."""
_CODE_NAME = re.compile(
    r"(?:^|[\W_])(?:zip|post(?:al)?|zipcode|postcode|postalcode|plz|phone|telephone|tel|fax|mobile|isbn|issn|iban)"
    r"(?:[\W_]*(?:numbers?|no|nr|num|codes?))?\W*$"
)
"""Names whose whole numbers are codes: what the name ends in (``phone_id`` counts phones)."""
_DATE_NAME = re.compile(
    r"(?:^|[\W_])(?:date|day|dates|dob|datum|timestamp|birth(?:day|date)?|born|died)(?:$|[\W_])|Date$"
)


class ReadingBuilder:
    """Collects the texts of one column, in batches, and decides its :class:`Reading`. Memory is bounded."""

    def __init__(self, name: str = "") -> None:
        self._name = name
        self._tally: Tally | None = None
        self._plain = Count()
        """Texts that cannot be anything else: a column of nothing but names needs no tally."""

    def add(self, texts: Any) -> ReadingBuilder:
        """Take a batch: an Arrow string array, or a sequence of texts and None (no such cell)."""
        if len(texts) < SMALL_BATCH:
            counted = Counter(texts.to_pylist() if hasattr(texts, "to_pylist") else texts)
            counted.pop(None, None)
            if are_no_values(counted):
                self._plain.add(len(counted), counted.total())
            else:
                self._tally = self._tally or Tally()
                self._tally.add_counted(counted)
        else:
            self._tally = self._tally or Tally()
            self._tally.add(texts)
        return self

    def finish(self) -> Reading:
        """The reading of everything added."""
        if self._tally is None:
            return _text(0, 0) if self._plain.distinct else Reading(kind="empty")
        self._tally.valued.add(self._plain.distinct, self._plain.cells)
        self._plain = Count()
        return decide(self._tally, self._name)


def read_column(texts: Any, name: str = "") -> Reading:
    """The reading of a column given whole, as an Arrow string array or a sequence of texts and None."""
    return ReadingBuilder(name).add(texts).finish()


def decide(tally: Tally, name: str) -> Reading:
    """The reading that a tally and the column's name lead to."""
    if not tally.valued.distinct:
        kind: Kind = "text" if tally.placeholders.cells else "empty"
        return Reading(kind=kind, blanks=tally.blanks, nulls=tally.nulls)
    if not (tally.tokens or tally.dates.distinct or tally.compact.distinct or tally.forms or tally.roman.distinct):
        return _text(tally.blanks, tally.nulls)
    for attempt in (_boolean, _dates, _numbers):
        reading = attempt(tally, name)
        if reading is not None:
            return reading
    return _text(tally.blanks, tally.nulls)


@lru_cache(maxsize=1024)
def _text(blanks: int, nulls: int, note: str = "") -> Reading:
    return Reading(kind="text", note=note, blanks=blanks, nulls=nulls)


def _enough(tally: Tally, fitting: Count, share: float = MIN_SHARE, cells: float = MIN_CELL_SHARE) -> bool:
    """Whether so many read as the kind; two or three distinct texts must agree, all but one of a few."""
    valued = tally.valued
    if not fitting.distinct:
        return False
    few = valued.distinct <= 3 and fitting.distinct < valued.distinct
    if few and (fitting.cells < 4 or fitting.cells < 0.8 * valued.cells):
        return False
    if few:
        return True
    return fitting.distinct >= share * valued.distinct and fitting.cells >= cells * valued.cells


def _boolean(tally: Tally, name: str) -> Reading | None:
    if not are_boolean(frozenset(tally.tokens)):
        return None
    share = MIN_BOOLEAN_SHARE if tally.valued.distinct > len(tally.tokens) else 0.0
    if not _enough(tally, tally.truths, 0.5, share):
        return None
    return Reading(
        kind="boolean",
        styles=tuple(sorted(tally.tokens)),
        confidence=_ratio(tally.truths.cells, tally.valued.cells),
        exceptions=tally.valued.cells - tally.truths.cells,
        blanks=tally.blanks,
        nulls=tally.nulls + tally.placeholders.cells,
    )


def _dates(tally: Tally, name: str) -> Reading | None:
    full, weak = tally.dates, tally.compact
    if not (full.distinct or weak.distinct):
        return None
    dated = _names_date(name)
    # Eight digits are dates where nothing else stands in the column (but dates), and the name or their number says so.
    compact = (
        weak.distinct
        and weak.distinct + full.distinct == tally.valued.distinct
        and (dated or full.distinct or weak.distinct >= 5)
    )
    counted = Count(full.distinct, full.cells)
    if compact or full.distinct > weak.distinct:
        counted.add(weak.distinct, weak.cells)
    # Bare years read as dates only where full dates are the rule.
    if full.distinct > tally.years.distinct:
        counted.add(tally.years.distinct, tally.years.cells)
    # Two-digit years look like other things written in three parts: those must be dates throughout.
    share = MIN_SHARE if tally.short_years < 0.5 * counted.distinct else 0.9
    if not _enough(tally, counted, share) or not (full.distinct or compact):
        return None
    if tally.seasons and tally.seasons >= tally.months_only / 2 and tally.months_only == full.distinct:
        return _text(tally.blanks, tally.nulls, "spans of years, such as 2004-05")
    order, ambiguous, note = _order(tally)
    for orders, count in tally.orders.items():
        if len(orders) > 1 and order not in orders:
            counted.add(-count.distinct, -count.cells)
    styles = dict(tally.date_styles)
    if tally.months_only:
        styles["month"] = tally.months_only
    if counted.distinct > full.distinct:
        if tally.years.distinct and full.distinct > tally.years.distinct:
            styles["year"] = tally.years.cells
        if weak.distinct:
            styles["compact"] = weak.cells
    if tally.timed:
        styles["time"] = tally.timed
    if tally.short_years:
        styles["two-digit year"] = tally.short_years
    notes = [note] if note else []
    if "year" in styles:
        notes.append("bare years read as their first of January")
    if "month" in styles:
        notes.append("months read as their first day")
    return Reading(
        kind="date",
        date_order=order,
        styles=_ranked(styles),
        ambiguous=ambiguous,
        confidence=_ratio(counted.distinct, tally.valued.distinct),
        exceptions=tally.valued.cells - counted.cells,
        note="; ".join(notes),
        blanks=tally.blanks,
        nulls=tally.nulls + tally.placeholders.cells,
    )


def _order(tally: Tally) -> tuple[Order, bool, str]:
    """The order that fits most texts; where several fit all, the writing's habit, marked as ambiguous."""
    counted = {order: sum(n.distinct for orders, n in tally.orders.items() if order in orders) for order in ORDERS}
    open_choice = {
        order: sum(n.distinct for orders, n in tally.orders.items() if order in orders and len(orders) > 1)
        for order in ORDERS
    }
    if not any(open_choice.values()):
        return max(ORDERS, key=lambda order: counted[order]), False, ""
    # Texts that leave a choice are read in the order of those that leave none.
    decided = {
        order: sum(n.distinct for orders, n in tally.orders.items() if orders == frozenset({order}))
        if open_choice[order]
        else -1
        for order in ORDERS
    }
    habit: tuple[Order, ...] = (
        ("dmy", "mdy", "ymd") if tally.slashed_dates < tally.dotted_dates else ("mdy", "dmy", "ymd")
    )
    if tally.slashed_dates == 0 and tally.dotted_dates == 0:
        habit = ("dmy", "mdy", "ymd")
    # A four-digit year in front decides nothing about two-digit ones or about day and month behind.
    rivals = [order for order in habit if open_choice[order]]
    if decided.get("ymd", -1) > 0 and open_choice["ymd"] and not tally.short_years:
        decided["ymd"] = 0
    best = max(rivals, key=lambda order: (counted[order], decided[order], -rivals.index(order)))
    equal = [order for order in rivals if counted[order] == counted[best] and decided[order] == decided[best]]
    if len(equal) == 1:
        mixed = sum(decided[order] > 0 for order in rivals) > 1
        return best, False, f"orders are mixed; doubtful dates read as {best}" if mixed else ""
    return best, True, f"dates fit {' and '.join(sorted(equal))}; read as {best}"


def _numbers(tally: Tally, name: str) -> Reading | None:
    if not tally.forms and not tally.roman.distinct:
        return None
    numbers = tally.numbers()
    most = Count(numbers.distinct, numbers.cells)
    for other in (tally.roman, tally.tied):
        most.add(other.distinct, other.cells)
    if numbers.distinct < MIN_SHARE * tally.valued.distinct and not _enough(tally, most):
        return None
    header = header_scale(name)
    unit, unit_count = _unit(tally)
    decimal, thousands, ambiguous, notes = _separators(tally)
    unit_name, scale, offset, said = _scale(tally, header, unit, unit_count)
    notes += said
    counted = _readable(tally, unit_name, decimal)
    roman = _roman(tally, counted)
    counted.add(roman.distinct, roman.cells)
    # ``T3`` and ``3=`` are places that are shared, where other places stand beside them.
    tied = bool(tally.tied.distinct and tally.short_integers)
    if tied:
        counted.add(tally.tied.distinct, tally.tied.cells)
    if not _enough(tally, counted):
        several = sum(unit.factor != 0 for unit in tally.units()) > 1
        mixed = several and numbers.distinct >= MIN_SHARE * tally.valued.distinct
        return _text(tally.blanks, tally.nulls, "numbers of several units") if mixed else None
    if tally.paired and 2 * tally.paired >= numbers.distinct:
        return _text(tally.blanks, tally.nulls, "scores such as 7.9 (51)")
    if _is_code(tally, name):
        return _text(tally.blanks, tally.nulls, "codes: kept as text")
    styles = dict(tally.styles)
    if tied:
        styles["tied"] = tally.tied.cells
    if roman.cells:
        styles["roman"] = roman.cells
    if tally.years.distinct and tally.years.distinct == tally.valued.distinct:
        styles["year"] = tally.years.cells
    if tally.parenthesised >= 3 and tally.parenthesised == numbers.distinct:
        ambiguous = True
        notes.append("all in parentheses: read as negative")
    return Reading(
        kind="number",
        decimal=decimal,
        thousands=thousands,
        scale=scale,
        offset=offset,
        unit=unit_name,
        styles=_ranked(styles),
        ambiguous=ambiguous,
        confidence=_ratio(counted.distinct, tally.valued.distinct),
        exceptions=tally.valued.cells - counted.cells,
        note="; ".join(notes),
        blanks=tally.blanks,
        nulls=tally.nulls + tally.placeholders.cells,
    )


def _readable(tally: Tally, unit_name: str | None, decimal: str) -> Count:
    """Numbers that :func:`~tablehound.lake.values.parse.amount` reads with this unit and separator."""
    column_unit = unit_of(unit_name) if unit_name else None
    total = Count()
    for (unit, ways), count in tally.forms.items():
        if _fits_unit(unit, unit_name, column_unit) and any(
            (d in (None, decimal) and t != decimal) or (d and t) for d, t in ways
        ):
            total.add(count.distinct, count.cells)
    return total


def _fits_unit(unit: Unit | None, unit_name: str | None, column_unit: Unit | None) -> bool:
    if unit is None or unit.name == unit_name:
        return True
    if unit.dimension == "percent":
        return unit_name in (None, "%")
    if unit.factor == 0 or column_unit is None:
        return unit.dimension.startswith("currency") and unit_name is None
    return unit.dimension == column_unit.dimension


def _roman(tally: Tally, counted: Count) -> Count:
    """Roman numerals that count as numbers: all if the whole column reads that way, some if it is numeric otherwise."""
    all_of_them, some = tally.roman, tally.roman_numbers
    rest = tally.valued.distinct - all_of_them.distinct
    if not counted.distinct:
        # One numeral alone must be long, several must hold two that are no sizes or abbreviations (M, XL, CD).
        telling = tally.telling_roman
        clear = len(telling) >= 2 if all_of_them.distinct > 1 else any(len(text) >= 3 for text in telling)
        return all_of_them if clear and not rest else Count()
    return some if some.distinct and counted.distinct >= MIN_SHARE * rest else Count()


def _unit(tally: Tally) -> tuple[Unit | None, Count]:
    """The unit that most numbers carry, with the count of its dimension. A counted noun (``12 goals``) only where the
    column agrees on it."""
    units = tally.units()
    if not units:
        return None, Count()
    dimensions: dict[str, Count] = {}
    for unit, count in units.items():
        dimensions.setdefault(unit.dimension, Count()).add(count.distinct, count.cells)
    nouns = sum(count.distinct for unit, count in units.items() if unit.factor == 0)
    agreed = {
        unit.dimension: dimensions[unit.dimension]
        for unit in units
        if unit.factor != 0
        or (dimensions[unit.dimension].distinct >= 2 and dimensions[unit.dimension].distinct >= MIN_SHARE * nouns)
    }
    if not agreed:
        return None, Count()
    dimension, total = max(agreed.items(), key=lambda item: (item[1].distinct, item[0]))
    within = [(count.distinct, unit.name, unit) for unit, count in units.items() if unit.dimension == dimension]
    return max(within, key=lambda item: item[:2])[2], total


def _is_code(tally: Tally, name: str) -> bool:
    """Leading zeros, or a name that says so: texts such as ``007`` are no amounts."""
    plain = tally.plain_integers
    if tally.codes and (tally.codes >= 0.1 * plain or len(tally.integer_lengths) == 1):
        return True
    return plain >= 0.8 * tally.numbers().distinct and not tally.units() and _names_code(name)


@lru_cache(maxsize=4096)
def _names_code(name: str) -> bool:
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()
    return _CODE_NAME.search(words) is not None


@lru_cache(maxsize=4096)
def _names_date(name: str) -> bool:
    return _DATE_NAME.search(name) is not None or _DATE_NAME.search(name.lower()) is not None


def _separators(tally: Tally) -> tuple[str, str | None, bool, list[str]]:
    """Decimal and thousands separator that fit most writings."""
    if all(ways in _POINT_ALONE for _, ways in tally.forms):
        return ".", None, False, []
    all_ways = tally.ways()
    fits = {
        decimal: sum(n for ways, n in all_ways.items() if any(d in (None, decimal) and t != decimal for d, t in ways))
        for decimal in (".", ",")
    }
    decimal, ambiguous = ".", False
    notes: list[str] = []
    open_ways = all_ways[DOUBTFUL_POINT] + all_ways[DOUBTFUL_COMMA]
    if fits[","] > fits["."]:
        decimal = ","
    elif fits[","] == fits["."] and open_ways:
        decimal, ambiguous, notes = _habit(tally, all_ways)
    marks = {t: 0 for ways in all_ways for d, t in ways if t and t != decimal and d in (None, decimal)}
    for ways, n in all_ways.items():
        for d, t in ways:
            if t in marks and d in (None, decimal):
                marks[t] += n
    thousands = max(sorted(marks), key=lambda mark: marks[mark]) if marks else None
    return decimal, thousands, ambiguous, notes


def _habit(tally: Tally, ways: Counter[tuple[Way, ...]]) -> tuple[str, bool, list[str]]:
    """Every writing fits both: three digits behind one separator throughout. Short whole numbers beside them speak for
    thousands, as decimals would rarely leave them out."""
    points, commas = ways[DOUBTFUL_POINT], ways[DOUBTFUL_COMMA]
    grouped = tally.short_integers and not tally.long_integers
    if points and commas:
        return ".", True, ["points and commas both fit as decimals; points taken"]
    if commas:
        # Many numbers that all show one group are thousands; two or three could be decimals of a kind.
        doubtful = not grouped and 1 < commas < 4
        return ".", doubtful, ["commas read as thousands separators; they fit as decimals too"] if doubtful else []
    if grouped and points >= 2:
        return ",", True, ["points read as thousands separators, as shorter numbers have none"]
    return ".", True, ["points read as decimals; they fit as thousands separators too"]


def _scale(
    tally: Tally, header: HeaderScale, unit: Unit | None, count: Count
) -> tuple[str | None, float, float, list[str]]:
    """Unit, scale and offset from cells and header, and what to say of them."""
    notes: list[str] = []
    numbers = tally.numbers().distinct or 1
    name = unit.name if unit is not None and count.distinct >= MIN_UNIT_SHARE * numbers else None
    if name == "%" and tally.bare_numbers and not tally.above_one:
        # Ratios, some of them written as percent.
        name = None
    if name is None and unit is not None and unit.dimension == "percent":
        notes.append("percent read as hundredths")
    if name is None and header.unit is not None:
        name = header.unit.name
    scale, offset = header.factor, Decimal(header.offset)
    if header.percent_suffix:
        if tally.above_one or (unit is not None and unit.name == "%"):
            scale, name = Decimal("0.01"), None
            notes.append(f"the name's {header.said} read as hundredths: value = number × 0.01")
    elif scale != 1 or offset:
        applied = [
            f"× {scale:f}" if scale != 1 else "",
            f"{'+' if offset > 0 else '-'} {abs(offset)}" if offset else "",
        ]
        notes.append(f"the name says {header.said!r}: value = number {' '.join(filter(None, applied))}")
    return name, float(scale), float(offset), notes


def _ratio(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 1.0


def _ranked(styles: dict[str, int]) -> tuple[str, ...]:
    return tuple(sorted((style for style, n in styles.items() if n), key=lambda style: (-styles[style], style)))
