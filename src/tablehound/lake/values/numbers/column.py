"""How a column of numbers reads: separators, unit, scale, and what suffixes, Roman numerals and ties mean."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from decimal import Decimal
from functools import lru_cache

from tablehound.lake.table import Reading
from tablehound.lake.values.column_rules import MIN_SHARE, by_frequency, has_majority, rounded_share, text_reading
from tablehound.lake.values.numbers.ambiguous_suffixes import SHORT_MAGNITUDE, ColumnContext, is_unit, meanings
from tablehound.lake.values.numbers.forms import DOUBTFUL_COMMA, DOUBTFUL_POINT, Way
from tablehound.lake.values.tally import Count, Tally
from tablehound.lake.values.units.in_names import NameScale, scale_in_name
from tablehound.lake.values.units.known import Unit, is_money, unit_of

# How a column of numbers reads. Chosen by hand.
MIN_UNIT_SHARE = 0.3
"""Share of the numbers that must carry a unit for the column to have it."""
MIN_NOUNS = 2
"""Numbers that must carry the same counted noun for it to be the column's unit."""
MIN_CODE_SHARE = 0.1
"""Share of the whole numbers that must have leading zeros for the column to be one of codes."""
MIN_PLAIN_SHARE = 0.8
"""Share of plain whole numbers in a column that its name says to be one of codes."""
MIN_PARENTHESISED = 3
"""Numbers all in parentheses, from which on negative numbers are doubtful."""
LARGE_DIGITS = 6
"""Digits of a number that is large without a suffix."""

_POINT_ALONE: frozenset[tuple[Way, ...]] = frozenset({((None, None),), ((".", None),)})
"""Writings without separators, or with a decimal point for certain."""
_CODE_NAME = re.compile(
    r"(?:^|[\W_])(?:zip|post(?:al)?|zipcode|postcode|postalcode|plz|phone|telephone|tel|fax|mobile|isbn|issn|iban)"
    r"(?:[\W_]*(?:numbers?|no|nr|num|codes?))?\W*$"
)
"""Names whose whole numbers are codes: what the name ends in (``phone_id`` counts phones)."""


def read_numbers(tally: Tally, name: str) -> Reading | None:
    """The reading as numbers, or None where too few texts are any."""
    if not (tally.forms or tally.suffixed or tally.roman.distinct):
        return None
    header = scale_in_name(name)
    raw = _without_decades(tally, header)
    tally, alternatives, codes = _with_suffixes(raw, header, name)
    numbers = tally.numbers()
    most = Count(numbers.distinct, numbers.cells)
    for other in (tally.roman, tally.tied):
        most.add(other.distinct, other.cells)
    if numbers.distinct < MIN_SHARE * tally.valued.distinct and not has_majority(tally, most):
        coded = Count(numbers.distinct, numbers.cells)
        for count in tally.suffixed.values():
            coded.add(count.distinct, count.cells)
        doubtful = bool(codes) and has_majority(tally, coded)
        return text_reading(tally.blanks, tally.nulls, "; ".join(codes), True) if doubtful else None
    unit, unit_count = _unit(tally)
    decimal, thousands, ambiguous, notes = _separators(tally)
    unit_name, scale, offset, scale_notes = _scale(tally, header, unit, unit_count)
    if header.alternative and (scale != 1 or (header.unit is not None and unit is None)):
        alternatives.append(header.alternative)
    notes += [*scale_notes, *alternatives]
    ambiguous = ambiguous or bool(alternatives)
    counted = _readable(raw, unit_name, decimal, tally.styles)
    roman = _roman(tally, counted)
    if roman.distinct and not counted.distinct and tally.roman_lengths == {2} and tally.two_letter_roman:
        notes.append("numerals of two letters fit as codes too")
        ambiguous = True
        if 2 * tally.two_letter_roman >= roman.distinct:
            return text_reading(tally.blanks, tally.nulls, "codes of two letters that fit as Roman numerals too", True)
    counted.add(roman.distinct, roman.cells)
    # ``T3`` and ``3=`` are shared places where the column has other places; ``3T`` among millions is not.
    trillions = SHORT_MAGNITUDE in tally.styles and tally.tied_with_suffix.distinct == tally.tied.distinct
    tied = bool(tally.tied.distinct and tally.short_integers and not trillions)
    if tied or trillions:
        counted.add(tally.tied.distinct, tally.tied.cells)
    if not has_majority(tally, counted):
        several = sum(unit.factor != 0 for unit in tally.units()) > 1
        mixed = several and numbers.distinct >= MIN_SHARE * tally.valued.distinct
        return text_reading(tally.blanks, tally.nulls, "numbers of several units") if mixed else None
    if tally.paired and 2 * tally.paired >= numbers.distinct:
        return text_reading(tally.blanks, tally.nulls, "scores such as 7.9 (51)")
    if _is_code(tally, name):
        return text_reading(tally.blanks, tally.nulls, "codes: kept as text")
    styles = dict(tally.styles)
    if tied:
        styles["tied"] = tally.tied.cells
    if roman.cells:
        styles["roman"] = roman.cells
    if tally.years.distinct and tally.years.distinct == tally.valued.distinct:
        styles["year"] = tally.years.cells
    if tally.parenthesised >= MIN_PARENTHESISED and tally.parenthesised == numbers.distinct:
        ambiguous = True
        notes.append("all in parentheses: read as negative")
    return Reading(
        kind="number",
        decimal=decimal,
        thousands=thousands,
        scale=scale,
        offset=offset,
        unit=unit_name,
        styles=by_frequency(styles),
        ambiguous=ambiguous,
        confidence=rounded_share(counted.distinct, tally.valued.distinct),
        exceptions=tally.valued.cells - counted.cells,
        note="; ".join(notes),
        blanks=tally.blanks,
        nulls=tally.nulls + tally.placeholders.cells,
    )


def _with_suffixes(tally: Tally, header: NameScale, name: str) -> tuple[Tally, list[str], list[str]]:
    """The tally with letters behind numbers counted as scales or units, and notes on doubtful ones: on those that
    are values, and of those that are taken for codes."""
    if not tally.suffixed:
        return tally, [], []
    units = [unit for unit in (*tally.units(), header.unit) if unit is not None and unit.factor]
    context = ColumnContext(
        name,
        {unit.dimension for unit in units},
        tally.powers,
        any(is_money(unit) for unit in units),
        any(length >= LARGE_DIGITS for length in tally.integer_lengths) or ((None, ","),) in tally.ways(),
        bool(tally.bare_numbers),
    )
    found, alternatives, codes = meanings([suffixed for suffixed, _ in tally.suffixed], context)
    forms = {form: Count(count.distinct, count.cells) for form, count in tally.forms.items()}
    styles, bare_numbers = Counter(tally.styles), tally.bare_numbers
    for (suffixed, ways), count in tally.suffixed.items():
        meaning = found[suffixed.suffix.lower()]
        if meaning == "text":
            continue
        scaled = meaning == "scale"
        forms.setdefault((None if scaled else suffixed.unit, ways), Count()).add(count.distinct, count.cells)
        styles[SHORT_MAGNITUDE if scaled else suffixed.style] += count.cells
        bare_numbers += count.distinct * scaled
    above_one = tally.above_one or "scale" in found.values()
    tally = replace(tally, forms=forms, styles=styles, bare_numbers=bare_numbers, above_one=above_one)
    return tally, alternatives, codes


def _without_decades(tally: Tally, header: NameScale) -> Tally:
    """The tally without ``1990s``, unless the column is one of seconds."""
    if not tally.decades.distinct or (header.unit is not None and header.unit.dimension == "time"):
        return tally
    timed = sum(count.distinct for unit, count in tally.units().items() if unit.dimension == "time")
    if timed > tally.decades.distinct:
        return tally
    forms = {form: count for form, count in tally.forms.items() if form[0] is None or form[0].dimension != "time"}
    return replace(tally, forms=forms, styles=Counter({s: n for s, n in tally.styles.items() if s != "decade"}))


def _readable(tally: Tally, unit_name: str | None, decimal: str, styles: Collection[str]) -> Count:
    """Numbers that :func:`~tablehound.lake.values.parse.amount` reads with this unit, separator and styles."""
    column_unit = unit_of(unit_name) if unit_name else None
    total = Count()
    forms = [(unit, ways, count) for (unit, ways), count in tally.forms.items()]
    for (suffixed, ways), count in tally.suffixed.items():
        scaled = SHORT_MAGNITUDE in styles and not is_unit(suffixed.unit, column_unit)
        forms.append((None if scaled else suffixed.unit, ways, count))
    for unit, ways, count in forms:
        if _fits_unit(unit, unit_name, column_unit) and any(
            (d in (None, decimal) and t != decimal) or (d and t) for d, t in ways
        ):
            total.add(count.distinct, count.cells)
    return total


def _fits_unit(unit: Unit | None, unit_name: str | None, column_unit: Unit | None) -> bool:
    if unit is None or unit.name == unit_name:
        return True
    if unit.dimension == "percent" and unit_name is None:
        return True
    if unit.factor == 0 or column_unit is None:
        return unit.dimension.startswith("currency") and unit_name is None
    return unit.dimension == column_unit.dimension


def _roman(tally: Tally, counted: Count) -> Count:
    """Roman numerals that count as numbers: all if the whole column reads that way, some if it is numeric otherwise."""
    all_of_them, some = tally.roman, tally.roman_numbers
    rest = tally.valued.distinct - all_of_them.distinct
    if not counted.distinct:
        # One numeral alone must be long, several must include two that are no sizes or abbreviations (M, XL, CD).
        clear_romans = tally.clear_romans
        clear = len(clear_romans) >= 2 if all_of_them.distinct > 1 else any(len(text) >= 3 for text in clear_romans)
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
        or (
            dimensions[unit.dimension].distinct >= MIN_NOUNS
            and dimensions[unit.dimension].distinct >= MIN_SHARE * nouns
        )
    }
    if not agreed:
        return None, Count()
    dimension, total = max(agreed.items(), key=lambda item: (item[1].distinct, item[0]))
    within = [(count.distinct, unit.name, unit) for unit, count in units.items() if unit.dimension == dimension]
    return max(within, key=lambda item: item[:2])[2], total


def _is_code(tally: Tally, name: str) -> bool:
    """Leading zeros, or a name that says so: texts such as ``007`` are no amounts."""
    plain = tally.plain_integers
    if tally.codes and (tally.codes >= MIN_CODE_SHARE * plain or len(tally.integer_lengths) == 1):
        return True
    return plain >= MIN_PLAIN_SHARE * tally.numbers().distinct and not tally.units() and _names_code(name)


@lru_cache(maxsize=4096)
def _names_code(name: str) -> bool:
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()
    return _CODE_NAME.search(words) is not None


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
    tally: Tally, header: NameScale, unit: Unit | None, count: Count
) -> tuple[str | None, float, float, list[str]]:
    """Unit, scale and offset from cells and header, and notes on them."""
    notes: list[str] = []
    numbers = tally.numbers().distinct or 1
    name = unit.name if unit is not None and count.distinct >= MIN_UNIT_SHARE * numbers else None
    if unit is not None and unit.dimension == "percent" and tally.bare_numbers and not tally.above_one:
        # Ratios, some of them written as percent.
        name = None
    if name is None and unit is not None and unit.dimension == "percent":
        notes.append("percent read as hundredths")
    if name is None and header.unit is not None:
        name = header.unit.name
    scale, offset = header.factor, Decimal(header.offset)
    if header.letter_alone and scale > 1 and _too_large_for_scale(tally, scale):
        notes.append(f"the name's {header.source} is no scale of numbers so large")
        scale = Decimal(1)
    if header.percent_suffix:
        if tally.above_one or (unit is not None and unit.name == "%"):
            scale, name = Decimal("0.01"), None
            notes.append(f"the name's {header.source} read as hundredths: value = number × 0.01")
    elif scale != 1 or offset:
        applied = [
            f"× {scale:f}" if scale != 1 else "",
            f"{'+' if offset > 0 else '-'} {abs(offset)}" if offset else "",
        ]
        notes.append(f"the name says {header.source!r}: value = number {' '.join(filter(None, applied))}")
    return name, float(scale), float(offset), notes


def _too_large_for_scale(tally: Tally, scale: Decimal) -> bool:
    """Whether whole numbers so long are no millions: ``(M)`` may mean men."""
    return max(tally.integer_lengths, default=0) + scale.adjusted() > 12
