"""What one text could be, whatever its column: the unit in which a column is counted."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, NamedTuple

from tablehound.lake.values.booleans import NUMERIC, parse_boolean
from tablehound.lake.values.dates.forms import DateForm, date_form, loose_date
from tablehound.lake.values.missing import Missing, bare, missing
from tablehound.lake.values.numbers.bounds import bounds_kind
from tablehound.lake.values.numbers.forms import NumberForm, number_form
from tablehound.lake.values.numbers.roman import parse_roman
from tablehound.lake.values.quick_reject import cannot_be_date, is_plain_text, is_score, starts_with_calendar_word
from tablehound.lake.values.times.forms import ClockForm, DurationForm, clock_form, duration_form

_MAX_DURATION = 40
MAX_VALUE_CHARS = 400
"""Longer texts are texts."""


PLAUSIBLE = (
    r"(?i)\d|^\W*(?:[ivxlcdm]+|[yntf]|yes|no|true|false|on|off|an?|minus|negative|plus|zero|one|two|three|four|five|six"
    r"|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|twenty|thirty|fou?rty|fifty|sixty"
    r"|seventy|eighty|ninety|hundred|thousand|million|billion|trillion|lakh|lac|crore|point|first|second|third|\w+th|oh|the"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun)[a-z]*)\b|^[-+]?[✓✔☑✅✗✘☐❌✖½¼¾⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞]"
)
"""A text that does not match this is neither number, date nor truth value."""
_PLAUSIBLE = re.compile(PLAUSIBLE)
_DECIMAL = re.compile(r"(0|[1-9][0-9]{0,11})\.[0-9]{1,12}")
_YEARS = range(1000, 2201)
"""Bare whole numbers that read as years among dates."""


class PossibleForms(NamedTuple):
    """All the things that a text could be; none of them: plain text."""

    missing: Missing | None = None
    number: NumberForm | None = None
    date: DateForm | None = None
    loose: DateForm | None = None
    """A date only among other dates (a year, eight digits)."""
    boolean_token: str | None = None
    """Case-folded word of truth, zero and one included."""
    roman: int | None = None
    bounds: Literal["open", "range"] | None = None
    clock: ClockForm | None = None
    duration: DurationForm | None = None


TEXT = PossibleForms()
"""The shape of all that is plain text."""


@lru_cache(maxsize=65_536)
def possible_forms(text: str) -> PossibleForms:
    """What a text could be.

    Plain texts share one shape, and so do plain numbers that count alike in every column: its digits are those of
    another text then. For the number itself ask :func:`~tablehound.lake.values.numbers.forms.number_form`.
    """
    if is_plain_text(text):
        return TEXT
    if is_score(text) and cannot_be_date(text):
        return _among_scores(text)
    if text.isdigit() and text.isascii():
        size = len(text)
        # Zero and one are truth values too, eight digits may be a date, and leading zeros make a code.
        if text[0] != "0" and size != 8 and size <= 18 and text != "1":
            return _integer_forms(size, size == 4 and int(text) in _YEARS)
    elif (found := _DECIMAL.fullmatch(text)) is not None and text not in NUMERIC and text != "1.000":
        whole = found[1]
        thousandfold = len(text) - len(whole) == 4 and len(whole) <= 3 and whole != "0"
        return _decimal_forms(thousandfold, float(text) > 1)
    return _all_forms(text)


@lru_cache(maxsize=64)
def _integer_forms(size: int, year: bool) -> PossibleForms:
    return _all_forms("2" * size if not year else "2000")


@lru_cache(maxsize=8)
def _decimal_forms(thousandfold: bool, above_one: bool) -> PossibleForms:
    return _all_forms("2.125" if thousandfold else "2.25" if above_one else "0.25")


def _without_number(stripped: str) -> PossibleForms:
    """Bounds, clock readings and durations in words, which no parser of numbers takes."""
    first = stripped[0]
    if first in "<>≤≥" or (first.isdigit() and stripped[-1] == "+"):
        kind = bounds_kind(stripped)
        return TEXT if kind is None else PossibleForms(bounds=kind)
    if not first.isdigit() or len(stripped) > _MAX_DURATION:
        return TEXT
    if (":" in stripped or stripped[-1] in "mM.") and (clock := clock_form(stripped)) is not None:
        return PossibleForms(clock=clock)
    duration = duration_form(stripped) if stripped[-1].isalpha() or stripped[-1] == "." else None
    if duration is not None:
        return PossibleForms(duration=duration)
    kind = bounds_kind(stripped) if "–" in stripped else None
    return TEXT if kind is None else PossibleForms(bounds=kind)


def _among_scores(text: str) -> PossibleForms:
    """A clock reading or a range, where a text that looks like a score is one."""
    stripped = bare(text)
    if ":" in stripped:
        clock = clock_form(stripped)
        return TEXT if clock is None else PossibleForms(clock=clock)
    kind = bounds_kind(stripped) if "-" in stripped and stripped[-1].isdigit() else None
    return TEXT if kind is None else PossibleForms(bounds=kind)


def _all_forms(text: str) -> PossibleForms:
    """The shape of any text."""
    if len(text) > MAX_VALUE_CHARS:
        return TEXT
    gap = missing(text)
    if gap in ("blank", "null"):
        return PossibleForms(missing=gap)
    if gap is None and not _PLAUSIBLE.search(text):
        return TEXT
    number = None if gap is None and (is_score(text) or starts_with_calendar_word(text)) else number_form(text)
    stripped = bare(text)
    boolean_token = stripped.casefold() if len(stripped) <= 5 and parse_boolean(stripped) is not None else None
    if number is not None:
        loose = loose_date(text) if number.style == "plain" and len(stripped) in (4, 8) else None
        return PossibleForms(gap, number, None, loose, boolean_token)
    if gap is None and len(stripped) <= 15 and stripped.isalpha():
        forms = PossibleForms(None, None, date_form(text), None, boolean_token, parse_roman(stripped))
        return forms if forms != TEXT else TEXT
    date = date_form(text) if gap is None and not cannot_be_date(text) else None
    if gap is None and date is None and boolean_token is None:
        return _without_number(stripped)
    return PossibleForms(gap, None, date, None, boolean_token)
