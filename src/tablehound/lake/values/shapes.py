"""What one text could be, whatever its column: the unit in which a column is counted."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from tablehound.lake.values.booleans import NUMERIC, parse_boolean
from tablehound.lake.values.dates import DateForm, date_form, weak_date
from tablehound.lake.values.missing import Missing, bare, missing
from tablehound.lake.values.numbers import NumberForm, number_form
from tablehound.lake.values.roman import parse_roman

MAX_VALUE_CHARS = 400
"""Longer texts are texts."""


PLAUSIBLE = (
    r"(?i)\d|^\W*(?:[ivxlcdm]+|[yntf]|yes|no|true|false|on|off|an?|minus|negative|plus|zero|one|two|three|four|five|six"
    r"|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|twenty|thirty|fou?rty|fifty|sixty"
    r"|seventy|eighty|ninety|hundred|thousand|million|billion|trillion|lakh|lac|crore|point|first|second|third|\w+th|oh|the"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun)[a-z]*)\b|^[✓✔☑✅✗✘☐❌✖]"
)
"""A text that does not match this is neither number, date nor truth value."""
_PLAUSIBLE = re.compile(PLAUSIBLE)


class Shape(NamedTuple):
    """All the things that a text could be; none of them: plain text."""

    missing: Missing | None = None
    number: NumberForm | None = None
    date: DateForm | None = None
    weak: DateForm | None = None
    """A date only among other dates (a year, eight digits)."""
    token: str | None = None
    """Case-folded word of truth, zero and one included."""
    roman: int | None = None


_TEXT = Shape()


@lru_cache(maxsize=65_536)
def shape_of(text: str) -> Shape:
    """What a text could be."""
    if len(text) > MAX_VALUE_CHARS:
        return _TEXT
    gap = missing(text)
    if gap in ("blank", "null"):
        return Shape(missing=gap)
    if gap is None and not _PLAUSIBLE.search(text):
        return _TEXT
    number = number_form(text)
    stripped = bare(text)
    token = stripped.casefold() if len(stripped) <= 5 and parse_boolean(stripped) is not None else None
    if number is not None:
        weak = weak_date(text) if number.style == "plain" and len(stripped) in (4, 8) else None
        return Shape(gap, number, None, weak, token)
    if gap is None and len(stripped) <= 15 and stripped.isalpha():
        return Shape(None, None, date_form(text), None, token, parse_roman(stripped))
    date = date_form(text) if gap is None else None
    if gap is None and date is None and token is None:
        return _TEXT
    return Shape(gap, None, date, None, token)


def is_truth_word(token: str | None) -> bool:
    """Whether a token is a word, letter or mark of truth, not a zero or one."""
    return token is not None and token not in NUMERIC
