"""One text to its value, by a column's reading or with no column around it."""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache

from tablehound.lake.table import Reading
from tablehound.lake.values.booleans import parse_boolean
from tablehound.lake.values.canonical import Value, canonical
from tablehound.lake.values.dates.forms import DateForm, Order, date_form, loose_date
from tablehound.lake.values.missing import bare, missing
from tablehound.lake.values.numbers.ambiguous_suffixes import SHORT_MAGNITUDE, default_meaning
from tablehound.lake.values.numbers.forms import NumberForm, Roman, as_scaled, number_form, with_resolved_suffix
from tablehound.lake.values.possible_forms import MAX_VALUE_CHARS
from tablehound.lake.values.quick_reject import cannot_be_date, is_plain_text, is_score, starts_with_calendar_word
from tablehound.lake.values.units.known import unit_of

_FREE_WORDS = {"true": "true", "false": "false", "yes": "true", "no": "false"}


def parse(text: str, reading: Reading) -> Value | None:
    """The value of one text as its column reads.

    Numbers are ``int`` when integral, else ``float``, with the column's scale and offset applied; a text that does not
    read as the column's kind is its own value, without surrounding white space. None for a blank, a null token and,
    in a column of numbers, dates or booleans, a placeholder such as ``NA``.
    """
    gap = missing(text)
    if gap is not None and (gap != "placeholder" or reading.kind != "text"):
        return None
    value: Value | None = None
    if reading.kind == "text" or len(text) > MAX_VALUE_CHARS:
        return bare(text)
    if reading.kind == "number":
        form = number_form(text, roman=_roman(reading))
        if form is not None and form.style == "tied" and "tied" not in reading.styles:
            trillions = form.suffix and SHORT_MAGNITUDE in reading.styles
            form = number_form(text, tied=False) if trillions else None
        number = amount(form, reading) if form is not None else None
        value = None if number is None else plain_number(number)
    elif reading.kind == "date":
        form_of_date = date_form(text)
        if form_of_date is None and ("year" in reading.styles or "compact" in reading.styles):
            loose = loose_date(text)
            form_of_date = loose if loose is not None and loose.style in reading.styles else None
        value = form_of_date.value(reading.date_order) if form_of_date is not None else None
    elif reading.kind == "boolean":
        value = parse_boolean(bare(text))
    return bare(text) if value is None else value


def _roman(reading: Reading) -> Roman:
    if "roman" not in reading.styles:
        return "none"
    return "all" if reading.styles == ("roman",) else "some"


def amount(form: NumberForm, reading: Reading) -> Decimal | None:
    """The number that a form means in its column; None where its writing or unit is not the column's."""
    column_unit = _unit(reading.unit) if reading.unit else None
    form = with_resolved_suffix(form, column_unit, reading.styles) if form.suffix else form
    number = form.number(reading.decimal)
    unit = form.unit
    if number is None:
        return None
    if unit is not None and unit.dimension == "percent":
        if column_unit is not None and column_unit.dimension == "percent":
            return _scaled(number * unit.factor / column_unit.factor, form, reading)
        # A percentage among bare ratios is so many hundredths, and says its own scale.
        return number * unit.factor / 100 + _as_decimal(reading.offset) if reading.unit is None else None
    if unit is not None and unit.name != reading.unit:
        if unit.factor == 0 or column_unit is None:
            if not (unit.dimension.startswith("currency") and reading.unit is None):
                return None
        elif column_unit.dimension != unit.dimension:
            return None
        else:
            number = number * unit.factor / column_unit.factor
    return _scaled(number, form, reading)


def _scaled(number: Decimal, form: NumberForm, reading: Reading) -> Decimal:
    if reading.scale != 1.0 and not form.scaled:
        number = number * _as_decimal(reading.scale)
    return number + _as_decimal(reading.offset) if reading.offset else number


@lru_cache(maxsize=256)
def _as_decimal(number: float) -> Decimal:
    return Decimal(repr(number))


_unit = lru_cache(maxsize=256)(unit_of)


def plain_number(number: Decimal) -> int | float:
    """``int`` when integral (and not astronomically large), else ``float``."""
    if number == number.to_integral_value() and number.adjusted() < 40:
        return int(number)
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
    form = None if is_score(text) or starts_with_calendar_word(text) else number_form(text)
    if form is not None:
        if form.code or form.style in ("tied", "decade"):
            return ()
        forms = _both_meanings(form) if form.suffix else [form]
        forms = [one for one in forms if one.unit is None or one.unit.factor]
        numbers = [one.number(decimal) for one in forms for decimal in (".", ",")]
        return tuple(dict.fromkeys(canonical(plain_number(n)) for n in numbers if n is not None))
    date = None if cannot_be_date(text) else date_form(text)
    if date is not None:
        days = [date.value(order) for order in _orders_by_likelihood(text, date)]
        return tuple(dict.fromkeys(canonical(day) for day in days if day is not None))
    word = _FREE_WORDS.get(bare(text).casefold())
    return (word,) if word else ()


def _both_meanings(form: NumberForm) -> list[NumberForm]:
    """A number with a letter as scaled and as measured, the likelier first; millimetres are no millions alone."""
    if form.suffix == "mm":
        return [form]
    meaning, _ = default_meaning(form.suffix, spaced=form.spaced, fraction=form.fraction)
    both = [as_scaled(form), form]
    return both if meaning == "scale" else both[::-1]


def _orders_by_likelihood(text: str, form: DateForm) -> tuple[Order | None, ...]:
    if form.only is not None:
        return (None,)
    return ("mdy", "dmy", "ymd") if "/" in text else ("dmy", "mdy", "ymd")
