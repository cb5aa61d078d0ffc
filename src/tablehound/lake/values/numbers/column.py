"""How a column of numbers reads: separators, unit, scale, and what suffixes, Roman numerals and ties mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from decimal import Decimal
from typing import Literal

from tablehound.lake.table import Mark, Reading
from tablehound.lake.values.column_rules import (
    AFTER_COUNTED,
    MIN_SHARE,
    by_frequency,
    has_majority,
    rounded_share,
    text_reading,
)
from tablehound.lake.values.numbers.ambiguous_suffixes import ColumnContext, Meaning, meanings
from tablehound.lake.values.numbers.codes import code_note
from tablehound.lake.values.numbers.forms import (
    DOUBTFUL_COMMA,
    DOUBTFUL_POINT,
    NumberForm,
    Way,
    with_resolved_suffix,
)
from tablehound.lake.values.styles import (
    BARE_PERCENT,
    BOUNDS,
    DEBIT_CREDIT,
    FLAGGED,
    HUNDREDTHS,
    RATIO,
    SHORT_MAGNITUDE,
)
from tablehound.lake.values.tally import Count, Tally
from tablehound.lake.values.units.in_names import NameScale, scale_in_name
from tablehound.lake.values.units.known import Unit, is_money, unit_of
from tablehound.lake.values.units.name_topics import topics_of

Convention = Literal["", ".", ",", "native"]
"""The decimal separator that a table shows."""

# How a column of numbers reads. Chosen by hand.
MIN_UNIT_SHARE = 0.3
"""Share of the numbers that must carry a unit for the column to have it."""
MIN_NOUNS = 2
"""Numbers that must carry the same counted noun for it to be the column's unit."""
MIN_SHOWN = 0.2
"""Texts with a decimal comma for each that may have groups of thousands, for the comma to be the decimal separator."""
SURE_GROUPS = 4
"""Numbers that all show one group of digits, from which on they are thousands for certain."""
MIN_COUNTS = 2
"""Plain counts beside which a range is one of counts."""
MIN_PARENTHESISED = 3
"""Numbers all in parentheses, from which on negative numbers are doubtful."""
LARGE_DIGITS = 6
"""Digits of a number that is large without a suffix."""

_POINT_ALONE: frozenset[tuple[Way, ...]] = frozenset({((None, None),), ((".", None),)})
"""Writings without separators, or with a decimal point for certain."""


def read_numbers(tally: Tally, name: str, convention: Convention = "") -> Reading | None:
    """The reading as numbers, or None where too few texts are any.

    Args:
        convention: the decimal separator that other columns of the table show, or ``native`` for numbers that a
            program wrote; empty where nothing shows.
    """
    if not (tally.forms or tally.suffixed or tally.roman.distinct):
        return None
    header = scale_in_name(name)
    raw = _without_decades(tally, header)
    tally, alternatives, codes = _with_suffixes(raw, header, name)
    numbers = tally.numbers()
    censored = _censored(tally)
    most = Count(numbers.distinct, numbers.cells)
    for other in (tally.roman, tally.tied, censored):
        most.add(other.distinct, other.cells)
    if numbers.distinct < MIN_SHARE * tally.valued.distinct and not has_majority(tally, most):
        coded = Count(numbers.distinct, numbers.cells)
        for count in tally.suffixed.values():
            coded.add(count.distinct, count.cells)
        doubtful = bool(codes) and has_majority(tally, coded)
        return text_reading(tally.blanks, tally.nulls, "; ".join(codes), True) if doubtful else None
    unit, unit_count = _unit(tally)
    decimal, thousands, ambiguous, notes = _separators(tally, convention)
    unit_name, scale, scale_notes = _measure(tally, header, unit, unit_count)
    if header.alternative and (scale != 1 or (header.unit is not None and unit is None)):
        alternatives.append(header.alternative)
    notes += [*scale_notes, *alternatives]
    ambiguous = ambiguous or bool(alternatives) or (scale != 1 and bool(tally.powers))
    styles = dict(tally.styles)
    marks = _percent_styles(tally, header, unit_name, styles, notes)
    counted = _readable(raw, unit_name, decimal, styles)
    roman = _roman(tally, counted) if _takes_bare(unit_name, styles) else Count()
    if roman.distinct and not counted.distinct and tally.roman_lengths == {2} and tally.two_letter_roman:
        notes.append("numerals of two letters fit as codes too")
        ambiguous = True
        if 2 * tally.two_letter_roman >= roman.distinct:
            return text_reading(tally.blanks, tally.nulls, "codes of two letters that fit as Roman numerals too", True)
    counted.add(roman.distinct, roman.cells)
    # ``T3`` and ``3=`` are shared places where the column has other places; ``3T`` among millions is not.
    trillions = SHORT_MAGNITUDE in tally.styles and tally.tied_with_suffix.distinct == tally.tied.distinct
    tied = bool(tally.tied.distinct and tally.short_integers and not trillions)
    if (tied or trillions) and _takes_bare(unit_name, styles):
        counted.add(tally.tied.distinct, tally.tied.cells)
    counted.add(censored.distinct, censored.cells)
    if not _takes_bare(unit_name, styles):
        counted.add(tally.zeros.distinct, tally.zeros.cells)
    fitting = Count(counted.distinct, counted.cells)
    if "percent" in marks:
        bare = tally.numbers(lambda own: own is None)
        fitting.add(bare.distinct - tally.zeros.distinct, bare.cells - tally.zeros.cells)
    if not has_majority(tally, fitting):
        several = sum(unit.factor != 0 for unit in tally.units()) > 1
        mixed = several and numbers.distinct >= MIN_SHARE * tally.valued.distinct
        return text_reading(tally.blanks, tally.nulls, "numbers of several units", marks=("units",)) if mixed else None
    if tally.paired and 2 * tally.paired >= numbers.distinct:
        return text_reading(tally.blanks, tally.nulls, "scores such as 7.9 (51)")
    exceptions = tally.valued.cells - counted.cells
    if code := code_note(tally, name, exceptions):
        return text_reading(tally.blanks, tally.nulls, code)
    if tied:
        styles["tied"] = tally.tied.cells
    if roman.cells:
        styles["roman"] = roman.cells
    if tally.years.distinct and tally.years.distinct == tally.valued.distinct:
        styles["year"] = tally.years.cells
    if unit_name is None and scale == 1 and _are_shares(tally):
        styles[RATIO] = AFTER_COUNTED
    if tally.parenthesised >= MIN_PARENTHESISED and tally.parenthesised == numbers.distinct:
        ambiguous = True
        notes.append("all in parentheses: read as negative")
    if _has_other_units(tally, unit_name, styles):
        marks.append("units")
        notes.append("some numbers have another unit")
    if censored.distinct:
        marks.append("censored")
        styles[BOUNDS] = censored.cells
        notes.append(f"{censored.cells} cells are bounds of numbers")
    if ambiguous and decimal == "." and tally.ways()[DOUBTFUL_POINT] and "count" in topics_of(name):
        marks.append("separator")
    if tally.suppressed:
        marks.append("suppressed")
        notes.append(f"{tally.suppressed} numbers are hidden by *")
    return Reading(
        kind="number",
        decimal=decimal,
        thousands=thousands,
        scale=scale,
        unit=unit_name,
        styles=by_frequency(styles),
        ambiguous=ambiguous,
        confidence=rounded_share(counted.distinct, tally.valued.distinct),
        exceptions=exceptions,
        note="; ".join(notes),
        marks=tuple(marks),
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
        own = _unit_by_meaning(suffixed.unit, meaning)
        forms.setdefault((own, ways), Count()).add(count.distinct, count.cells)
        styles[_STYLES.get(meaning, suffixed.style)] += count.cells
        bare_numbers += count.distinct * (own is None)
    above_one = tally.above_one or "scale" in found.values()
    tally = replace(tally, forms=forms, styles=styles, bare_numbers=bare_numbers, above_one=above_one)
    return tally, alternatives, codes


_STYLES = {"scale": SHORT_MAGNITUDE, "flag": FLAGGED, "side": DEBIT_CREDIT}


def _unit_by_meaning(unit: Unit | None, meaning: Meaning) -> Unit | None:
    """The unit of a number with a suffix: a currency stays, whatever the suffix means."""
    return unit if meaning == "unit" or is_money(unit) else None


def _censored(tally: Tally) -> Count:
    """Bounds in place of numbers: where the column has some numbers; ranges only where it has plain counts."""
    total = Count()
    if tally.numbers().distinct:
        total.add(tally.bounds.distinct, tally.bounds.cells)
        if tally.plain_integers >= MIN_COUNTS and tally.ranges.distinct <= tally.plain_integers:
            total.add(tally.ranges.distinct, tally.ranges.cells)
    return total


def _percent_styles(
    tally: Tally, header: NameScale, unit_name: str | None, styles: dict[str, int], notes: list[str]
) -> list[Mark]:
    """How percentages and bare numbers of the column relate, as styles; the mark of a column where that is open."""
    percent = sum(count.distinct for unit, count in tally.units().items() if unit.dimension == "percent")
    by_cells = unit_name is not None and (own := unit_of(unit_name)) is not None and own.dimension == "percent"
    if by_cells:
        if not percent or (header.unit is not None and header.unit.dimension == "percent"):
            styles[BARE_PERCENT] = AFTER_COUNTED
        elif tally.bare_numbers > tally.zeros.distinct:
            notes.append("numbers without % are no values of a column of percentages")
            return ["percent"]
    elif percent and _are_shares(tally):
        styles[HUNDREDTHS] = AFTER_COUNTED
        notes.append("percent read as hundredths, as the other numbers are up to one")
    return []


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
        form = NumberForm("1", unit=suffixed.unit, suffix=suffixed.suffix, spaced=suffixed.spaced)
        forms.append((with_resolved_suffix(form, column_unit, styles).unit, ways, count))
    for unit, ways, count in forms:
        if _fits_unit(unit, unit_name, column_unit, styles) and any(
            (d in (None, decimal) and t != decimal) or (d and t) for d, t in ways
        ):
            total.add(count.distinct, count.cells)
    return total


def _takes_bare(unit_name: str | None, styles: Collection[str]) -> bool:
    """Whether numbers without a unit are values of the column."""
    column_unit = unit_of(unit_name) if unit_name else None
    return column_unit is None or column_unit.dimension != "percent" or BARE_PERCENT in styles


def _fits_unit(unit: Unit | None, unit_name: str | None, column_unit: Unit | None, styles: Collection[str]) -> bool:
    """Whether a number with such a unit is a value of the column, as :func:`~tablehound.lake.values.parse.amount` has
    it."""
    if unit is None:
        return _takes_bare(unit_name, styles)
    if unit.name == unit_name:
        return True
    if unit.dimension == "percent" and unit_name is None:
        return HUNDREDTHS in styles
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


def _has_other_units(tally: Tally, unit_name: str | None, styles: Collection[str]) -> bool:
    """Whether numbers carry measures that are not converted to each other."""
    column_unit = unit_of(unit_name) if unit_name else None
    measures = [unit for unit in tally.units() if unit.factor]
    return len({unit.dimension for unit in measures}) > 1 or any(
        not _fits_unit(unit, unit_name, column_unit, styles) for unit in measures
    )


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


def shown_separators(tally: Tally) -> tuple[int, int]:
    """How many distinct numbers of a column can be read with a decimal point alone, and with a decimal comma alone."""
    if tally.numbers().distinct < MIN_SHARE * tally.valued.distinct:
        return 0, 0
    points, commas = _shown(tally.ways())
    return points, commas if commas >= MIN_SHOWN * tally.ways()[DOUBTFUL_COMMA] else 0


def _shown(all_ways: Counter[tuple[Way, ...]]) -> tuple[int, int]:
    found = {".": 0, ",": 0}
    for ways, n in all_ways.items():
        fits = [mark for mark in found if any(d in (None, mark) and t != mark for d, t in ways)]
        if len(fits) == 1:
            found[fits[0]] += n
    return found["."], found[","]


def _separators(tally: Tally, convention: Convention) -> tuple[str, str | None, bool, list[str]]:
    """Decimal and thousands separator that fit most writings."""
    if all(ways in _POINT_ALONE for _, ways in tally.forms):
        return ".", None, False, []
    all_ways = tally.ways()
    points, commas = _shown(all_ways)
    decimal, ambiguous = ".", False
    notes: list[str] = []
    open_ways = all_ways[DOUBTFUL_POINT] + all_ways[DOUBTFUL_COMMA]
    if commas > points and commas - points >= MIN_SHOWN * all_ways[DOUBTFUL_COMMA]:
        decimal = ","
    elif commas == points and open_ways:
        decimal, ambiguous, notes = _habit(tally, all_ways, convention)
    marks = {t: 0 for ways in all_ways for d, t in ways if t and t != decimal and d in (None, decimal)}
    for ways, n in all_ways.items():
        for d, t in ways:
            if t in marks and d in (None, decimal):
                marks[t] += n
    thousands = max(sorted(marks), key=lambda mark: marks[mark]) if marks else None
    return decimal, thousands, ambiguous, notes


def _habit(tally: Tally, ways: Counter[tuple[Way, ...]], convention: Convention) -> tuple[str, bool, list[str]]:
    """Every writing fits both: three digits behind one separator throughout. The table's other columns decide; without
    them a point is a decimal one and a comma separates thousands."""
    points, commas = ways[DOUBTFUL_POINT], ways[DOUBTFUL_COMMA]
    grouped = bool(tally.short_integers) and not tally.long_integers
    if convention == "," and commas and grouped:
        return ".", True, ["commas read as thousands separators, though other columns have decimal commas"]
    if convention:
        return "," if convention == "," else ".", False, []
    if points and commas:
        return ".", True, ["points and commas both fit as decimals; points taken"]
    if commas:
        # Many numbers that all show one group are thousands; two or three could be decimals of a kind.
        doubtful = not grouped and 1 < commas < SURE_GROUPS
        return ".", doubtful, ["commas read as thousands separators; they fit as decimals too"] if doubtful else []
    return ".", True, ["points read as decimals; they fit as thousands separators too"]


def _measure(tally: Tally, header: NameScale, unit: Unit | None, count: Count) -> tuple[str | None, float, list[str]]:
    """Unit and scale of the column from cells and name, and notes on them."""
    notes: list[str] = []
    numbers = tally.numbers().distinct or 1
    name = unit.name if unit is not None and count.distinct >= MIN_UNIT_SHARE * numbers else None
    if name is not None and unit is not None and unit.dimension == "percent":
        name = "%"
    if name is None and header.unit is not None:
        name = header.unit.name
        if header.pct and header.unit.dimension == "percent" and _are_shares(tally):
            notes.append(f"the name's {header.source} with numbers up to one: read as shares of one")
            name = None
    scale = header.factor
    if header.letter_alone and scale > 1 and _too_large_for_scale(tally, scale):
        notes.append(f"the name's {header.source} is no scale of numbers so large")
        scale = Decimal(1)
    if scale != 1:
        notes.append(f"the name says {header.source!r}: a value of 1 is {scale:f}")
        if tally.powers or SHORT_MAGNITUDE in tally.styles:
            notes.append("cells with a scale of their own are brought to it")
    return name, float(scale), notes


def _are_shares(tally: Tally) -> bool:
    """Whether the numbers without a unit are all up to one, some of them with a fraction."""
    return bool(tally.bare_numbers) and not tally.above_one and tally.plain_integers < tally.bare_numbers


def _too_large_for_scale(tally: Tally, scale: Decimal) -> bool:
    """Whether whole numbers so long are no millions: ``(M)`` may mean men."""
    return max(tally.integer_lengths, default=0) + scale.adjusted() > 12
