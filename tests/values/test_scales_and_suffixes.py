"""Scales in names and letters behind numbers: read as scales only where they are ones, and doubts are said."""

from __future__ import annotations

import pytest

from tablehound.lake import canonicals_of_text, parse, read_column


def values(texts: list[str], name: str = "") -> list[object]:
    reading = read_column(texts, name)
    return [parse(text, reading) for text in texts]


@pytest.mark.parametrize(
    "name",
    [
        "Deaths per 100,000",
        "Cases per 100 000",
        "Deaths per 1,000 live births",
        "Rate (per 1,000)",
        "Deaths / 1000",
        "Deaths in 1,000 live births",
        "Rate per 100'000",
        "Households under $25,000",
        "Income over 50,000",
        "Over 1,000,000",
        "Score out of 1,000",
        "1 in 1000",
        "Population 2,000",
        "Population (2000)",
        "10,000 m",
        "Nürburgring: 1000 km",
        "10,000+ places",
        "Boeing 737-000",
        "Cities over 1 million",
        "troops per one million population",
    ],
)
def test_a_number_within_a_name_is_no_scale(name: str) -> None:
    assert values(["12.5", "8.1", "9.9"], name) == [12.5, 8.1, 9.9]


@pytest.mark.parametrize(
    ("name", "scale", "unit"),
    [
        ("Sales in 000s", 1e3, None),
        ("Sales (000)", 1e3, None),
        ("Sales '000", 1e3, None),
        ("Sales £000", 1e3, "GBP"),
        ("Number of members 000", 1e3, None),
        ("Population (000,000)", 1e6, None),
        ("Population (1,000s)", 1e3, None),
        ("Population in 1000s", 1e3, None),
        ("Average population (x 1000)", 1e3, None),
        ("Values (x10^3)", 1e3, None),
        ("Production (1000 t)", 1e3, "t"),
        ("Production in 1000 t", 1e3, "t"),
        ("Revenue $m", 1e6, "USD"),
        ("Revenue USD m", 1e6, "USD"),
        ("gdp_usd_bn", 1e9, "USD"),
        ("Umsatz (k€)", 1e3, "EUR"),
        ("Umsatz (TEUR)", 1e3, "EUR"),
        ("Population millions", 1e6, None),
        ("Amount (USD, millions)", 1e6, "USD"),
        ("Amount (in thousands, except per share)", 1e3, None),
        ("GDP per capita (thousands)", 1e3, None),
        ("Viewers (m)", 1e6, None),
        ("Market cap (B)", 1e9, None),
        ("Height (m)", 1, "m"),
        ("Size (B)", 1, "B"),
        ("T (K)", 1, "K"),
        ("Temperature [K]", 1, "K"),
        ("T/K", 1, "K"),
        ("ΔT (K)", 1, "K"),
        ("Prize (k)", 1e3, None),
    ],
)
def test_scale_in_a_name(name: str, scale: float, unit: str | None) -> None:
    reading = read_column(["12.5", "8.1", "9.9"], name)
    assert (reading.scale, reading.unit, reading.ambiguous) == (scale, unit, False)


@pytest.mark.parametrize("name", ["Foo (M)", "Foo (K)", "Trips per year (1000)"])
def test_a_name_that_could_mean_otherwise_is_said(name: str) -> None:
    reading = read_column(["12.5", "8.1"], name)
    assert reading.ambiguous
    assert "in the name" in reading.note or "fits as" in reading.note


def test_men_are_no_millions() -> None:
    assert values(["1234567", "2345678"], "Population (M)") == [1_234_567, 2_345_678]


@pytest.mark.parametrize("name", ["bbox_x2", "bbox_x1", "arch_x86", "v_add1", "v_sub1"])
def test_numbers_at_the_end_of_names_are_no_scale(name: str) -> None:
    assert values(["12.5", "8"], name) == [12.5, 8]


@pytest.mark.parametrize(
    ("name", "texts", "expected", "unit"),
    [
        ("views", ["5.2M", "600K", "900"], [5_200_000, 600_000, 900], None),
        ("", ["5M", "600K", "1.2B"], [5_000_000, 600_000, 1_200_000_000], None),
        ("population", ["5M", "6.5M", "7M"], [5_000_000, 6_500_000, 7_000_000], None),
        ("transfer fee", ["24 m", "9 m", "0.5 m"], [24_000_000, 9_000_000, 500_000], None),
        ("endowment", ["1.01b", "444 m"], [1_010_000_000, 444_000_000], None),
        ("", ["1.2B", "3B"], [1_200_000_000, 3_000_000_000], None),
        ("market cap", ["1.2T", "3T", "900B"], [1.2e12, 3e12, 9e11], None),
        ("", ["$5M", "7M"], [5_000_000, 7_000_000], "USD"),
        ("", ["5.2M subscribers", "600K subscribers"], [5_200_000, 600_000], "subscriber"),
        ("event", ["100 m", "5,000 m"], [100, 5000], "m"),
        ("distance", ["800 m", "1500 m", "5k"], [800, 1500, 5000], "m"),
        ("", ["12 km", "800 m", "3 km"], [12, 0.8, 3], "km"),
        ("", ["5 m", "12 m"], [5, 12], "m"),
        ("size", ["512 B", "64 B", "4 kB"], [512, 64, 4000], "B"),
        ("temperature", ["5778 K", "300 K"], [5778, 300], "K"),
        ("weight", ["1.2T", "2.5T"], [1.2, 2.5], "t"),
        ("salary", ["10k", "20k"], [10_000, 20_000], None),
        ("Umsatz", ["5 M€", "600 k€"], [5_000_000, 600_000], "EUR"),
    ],
)
def test_letters_are_scales_or_units_by_their_column(
    name: str, texts: list[str], expected: list[float], unit: str | None
) -> None:
    reading = read_column(texts, name)
    assert [parse(text, reading) for text in texts] == expected
    assert (reading.unit, reading.ambiguous, reading.exceptions) == (unit, False, 0)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [(["5M", "12M"], [5_000_000, 12_000_000]), (["5m", "12m"], [5, 12]), (["5 K", "12 K"], [5000, 12_000])],
)
def test_letters_that_fit_both_ways_are_said(texts: list[str], expected: list[int]) -> None:
    reading = read_column(texts, "x")
    assert [parse(text, reading) for text in texts] == expected
    assert reading.ambiguous
    assert "fits as" in reading.note


def test_kelvin_is_not_added_to_degrees() -> None:
    reading = read_column(["300 K", "25 °C", "26 °C", "27 °C", "28 °C"])
    assert (reading.unit, reading.exceptions, parse("300 K", reading)) == ("°C", 1, "300 K")


def test_bases_and_flats_are_codes() -> None:
    reading = read_column(["1b", "2b", "3b"], "position")
    assert (reading.kind, reading.ambiguous) == ("text", True)
    assert read_column(["c", "1b", "rhp", "ss", "of"], "position").note == ""


def test_a_letter_without_a_column_has_both_meanings() -> None:
    assert canonicals_of_text("5M") == ("5000000", "5")
    assert canonicals_of_text("5 m") == ("5", "5000000")
    assert canonicals_of_text("5 mm") == ("5",)


def test_per_mille_is_a_tenth_of_a_percent() -> None:
    assert values(["5‰", "6‰", "7‰"]) == [0.5, 0.6, 0.7]
    assert read_column(["5‰", "6‰"]).unit == "%"
    assert values(["5‰", "6%", "7%"]) == [0.5, 6, 7]
    assert values(["0.4", "0.5", "0.7", "5‰"]) == [0.4, 0.5, 0.7, 0.005]


@pytest.mark.parametrize(
    ("text", "value"), [("$(6.50)", -6.5), ("% 5", 5), ("5 percent", 5), ("½", 0.5), ("2½ kg", 2.5), ("-1 ¼", -1.25)]
)
def test_marks_before_amounts_and_fractions(text: str, value: float) -> None:
    assert values([text]) == [value]


def test_decades_are_no_seconds() -> None:
    assert read_column(["1990s", "1980s"], "period").kind == "text"
    assert values(["1990s", "1985", "1986", "1987"]) == ["1990s", 1985, 1986, 1987]
    assert values(["1990s", "15s", "20s"], "duration") == [1990, 15, 20]
    assert canonicals_of_text("1990s") == ()


def test_codes_of_two_letters_are_no_roman_numerals() -> None:
    codes = read_column(["LI", "CI", "MC", "MD", "CV", "VI"], "country")
    assert (codes.kind, codes.ambiguous) == ("text", True)
    assert read_column(["II", "IV", "VI"], "chapter").kind == "number"
