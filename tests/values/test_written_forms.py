"""Numbers and dates written in every form come back as the same value."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tablehound.lake import canonical, canonical_of_text, parse, read_column

_ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SCALES = ("", "thousand", "million", "billion", "trillion")
_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]


def words_of(number: int) -> str:
    """As the num2words package writes it: ``fourteen thousand, six hundred and seventy-six``."""
    if number < 0:
        return "minus " + words_of(-number)
    if number < 20:
        return _ONES[number]
    if number < 100:
        return _TENS[number // 10] + (f"-{_ONES[number % 10]}" if number % 10 else "")
    if number < 1000:
        rest = number % 100
        return f"{_ONES[number // 100]} hundred" + (f" and {words_of(rest)}" if rest else "")
    parts, scale = [], 0
    while number:
        number, below = divmod(number, 1000)
        if below:
            parts.append((below, scale))
        scale += 1
    parts.reverse()
    texts = [f"{words_of(below)} {_SCALES[s]}".strip() for below, s in parts]
    if parts[-1][1] == 0 and parts[-1][0] < 100 and len(texts) > 1:
        return ", ".join(texts[:-1]) + " and " + texts[-1]
    return ", ".join(texts)


def roman_of(number: int) -> str:
    text = ""
    for worth, letters in (
        (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"),
        (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
    ):  # fmt: skip
        while number >= worth:
            text, number = text + letters, number - worth
    return text


def grouped(number: int | float, thousands: str, decimal: str) -> str:
    text = f"{number:,}" if isinstance(number, int) else f"{number:,.2f}"
    return text.replace(",", "\0").replace(".", decimal).replace("\0", thousands)


_INTEGERS = st.integers(-(10**12), 10**12)
_CENTS = st.integers(-(10**10), 10**10).map(lambda cents: cents / 100)

WHOLE: dict[str, Callable[[int], str]] = {
    "digits": str,
    "commas": lambda n: f"{n:,}",
    "unicode minus": lambda n: f"{n:,}".replace("-", "\u2212"),
    "thin spaces": lambda n: grouped(n, "\u2009", "."),
    "no-break spaces": lambda n: grouped(n, "\u00a0", "."),
    "apostrophes": lambda n: grouped(n, "'", "."),
    "accountant": lambda n: f"({-n:,})" if n < 0 else f"{n:,}",
    "currency": lambda n: f"${n:,}" if n >= 0 else f"-${-n:,}",
    "euro behind": lambda n: f"{n:,} €",
    "words": words_of,
    "capitalised words": lambda n: words_of(n).capitalize(),
    "words with point zero": lambda n: words_of(n) + " point zero",
    "footnote": lambda n: f"{n:,}[1]",
    "note": lambda n: f"{n:,} (2011)",
    "star": lambda n: f"{n:,}*",
    "blanks around": lambda n: f"  {n} ",
    "trailing zeros": lambda n: f"{n:,}.00",
}


@pytest.mark.parametrize("form", WHOLE)
@given(numbers=st.lists(_INTEGERS, min_size=1, max_size=6, unique=True))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.differing_executors])
def test_whole_numbers(form: str, numbers: list[int]) -> None:
    texts = [WHOLE[form](n) for n in numbers]
    plain = [str(n) for n in numbers]
    reading = read_column([*texts, *plain, "3.5"])
    assert reading.kind == "number"
    assert [parse(text, reading) for text in texts] == numbers
    assert {canonical(parse(t, reading) or 0) for t in texts} == {str(n) for n in numbers}


@pytest.mark.parametrize(
    ("thousands", "decimal"), [(",", "."), (".", ","), (" ", ","), ("'", "."), ("\u202f", ","), ("", "."), ("", ",")]
)
@given(numbers=st.lists(_CENTS, min_size=2, max_size=8, unique=True))
@settings(max_examples=40, deadline=None)
def test_separators_are_decided_per_column(thousands: str, decimal: str, numbers: list[float]) -> None:
    texts = [grouped(n, thousands, decimal) for n in numbers]
    reading = read_column(texts)
    assert reading.kind == "number"
    assert [parse(text, reading) for text in texts] == numbers


@given(number=st.integers(-(10**6), 10**6), digits=st.integers(2, 6))
@settings(max_examples=60, deadline=None)
def test_scientific(number: int, digits: int) -> None:
    text = f"{number:.{digits}e}"
    mantissa, exponent = text.split("e")
    for form in (text, text.upper(), f"{mantissa}×10^{exponent}", f"{mantissa} x 10^{int(exponent)}"):
        assert canonical_of_text(form) == canonical(float(text))


@given(number=st.integers(1, 3999))
@settings(max_examples=60, deadline=None)
def test_roman_in_a_column_of_numbers(number: int) -> None:
    roman = roman_of(number)
    reading = read_column(["12", "7", "XVI", str(number), "1,014", roman])
    if len(roman) > 1 or roman in "IVX":
        assert parse(roman, reading) == number
    whole = read_column([roman_of(n) for n in (14, 27, number)])
    assert parse(roman, whole) == number


@given(number=st.integers(-(10**9), 10**9), places=st.integers(1, 6))
@settings(max_examples=60, deadline=None)
def test_spelled_decimals(number: int, places: int) -> None:
    text = f"{abs(number) % 10**6}.{abs(number) % 10**places:0{places}d}"
    whole, _, fraction = text.partition(".")
    spelled = f"{words_of(int(whole))} point {' '.join(_ONES[int(d)] for d in fraction)}"
    assert canonical_of_text(spelled) == canonical(float(text))


_DAYS = st.dates(dt.date(1931, 1, 1), dt.date(2029, 12, 31))
DATES: dict[str, Callable[[dt.date], str]] = {
    "iso": lambda d: d.isoformat(),
    "slashes": lambda d: d.strftime("%Y/%m/%d"),
    "dots": lambda d: f"{d.year}.{d.month}.{d.day}",
    "blanks": lambda d: d.strftime("%Y %m %d"),
    "month day, year": lambda d: f"{_MONTHS[d.month - 1]} {d.day}, {d.year}",
    "day month year": lambda d: f"{d.day} {_MONTHS[d.month - 1]} {d.year}",
    "short month": lambda d: f"{d.day:02d}-{_MONTHS[d.month - 1][:3]}-{d.year}",
    "short month and year": lambda d: f"{d.day:02d}-{_MONTHS[d.month - 1][:3].upper()}-{d.year % 100:02d}",
    "weekday": lambda d: d.strftime("%A, ") + f"{d.day} {_MONTHS[d.month - 1]} {d.year}",
    "words": lambda d: f"{words_of(d.year)}.{words_of(d.month)}.{words_of(d.day)}",
    "words with hyphens": lambda d: f"{words_of(d.year)}-{words_of(d.month)}-{words_of(d.day)}",
    "words with slashes": lambda d: f"{words_of(d.year)}/{words_of(d.month)}/{words_of(d.day)}",
    "roman": lambda d: f"{roman_of(d.year)}-{roman_of(d.month)}-{roman_of(d.day)}",
    "roman with dots": lambda d: f"{roman_of(d.year)}.{roman_of(d.month)}.{roman_of(d.day)}",
    "roman month": lambda d: f"{d.day}.{roman_of(d.month)}.{d.year}",
    "midnight": lambda d: f"{d.isoformat()} 00:00:00",
    "compact": lambda d: d.strftime("%Y%m%d"),
    "ordinal": lambda d: f"{d.day}th of {_MONTHS[d.month - 1]} {d.year}",
    "han": lambda d: f"{d.year}年{d.month}月{d.day}日",
}


@pytest.mark.parametrize("form", DATES)
@given(days=st.lists(_DAYS, min_size=1, max_size=5, unique=True))
@settings(max_examples=25, deadline=None)
def test_dates(form: str, days: list[dt.date]) -> None:
    texts = [DATES[form](day) for day in days]
    reading = read_column([*texts, *(d.isoformat() for d in days)], "date")
    assert reading.kind == "date"
    values = [parse(text, reading) for text in texts]
    assert [canonical(value) for value in values if value is not None] == [day.isoformat() for day in days]


@pytest.mark.parametrize("separator", ["/", "-", ".", " / "])
@pytest.mark.parametrize("order", ["dmy", "mdy"])
@given(days=st.lists(_DAYS.filter(lambda d: d.day > 12), min_size=1, max_size=6, unique=True), more=st.lists(_DAYS))
@settings(max_examples=25, deadline=None)
def test_order_is_decided_per_column(separator: str, order: str, days: list[dt.date], more: list[dt.date]) -> None:
    def write(day: dt.date) -> str:
        first, second = (day.day, day.month) if order == "dmy" else (day.month, day.day)
        return f"{first}{separator}{second}{separator}{day.year}"

    reading = read_column([write(day) for day in [*days, *more]])
    assert (reading.kind, reading.date_order, reading.ambiguous) == ("date", order, False)
    assert [parse(write(day), reading) for day in more] == more


@given(moments=st.lists(st.datetimes(dt.datetime(1950, 1, 1), dt.datetime(2029, 1, 1)), min_size=1, max_size=5))
@settings(max_examples=40, deadline=None)
def test_dates_with_time(moments: list[dt.datetime]) -> None:
    moments = [moment.replace(microsecond=0) for moment in moments]
    writers: tuple[Callable[[dt.datetime], str], ...] = (
        lambda m: m.isoformat(),
        lambda m: m.strftime("%Y-%m-%d %H:%M:%S"),
        lambda m: m.strftime("%d ") + _MONTHS[m.month - 1] + m.strftime(" %Y %I:%M:%S %p"),
        lambda m: m.isoformat() + "Z",
    )
    for write in writers:
        texts = [write(moment) for moment in moments]
        reading = read_column(texts)
        assert reading.kind == "date"
        assert [parse(text, reading) for text in texts] == moments


def test_everything_mixed_in_one_column() -> None:
    texts = ["1,014", "one thousand and fourteen", "1014.0", "1.014E3", "1.014×10^+03", "MXIV", " 1 014 "]
    reading = read_column([*texts, "12", "7.5"])
    assert [parse(text, reading) for text in texts] == [1014] * len(texts)
    assert {canonical_of_text(text) for text in texts if text != "MXIV"} == {"1014"}
