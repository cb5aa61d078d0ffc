"""One text to its value, by a column's reading or with no column around it."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from functools import lru_cache

from tablehound.lake.table import Kind, Reading
from tablehound.lake.values.booleans import parse_boolean
from tablehound.lake.values.canonical import Value, canonical
from tablehound.lake.values.dates.forms import DateForm, Order, date_form, loose_date
from tablehound.lake.values.missing import bare, missing
from tablehound.lake.values.numbers.ambiguous_suffixes import POWERS, default_meaning
from tablehound.lake.values.numbers.bounds import Bounds, bounds_of
from tablehound.lake.values.numbers.forms import NumberForm, Roman, as_scaled, number_form, with_resolved_suffix
from tablehound.lake.values.possible_forms import MAX_VALUE_CHARS
from tablehound.lake.values.quick_reject import cannot_be_date, is_plain_text, is_score, starts_with_calendar_word
from tablehound.lake.values.styles import (
    BARE_PERCENT,
    BOUNDS,
    CLOCK,
    DURATION,
    HUNDREDTHS,
    SERIAL,
    SHORT_MAGNITUDE,
)
from tablehound.lake.values.times.forms import SECONDS, clock_form, duration_form
from tablehound.lake.values.units.convert import Amount, Measure, scale_of
from tablehound.lake.values.units.known import is_money, unit_of

FLOAT_DIGITS = 15
"""Significant digits that a float keeps."""
_FIRST_DAY = dt.date(1899, 12, 30)
"""Day 0 of a spreadsheet."""
_FREE_WORDS = {"true": "true", "false": "false", "yes": "true", "no": "false"}


def parse(text: str, reading: Reading) -> Value | None:
    """The value of one text as its column reads: the number in the cell, in the column's unit and scale.

    Numbers are ``int`` when integral, ``Decimal`` when they have more digits than a float keeps, else ``float``. A text
    that does not read as the column's kind is its own value, without surrounding white space. None for a blank, a null
    token and, in a column of any other kind than texts, a placeholder such as ``NA``.
    """
    gap = missing(text)
    if gap is not None and (gap != "placeholder" or reading.kind != "text"):
        return None
    if reading.kind == "text" or len(text) > MAX_VALUE_CHARS:
        return bare(text)
    value = _PARSERS[reading.kind](text, reading) if reading.kind in _PARSERS else None
    return bare(text) if value is None else value


def exact_number(text: str, reading: Reading) -> Decimal | None:
    """The number that a text of a column of numbers writes, with all its digits; None where it is none."""
    stripped = bare(text)
    if CLOCK in reading.styles:
        clock = clock_form(stripped)
        return clock.amount() if clock is not None else None
    if DURATION in reading.styles:
        duration = duration_form(stripped)
        return duration.seconds / SECONDS[reading.unit or "s"] if duration is not None else None
    form = number_form(text, roman=_roman(reading))
    if form is not None and form.style == "tied" and "tied" not in reading.styles:
        trillions = form.suffix and SHORT_MAGNITUDE in reading.styles
        form = number_form(text, tied=False) if trillions else None
    return amount(form, reading) if form is not None else None


def bounds_in_column(text: str, reading: Reading) -> Bounds | None:
    """The bounds that a cell gives in place of a number: ``<5``; None for any other cell."""
    return bounds_of(text, reading.decimal) if BOUNDS in reading.styles else None


def bounds_of_cell(text: str | None, reading: Reading) -> tuple[float, float] | None:
    """What a cell of a column of numbers is at least and at most; None where it gives none."""
    if text is None:
        return None
    value = parse(text, reading)
    if value is None:
        return None
    if not isinstance(value, str):
        return (float(value), float(value)) if isinstance(value, int | float | Decimal) else None
    bounds = bounds_in_column(text, reading)
    if bounds is None:
        return None
    low = -math.inf if bounds.low is None else float(bounds.low)
    high = math.inf if bounds.high is None else float(bounds.high)
    return (
        math.nextafter(low, math.inf) if bounds.low_open else low,
        math.nextafter(high, -math.inf) if bounds.high_open else high,
    )


def _number(text: str, reading: Reading) -> Value | None:
    number = exact_number(text, reading)
    return None if number is None else plain_number(number)


def _date(text: str, reading: Reading) -> Value | None:
    if SERIAL in reading.styles:
        stripped = bare(text)
        return _FIRST_DAY + dt.timedelta(int(stripped)) if stripped.isdecimal() and len(stripped) < 7 else None
    form = date_form(text)
    if form is None and ("year" in reading.styles or "compact" in reading.styles):
        loose = loose_date(text)
        form = loose if loose is not None and loose.style in reading.styles else None
    return form.value(reading.date_order) if form is not None else None


def _time(text: str, _: Reading) -> Value | None:
    clock = clock_form(bare(text))
    return clock.time() if clock is not None else None


def _boolean(text: str, _: Reading) -> Value | None:
    return parse_boolean(bare(text))


_PARSERS: dict[Kind, Callable[[str, Reading], Value | None]] = {
    "number": _number,
    "date": _date,
    "time": _time,
    "boolean": _boolean,
}


def _roman(reading: Reading) -> Roman:
    if "roman" not in reading.styles:
        return "none"
    return "all" if reading.styles == ("roman",) else "some"


def amount(form: NumberForm, reading: Reading) -> Decimal | None:
    """The number that a form means in its column; None where its writing or unit is not the column's.

    A number with its own scale or unit (``5 million``, ``800 m``) is brought to the column's.
    """
    column_unit = _unit(reading.unit) if reading.unit else None
    form = with_resolved_suffix(form, column_unit, reading.styles) if form.suffix else form
    number = form.number(reading.decimal)
    unit = form.unit
    if number is None:
        return None
    if form.scaled and reading.scale != 1:
        number = number / _as_decimal(reading.scale)
    percent = column_unit is not None and column_unit.dimension == "percent"
    if unit is None:
        return number if not percent or BARE_PERCENT in reading.styles or form.digits == "0" else None
    if unit.dimension == "percent" and reading.unit is None:
        return number * unit.factor / 100 if HUNDREDTHS in reading.styles else None
    if unit.name == reading.unit:
        return number
    if unit.factor == 0 or column_unit is None:
        return number if is_money(unit) and reading.unit is None else None
    if column_unit.dimension != unit.dimension:
        return None
    return number * unit.factor / column_unit.factor


@lru_cache(maxsize=256)
def _as_decimal(number: float) -> Decimal:
    return Decimal(repr(number))


_unit = lru_cache(maxsize=256)(unit_of)


def plain_number(number: Decimal) -> int | float | Decimal:
    """``int`` when integral (and not astronomically large), ``Decimal`` when a float loses digits, else ``float``."""
    if number == number.to_integral_value() and number.adjusted() < 40:
        return int(number)
    digits = number.as_tuple().digits
    if len(digits) > FLOAT_DIGITS and len(number.normalize().as_tuple().digits) > FLOAT_DIGITS:
        return number
    return float(number)


def canonical_in_column(text: str, reading: Reading) -> str | None:
    """Canonical form of one text of a column. Texts that are no value of the column's kind, but show a number or a date
    by themselves (``1,014`` among names), get that value's form; others their text. None for what is missing."""
    value = parse(text, reading)
    if isinstance(value, str):
        if any(character.isdigit() for character in value):
            return canonical_of_text(value) or value
        return value
    return None if value is None else canonical(value)


def canonical_of_text(text: str) -> str | None:
    """The canonical value of one text with no column around it, such as a literal of a query; None if it is plain
    text. The likeliest of :func:`canonicals_of_text`."""
    return next(iter(canonicals_of_text(text)), None)


def canonicals_of_text(text: str) -> tuple[str, ...]:
    """All canonical values that a text can have by itself, likeliest first: ``1.234`` is 1.234 or 1234, ``03/04/2014``
    a day of March or of April. Units are left off (``12 km`` is 12, ``45%`` is 45); codes with leading zeros,
    bare Roman numerals and numbers of things (``50 Cent``) are text."""
    if len(text) > MAX_VALUE_CHARS or missing(text) is not None or is_plain_text(text):
        return ()
    form = _form_alone(text)
    if form is not None:
        numbers = (amount.number * scale_of(amount.measure) for amount in _amounts(form))
        return tuple(dict.fromkeys(canonical(plain_number(number)) for number in numbers))
    date = None if cannot_be_date(text) else date_form(text)
    if date is not None:
        days = [date.value(order) for order in _orders_by_likelihood(text, date)]
        return tuple(dict.fromkeys(canonical(day) for day in days if day is not None))
    word = _FREE_WORDS.get(bare(text).casefold())
    return (word,) if word else ()


def amounts_of_text(text: str) -> tuple[Amount, ...]:
    """All amounts that a text with no column around it can be, likeliest first, each with the unit and scale that it
    gives: ``5 million EUR`` is 5 in million EUR. Empty for what is no number."""
    if len(text) > MAX_VALUE_CHARS or missing(text) is not None or is_plain_text(text):
        return ()
    form = _form_alone(text)
    return _amounts(form) if form is not None else ()


def _form_alone(text: str) -> NumberForm | None:
    return None if is_score(text) or starts_with_calendar_word(text) else number_form(text)


def _amounts(form: NumberForm) -> tuple[Amount, ...]:
    if form.code or form.style in ("tied", "decade"):
        return ()
    found: dict[Amount, None] = {}
    for one in _both_meanings(form) if form.suffix else [form]:
        if one.unit is not None and not one.unit.factor:
            continue
        # The scale that the text gives is kept apart, an exponent is part of the number.
        scale = one.power if one.scaled else 0
        measure = Measure(one.unit.name if one.unit is not None else None, float(Decimal(10) ** scale))
        for decimal in (".", ","):
            number = one.number(decimal)
            if number is not None:
                found[Amount(number.scaleb(-scale) if scale else number, measure)] = None
    return tuple(found)


def _both_meanings(form: NumberForm) -> list[NumberForm]:
    """A number with a letter as scaled and as measured, the likelier first; millimetres are no millions alone, and
    flags and sides of an account are left off."""
    if form.suffix == "mm":
        return [form]
    if form.suffix.lower() not in POWERS:
        return [replace(form, unit=None if form.unit is None or form.unit.factor == 0 else form.unit)]
    meaning, _ = default_meaning(form.suffix, spaced=form.spaced, fraction=form.fraction)
    both = [as_scaled(form), form]
    return both if meaning == "scale" else both[::-1]


def _orders_by_likelihood(text: str, form: DateForm) -> tuple[Order | None, ...]:
    if form.only is not None:
        return (None,)
    return ("mdy", "dmy", "ymd") if "/" in text else ("dmy", "mdy", "ymd")
