"""Each way to write a value reads as that value."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablehound.lake import Amount, Measure, bounds_of_cell, factor, parse, read_column

AMOUNTS = st.decimals(-(10**6), 10**6, places=2)
WRITINGS: dict[str, tuple[Callable[[Decimal], str], Decimal]] = {
    "plain": (str, Decimal(1)),
    "grouped": (lambda x: f"{x:,}", Decimal(1)),
    "European": (lambda x: f"{x:,}".translate(str.maketrans(",.", ".,")), Decimal(1)),
    "blank": (lambda x: f"{x:,}".replace(",", " "), Decimal(1)),
    "million": (lambda x: f"{x} million", Decimal(10**6)),
    "k": (lambda x: f"{x}k", Decimal(1000)),
    "dollars": (lambda x: f"-${-x:,}" if x < 0 else f"${x:,}", Decimal(1)),
    "euros": (lambda x: f"{x:,} EUR", Decimal(1)),
    "percent": (lambda x: f"{x}%", Decimal(1)),
    "spaced percent": (lambda x: f"{x} %", Decimal(1)),
    "per mille": (lambda x: f"{x}‰", Decimal("0.1")),
    "side": (lambda x: f"{-x} DR" if x < 0 else f"{x} CR", Decimal(1)),
    "flag": (lambda x: f"{x} p", Decimal(1)),
    "footnote": (lambda x: f"{x}[1]", Decimal(1)),
    "parentheses": (lambda x: f"({-x})" if x < 0 else str(x), Decimal(1)),
}


@pytest.mark.parametrize("writing", WRITINGS)
@given(numbers=st.lists(AMOUNTS, min_size=6, max_size=12, unique=True))
@settings(max_examples=30, deadline=None)
def test_numbers(writing: str, numbers: list[Decimal]) -> None:
    written, worth = WRITINGS[writing]
    texts = [written(number) for number in numbers]
    # What decides is beside them, as most columns have it.
    texts += {"side": ["1.50 DR", "2.50 CR"], "flag": ["1.25", "2.25"], "European": ["1.234.567,89"]}.get(writing, [])
    reading = read_column(texts, "balance" if writing != "flag" else "2020")
    for number, text in zip(numbers, texts, strict=False):
        assert parse(text, reading) == pytest.approx(float(number * worth)), (text, reading)


@given(seconds=st.lists(st.integers(60, 90_000), min_size=4, max_size=8, unique=True))
@settings(max_examples=50, deadline=None)
def test_durations(seconds: list[int]) -> None:
    words = [f"{s // 3600}h {s // 60 % 60}m {s % 60}s" for s in seconds]
    clocks = [f"{s // 3600}:{s // 60 % 60:02}:{s % 60:02}" for s in seconds]
    for texts in (words, clocks):
        reading = read_column(texts, "duration")
        assert reading.unit == "s"
        assert [parse(text, reading) for text in texts] == seconds


@given(times=st.lists(st.times(), min_size=2, max_size=8, unique=True))
@settings(max_examples=50, deadline=None)
def test_times_of_day(times: list[dt.time]) -> None:
    minutes = [time.replace(second=0, microsecond=0) for time in times]
    for written in ("{:%I:%M %p}", "{:%H:%M}"):
        texts = [written.format(time) for time in minutes]
        reading = read_column(texts, "start")
        assert reading.kind == "time"
        assert [parse(text, reading) for text in texts] == minutes


@given(years=st.lists(st.integers(-3000, 2000).filter(bool), min_size=4, max_size=10, unique=True))
@settings(max_examples=50, deadline=None)
def test_years_with_their_era(years: list[int]) -> None:
    texts = [f"{-year} BC" if year < 0 else f"AD {year}" for year in years]
    reading = read_column(texts, "year")
    assert [parse(text, reading) for text in texts] == years


@given(number=st.integers(1, 10**6), plain=st.lists(st.integers(0, 10**6), min_size=3, max_size=6, unique=True))
@settings(max_examples=50, deadline=None)
def test_bounds(number: int, plain: list[int]) -> None:
    texts = [f"<{number}", f"≥{number}", *map(str, plain)]
    reading = read_column(texts, "cases")
    below, above = bounds_of_cell(texts[0], reading), bounds_of_cell(texts[1], reading)
    assert below is not None
    assert above is not None
    assert number - 1 < below[1] < number
    assert above[0] == number
    assert math.isinf(above[1])
    assert [bounds_of_cell(text, reading) for text in texts[2:]] == [(n, n) for n in plain]


MEASURES = st.sampled_from(
    [
        Measure("EUR"),
        Measure("EUR", 1000.0),
        Measure("EUR", 1000000.0),
        Measure(None, 1000.0),
        Measure("km"),
        Measure("m"),
        Measure("mi"),
        Measure("%"),
        Measure("‰"),
        Measure(ratio=True),
        Measure(),
    ]
)


@given(one=MEASURES, other=MEASURES, number=AMOUNTS)
@settings(max_examples=200, deadline=None)
def test_conversions_come_back(one: Measure, other: Measure, number: Decimal) -> None:
    there, back = factor(one, other), factor(other, one)
    assert (there is None) == (back is None)
    if there is not None and back is not None and number:
        assert abs(number * there * back / number - 1) < Decimal("1e-20")


@pytest.mark.parametrize(
    ("number", "given", "wanted", "value"),
    [
        ("5", Measure(None, 1e6), Measure("EUR", 1e3), "5000"),
        ("5000", Measure(), Measure("EUR", 1e3), "5000"),
        ("5000", Measure("EUR"), Measure("EUR", 1e3), "5"),
        ("6", Measure("%"), Measure(ratio=True), "0.06"),
        ("6", Measure("%"), Measure("%"), "6"),
        ("12", Measure("km"), Measure("m"), "12000"),
        ("12", Measure("km"), Measure("kg"), None),
        ("12", Measure("USD"), Measure("EUR"), None),
    ],
)
def test_amounts_within_a_column(number: str, given: Measure, wanted: Measure, value: str | None) -> None:
    converted = Amount(Decimal(number), given).within(wanted)
    assert converted == (None if value is None else Decimal(value))
