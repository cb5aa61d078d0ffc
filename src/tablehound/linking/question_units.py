"""Numbers and units of a question, brought to the unit and scale of a column."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from tablehound.lake import Amount, Measure, Unit, factor, measure_of, unit_of
from tablehound.language.literals import Literal
from tablehound.linking.table_profile import ColumnProfile

_ASKED = re.compile(
    r"\b(?:in|measured in|expressed in)\s+((?:square|cubic)\s+[a-z]+|(?:US\s+)?[a-z°$€£¥]+[23²³]?(?:/[a-z]+[23²³]?)?)"
    r"(?=\s*(?:[?.!,]|$|does|do|is|are|was|were|did))",
    re.IGNORECASE,
)
_SHORT = frozenset(("in", "m", "g", "t", "s", "h", "d", "l", "k", "a", "b"))
"""Units of one or two letters that are words or numbers of a question more often."""
_WORDS = frozenset(("in", "min", "re", "no", "mo", "all", "try", "won", "cal", "second", "seconds"))
_SQUARES = {
    "metre": "m2",
    "meter": "m2",
    "kilometre": "km2",
    "kilometer": "km2",
    "mile": "mi2",
    "foot": "ft2",
    "feet": "ft2",
}
_INSIDE = re.compile(r"[(\[]\s*(?:in\s+)?([^)\]]+?)\s*[)\]]")


@dataclass(frozen=True, slots=True)
class Wanted:
    """A unit as the question writes it."""

    text: str
    unit: Unit


def asked_unit(question: str) -> Wanted | None:
    """The unit after ``in``: ``in metres``, ``in kg/m3``; None when no known unit is named."""
    for found in _ASKED.finditer(question):
        unit = unit_named(found[1])
        if unit is not None and found[1] not in _SHORT:
            return Wanted(found[1], unit)
    return None


def unit_named(text: str) -> Unit | None:
    """The unit that a text names, plural and ``square`` forms too."""
    name = " ".join(text.casefold().split()).removeprefix("us ").rstrip(".")
    if name.startswith("square "):
        name = _SQUARES.get(name.split()[1].rstrip("s"), "")
    return unit_of(name) if name else None


def column_measure(column: ColumnProfile) -> Measure:
    """What the numbers of a column are counted in: by its reading, else by its name."""
    measure = measure_of(column.column.reading)
    if measure.unit is not None or measure.ratio:
        return measure
    for inside in _INSIDE.findall(column.name):
        if (unit := unit_named(inside)) is not None:
            return Measure(unit.name, measure.scale)
    last = column.name.replace("_", " ").split()[-1:] or [""]
    unit = unit_named(last[0]) if len(column.words) > 1 and last[0].casefold() not in _SHORT | _WORDS else None
    return Measure(unit.name, measure.scale) if unit is not None else measure


def conversion(wanted: Wanted, column: ColumnProfile) -> float | None:
    """What the column's numbers are multiplied by to be in the unit; None when that cannot be told."""
    measure = column_measure(column)
    by = factor(measure, Measure(wanted.unit.name)) if measure.unit is not None or measure.ratio else None
    return None if by is None else float(by)


def amount_of(literal: Literal) -> Amount:
    """A number of a question with the scale and the unit beside it."""
    number = Decimal(repr(literal.number or 0.0)) / Decimal(repr(literal.scale))
    for word in (literal.after, literal.before if not literal.before.isalpha() else ""):
        unit = unit_of(word) if word and word not in _SHORT | _WORDS else None
        if unit is not None and unit.factor:
            return Amount(number, Measure(unit.name, literal.scale))
    return Amount(number, Measure(None, literal.scale))


def in_column(literal: Literal, column: ColumnProfile) -> float | None:
    """A number of a question in the unit and scale of a column; None where their units exclude each other."""
    if literal.number is None:
        return None
    amount = amount_of(literal)
    if amount.measure == Measure():
        return literal.number
    value = amount.within(column_measure(column))
    return None if value is None else float(value)


def is_converted(literal: Literal, column: ColumnProfile) -> bool:
    """Whether a number of a question is another one in the column."""
    value = in_column(literal, column)
    return literal.number is not None and value is not None and value != literal.number


def other_meaning(literal: Literal, column: ColumnProfile) -> float | None:
    """What a bare number would be in a column with a scale, where it is out of the column's range as written and that
    would be within; None where it is meant as written."""
    scale = measure_of(column.column.reading).scale
    if literal.number is None or scale == 1 or amount_of(literal).measure != Measure():
        return None
    numbers = [number for number in column.numbers if number is not None]
    converted = literal.number / scale
    if not numbers or min(numbers) <= literal.number <= max(numbers):
        return None
    return converted if min(numbers) <= converted <= max(numbers) else None
