"""Numbers and dates as the published benchmarks rewrite them: spelled out, Roman, scientific, other date styles.

The lake must read each of them back as the same value; builders use them to make columns that only match by value.
"""

from __future__ import annotations

import datetime as dt

_UNITS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("zero", "ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SCALES = ((10**12, "trillion"), (10**9, "billion"), (10**6, "million"), (10**3, "thousand"))
_ROMAN = (
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"),
    (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
)  # fmt: skip
MAX_ROMAN = 3999


def spelled_integer(number: int) -> str:
    """``14676`` → ``fourteen thousand, six hundred and seventy-six``."""
    if number < 0:
        return f"minus {spelled_integer(-number)}"
    if number < 20:
        return _UNITS[number]
    if number < 100:
        tens, unit = divmod(number, 10)
        return _TENS[tens] + (f"-{_UNITS[unit]}" if unit else "")
    if number < 1000:
        hundreds, rest = divmod(number, 100)
        return f"{_UNITS[hundreds]} hundred" + (f" and {spelled_integer(rest)}" if rest else "")
    for size, name in _SCALES:
        if number >= size:
            count, rest = divmod(number, size)
            joint = " and " if 0 < rest < 100 else ", "
            return f"{spelled_integer(count)} {name}" + (f"{joint}{spelled_integer(rest)}" if rest else "")
    raise AssertionError("unreachable: a thousand is the smallest scale")


def spelled_number(text: str) -> str:
    """A plain decimal number in words: ``72.05`` → ``seventy-two point zero five``.

    Raises:
        ValueError: the text is no plain decimal number.
    """
    sign = "minus " if text.startswith("-") else ""
    whole, _, fraction = text.lstrip("+-").partition(".")
    words = sign + spelled_integer(int(whole))
    return words + (" point " + " ".join(_UNITS[int(digit)] for digit in fraction) if fraction else "")


def roman(number: int) -> str:
    """``2012`` → ``MMXII``.

    Raises:
        ValueError: not from 1 to 3999.
    """
    if not 1 <= number <= MAX_ROMAN:
        raise ValueError(f"{number} has no Roman numeral")
    text = ""
    for value, letters in _ROMAN:
        while number >= value:
            text += letters
            number -= value
    return text


def scientific(text: str) -> str:
    """``64`` → ``6.4×10^+01``: as many digits as the number has.

    Raises:
        ValueError: the text is no plain decimal number.
    """
    number = float(text)
    digits = len(text.lstrip("+-").replace(".", "").strip("0")) or 1
    mantissa, _, exponent = f"{number:.{max(digits - 1, 1)}e}".partition("e")
    return f"{mantissa}×10^{exponent}"


def spelled_date(date: dt.date) -> str:
    """``2014-06-10`` → ``two thousand and fourteen.six.ten``."""
    return f"{spelled_integer(date.year)}.{spelled_integer(date.month)}.{spelled_integer(date.day)}"


def roman_date(date: dt.date) -> str:
    """``2012-09-06`` → ``MMXII-IX-VI``."""
    return f"{roman(date.year)}-{roman(date.month)}-{roman(date.day)}"


def long_date(date: dt.date) -> str:
    """``2014-06-10`` → ``10 June 2014``."""
    return f"{date.day} {date:%B} {date.year:04}"


def american_date(date: dt.date) -> str:
    """``2014-06-10`` → ``June 10, 2014``."""
    return f"{date:%B} {date.day}, {date.year:04}"


def slashed_date(date: dt.date) -> str:
    """``2014-06-10`` → ``2014/06/10``."""
    return f"{date.year:04}/{date.month:02}/{date.day:02}"
